/** The store for several processes: PostgreSQL, leads that arrive together inserted by one statement. */
import {setTimeout as sleep} from 'node:timers/promises';
import {createBatcher} from './batcher.ts';
import {statement} from './database.ts';
import {StoreUnavailable, type LeadStore, type StoreLog} from './lead-store.ts';
import {leadQueries} from './queries.ts';
import {acceptAll} from './postgres-accept.ts';
import type {StatementNames} from './postgres-connections.ts';
import {startPatience, startPostgres} from './postgres-start.ts';
import {toAcceptRow, toAccepted, type AcceptRow, type Written} from './rows.ts';

type Options = {
  /** For measuring, as for the embedded store. */
  maxBatch?: number;
  commitDelay?: number;
  /** `named` unless a pooler cannot keep prepared statements. */
  statementNames?: StatementNames;
  /** Milliseconds for which a database that is absent is tried. */
  patience?: number;
  log?: StoreLog | undefined;
};

/** Milliseconds for which a key that another process is writing with is waited for, and between two tries. */
const [keyPatience, keyInterval] = [5_000, 50];

/** @throws Error when the database cannot be reached or was made by a newer version */
export async function openPostgresStore(url: string, options: Options = {}): Promise<LeadStore> {
  const {statementNames = 'named', patience = startPatience, log} = options;
  const connections = await startPostgres({url, statementNames, log, patience});

  const accepts = createBatcher<AcceptRow, Written>(async (batch) => {
    const delay = options.commitDelay;
    if (delay) await connections.read(statement('SELECT pg_sleep($1)', delay / 1_000));
    return acceptAll(connections, batch);
  }, options);

  const queries = leadQueries({
    read: (statement) => orUnavailable(connections.read(statement)),
    readOne: async (statement) => (await orUnavailable(connections.read(statement)))[0],
    write: (...statements) => orUnavailable(connections.write(...statements)),
    skipLocked: 'FOR UPDATE OF outbox SKIP LOCKED',
  });

  return {
    ...queries,
    accept(entry) {
      const row = toAcceptRow(entry);
      const patienceEnds = Date.now() + keyPatience;
      const write = async () => {
        let written = await accepts.add(row);
        while (written.outcome === 'key-in-progress' && Date.now() < patienceEnds) {
          await sleep(keyInterval);
          written = await accepts.add(row);
        }
        return written;
      };
      return toAccepted(entry, write, queries.find);
    },
    // PostgreSQL looks after its own files.
    damage: () => undefined,
    async close() {
      await accepts.drained();
      await connections.close();
    },
  };
}

async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new StoreUnavailable(error);
  }
}
