/** The store in an SQLite file, for one process. Reads run in this thread, writes in a thread of their own. */
import {once} from 'node:events';
import {statfsSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {Worker} from 'node:worker_threads';
import {createBatcher, type Batcher} from '../batcher.ts';
import type {EvidenceKey} from '../../leads/evidence.ts';
import {storeError, StoreUnavailable} from '../../leads/store-errors.ts';
import type {LeadStore, AttachedStore} from '../../leads/ports.ts';
import type {Emit} from '../../observe/observations.ts';
import type {Database, Row, Statement} from '../database.ts';
import {decryptEvidenceKey, selectEvidenceKeys} from '../evidence-queries.ts';
import {acceptsLeads, type Written} from '../new-lead.ts';
import type {NewRows} from '../new-rows.ts';
import type {Encryptor} from '../encryption.ts';
import {leadQueries} from '../queries.ts';
import {emitUpgrade} from '../schema.ts';
import {acceptRows, type Commits, type Outcomes, type Result, type Write} from './commits.ts';
import {
  createRunner,
  emptyLogAtOnce,
  inTransaction,
  openAttached,
  openReader,
  sqliteWords,
  type Runner,
} from './connection.ts';
import {filesAside, hasLog, makeFile, othersMayRead, refusalOf, roomToRewrite} from './files.ts';
import {takeServerLock} from './server-lock.ts';

/** Commits batches, one after another (commits.ts). */
export type Writer = Pick<Commits, 'before'> & {
  commit(batch: readonly Write[]): Promise<Outcomes>;
  /** Resolves when the file is closed. */
  close(): Promise<void>;
};

function orUnavailable<Result>(work: () => Result): Promise<Result> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(storeError(error, refusalOf(error)));
  }
}

/** Reads run on a connection of this thread, writes in batches. */
function databaseOf(
  {all, one}: Runner,
  writes: Batcher<Write, Result>,
): Database & {settled(): Promise<void>} {
  /**
   * Reads that are requested in one turn of the event loop run together at its end. Their replies then leave together, so that
   * clients wake up only once, which saves more time than the reads take.
   */
  let turn: Promise<void> | undefined;
  return {
    read: (statement) => orUnavailable(() => all(statement)),
    async readOne(statement) {
      await (turn ??= endOfTurn().then(() => void (turn = undefined)));
      return orUnavailable(() => one(statement));
    },
    async readMany(statement) {
      const [rows = []] = (await writes.add({statements: [statement]})) as never[][];
      return rows;
    },
    write: (...statements) => writes.add({statements}) as Promise<Row[][]>,
    /** Resolves when no read is waiting for the end of its turn. */
    async settled() {
      do await endOfTurn();
      while (turn);
    },
    ...sqliteWords,
  };
}

/**
 * Opens the store. Creates the folder, the file and the tables if they are missing.
 * @param start opens the file for writing. The server does so in a thread of its own; the simulation does not
 * @throws Error as `makeFile` and `openWriter`
 */
export async function openSqliteStore(
  path: string,
  encryptor: Encryptor,
  emit?: Emit,
  start: (path: string, words: Encryptor['words']) => Promise<Writer> = startWriter,
): Promise<LeadStore> {
  makeFile(path);
  const writer = await start(path, encryptor.words);
  const lock = takeServerLock(path);
  if (emit) {
    emitUpgrade(writer.before, emit);
    if (lock.isTaken) emit({type: 'database-shared', path});
    if (othersMayRead(path)) emit({type: 'database-readable', path});
  }
  const reader = openReader(path);
  const refuseLost = watchFile(path);

  const writes = createBatcher<Write, Result>(
    async (batch) => {
      const outcomes = await writer.commit(batch);
      if (typeof outcomes === 'string') throw new Error(outcomes);
      return outcomes;
    },
    (write) => 'after' in write && write.after === 'vacuum',
  );

  const database = databaseOf(createRunner(reader), writes);
  const queries = leadQueries(database, encryptor);
  await queries.useKeys().catch(async (error: unknown) => {
    await close();
    throw error;
  });

  async function close() {
    await queries.close();
    await writes.drained();
    // Code that awaited a write may still read its result, so the reader closes later.
    await database.settled();
    // The reader closes first, because the last connection empties the log, and the reader cannot write.
    reader.close();
    await writer.close();
    lock.release();
  }

  return {
    ...queries,
    accept: acceptsLeads((rows) => writes.add({accept: rows}) as Promise<Written>, queries),
    async probe(now, bytes) {
      await queries.probe(now, bytes);
      refuseLost();
    },
    evidenceKeysAside: () => Promise.resolve(filesAside(path).flatMap((file) => keysIn(file, encryptor))),
    purge: () => writes.add({after: 'emptyLog'}) as Promise<boolean>,
    async rewrite(announce) {
      const needed = roomToRewrite(path);
      announce(needed);
      const {bavail, bsize} = statfsSync(dirname(path));
      if (bavail * bsize < needed) throw new StoreUnavailable('database or disk is full');
      await writes.add({after: 'vacuum'});
    },
    close,
  };
}

/**
 * The keys of statements about consents in a database that a restore has replaced. None if it is damaged, or older than these
 * keys.
 */
function keysIn(file: string, encryptor: Encryptor): EvidenceKey[] {
  // Immutable if there is no log: SQLite would create files beside it, and a restore refuses a copy with a log.
  const url = pathToFileURL(file);
  url.search = hasLog(file) ? '' : '?immutable=1';
  try {
    using database = new DatabaseSync(url, {readOnly: true});
    const rows = database.prepare(selectEvidenceKeys).all() as Parameters<typeof decryptEvidenceKey>[0][];
    return rows.flatMap((row) => decryptEvidenceKey(row, encryptor) ?? []);
  } catch {
    return [];
  }
}

/**
 * Opens the store for a command, while a server may be running. Unlike the server's, this store has no thread, does not check the
 * files, and never empties the log, because all of that would delay the server.
 * @param mayWrite if false, every write is refused
 * @throws Error as `openAttached`
 */
export async function openAttachedSqlite(
  path: string,
  encryptor: Encryptor,
  mayWrite: boolean,
): Promise<AttachedStore> {
  const connection = openAttached(path, mayWrite);
  const {all, one} = createRunner(connection);
  let aside: DatabaseSync | undefined;
  function writeAside(statements: readonly Statement[]) {
    aside ??= openAttached(path, true);
    const {all} = createRunner(aside);
    return inTransaction(aside, () => statements.map(all));
  }
  const queries = leadQueries(
    {
      read: (statement) => orUnavailable(() => all(statement)),
      readOne: (statement) => orUnavailable(() => one(statement)),
      readMany: (statement) => orUnavailable(() => all(statement)),
      write: (...statements) => orUnavailable(() => inTransaction(connection, () => statements.map(all))),
      ...(!mayWrite && {writeAside: (...statements) => orUnavailable(() => writeAside(statements))}),
      ...sqliteWords,
    },
    encryptor,
  );
  async function close() {
    await queries.close();
    connection.close();
    // Closed last, because the last connection empties the log, which a read-only one cannot.
    aside?.close();
  }
  await queries.checkKeys().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const accept = (rows: NewRows) =>
    orUnavailable(() => inTransaction(connection, () => acceptRows(all, rows, encryptor)));
  return {
    ...queries,
    accept: acceptsLeads(accept, queries),
    purge: () => orUnavailable(() => emptyLogAtOnce(connection)),
    close,
  };
}

/** @throws the error of the thread, if it cannot open the file. By then, it has closed the file */
async function startWriter(path: string, words: Encryptor['words']): Promise<Writer> {
  const thread = new Worker(new URL('./writer.ts', import.meta.url), {workerData: {path, words}});
  let closing = false;
  try {
    const [before] = (await once(thread, 'message')) as [number];
    // Without the thread nothing can be stored. So the process ends, and a process manager can start it again.
    thread.once('exit', () => {
      if (!closing) throw new Error('The writer of the database has ended');
    });
    // One listener serves all batches, because adding one for each takes longer than a small batch.
    let committed = Promise.withResolvers<Outcomes>();
    thread.on('message', (outcomes: Outcomes) => committed.resolve(outcomes));
    return {
      before,
      commit(batch) {
        // The thread reads no further messages, so nobody would reply.
        if (closing) return Promise.reject(new Error('The database is closed'));
        committed = Promise.withResolvers();
        thread.postMessage(batch);
        return committed.promise;
      },
      async close() {
        closing = true;
        thread.postMessage('close');
        await once(thread, 'exit');
      },
    };
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}

/** @returns a function that throws StoreUnavailable if the open file was replaced, so that writes to it would be lost at a restart */
function watchFile(path: string) {
  const {ino: opened} = statSync(path);
  return () => {
    // A write to a file that was deleted or replaced succeeds, but is lost when the server ends.
    if (statSync(path, {throwIfNoEntry: false})?.ino === opened) return;
    throw new StoreUnavailable('The database file was moved, deleted or replaced while it was in use');
  };
}
