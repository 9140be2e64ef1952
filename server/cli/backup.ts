/** `lead-prequal backup` and `lead-prequal restore`: copy the SQLite database to a file and back. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {Command} from 'commander';
import {readConfig} from '../config/config.ts';
import {backUpSqlite} from '../store/sqlite/backup.ts';
import {CopyError, type Counts} from '../store/sqlite/copy.ts';
import {restoreSqlite} from '../store/sqlite/restore.ts';
import {Failure, type Run} from './output.ts';
import {checkFile} from './with-store.ts';

const count = (number: number, one: string, many: string) =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
const inWords = ({leads, outbox}: Counts) =>
  `${count(leads, 'lead', 'leads')}, ${count(outbox, 'delivery', 'deliveries')} in the outbox, checked`;

/**
 * Does the work and prints its outcome.
 * @param failed what did not happen if it fails
 * @throws Failure that says why
 */
async function report(
  {environment, write}: Run,
  failed: string,
  work: (databasePath: string) => Promise<string[]>,
) {
  const {databasePath, databaseUrl} = readConfig(environment);
  if (databaseUrl) {
    throw new Failure(
      'The leads are in PostgreSQL: back them up with pg_dump and restore them with pg_restore, as docs/operations.md says',
    );
  }
  try {
    for (const line of await work(resolve(databasePath))) await write(`${line}\n`);
  } catch (error) {
    if (error instanceof CopyError) throw new Failure(error.message);
    // The system refuses a file: there is no right to it, no room, or its folder cannot hold it.
    if (error instanceof Error && 'syscall' in error) throw new Failure(`${failed}: ${error.message}`);
    throw error;
  }
}

export const backupCommand = (run: Run): Command =>
  new Command('backup')
    .description('copy the SQLite database into one file while the server runs, and check the copy')
    .argument('<file>', 'the file to write, which must not exist yet')
    .action((file: string) =>
      report(run, 'The backup is not written', async (databasePath) => {
        if (existsSync(databasePath)) checkFile(databasePath);
        return [`${file}: ${inWords(await backUpSqlite(databasePath, resolve(file)))}`];
      }),
    );

export const restoreCommand = (run: Run): Command =>
  new Command('restore')
    .description('check a backup and make it the SQLite database of a server that is stopped')
    .argument('<file>', 'a file that "lead-prequal backup" wrote')
    .option('--replace', 'replace the present database: it is kept under the name …before-restore-<time>')
    .action((file: string, {replace = false}: {replace?: boolean}) =>
      report(run, 'The backup is not restored', async (databasePath) => {
        const {movedTo, ...counts} = await restoreSqlite(resolve(file), databasePath, replace);
        const moved = movedTo === undefined ? [] : [`What was there before is now ${movedTo}`];
        return [`${databasePath}: ${inWords(counts)}`, ...moved];
      }),
    );
