/** `lead-prequal store copy` is killed again and again. The new store has every lead and all rows of the old one. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';
import {openStore} from '../../server/store/open-store.ts';
import {transferred} from '../../server/store/transfer.ts';
import {openWhile} from '../support/opened.ts';
import {databaseFor, withoutPostgres} from '../support/postgres.ts';
import {rowsOf} from '../support/rows.ts';
import {newDelivery, newEntry} from '../support/sample-leads.ts';
import {serviceSettings} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {baseConfig, testEncryptor} from '../support/test-server.ts';
import {startOver} from './load.ts';

const leads = 4_000;
/** The tables in the middle of which the command is killed. After the last of them come the commit and the new name. */
const kills = ['leads', 'idempotency_keys', 'deliveries', 'heartbeat', 'heartbeat'];
const program = join(import.meta.dirname, '../../server/lead-prequal.cjs');

test('kills of a copy to PostgreSQL lose no lead and no row', {skip: withoutPostgres}, async (t) => {
  const folder = temporaryFolder(t);
  const database = await databaseFor(t);
  const databasePath = join(folder, 'leads.sqlite');
  const settings = {...serviceSettings(folder), DATABASE_PATH: databasePath};
  await openWhile(openStore({...baseConfig(folder), databasePath}, testEncryptor), async (store) => {
    await store.probe(Date.now(), 64);
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
    spawn(process.execPath, [program, 'store', 'copy', '--to', database.url], {
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
    const sorted = (rows: Record<string, unknown>[]) =>
      rows
        .map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, plain(value)])))
        .toSorted();
    const [old, copied] = [
      rowsOf(`${databasePath}.moved`, `SELECT * FROM ${table}`),
      await database.query(`SELECT * FROM ${table}`),
    ];
    assert.deepEqual(sorted(copied), sorted(old), table);
  }
  await startOver(folder, {...settings, DATABASE_URL: database.url});
});

/** PostgreSQL's driver gives a BIGINT as a text, and a blob as a buffer. */
const plain = (value: unknown) => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'number' ? String(value) : value;
};
