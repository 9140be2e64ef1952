/** What backup and restore have in common: a copy is private from its first byte, and whole before it gets its name. */
import {closeSync, existsSync, fsyncSync, openSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {migrations} from './migrations.ts';

/** A backup or restore that is not done, and changed nothing. The message says why and what to do. */
export class Refused extends Error {}

export type Counts = {
  leads: number;
  /** Deliveries that wait, are held, or were refused. */
  outbox: number;
};

/**
 * Hands out the name of an empty file (0600) beside the target, to be filled and renamed. The file is deleted
 * when the work fails.
 * @throws Refused when one of an interrupted run, or of one that still runs, is there
 */
export async function withPartialFile<Result>(
  target: string,
  work: (partial: string) => Result | Promise<Result>,
): Promise<Result> {
  const partial = `${target}.partial`;
  if (existsSync(partial)) {
    throw new Refused(`${partial} is there: delete it, unless a backup or restore is still writing to it`);
  }
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    return await work(partial);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(partial + suffix, {force: true});
  }
}

/** Reads the whole copy, every index included. @throws Refused when it is damaged or not a database of this service */
export function checkCopy(path: string, what: string): Counts {
  const database = new DatabaseSync(path);
  try {
    const value = (text: string) => Object.values(database.prepare(text).get() ?? {})[0];
    const words = value('PRAGMA integrity_check(1)');
    if (words !== 'ok') throw new Refused(`${what} is damaged: ${String(words).replaceAll('\n', ' ')}`);
    const version = Number(value('PRAGMA user_version'));
    if (version > migrations.length) throw new Refused(`${what} was made by a newer version`);
    const isOurs = value("SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('leads', 'outbox')") === 2;
    if (version === 0 || !isOurs) throw new Refused(`${what} holds no leads of this service`);
    return {
      leads: Number(value('SELECT COUNT(*) FROM leads')),
      outbox: Number(value('SELECT COUNT(*) FROM outbox')),
    };
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(`${what} cannot be read: ${(error as Error).message}`);
  } finally {
    database.close();
  }
}

/** Resolves names and contents to the disk: a file that was renamed is only safe once its folder is, too. */
export function syncToDisk(path: string) {
  for (const each of [path, dirname(path)]) {
    const file = openSync(each, 'r');
    fsyncSync(file);
    closeSync(file);
  }
}
