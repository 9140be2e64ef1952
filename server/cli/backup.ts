/** `lead-prequal backup` and `lead-prequal restore`: copy the SQLite database to a file and back. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {Command} from 'commander';
import {retentionOf} from '../leads/retention.ts';
import {readConfig, type Config} from '../config/config.ts';
import {backUpSqlite} from '../store/sqlite/backup.ts';
import {CopyError, type Counts} from '../store/sqlite/copy.ts';
import {restoreSqlite} from '../store/sqlite/restore.ts';
import {appendErasures, readErasures, type Erasure} from '../store/erasures-file.ts';
import {createSealer} from '../store/sealing.ts';
import {toldAgain} from './erase.ts';
import {counted, Failure, localTime, type Run} from './output.ts';
import {checkFile} from './with-store.ts';

const inWords = ({leads, outbox}: Counts) =>
  `${counted(leads, 'lead')}, ${counted(outbox, 'delivery', 'deliveries')} in the outbox, checked`;

/**
 * Does the work and prints its outcome.
 * @param failed what did not happen if it fails
 * @throws Failure that says why
 */
async function report(
  {environment, write}: Run,
  failed: string,
  work: (databasePath: string, config: Config) => Promise<string[]>,
) {
  const config = readConfig(environment);
  const {databasePath, databaseUrl} = config;
  if (databaseUrl) {
    throw new Failure(
      'The leads are in PostgreSQL: back them up with pg_dump and restore them with pg_restore, as docs/operations.md says',
    );
  }
  try {
    for (const line of await work(resolve(databasePath), config)) await write(`${line}\n`);
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
    .option('--erasures <file>', 'erase again what this file lists, besides what ERASURES_FILE lists')
    .action((file: string, {replace = false, erasures: named}: {replace?: boolean; erasures?: string}) =>
      report(run, 'The backup is not restored', async (databasePath, config) => {
        const {own, known, unread, missing, has} = knownErasures(config, named);
        const restored = await restoreSqlite(resolve(file), databasePath, replace, {
          sealer: createSealer(config.dataKeys),
          erasures: known,
          keepConsent: retentionOf(config).keepConsent,
        });
        // From now on, this file alone is enough.
        if (own !== undefined) appendErasures(own, missing);
        const {movedTo, erased, broughtUp, newest} = restored;
        return [
          `${databasePath}: ${inWords(restored)}`,
          ...(movedTo === undefined ? [] : [`What was there before is now ${movedTo}`]),
          ...(has.length > 0
            ? [
                `${counted(erased, 'lead')} erased again, by ${has.join(' and ')}`,
                ...(unread > 0 ? [`${counted(unread, 'line')} there could not be read`] : []),
                ...(erased > 0 ? [toldAgain] : []),
              ]
            : [
                `There is no file of erasures at ${own}: what was erased ${newest === undefined ? 'since the backup' : `after ${localTime(newest)}`} is back. Erase it again, or restore with --erasures <file>`,
              ]),
          ...(broughtUp ? ['The tables are those of this version now, because erasing needs them'] : []),
        ];
      }),
    );

/** What the named file and that of the configuration say together, and what only the named one has. */
function knownErasures({erasuresFile: own}: Config, named: string | undefined) {
  if (named !== undefined && !existsSync(named)) throw new CopyError(`There is no file ${named}`);
  const has = [
    ...new Set([named, own].filter((path) => path !== undefined).map((path) => resolve(path))),
  ].filter((path) => existsSync(path));
  const read = has.map((path) => ({path, ...readErasures(path)}));
  const ownIds = new Set(
    read
      .filter(({path}) => own !== undefined && path === resolve(own))
      .flatMap(({erasures}) => erasures.map(keyOf)),
  );
  const known = read.flatMap(({erasures}) => erasures);
  return {
    own,
    has,
    known,
    unread: read.reduce((sum, {unread}) => sum + unread, 0),
    missing: known.filter((erasure) => !ownIds.has(keyOf(erasure))),
  };
}
const keyOf = ({id, all}: Erasure) => `${id} ${all}`;
