/** `lead-prequal backup` and `lead-prequal restore`: copy the SQLite database to a file and back. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {Command} from 'commander';
import {backUpSqlite} from '../store/sqlite/backup.ts';
import {CopyError, type Counts} from '../store/sqlite/copy.ts';
import {restoreSqlite} from '../store/sqlite/restore.ts';
import {configured} from './configured.ts';
import {fail, write} from './output.ts';
import {mayUse} from './with-store.ts';

const count = (number: number, one: string, many: string) =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
const inWords = ({leads, outbox}: Counts) =>
  `${count(leads, 'lead', 'leads')}, ${count(outbox, 'delivery', 'deliveries')} in the outbox, checked`;

/**
 * Does the work and prints its outcome. If it fails, prints why and sets the exit status to 1.
 * @param failed what did not happen then
 */
async function report(failed: string, work: (databasePath: string) => Promise<string[]>) {
  const {databasePath, databaseUrl} = configured();
  try {
    if (databaseUrl) {
      throw new CopyError(
        'The leads are in PostgreSQL: back them up with pg_dump and restore them with pg_restore, as docs/operations.md says',
      );
    }
    for (const line of await work(resolve(databasePath))) await write(`${line}\n`);
  } catch (error) {
    if (error instanceof CopyError) fail(error.message);
    // The system refuses a file: there is no right to it, no room, or its folder cannot hold it.
    else if (error instanceof Error && 'syscall' in error) fail(`${failed}: ${error.message}`);
    else throw error;
  }
}

export const backupCommand = (): Command =>
  new Command('backup')
    .description('copy the SQLite database into one file while the server runs, and check the copy')
    .argument('<file>', 'the file to write, which must not exist yet')
    .action((file: string) =>
      report('The backup is not written', async (databasePath) => {
        if (existsSync(databasePath) && !mayUse(databasePath)) return [];
        return [`${file}: ${inWords(await backUpSqlite(databasePath, resolve(file)))}`];
      }),
    );

export const restoreCommand = (): Command =>
  new Command('restore')
    .description('check a backup and make it the SQLite database of a server that is stopped')
    .argument('<file>', 'a file that "lead-prequal backup" wrote')
    .option('--replace', 'replace the present database: it is kept under the name …before-restore-<time>')
    .action((file: string, {replace = false}: {replace?: boolean}) =>
      report('The backup is not restored', async (databasePath) => {
        const {movedTo, ...counts} = await restoreSqlite(resolve(file), databasePath, replace);
        const moved = movedTo === undefined ? [] : [`What was there before is now ${movedTo}`];
        return [`${databasePath}: ${inWords(counts)}`, ...moved];
      }),
    );
