/**
 * The files of an SQLite database: the main file, and beside it the log of commits that are not in the main file
 * yet (-wal) with its index (-shm). Nothing in a log says which main file it belongs to: SQLite applies a log
 * that a crash left behind to whatever main file lies beside it, such as a backup that was copied there.
 */
import {chmodSync, closeSync, mkdirSync, openSync, readSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {findLogDamage} from './sqlite-log.ts';

export const companions = ['-wal', '-shm', '-journal'] as const;

/** Bytes. A main file up to this size is read whole before the server starts, which takes less than a second. */
const largestAtStart = 64 * 1024 * 1024;

/** Bytes; 0 where there is no such file. */
export const sizeOf = (path: string): number => statSync(path, {throwIfNoEntry: false})?.size ?? 0;

/** Whether commits were left in a log: by a server that runs, or by one that did not stop in order. */
export const hasLog = (path: string): boolean => sizeOf(`${path}-wal`) > 0;

/** Makes the folder (0700) and an empty file (0600) where they are missing, and closes the file to others. */
export function makeFile(path: string) {
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  // Made before SQLite opens it, for its companions (-wal, -shm) take their mode from it.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** SQLite's result code without its details, such as 11 for a damaged page; 0 for any other error. */
export const primaryCode = (error: unknown): number =>
  ((error as {errcode?: number} | undefined)?.errcode ?? 0) & 0xff;

/** Result codes of SQLite: a page cannot be read (10), makes no sense (11), or the file is no database (26). */
const damageCodes = [10, 11, 26];

/**
 * Reads every page: about 3 seconds for 1 GB on an idle machine.
 * @returns what is damaged, without any value from a row; undefined where nothing is
 * @throws Error when the database cannot be read now, which says nothing about its pages
 */
export function findDamage(database: DatabaseSync): string | undefined {
  try {
    // Not quick_check: it does not see the rows in wrong order that a log of another database leaves.
    const words = String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
    return words === 'ok' ? undefined : words.replaceAll('\n', ' ');
  } catch (error) {
    if (damageCodes.includes(primaryCode(error))) return (error as Error).message;
    throw error;
  }
}

/** @throws Error when the log beside the main file cannot be its own */
export function refuseForeignLog(path: string) {
  if (!hasLog(path) || isWalMode(path)) return;
  throw new Error(
    `${path} was copied over the files of another database: ${path}-wal is left of that one, and reading both ` +
      'together would mix them up. Move the three files away and run "lead-prequal restore" with the backup',
  );
}

/** @throws Error when commits in the log cannot be read any more, before SQLite drops them */
function refuseDamagedLog(path: string) {
  if (!hasLog(path)) return;
  const end = findLogDamage(path);
  if (end === undefined) return;
  throw new Error(
    `${path}-wal is damaged after byte ${end}: leads that were acknowledged are in it and cannot be read. Nothing was ` +
      'changed. Copy the files that begin with this name, then restore a backup with "lead-prequal restore --replace"; ' +
      `or keep what stands before the damage, with: sqlite3 ${path} "PRAGMA wal_checkpoint(TRUNCATE)"`,
  );
}

/** A database with a log says so in its header; a backup that `VACUUM INTO` made never had one. */
function isWalMode(path: string): boolean {
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  const length = readSync(file, header, 0, header.length, 0);
  closeSync(file);
  return length < header.length || (header[18] === 2 && header[19] === 2);
}

/**
 * @throws Error when the database is damaged, as far as that shows within a second. Nothing is written before
 * that: the log stays as it is, so that what is in it can still be saved.
 */
export function refuseDamaged(path: string) {
  refuseForeignLog(path);
  refuseDamagedLog(path);
  if (sizeOf(path) > largestAtStart) return;
  const database = new DatabaseSync(path, {readOnly: true, timeout: 2_000});
  try {
    const damage = findDamage(database);
    if (damage === undefined) return;
    throw new Error(`${path} is damaged (${damage}). Restore a backup with "lead-prequal restore --replace"`);
  } finally {
    database.close();
  }
}
