/** `lead-prequal store`: moves all leads to another database, from SQLite to PostgreSQL and back. */
import {existsSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {Command} from 'commander';
import {readConfig, type Config} from '../config/config.ts';
import {postgresUrl} from '../config/settings.ts';
import {openEnd} from '../store/open-store.ts';
import {transfer, TransferError, type Tell} from '../store/transfer.ts';
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

/** Milliseconds between two lines of progress. */
const progressEvery = 2_000;

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

async function copy(run: Run, to: string) {
  const began = performance.now();
  const config = readConfig(run.environment);
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
        () => transfer(source, target, progressOf(run, `From ${source.place} to ${target.place}`)),
        'The copy has stopped, and the same command goes on with it: ',
      );
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      await report(run, {from: source.place, to: target.place, tables, seconds, config});
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function progressOf({say}: Run, heading: string): Tell {
  let hasBegun = false;
  let said: Parameters<Tell>[0] | undefined;
  let saidAt = -Infinity;
  return (now) => {
    // Said with the first rows and not at the beginning, so that a refused copy says only why it was refused.
    if (!hasBegun) say(heading);
    hasBegun = true;
    const isNew = now.table !== said?.table;
    const isEnd = said !== undefined && now.rows >= now.of && said.rows < said.of;
    const isDue = performance.now() - saidAt >= progressEvery;
    if (now.of === 0 || !(isNew || isEnd || isDue)) return;
    [said, saidAt] = [now, performance.now()];
    say(`${now.table}: ${now.rows.toLocaleString('en-US')} of ${counted(now.of, 'row')}`);
  };
}

type Report = {
  from: string;
  to: string;
  tables: Awaited<ReturnType<typeof transfer>>;
  seconds: string;
  config: Config;
};

async function report({printTable, write}: Run, {from, to, tables, seconds, config: {erasuresFile}}: Report) {
  // If ERASURES_FILE is not set, an SQLite file has the list beside it, and a new file would get a new list.
  const list = erasuresFile === undefined ? '' : `, ERASURES_FILE to ${resolve(erasuresFile)}`;
  const next = to.startsWith('postgres:')
    ? `set DATABASE_URL to ${to}, with user and password${list}, and start the servers`
    : `set DATABASE_PATH to ${to}${list}, take DATABASE_URL away, and start the server`;
  if (!tables) return write(`All leads are in ${to} already. Next: ${next}.\n`);
  await printTable(
    ['table', 'rows', 'SHA-256 of the rows on both sides'],
    tables.map(({table, rows, digest}) => [table, rows, digest]),
  );
  await write(
    `\nAll leads are in ${to}, and counts and digests are equal. It took ${seconds} s.\n` +
      `${from} keeps every row, and has a mark: no server starts on it any more.\nNext: ${next}.\n`,
  );
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
