/**
 * Makes a backup the database of the server, and prevents SQLite from applying the log of the previous database to it.
 */
import {
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {pipeline} from 'node:stream/promises';
import {isSameFile} from './backup.ts';
import {tables} from '../columns.ts';
import {startsWith} from '../schema.ts';
import {missingKeys, whyNeeded, type Encryptor} from '../encryption.ts';
import {readFound} from './connection.ts';
import {checkCopy, CopyError, isTaken, withPartialFile, type Counts} from './copy.ts';
import {asideName, busy, companions, hasLog, primaryCode, syncToDisk} from './files.ts';

/** `movedTo`: the new name of the previous database and its log. */
export type Restored = Counts & {movedTo: string | undefined};

/** SQLite's result code for a file that is no database. */
const notADatabase = 26;

/**
 * When the promise resolves, the database is the backup. The file is private (0600), was checked, and is flushed to the disk.
 * @param replace if true, an existing database and its log are renamed; if false, an existing database is an error
 * @param encryptor with the data keys that the copy needs
 * @throws CopyError when the backup is damaged, or the database cannot be replaced. Then nothing was changed
 */
export async function restoreSqlite(
  backup: string,
  databasePath: string,
  replace: boolean,
  encryptor: Encryptor,
): Promise<Restored> {
  if (!existsSync(backup)) throw new CopyError(`There is no file ${backup}`);
  if (hasLog(backup)) {
    throw new CopyError(`${backup}-wal lies beside the backup: this is a copy of files in use, not a backup`);
  }
  if (isTaken(databasePath) && !existsSync(databasePath)) {
    throw new CopyError(
      `${databasePath} is a symbolic link that leads nowhere: delete the link, or let DATABASE_PATH name the file itself`,
    );
  }
  mkdirSync(dirname(databasePath), {recursive: true, mode: 0o700});
  if (isSameFile(backup, databasePath)) throw new CopyError(`${backup} is the database itself`);
  whileLocked(databasePath, () => refuseOccupied(databasePath, replace));
  return withPartialFile(databasePath, async (partial) => {
    await pipeline(createReadStream(backup), createWriteStream(partial, {flags: 'r+'}));
    const counts = checkCopy(partial, backup);
    refuseWithoutKeys(partial, encryptor);
    syncToDisk(partial, dirname(partial));
    const movedTo = whileLocked(databasePath, () => {
      refuseOccupied(databasePath, replace);
      const movedTo = keepPrevious(databasePath);
      if (movedTo === undefined) linkToFreeName(partial, databasePath);
      // Renaming is atomic: a server that starts now finds either the old database, which is locked, or the new one.
      else renameSync(partial, databasePath);
      return movedTo;
    });
    syncToDisk(databasePath, dirname(databasePath));
    return {...counts, movedTo};
  });
}

/** Refuses a copy whose data keys are missing, because no server could start on it. */
function refuseWithoutKeys(copy: string, {checkValues}: Encryptor) {
  using database = new DatabaseSync(copy, {readOnly: true});
  const found = readFound(database);
  startsWith(found);
  // Older tables have no encrypted data.
  if (found.version < tables.data_keys.since) return;
  const rows = database.prepare('SELECT check_value FROM data_keys').all();
  const needed = rows.map(({check_value}) => Number(check_value));
  const missing = missingKeys(needed, checkValues);
  if (missing.length > 0) throw new CopyError(missing.map(whyNeeded).join(' '));
}

const filesOf = (databasePath: string) =>
  ['', ...companions].map((suffix) => databasePath + suffix).filter((path) => existsSync(path));

function refuseOccupied(databasePath: string, replace: boolean) {
  const [first] = filesOf(databasePath);
  if (first === undefined || replace) return;
  const reason = hasLog(databasePath)
    ? `A server that crashed left ${databasePath}-wal, which may hold leads that are in no backup. ` +
      'To keep them, start the server on these files, stop it again, and make a backup'
    : `${first} is there already. To keep its leads, back it up`;
  throw new CopyError(
    `${reason}. To restore nevertheless, add --replace: it renames the present files and deletes none`,
  );
}

/**
 * Runs `work` while this process holds an exclusive lock on the database. A connection to a database with a log holds a
 * shared lock as long as it is open, so the exclusive lock fails while a server runs. The file is opened under another
 * name, for which there is no log. Under its own name, SQLite would apply the log of a crashed server.
 * @throws CopyError when a server or another program has the database open
 */
function whileLocked<Result>(databasePath: string, work: () => Result): Result {
  if (!existsSync(databasePath)) return work();
  const otherName = `${databasePath}.lock-${process.pid}`;
  linkSync(databasePath, otherName);
  const database = new DatabaseSync(otherName, {timeout: 0});
  try {
    lockAlone(database, databasePath);
    return work();
  } finally {
    database.close();
    for (const suffix of ['', ...companions]) rmSync(otherName + suffix, {force: true});
  }
}

/** @throws CopyError when another connection has the database open */
export function lockAlone(database: DatabaseSync, databasePath: string) {
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    if (primaryCode(error) === busy) {
      throw new CopyError(
        `A server, the operators' pages or another program has ${databasePath} open: what it stores meanwhile would be ` +
          'lost. Stop it first: "systemctl stop lead-prequal", or "docker compose stop server"',
      );
    }
    if (primaryCode(error) === notADatabase) {
      throw new CopyError(
        `${databasePath} is not a database, so this command cannot tell whether a server has it open. Stop the server ` +
          'and move the file away, with those that end in -wal and -shm, then restore again',
      );
    }
    throw error;
  }
}

/**
 * Renames the previous database and its log. The main file keeps its old name, too, until the backup replaces it.
 * @returns the new name, or undefined if there was no database
 */
function keepPrevious(databasePath: string): string | undefined {
  if (filesOf(databasePath).length === 0) return undefined;
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const aside = asideName(databasePath) + time;
  if (filesOf(aside).length > 0) throw new CopyError(`${aside} is there already: try again in a second`);
  if (existsSync(databasePath)) linkSync(databasePath, aside);
  for (const suffix of companions) {
    if (existsSync(databasePath + suffix)) renameSync(databasePath + suffix, aside + suffix);
  }
  return aside;
}

/** Gives the database its name. @throws CopyError if a server has just started and created a database */
function linkToFreeName(partial: string, databasePath: string) {
  try {
    linkSync(partial, databasePath);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CopyError(`A server created a database at ${databasePath} meanwhile`);
  }
}
