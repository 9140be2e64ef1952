/** `lead-prequal store copy` is killed again and again. The new store has every lead and all rows of the old one. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {test, type TestContext} from 'node:test';
import {openStore} from '../../server/store/open-store.ts';
import {clearText} from '../../server/store/sealing.ts';
import {transferred} from '../../server/store/transfer.ts';
import {openWhile} from '../support/opened.ts';
import {createDatabase, withoutPostgres} from '../support/postgres.ts';
import {rowsOf} from '../support/rows.ts';
import {newDelivery, newEntry} from '../support/sample-leads.ts';
import {serviceSettings} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {baseConfig} from '../support/test-server.ts';
import {startOver} from './load.ts';

const leads = 4_000;
/** The tables in the middle of which the command is killed. */
const kills = ['leads', 'leads', 'idempotency_keys', 'deliveries', 'deliveries'];
const program = join(import.meta.dirname, '../../server/lead-prequal.cjs');

type Select = (sql: string) => Promise<Record<string, unknown>[]>;

const inFile =
  (path: string): Select =>
  (sql) =>
    Promise.resolve(rowsOf(path, sql));

async function isMovedThroughKills(
  t: TestContext,
  folder: string,
  from: {settings: Record<string, string>; select: Select},
  to: {settings: Record<string, string>; select: Select; place: string},
) {
  const settings = {...serviceSettings(folder), ...from.settings};
  const {DATABASE_PATH = '', DATABASE_URL} = settings;
  const config = {...baseConfig(folder), databasePath: DATABASE_PATH, databaseUrl: DATABASE_URL};
  await openWhile(openStore(config, clearText), async (store) => {
    for (let first = 0; first < leads; first += 500)
      await Promise.all(
        Array.from({length: 500}, (_, n) =>
          store.accept(
            newEntry({
              partner: 'acme',
              deliveries: [newDelivery({destination: 'crm', content: 'created', givesAnswer: false})],
              idempotency: [{owner: 'acme', digest: `key ${first + n}`, fingerprint: 'a'}],
            }),
          ),
        ),
      );
  });

  const start = () =>
    spawn(process.execPath, [program, 'store', 'copy', '--to', to.place], {
      cwd: folder,
      env: {PATH: process.env['PATH'] ?? '', ...settings},
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  for (const table of kills) {
    const child = start();
    const ended = once(child, 'exit');
    createInterface({input: child.stderr}).on('line', (line) => {
      if (line.startsWith(`${table}:`)) child.kill('SIGKILL');
    });
    assert.deepEqual(await ended, [null, 'SIGKILL'], table);
  }
  const last = start();
  const [[code], errors] = await Promise.all([
    once(last, 'exit') as Promise<[number | null]>,
    text(last.stderr),
  ]);
  assert.equal(code, 0, errors);
  for (const table of transferred) {
    const [old, copied] = await Promise.all([from, to].map(({select}) => select(`SELECT * FROM ${table}`)));
    const sorted = (rows: Record<string, unknown>[] = []) =>
      rows
        .map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, plain(value)])))
        .toSorted();
    assert.deepEqual(sorted(copied), sorted(old), table);
  }
  const moved = await startOver(folder, {...settings, ...to.settings});
  t.after(() => moved.end('SIGKILL'));
}

/** PostgreSQL's driver gives a BIGINT as a text, and a blob as a buffer. */
const plain = (value: unknown) => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'number' ? String(value) : value;
};

for (const direction of ['SQLite to PostgreSQL', 'PostgreSQL to SQLite'] as const)
  test(`from ${direction}, kills lose no lead and no row`, {skip: withoutPostgres}, async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const database = await createDatabase();
    t.after(() => database.drop());
    const path = join(folder.path, 'leads.sqlite');
    const sqlite = {settings: {DATABASE_PATH: path, DATABASE_URL: ''}, select: inFile(path), place: path};
    const postgres = {
      settings: {DATABASE_URL: database.url},
      select: (sql: string) => database.query(sql),
      place: database.url,
    };
    const [from, to] = direction === 'SQLite to PostgreSQL' ? [sqlite, postgres] : [postgres, sqlite];
    await isMovedThroughKills(t, folder.path, from, to);
  });
