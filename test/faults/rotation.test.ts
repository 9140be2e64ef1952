/**
 * A server that encrypts what is in clear is killed again and again while leads arrive, and then `lead-prequal keys rotate`,
 * while another key takes over, and the server beside it. Every lead stays readable, and the next one ends the work.
 */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {text} from 'node:stream/consumers';
import {test, type TestContext} from 'node:test';
import type {LeadEntry} from '../../server/leads/new-lead.ts';
import type {LeadStore} from '../../server/leads/ports.ts';
import {openStore} from '../../server/store/open-store.ts';
import {checkValueOf, createEncryptor} from '../../server/store/encryption.ts';
import {putInClear} from '../support/in-clear.ts';
import {openWhile} from '../support/opened.ts';
import {databaseFor, withoutPostgres} from '../support/postgres.ts';
import {execute, rowsOf} from '../support/rows.ts';
import {asLead, newEntry, prequalificationBody} from '../support/sample-leads.ts';
import {serviceSettings, startService, type RunningService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';
import {acme, baseConfig} from '../support/test-server.ts';
import {basic, postJson} from '../support/http.ts';

const leads = 400 * Number(process.env['FAULT_ROUNDS'] ?? 10);
/** How often the command is killed while it encrypts, and again while it encrypts with another key. */
const kills = Number(process.env['FAULT_ROUNDS'] ?? 10);
const [first, second] = [
  'the-first-data-key-of-32-characters-or-more',
  'the-second-data-key-of-32-characters-or-more',
];
const program = join(import.meta.dirname, '../../server/lead-prequal.cjs');

type Words = [string, ...string[]];

type Query = (sql: string) => Promise<Record<string, unknown>[]>;

async function isEncryptedThroughKills(t: TestContext, database?: {url: string; query: Query}) {
  const folder = temporaryFolder(t);
  const config = {...baseConfig(folder), databaseUrl: database?.url};
  const environment = {
    ...serviceSettings(folder),
    DATABASE_PATH: config.databasePath,
    ...(database && {DATABASE_URL: database.url}),
  };
  const query: Query = (sql) =>
    database ? database.query(sql) : Promise.resolve(rowsOf(config.databasePath, sql));
  const open = <Result>(words: Words, work: (store: LeadStore) => Promise<Result>) =>
    openWhile(openStore(config, createEncryptor(words)), work);

  const entries = Array.from({length: leads}, (_, n) =>
    newEntry({lead: asLead({...prequalificationBody, last_name: `Lead-${n}`}), partner: 'acme'}),
  );
  await open([first], async (store) => {
    for (let from = 0; from < leads; from += 500)
      await Promise.all(entries.slice(from, from + 500).map((entry) => store.accept(entry)));
  });
  const change = (sql: string) =>
    database ? database.query(sql).then(() => undefined) : Promise.resolve(execute(config.databasePath, sql));
  await putInClear({select: query, execute: change}, {encryptor: createEncryptor([first])});

  /** The servers that were killed count as running for a minute. To the store, that minute is over now. */
  const forgetKilled = () => change('UPDATE processes SET seen_at = seen_at - 60000');

  const added: string[] = [];
  let service: RunningService | undefined;
  t.after(() => service?.end('SIGKILL'));
  const startServer = async (DATA_KEY: string) => {
    service = await startService({...environment, DATA_KEY}, folder);
  };
  const addLead = async () => {
    const headers = basic(acme);
    const lead = {...prequalificationBody, cid: '1001'};
    const response = await fetch(`${service!.url}/json/leads`, postJson(lead, headers));
    assert.equal(response.status, 201);
    added.push(((await response.json()) as {id: string}).id);
  };
  const rotate = (DATA_KEY: string) =>
    spawn(process.execPath, [program, 'keys', 'rotate'], {
      cwd: folder,
      env: {PATH: process.env['PATH'] ?? '', ...environment, DATA_KEY},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const countEncrypted = async (key: string) => {
    const sql = `SELECT COUNT(*) AS n FROM sealed WHERE data_key = ${checkValueOf(key)}`;
    const [row] = await query(sql);
    return Number(row?.['n']);
  };

  const goals = Array.from({length: kills}, (_, round) => (leads * (round + 1)) / (kills + 1));
  for (const goal of goals) {
    await startServer(first);
    await addLead();
    await until(async () => (await countEncrypted(first)) >= goal);
    await service!.end('SIGKILL');
  }
  await startServer(first);
  await until(() => service!.lines.some((line) => line.includes('all personal data is encrypted')));
  await service!.end('SIGTERM');
  if (!database)
    for (const name of readdirSync(dirname(config.databasePath)))
      assert.doesNotMatch(readFileSync(join(dirname(config.databasePath), name), 'latin1'), /Lead-\d/, name);

  await forgetKilled();
  {
    const [now, before] = [second, first];
    const keys = `${now} ${before}`;
    await startServer(keys);
    for (let round = 1; round <= kills; round += 1) {
      await addLead();
      const command = rotate(keys);
      const ended = once(command, 'exit');
      const goal = goals[round - 1]!;
      await Promise.race([ended, until(async () => (await countEncrypted(now)) >= goal)]);
      command.kill('SIGKILL');
      await ended;
      if (round % 5 === 0) {
        await service!.end('SIGKILL');
        await startServer(keys);
      }
    }
    const command = rotate(keys);
    const [[code], output, errors] = await Promise.all([
      once(command, 'exit') as Promise<[number | null]>,
      text(command.stdout),
      text(command.stderr),
    ]);
    assert.equal(code, 0, output + errors);
    await addLead();
    await service!.end('SIGTERM');
    await forgetKilled();
    await open([now], async (store) => {
      await assertAllReadable(store, entries);
      for (const id of added) assert.ok(await store.find(id));
    });
  }
  t.diagnostic(`killed ${2 * kills} times, ${entries.length + added.length} leads read`);
}

async function assertAllReadable(store: LeadStore, entries: readonly LeadEntry[]) {
  for (let from = 0; from < entries.length; from += 500) {
    const some = entries.slice(from, from + 500);
    const records = await store.findRecords(some.map(({id}) => id));
    for (const {id, lead, answer} of some) assert.partialDeepStrictEqual(records.get(id), {lead, answer});
  }
}

test('a SQLite database is encrypted, and encrypted with another key, although all is killed', (t) =>
  isEncryptedThroughKills(t));
test(
  'a PostgreSQL database is encrypted, and encrypted with another key, although all is killed',
  {skip: withoutPostgres},
  async (t) => {
    const database = await databaseFor(t);
    await isEncryptedThroughKills(t, database);
  },
);
