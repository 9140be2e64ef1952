/** Copies the database to one file while the server runs. */
import {closeSync, existsSync, openSync, realpathSync, renameSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {checkCopy, CopyError, isTaken, withPartialFile, type Counts} from './copy.ts';
import {companions, refuseForeignLog, syncToDisk} from './files.ts';

/** Milliseconds to wait for a lock, for example while a server recovers its log. */
const lockTimeout = 10_000;

/**
 * Writes a private file (0600) with every lead that was acknowledged before the call. When the promise resolves, the file was
 * checked and flushed to the disk.
 * @throws CopyError when `file` exists, its folder does not exist, or the copy is damaged. Then `file` is not written
 */
export async function backUpSqlite(databasePath: string, file: string): Promise<Counts> {
  if (!existsSync(databasePath)) throw new CopyError(`There is no database at ${databasePath}`);
  if (!existsSync(dirname(file))) throw new CopyError(`There is no folder ${dirname(file)}`);
  if (['', ...companions].some((suffix) => isSameFile(databasePath + suffix, file))) {
    throw new CopyError(`${file} is the database itself, or would be taken for a part of it`);
  }
  if (isTaken(file)) throw new CopyError(`${file} is there already, and a backup overwrites nothing`);
  return withPartialFile(file, (partial) => {
    copyInto(databasePath, partial);
    const counts = checkCopy(partial, 'The copy');
    syncToDisk(partial, dirname(partial));
    renameToFreeName(partial, file);
    return counts;
  });
}

/**
 * `VACUUM INTO` copies a consistent state of the database while the server writes; until it is done, the log grows.
 * SQLite's page-by-page backup is faster, but such a copy keeps deleted data, and its header says that the database
 * uses a log. A server that opens such a copy could not notice that a log of the same name belongs to another database.
 */
function copyInto(databasePath: string, partial: string) {
  refuseForeignLog(databasePath);
  // Not read-only: if the server stops during the copy, this connection is the last one and must empty the log.
  using database = new DatabaseSync(databasePath, {timeout: lockTimeout});
  try {
    // Otherwise the pages of the copy have second copies of rows in their gaps, which no erasure after a restore would find.
    database.exec('PRAGMA secure_delete = ON');
    database.prepare('VACUUM INTO ?').run(partial);
  } catch (error) {
    throw new CopyError(`The database cannot be copied: ${(error as Error).message}`);
  }
}

/** Gives the copy its name. @throws Error if a file with that name has just been created */
function renameToFreeName(partial: string, file: string) {
  closeSync(openSync(file, 'wx', 0o600));
  renameSync(partial, file);
  syncToDisk(file, dirname(file));
}

/** Whether two paths name the same file, even if they reach its folder in different ways. */
export function isSameFile(one: string, other: string): boolean {
  const realPath = (path: string) =>
    existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
  return realPath(one) === realPath(other);
}
