/** Puts a backup where the server looks for its database, and never beside the log of another one. */
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
import {samePlace} from './sqlite-backup.ts';
import {checkCopy, Refused, syncToDisk, withPartialFile, type Counts} from './sqlite-copy.ts';
import {companions, hasLog, primaryCode} from './sqlite-files.ts';

/** `movedTo`: the name that the database before it has now, together with its log. */
export type Restored = Counts & {movedTo: string | undefined};

/** SQLite's result codes: others have the file open (5), and the file is no database (26). */
const [busy, notADatabase] = [5, 26];

/**
 * The database is the backup when the promise resolves: for its owner alone (0600), read whole, on the disk.
 * @param replace moves a database that is there aside, with its log
 * @throws Refused when the backup is damaged, or when a database is there that must stay; nothing was changed then
 */
export async function restoreSqlite(
  backup: string,
  databasePath: string,
  replace: boolean,
): Promise<Restored> {
  if (!existsSync(backup)) throw new Refused(`There is no file ${backup}`);
  if (hasLog(backup)) {
    throw new Refused(`${backup}-wal lies beside the backup: this is a copy of files in use, not a backup`);
  }
  mkdirSync(dirname(databasePath), {recursive: true, mode: 0o700});
  if (samePlace(backup, databasePath)) throw new Refused(`${backup} is the database itself`);
  whileNobodyHasItOpen(databasePath, () => refuseOccupied(databasePath, replace));
  return withPartialFile(databasePath, async (partial) => {
    await pipeline(createReadStream(backup), createWriteStream(partial, {flags: 'r+'}));
    const counts = checkCopy(partial, backup);
    syncToDisk(partial);
    const movedTo = whileNobodyHasItOpen(databasePath, () => {
      refuseOccupied(databasePath, replace);
      const aside = moveAside(databasePath);
      if (aside === undefined) takeFreeName(partial, databasePath);
      // In one step: a server that starts now finds the old database, which is locked, or the new one.
      else renameSync(partial, databasePath);
      return aside;
    });
    syncToDisk(databasePath);
    return {...counts, movedTo};
  });
}

const filesOf = (databasePath: string) =>
  ['', ...companions].map((suffix) => databasePath + suffix).filter((path) => existsSync(path));

function refuseOccupied(databasePath: string, replace: boolean) {
  const [first] = filesOf(databasePath);
  if (first === undefined || replace) return;
  const isLeft = hasLog(databasePath)
    ? `A server that did not stop in order left ${databasePath}-wal, which may hold leads that are in no backup. ` +
      'To keep them, start the server on these files and stop it again, then back them up'
    : `${first} is there already. To keep its leads, back it up`;
  throw new Refused(
    `${isLeft}. To restore nevertheless, add --replace: it moves the files aside and deletes none`,
  );
}

/**
 * Every connection to a database with a log holds a lock on its main file for as long as it is open, so that nobody else
 * can lock it exclusively. The file is opened here by another name, under which SQLite finds no log: under its own
 * name SQLite would write the log of a crashed server into the main file.
 * @throws Refused when a server or another program has it open
 */
function whileNobodyHasItOpen<Result>(databasePath: string, work: () => Result): Result {
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

function lockAlone(database: DatabaseSync, databasePath: string) {
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    if (primaryCode(error) === busy) {
      throw new Refused(
        `A server or another program has ${databasePath} open. Stop it first: a restore under its hands would lose leads`,
      );
    }
    if (primaryCode(error) === notADatabase) {
      throw new Refused(
        `${databasePath} is not a database, so nobody can tell whether a server has it open. Stop the server and move ` +
          'the file away, with those that end in -wal and -shm, then restore again',
      );
    }
    throw error;
  }
}

/** @returns the new name; undefined where there was nothing. The main file keeps its old name, too, until it is replaced. */
function moveAside(databasePath: string): string | undefined {
  if (filesOf(databasePath).length === 0) return undefined;
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const aside = `${databasePath}.before-restore-${time}`;
  if (filesOf(aside).length > 0) throw new Refused(`${aside} is there already: try again in a second`);
  if (existsSync(databasePath)) linkSync(databasePath, aside);
  for (const suffix of companions) {
    if (existsSync(databasePath + suffix)) renameSync(databasePath + suffix, aside + suffix);
  }
  return aside;
}

/** @throws Refused where a server that starts has made a database since */
function takeFreeName(partial: string, databasePath: string) {
  try {
    linkSync(partial, databasePath);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Refused(`A database was made at ${databasePath} meanwhile`);
  }
}
