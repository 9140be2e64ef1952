/**
 * Tells whether another server has the same SQLite file open, by a lock on a file beside it. The system takes the lock
 * away when the process ends, even if it was killed. The database itself has no such lock: commands and backups may have it
 * open beside the server.
 */
import {closeSync, constants, openSync, realpathSync, rmSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {busy, primaryCode} from './files.ts';

export type ServerLock = {
  /** True if another server has the lock. */
  isTaken: boolean;
  /** Gives the lock back, if this server has it. */
  release(): void;
};

/** @param path of the main file, which must exist */
export function takeServerLock(path: string): ServerLock {
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
 * An empty database is enough for a lock: SQLite locks it for as long as this transaction lasts. A journal in memory leaves no
 * file behind when the process is killed.
 * @param timeout milliseconds for which the whole process waits
 * @returns the lock, which is given back when it is closed
 * @throws Error, of which `isLocked` is true, when another process has the lock for longer
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
