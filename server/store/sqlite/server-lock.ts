/**
 * Tells whether another server has the same SQLite file open, by a lock on a file beside it. The operating system releases the
 * lock when the process ends, even if it was killed. The database itself cannot be locked for that, because commands and backups
 * may have it open at the same time.
 */
import {closeSync, constants, openSync, realpathSync, rmSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {busy, primaryCode} from './files.ts';

/**
 * @param path of the main file, which must exist
 * @returns `isTaken`: whether another server has the lock; `release` does nothing then
 */
export function takeServerLock(path: string) {
  const file = `${realpathSync(path)}-lock`;
  try {
    const lock = lockFile(file, 0);
    return {
      isTaken: false,
      release() {
        rmSync(file, {force: true});
        lock.close();
      },
    };
  } catch (error) {
    return {isTaken: isLocked(error), release: () => undefined};
  }
}

/**
 * Locks a file by a transaction on an empty SQLite database, which lasts until the database is closed. With its journal in
 * memory, no file is left behind when the process is killed.
 * @param timeout milliseconds for which the whole process is blocked at most
 * @returns the lock, which is released when it is closed
 * @throws Error if another process has the lock for longer; `isLocked` recognises it
 */
export function lockFile(file: string, timeout: number): DatabaseSync {
  closeSync(openSync(file, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600));
  const lock = new DatabaseSync(file, {timeout});
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

export const isLocked = (error: unknown): boolean => primaryCode(error) === busy;
