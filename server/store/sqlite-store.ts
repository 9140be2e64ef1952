/** The embedded store: one SQLite file, one process; reads here, writes in a thread of their own. */
import {once} from 'node:events';
import {chmodSync, closeSync, mkdirSync, openSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {Worker} from 'node:worker_threads';
import {createBatcher, type Outcome} from './batcher.ts';
import {StoreUnavailable, type LeadStore} from './lead-store.ts';
import type {Row} from './database.ts';
import {leadQueries} from './queries.ts';
import {toAcceptRow, toAccepted, type Written} from './rows.ts';
import {createRunner} from './sqlite-statements.ts';
import type {Write, WriterSettings} from './sqlite-writer.ts';

/** For measuring: `maxBatch` 1 is one commit a write; `commitDelay` adds milliseconds to every commit. */
type Options = {maxBatch?: number; commitDelay?: number};

/**
 * Makes the folder (0700), the file (0600) and the tables where they are missing.
 * @throws Error when the file cannot be opened or was made by a newer version
 */
export async function openSqliteStore(path: string, options: Options = {}): Promise<LeadStore> {
  makeFile(path);
  const writer = startWriter({path, commitDelay: options.commitDelay ?? 0});
  await once(writer, 'message');
  let closing = false;
  // Without it nothing can be stored any more: the process ends, and whoever watches it starts it again.
  writer.once('exit', () => {
    if (!closing) throw new Error('The writer of the database has ended');
  });
  const reader = new DatabaseSync(path, {readOnly: true, timeout: 100});
  const {all, one} = createRunner(reader);

  const writes = createBatcher<Write, Written | Row[]>(async (batch) => {
    writer.postMessage(batch);
    const [outcomes] = (await once(writer, 'message')) as [Outcome<Written | Row[]>[] | string];
    if (typeof outcomes === 'string') throw new Error(outcomes);
    return outcomes;
  }, options);

  const queries = leadQueries({
    read: ({text, values}) => orUnavailable(() => all(text, ...values)),
    readOne: ({text, values}) => orUnavailable(() => one(text, ...values)),
    write: (...statements) => writes.add({statements}) as Promise<Row[]>,
    skipLocked: '',
  });

  return {
    ...queries,
    accept(entry) {
      const row = toAcceptRow(entry);
      return toAccepted(entry, () => writes.add({accept: row}) as Promise<Written>, queries.find);
    },
    async close() {
      await writes.drained();
      closing = true;
      writer.postMessage('close');
      await once(writer, 'exit');
      reader.close();
    },
  };
}

function makeFile(path: string) {
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  // Made before SQLite opens it, for its companions (-wal, -shm) take their mode from it.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

const startWriter = (settings: WriterSettings) =>
  new Worker(new URL('./sqlite-writer.ts', import.meta.url), {workerData: settings});

function orUnavailable<Result>(work: () => Result): Promise<Result> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(new StoreUnavailable(error));
  }
}
