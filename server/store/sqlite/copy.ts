/** Functions of both backup and restore: a copy is private from the start, and gets its name only when complete. */
import {closeSync, lstatSync, openSync, rmSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {createdAtOf} from '../../leads/lead-ids.ts';
import {canServe, oldestVersion, whyMarked} from '../schema.ts';
import {readFound} from './connection.ts';
import {findDamage} from './files.ts';

/** A backup or restore that failed and changed nothing. The message tells an operator why, and what to do. */
export class CopyError extends Error {}

export type Counts = {
  leads: number;
  /** Deliveries that have not ended. */
  outbox: number;
  /** The newest time in the database, in milliseconds since 1970: of the last lead, or of the server's last trial write. */
  newest: number | undefined;
};

/** Whether the name is in use. `existsSync` would not see a symbolic link that leads nowhere. */
export const isTaken = (path: string) => lstatSync(path, {throwIfNoEntry: false}) !== undefined;

/**
 * Creates an empty private file (0600) next to the target. `work` fills and renames this file. If `work` fails, the
 * file is deleted.
 * @throws CopyError when the file exists, because another backup or restore was interrupted or is still running
 */
export async function withPartialFile<Result>(
  target: string,
  work: (partial: string) => Result | Promise<Result>,
): Promise<Result> {
  const partial = `${target}.partial`;
  if (isTaken(partial)) {
    throw new CopyError(`${partial} is there: delete it, unless a backup or restore is still writing to it`);
  }
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    return await work(partial);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(partial + suffix, {force: true});
  }
}

/**
 * Reads the whole copy with its indexes.
 * @param subject the words for the copy at the beginning of error messages
 * @throws CopyError when the copy is damaged, or no database of this service
 */
export function checkCopy(path: string, subject: string): Counts {
  using database = new DatabaseSync(path);
  try {
    const value = (text: string) => Object.values(database.prepare(text).get() ?? {})[0];
    const damage = findDamage(database);
    if (damage !== undefined) throw new CopyError(`${subject} is damaged: ${damage}`);
    const found = readFound(database);
    if (!canServe(found)) throw new CopyError(`${subject} was made by a newer version`);
    if (found.mark) throw new CopyError(whyMarked(found.mark));
    const has = (table: string) => value(`SELECT COUNT(*) FROM sqlite_schema WHERE name = '${table}'`) === 1;
    // Before version 7 of the schema, a table called outbox held the deliveries, and each was deleted when it ended.
    const open = has('outbox') ? 'outbox' : 'deliveries WHERE settled_at IS NULL';
    if (found.version < oldestVersion || !has('leads'))
      throw new CopyError(`${subject} holds no leads of this service`);
    const lastLead = value('SELECT MAX(id) FROM leads');
    const newest = [
      ...(typeof lastLead === 'string' ? [createdAtOf(lastLead)] : []),
      ...(has('heartbeat') ? [Number(value('SELECT MAX(written_at) FROM heartbeat'))] : []),
    ];
    return {
      leads: Number(value('SELECT COUNT(*) FROM leads')),
      outbox: Number(value(`SELECT COUNT(*) FROM ${open}`)),
      newest: newest.length > 0 ? Math.max(...newest) : undefined,
    };
  } catch (error) {
    if (error instanceof CopyError) throw error;
    throw new CopyError(`${subject} cannot be read: ${(error as Error).message}`);
  }
}
