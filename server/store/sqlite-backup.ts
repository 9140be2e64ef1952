/** Copies the database into one file while the server works with it. */
import {closeSync, existsSync, openSync, realpathSync, renameSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {checkCopy, Refused, syncToDisk, withPartialFile, type Counts} from './sqlite-copy.ts';
import {companions, refuseForeignLog} from './sqlite-files.ts';

/** Milliseconds for which a server that recovers its log is waited for. */
const patience = 10_000;

/**
 * Every lead that was acknowledged before the call is in the file, which is for its owner alone (0600), was read
 * back whole, and is on the disk when the promise resolves.
 * @throws Refused when the file exists, the folder does not, or the copy is damaged; there is no such file then
 */
export async function backUpSqlite(databasePath: string, file: string): Promise<Counts> {
  if (!existsSync(databasePath)) throw new Refused(`There is no database at ${databasePath}`);
  if (!existsSync(dirname(file))) throw new Refused(`There is no folder ${dirname(file)}`);
  if (['', ...companions].some((suffix) => samePlace(databasePath + suffix, file))) {
    throw new Refused(`${file} is the database itself, or would be taken for a part of it`);
  }
  if (existsSync(file)) throw new Refused(`${file} is there already, and a backup overwrites nothing`);
  return withPartialFile(file, (partial) => {
    copyInto(databasePath, partial);
    const counts = checkCopy(partial, 'The copy');
    syncToDisk(partial);
    takeName(partial, file);
    return counts;
  });
}

/**
 * `VACUUM INTO` reads one state of the database while others write: their log grows meanwhile, and is used again
 * after that. SQLite's page-by-page backup is faster, but takes along what was deleted, and a copy of its making looks as
 * if it had a log: a server could not tell that a log beside it belongs to another database.
 */
function copyInto(databasePath: string, partial: string) {
  refuseForeignLog(databasePath);
  // May write, because the connection that closes last empties the log, and a server may stop meanwhile.
  const database = new DatabaseSync(databasePath, {timeout: patience});
  try {
    database.prepare('VACUUM INTO ?').run(partial);
  } catch (error) {
    throw new Refused(`The database cannot be copied: ${(error as Error).message}`);
  } finally {
    database.close();
  }
}

/** Takes the name only where nobody has taken it since. */
function takeName(partial: string, file: string) {
  closeSync(openSync(file, 'wx', 0o600));
  renameSync(partial, file);
  syncToDisk(file);
}

/** Whether two names stand for the same file, whichever way their folders are written. */
export function samePlace(one: string, other: string): boolean {
  const place = (path: string) =>
    existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
  return place(one) === place(other);
}
