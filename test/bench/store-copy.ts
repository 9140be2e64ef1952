/**
 * `npm run bench:store-copy [leads]`: `lead-prequal store copy` with a million leads, from SQLite to PostgreSQL and from
 * there to SQLite. The first pass is killed five times. Prints how long each command takes, how many leads a second that
 * is, and the most memory of its process; at the end, both ends must be equal.
 */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {createInterface} from 'node:readline';
import {transferred} from '../../server/store/transfer.ts';
import {serviceSettings} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {freshStore} from './servers.ts';
import {fill, runCommand} from './year-of-leads.ts';

const leads = Number(process.argv[2] ?? 1_000_000);
const kills = 5;
const program = join(import.meta.dirname, '../../server/lead-prequal.cjs');
const inWords = (number: number) => number.toLocaleString('en-US');

const folder = makeTemporaryFolder();
const [first, middle, last] = [
  join(folder.path, 'first.sqlite'),
  await freshStore('PostgreSQL'),
  join(folder.path, 'last.sqlite'),
];
const settings = serviceSettings(folder.path);
await fill('SQLite', first, folder.path, leads);
await move('SQLite to PostgreSQL', {...settings, DATABASE_PATH: first}, middle);
await move('PostgreSQL to SQLite', {...settings, DATABASE_URL: middle}, last);
compareFiles(first, last);
console.log('All tables of the first file and of the last one are equal.');
folder.remove();

async function move(direction: string, environment: Record<string, string>, to: string) {
  console.log(`\n${direction}, ${inWords(leads)} leads`);
  const words = ['store', 'copy', '--to', to];
  const began = performance.now();
  for (let kill = 1; kill <= kills; kill += 1)
    await killAt(Math.floor((leads * kill) / (kills + 1)), environment, words);
  console.log(`  killed ${kills} times in ${Math.round((performance.now() - began) / 1_000)} s`);
  await measured('the rest of the first pass', environment, words);
  await measured('a pass without changes', environment, words);
  await measured('the last pass (--finish)', environment, [...words, '--finish']);
}

async function measured(what: string, environment: Record<string, string>, words: readonly string[]) {
  const {code, milliseconds, memory} = await runCommand(environment, words);
  assert.equal(code, 0);
  const seconds = milliseconds / 1_000;
  console.log(
    `  ${what}: ${seconds.toFixed(1)} s, ${inWords(Math.round(leads / seconds))} leads a second, ${memory} MB`,
  );
}

/** Runs the command until it says that it has gone through so many leads, or further. */
async function killAt(rows: number, environment: Record<string, string>, words: readonly string[]) {
  const env = {PATH: process.env['PATH'], ...environment};
  const child = spawn(process.execPath, [program, ...words], {env, stdio: ['ignore', 'ignore', 'pipe']});
  const ended = once(child, 'exit');
  createInterface({input: child.stderr}).on('line', (line) => {
    const [, table = '', count = ''] = /^(\w+): ([\d,]+) of/.exec(line) ?? [];
    if (table !== 'leads' || Number(count.replaceAll(',', '')) >= rows) child.kill('SIGKILL');
  });
  const [, signal] = (await ended) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

/** Compares without the code that was measured: SQLite itself looks for rows that only one of the files has. */
function compareFiles(one: string, other: string) {
  const database = new DatabaseSync(one);
  database.exec(`ATTACH '${other}' AS other`);
  for (const table of transferred) {
    const {left, right} = database
      .prepare(
        `SELECT (SELECT COUNT(*) FROM (SELECT * FROM main.${table} EXCEPT SELECT * FROM other.${table})) AS left,
          (SELECT COUNT(*) FROM main.${table}) - (SELECT COUNT(*) FROM other.${table}) AS right`,
      )
      .get() as {left: number; right: number};
    assert.deepEqual({table, left, right}, {table, left: 0, right: 0});
  }
  database.close();
}
