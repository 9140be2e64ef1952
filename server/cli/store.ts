/** `lead-prequal store`: moves all leads to another database, from SQLite to PostgreSQL and back. */
import {existsSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {Command} from 'commander';
import {readConfig, type Config} from '../config/config.ts';
import {postgresUrl} from '../config/settings.ts';
import {goneAfter} from '../reload/reloads.ts';
import {openEnd} from '../store/open-store.ts';
import {reopen, transfer, TransferError, type End, type Tell} from '../store/transfer.ts';
import {counted, Failure, type Run} from './output.ts';
import {checkFile} from './with-store.ts';

const help = `
The store of the configuration (DATABASE_URL, else DATABASE_PATH) is copied into the database that --to names, which must
be empty or an earlier copy. Without --finish, servers go on: run it as often as you like, it copies what has changed. With
--finish, all servers must be stopped. It compares everything, marks the old store, on which no server starts any more,
and the copy is the store. After a kill, run the same command again.

PGPASSWORD and the password file of PostgreSQL work for --to, so that the password need not be in the list of processes.

Examples:
  lead-prequal store copy --to postgres://leads@db.example.com/leads            beside the servers
  lead-prequal store copy --to postgres://leads@db.example.com/leads --finish   once they are stopped
  lead-prequal store copy --to /var/lib/lead-prequal/leads.sqlite               back to SQLite
  lead-prequal store reopen                                                     take the mark of the old store away`;

/** Milliseconds between two lines of progress. */
const progressEvery = 2_000;

export function storeCommand(run: Run): Command {
  const store = new Command('store')
    .description('move all leads to another database: from SQLite to PostgreSQL, or back')
    .addHelpText('after', help);
  store
    .command('copy')
    .description('copy the store into another database, beside the servers; with --finish, move it')
    .requiredOption('--to <database>', 'a URL such as postgres://…, or the path of an SQLite file')
    .option('--finish', 'the last pass, while all servers are stopped: the copy becomes the store')
    .action(({to, finish = false}: {to: string; finish?: boolean}) => copy(run, to, finish));
  store
    .command('reopen')
    .description('let servers start again on a store whose leads are being moved, or were')
    .option('--yes', 'do not ask, for programs')
    .action(async ({yes = false}: {yes?: boolean}) => {
      const source = await openSource(readConfig(run.environment), 'mark');
      await orFailure(() => reopenStore(run, source, yes)).finally(() => source.close());
    });
  return store;
}

async function reopenStore(run: Run, source: End, yes: boolean) {
  const place = await reopen(source, async (newPlace) => {
    if (yes) return true;
    if (!run.ask) throw new Failure('There is no terminal to ask on: add --yes to reopen without a question');
    run.say(
      `The leads were moved to ${newPlace}. This store has no lead that servers took there since, and what they have sent from there may be sent a second time from here.`,
    );
    return (await run.ask('If no server has taken a lead there, type reopen: ')).trim() === 'reopen';
  });
  if (place === undefined) return run.fail('Nothing was changed.');
  await run.write(`Servers may start on ${source.place} again. Let no server run on ${place}.\n`);
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

function openSource(config: Config, use: 'read' | 'mark'): Promise<End> {
  if (!config.databaseUrl) checkFile(config.databasePath);
  return orFailure(() => openEnd(config, use, goneAfter), 'The store cannot be opened: ');
}

async function copy(run: Run, to: string, isLast: boolean) {
  const began = performance.now();
  const config = readConfig(run.environment);
  const place = placeNamed(to, config);
  const source = await openSource(config, isLast ? 'mark' : 'read');
  try {
    const target = await orFailure(
      () => openEnd({...config, ...place}, {copyOf: source.place}, goneAfter),
      'The database that --to names cannot be opened: ',
    );
    try {
      const done = await orFailure(
        () => transfer(source, target, isLast, progressOf(run, `From ${source.place} to ${target.place}`)),
        'The copy has stopped, and the same command goes on with it: ',
      );
      const milliseconds = performance.now() - began;
      await report(run, done, {source, target, isLast, milliseconds, config});
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

type Report = {source: End; target: End; isLast: boolean; milliseconds: number; config: Config};

async function report(
  {printTable, write}: Run,
  {tables, wasDone}: Awaited<ReturnType<typeof transfer>>,
  {source, target, isLast, milliseconds, config: {erasuresFile}}: Report,
) {
  const isPostgres = target.place.startsWith('postgres:');
  // If ERASURES_FILE is not set, an SQLite file has the list beside it, and a new file would get a new list.
  const list = erasuresFile === undefined ? '' : `, ERASURES_FILE to ${resolve(erasuresFile)}`;
  const next = isPostgres
    ? `set DATABASE_URL to ${target.place}, with user and password${list}, and start the servers`
    : `set DATABASE_PATH to ${target.place}${list}, take DATABASE_URL away, and start the server`;
  if (wasDone) return write(`All leads are in ${target.place} already. Next: ${next}.\n`);
  await printTable(
    ['table', 'rows', 'written', 'deleted', ...(isLast ? ['SHA-256 of the rows on both sides'] : [])],
    tables.map(({table, rows, written, removed, digest}) => [
      table,
      rows,
      written,
      removed,
      ...(isLast ? [digest] : []),
    ]),
  );
  const seconds = (milliseconds / 1_000).toFixed(1);
  await write(
    isLast
      ? `\nAll leads are in ${target.place}, and counts and digests are equal. The servers had to stand still for the ${seconds} s of this command.\n` +
          `${source.place} keeps every row, and has a mark: no server starts on it until "lead-prequal store reopen".\nNext: ${next}.\n`
      : `\nCopied in ${seconds} s, as far as the servers do not go on writing. Next: run the same command again until few rows are written, ` +
          'then stop all servers and run it with --finish.\n',
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
