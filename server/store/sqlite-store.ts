/** The embedded store: one SQLite file, one process; reads here, writes in a thread of their own. */
import {once} from 'node:events';
import {statSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {setImmediate as endOfTurn} from 'node:timers/promises';
import {Worker} from 'node:worker_threads';
import {createBatcher, type Outcome} from './batcher.ts';
import {StoreUnavailable, type LeadStore} from './lead-store.ts';
import type {Row} from './database.ts';
import {leadQueries} from './queries.ts';
import {toAcceptRow, toAccepted, type Written} from './rows.ts';
import {watchForDamage} from './sqlite-damage.ts';
import {makeFile} from './sqlite-files.ts';
import {createRunner} from './sqlite-statements.ts';
import type {Write, WriterSettings} from './sqlite-writer.ts';

/** For measuring: `maxBatch` 1 is one commit a write; `commitDelay` adds milliseconds to every commit. */
type Options = {maxBatch?: number; commitDelay?: number};

/**
 * Makes the folder (0700), the file (0600) and the tables where they are missing.
 * @throws Error when the file cannot be opened, is damaged, or was made by a newer version
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
  const damage = watchForDamage(path);
  const {ino: opened} = statSync(path);

  function orUnavailable<Result>(work: () => Result): Promise<Result> {
    try {
      return Promise.resolve(work());
    } catch (error) {
      noteError(String(error));
      return Promise.reject(new StoreUnavailable(error));
    }
  }
  function noteError(words: string) {
    if (soundsDamaged.test(words)) damage.suspect();
  }

  const writes = createBatcher<Write, Written | Row[]>(async (batch) => {
    writer.postMessage(batch);
    const [outcomes] = (await once(writer, 'message')) as [Outcome<Written | Row[]>[] | string];
    if (typeof outcomes === 'string') {
      noteError(outcomes);
      throw new Error(outcomes);
    }
    for (const outcome of outcomes) if ('error' in outcome) noteError(outcome.error);
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
    async probe(now, bytes) {
      await queries.probe(now, bytes);
      // A write to a file that was deleted or replaced succeeds, and is gone when the server ends.
      if (statSync(path, {throwIfNoEntry: false})?.ino === opened) return;
      throw new StoreUnavailable('The database file was moved, deleted or replaced while it was in use');
    },
    damage: () => damage.found(),
    async close() {
      await writes.drained();
      await damage.stop();
      // A caller that waited for its write may read the result before the reader closes.
      await endOfTurn();
      // Before the writer: the connection that closes last empties the log, and this one may not write.
      reader.close();
      closing = true;
      writer.postMessage('close');
      await once(writer, 'exit');
    },
  };
}

const startWriter = (settings: WriterSettings) =>
  new Worker(new URL('./sqlite-writer.ts', import.meta.url), {workerData: settings});

/** How SQLite says that a page cannot be read, or is not what it should be. */
const soundsDamaged = /malformed|not a database|disk I\/O error/;
