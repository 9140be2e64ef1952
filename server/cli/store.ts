/** `lead-prequal store`: moves all leads to another database, from SQLite to PostgreSQL and back. */
import {resolve} from 'node:path';
import {Command} from 'commander';
import {finish} from '../admin/admin.ts';
import {moveStore} from '../admin/moving.ts';
import {counted} from '../admin/words.ts';
import {readConfig, type Config} from '../config/config.ts';
import {printTable, type Run} from './output.ts';

const help = `
Stop all servers first. The store of the configuration (DATABASE_URL, else DATABASE_PATH) is copied into the database that
--to names, which must be empty, and both are compared. Then the old store gets a mark, so that no server starts on it any
more, and the copy is the store. After a kill, run the same command again: it goes on where it was. A copy that has not
ended leaves the old store as it is.

PGPASSWORD and the password file of PostgreSQL work for --to, so that the password need not be in the list of processes.

Examples:
  lead-prequal store copy --to postgres://leads@db.example.com/leads
  lead-prequal store copy --to /var/lib/lead-prequal/leads.sqlite       back to SQLite`;

export function storeCommand(run: Run): Command {
  const store = new Command('store')
    .description('move all leads to another database: from SQLite to PostgreSQL, or back')
    .addHelpText('after', help);
  store
    .command('copy')
    .description('move the store into another database, while all servers are stopped')
    .requiredOption('--to <database>', 'a URL such as postgres://…, or the path of an SQLite file')
    .action(({to}: {to: string}) => copy(run, to));
  return store;
}

async function copy(run: Run, to: string) {
  const {environment, say, write} = run;
  const config = readConfig(environment);
  const moved = await finish(moveStore(config, {to}), ({table, rows, of}) =>
    say(`${table}: ${rows.toLocaleString('en-US')} of ${counted(of, 'row')}`),
  );
  await printTable(
    run,
    ['table', 'rows', 'SHA-256 of the rows on both sides'],
    moved.tables.map(({table, rows, digest}) => [table, rows, digest]),
  );
  await write(`
All leads are in ${moved.to}, and counts and digests are equal. It took ${(moved.ms / 1_000).toFixed(1)} s.
${moved.from} keeps every row, and has a mark: no server starts on it any more.
Next: ${nextStep(moved.to, config)}.
`);
}

function nextStep(place: string, {erasuresFile}: Config): string {
  // If ERASURES_FILE is not set, an SQLite file has the list beside it, and a new file would get a new list.
  const list = erasuresFile === undefined ? '' : `, ERASURES_FILE to ${resolve(erasuresFile)}`;
  return place.startsWith('postgres:')
    ? `set DATABASE_URL to ${place}, with user and password${list}, and start the servers`
    : `set DATABASE_PATH to ${place}${list}, take DATABASE_URL away, and start the server`;
}
