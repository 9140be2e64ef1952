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
  let lock: DatabaseSync | undefined;
  try {
    // An empty database is enough: SQLite locks it for as long as this transaction lasts. A journal in memory leaves no
    // file behind when the process is killed.
    closeSync(openSync(file, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600));
    lock = new DatabaseSync(file, {timeout: 0});
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    return {isTaken: primaryCode(error) === busy, release: () => undefined};
  }
  const held = lock;
  return {
    isTaken: false,
    release() {
      rmSync(file, {force: true});
      held.close();
    },
  };
}
