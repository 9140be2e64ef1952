/** `lead-prequal store`: moves all leads to another database, from SQLite to PostgreSQL and back. */
import {existsSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {Command} from 'commander';
import {readConfig, type Config} from '../config/config.ts';
import {postgresUrl} from '../config/settings.ts';
import {openEnd} from '../store/open-store.ts';
import {transfer, TransferError} from '../store/transfer.ts';
import {counted, Failure, type Run} from './output.ts';
import {checkFile} from './with-store.ts';

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

/** The settings with which a server would use the database that --to names. @throws Failure if it names none */
function placeNamed(to: string, config: Config): Pick<Config, 'databaseUrl' | 'databasePath'> {
  const {databasePath} = config;
  if (to.includes('://')) {
    const [issue] = postgresUrl.safeParse(to).error?.issues ?? [];
    if (issue) throw new Failure(`--to ${issue.message}, or the path of a file`);
    return {databaseUrl: to, databasePath};
  }
  const path = resolve(to);
  if (!config.databaseUrl && path === resolve(databasePath)) throw new Failure(`${path} is the store itself`);
  const kinds = '--to must be a URL such as postgres://…, or the path of an SQLite file';
  if (to === '') throw new Failure(kinds);
  if (!existsSync(dirname(path)))
    throw new Failure(`${kinds} in a folder that exists: there is no ${dirname(path)}`);
  return {databaseUrl: undefined, databasePath: path};
}

async function copy({environment, printTable, say, write}: Run, to: string) {
  const began = performance.now();
  const config = readConfig(environment);
  const place = placeNamed(to, config);
  if (!config.databaseUrl) checkFile(config.databasePath);
  const source = await orFailure(() => openEnd(config, 'source'), 'The store cannot be opened: ');
  try {
    const target = await orFailure(
      () => openEnd(place, {copyOf: source.place}),
      'The database that --to names cannot be opened: ',
    );
    try {
      const tables = await orFailure(
        () =>
          transfer(source, target, ({table, rows, of}) =>
            say(`${table}: ${rows.toLocaleString('en-US')} of ${counted(of, 'row')}`),
          ),
        'The copy has stopped, and the same command goes on with it: ',
      );
      await printTable(
        ['table', 'rows', 'SHA-256 of the rows on both sides'],
        tables.map(({table, rows, digest}) => [table, rows, digest]),
      );
      await write(`
All leads are in ${target.place}, and counts and digests are equal. It took ${((performance.now() - began) / 1_000).toFixed(1)} s.
${source.place} keeps every row, and has a mark: no server starts on it any more.
Next: ${nextStep(target.place, config)}.
`);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function nextStep(place: string, {erasuresFile}: Config): string {
  // If ERASURES_FILE is not set, an SQLite file has the list beside it, and a new file would get a new list.
  const list = erasuresFile === undefined ? '' : `, ERASURES_FILE to ${resolve(erasuresFile)}`;
  return place.startsWith('postgres:')
    ? `set DATABASE_URL to ${place}, with user and password${list}, and start the servers`
    : `set DATABASE_PATH to ${place}${list}, take DATABASE_URL away, and start the server`;
}

/** What stops a transfer is mostly a disk, a network or a right: a sentence for the operator, without a stack. */
async function orFailure<Result>(work: () => Promise<Result>, before = ''): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const {message} = error as Error;
    throw new Failure(error instanceof TransferError ? message : `${before}${message}`, {cause: error});
  }
}
