/** Backs up and restores the SQLite database. PostgreSQL has programs of its own for both. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Config} from '../config/config.ts';
import {createEncryptor} from '../store/encryption.ts';
import {backUpSqlite} from '../store/sqlite/backup.ts';
import {CopyError} from '../store/sqlite/copy.ts';
import {restoreSqlite} from '../store/sqlite/restore.ts';
import {Refusal, refuseFor} from './admin.ts';
import {refuseWrongFile} from './attached.ts';

/** What the copy contains. It has been checked and flushed to the disk. */
export type Backup = {file: string; leads: number; outbox: number};

/** @throws Refusal if the file is not written */
export function backUp(config: Config, file: string): Promise<Backup> {
  return orRefusal('The backup is not written', async () => {
    const databasePath = sqlitePath(config);
    refuseWrongFile(databasePath);
    return {file, ...(await backUpSqlite(databasePath, resolve(file)))};
  });
}

/** `moved_to`: where the replaced database is now. `erasures`: the file from which the next start repeats erasures, or null. */
type Restored = {
  database: string;
  leads: number;
  outbox: number;
  moved_to: string | null;
  erasures: string | null;
};

/**
 * Restores a backup while the server is stopped. The next start repeats the erasures and stops that came after the backup
 * (repairing.ts).
 * @param file a file that a backup wrote
 * @param replace keeps the present database under another name
 * @throws Refusal if the database is not replaced
 */
export function restore(config: Config, file: string, {replace}: {replace: boolean}): Promise<Restored> {
  return orRefusal('The backup is not restored', async () => {
    const database = sqlitePath(config);
    const encryptor = createEncryptor(config.dataKeys);
    const {movedTo = null, leads, outbox} = await restoreSqlite(resolve(file), database, replace, encryptor);
    const {erasuresFile: erasures = ''} = config;
    return {database, leads, outbox, moved_to: movedTo, erasures: existsSync(erasures) ? erasures : null};
  });
}

function sqlitePath({databasePath, databaseUrl}: Config): string {
  if (databaseUrl)
    throw new Refusal(
      'The leads are in PostgreSQL: back them up with pg_dump and restore them with pg_restore, as docs/operations.md says',
    );
  return resolve(databasePath);
}

/** @param failed how the message begins if the system refuses a file */
async function orRefusal<Result>(failed: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CopyError) throw new Refusal(error.message);
    // The system refused a file: a right is missing, the disk is full, or the folder cannot hold the file.
    if (error instanceof Error && 'syscall' in error) refuseFor(error, `${failed}: `);
    throw error;
  }
}
