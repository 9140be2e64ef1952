/**
 * The files of an SQLite database: the main file, the write-ahead log (-wal) with the commits that are not in the main
 * file yet, and the index of that log (-shm). A log does not say to which main file it belongs. So when a crash left a
 * log behind, SQLite applies this log to any main file of that name, for example to a backup that was copied there.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import type {RefusedPart} from '../../leads/store-errors.ts';
import {findLogDamage, readHeader} from './write-ahead-log.ts';

/** The suffixes of the files beside the main file. Only a database that uses no write-ahead log has a -journal. */
export const companions = ['-wal', '-shm', '-journal'] as const;

/** The size in bytes. 0 for a file that does not exist. */
export const sizeOf = (path: string): number => statSync(path, {throwIfNoEntry: false})?.size ?? 0;

/** The free space that a VACUUM needs, in bytes: for the new file, and for the log through which it replaces the old one. */
export const roomToRewrite = (path: string): number => 2 * sizeOf(path);

/** Whether the main file is checked completely before the start, which takes less than a second up to 64 MB. */
const isCheckedAtStart = (path: string): boolean => sizeOf(path) <= 64 * 1024 * 1024;

/** Whether there are commits in the log. Such a log belongs to a server that is running or has crashed. */
export const hasLog = (path: string): boolean => sizeOf(`${path}-wal`) > 0;

/** The name that `store copy` gives a file whose leads are in PostgreSQL. */
export const movedName = (path: string) => `${path}.moved`;

/** The beginning of the name that a restore gives the database that it replaces. */
export const asideName = (path: string) => `${path}.before-restore-`;

/** The databases that restores have replaced, with their logs. */
export function filesAside(path: string): string[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.startsWith(basename(asideName(path))));
  return files.map((name) => join(folder, name));
}

/** @throws Error if the leads were moved, so that a start would create an empty database in their place */
export function refuseMoved(path: string) {
  const moved = movedName(path);
  if (sizeOf(path) > 0 || !existsSync(moved)) return;
  throw new Error(
    `The leads of ${path} were moved to PostgreSQL, and the file is ${moved} now: let DATABASE_URL name that database`,
  );
}

/**
 * Creates the folder (0700) and an empty file (0600) if they are missing, and makes the file private (0600). Only the owner of a
 * file can change its mode. On a volume that belongs to a group, such as one with an fsGroup, another user may own the file, and
 * then its mode is not changed.
 * @throws Error as `refuseMoved`
 */
export function makeFile(path: string) {
  refuseMoved(path);
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  // This must happen before SQLite opens the file, because SQLite gives the file's mode to the -wal and -shm files,
  // too.
  closeSync(openSync(path, 'a', 0o600));
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Flushes files and folders to the disk. If a folder is not flushed, a crash may undo the name of a new file in it. */
export function syncToDisk(...paths: readonly string[]) {
  for (const path of paths) {
    const file = openSync(path, 'r');
    fsyncSync(file);
    closeSync(file);
  }
}

const isOwner = (uid: number) => !process.getuid || process.getuid() === uid;

/** Whether users outside the group of the file may read it, and the start cannot change that. */
export function othersMayRead(path: string): boolean {
  const found = statSync(path, {throwIfNoEntry: false});
  return found !== undefined && !isOwner(found.uid) && process.getuid?.() !== 0 && (found.mode & 0o004) !== 0;
}

/**
 * For commands: any other user than the owner, such as root, would create files beside the database that the server cannot write.
 * If the group may write the file, it may also write the files beside it, so users of this group are allowed.
 * @throws Error that says as which user to run the command
 */
export function refuseOtherOwner(path: string) {
  const found = statSync(path, {throwIfNoEntry: false});
  if (!found || isOwner(found.uid)) return;
  if ((found.mode & 0o060) === 0o060 && process.getgroups?.().includes(found.gid)) return;
  throw new Error(
    `${path} belongs to another user. Run the command as that user: sudo -u '#${found.uid}' npx lead-prequal …`,
  );
}

/**
 * Checks, without a change, that `makeFile` would succeed, and that SQLite could write the files beside the main file.
 * @throws Error of the file system, or as `refuseMoved`
 */
export function refuseUnwritable(path: string) {
  refuseMoved(path);
  const {R_OK, W_OK, X_OK} = constants;
  if (statSync(path, {throwIfNoEntry: false})) {
    // Opening it for writing also refuses a folder of that name.
    closeSync(openSync(path, 'r+'));
    accessSync(path, R_OK | W_OK);
  }
  let folder = dirname(path);
  while (!statSync(folder, {throwIfNoEntry: false})) folder = dirname(folder);
  // The slash at the end makes this fail if the path is not a folder.
  accessSync(`${folder}/`, W_OK | X_OK);
}

/** SQLite's result code without its details, such as 11 for a damaged page; 0 for any other error. */
export const primaryCode = (error: unknown): number =>
  ((error as {errcode?: number} | undefined)?.errcode ?? 0) & 0xff;

/** SQLite's result codes for a row that is too large (18), violates a constraint (19), or has a wrong type (20). */
const rowCodes = [18, 19, 20];
/** SQLite's result code for a statement that is wrong, for example because a table is missing. */
const statementCode = 1;

export function refusalOf(error: unknown): RefusedPart | undefined {
  const code = primaryCode(error);
  if (rowCodes.includes(code)) return 'row';
  return code === statementCode ? 'statement' : undefined;
}

/** SQLite's result code when another connection has the lock. */
export const busy = 5;

/** SQLite's result codes for an unreadable page (10), a damaged page (11), and a file that is no database (26). */
const damageCodes = [10, 11, 26];

/**
 * Reads every page, which takes about 3 seconds for 1 GB on an idle machine.
 * @returns a description of the damage, without values from rows; undefined if there is none
 * @throws Error when the check failed for another reason than damage, for example a lock
 */
export function findDamage(database: DatabaseSync): string | undefined {
  try {
    // quick_check would not find rows in the wrong order, which the log of another database leaves behind.
    const words = String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
    return words === 'ok' ? undefined : words.replaceAll('\n', ' ');
  } catch (error) {
    if (damageCodes.includes(primaryCode(error))) return (error as Error).message;
    throw error;
  }
}

/** @throws Error when the log belongs to another database */
export function refuseForeignLog(path: string) {
  if (!hasLog(path) || isWalMode(path)) return;
  throw new Error(
    `${path} was copied over the files of another database: ${path}-wal belongs to that other database, and reading ` +
      'both would mix them up. Move the three files away and run "lead-prequal restore" with the backup',
  );
}

/** @throws Error when commits in the log are damaged, which SQLite would drop without an error */
function refuseDamagedLog(path: string) {
  if (!hasLog(path)) return;
  const damagedAt = findLogDamage(path);
  if (damagedAt === undefined) return;
  throw new Error(
    `${path}-wal is damaged after byte ${damagedAt}: leads that were acknowledged are in it and cannot be read. Nothing was ` +
      'changed. Copy the files that begin with this name, then restore a backup with "lead-prequal restore --replace"; ' +
      `or keep only the commits before the damage, with: sqlite3 ${path} "PRAGMA wal_checkpoint(TRUNCATE)"`,
  );
}

/** The header of a main file says whether the database uses a log. A backup made by `VACUUM INTO` uses none. */
function isWalMode(path: string): boolean {
  const header = readHeader(path);
  return !header || (header[18] === 2 && header[19] === 2);
}

/**
 * Makes the checks for damage that take less than a second. These checks write nothing, so that an operator can still
 * save the commits in a log.
 * @throws Error when the database is damaged
 */
export function refuseDamaged(path: string) {
  refuseForeignLog(path);
  refuseDamagedLog(path);
  if (!isCheckedAtStart(path)) return;
  using database = new DatabaseSync(path, {readOnly: true, timeout: 2_000});
  const damage = findDamage(database);
  if (damage === undefined) return;
  throw new Error(`${path} is damaged (${damage}). Restore a backup with "lead-prequal restore --replace"`);
}
