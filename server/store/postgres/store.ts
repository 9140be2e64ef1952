/** The store in PostgreSQL, for several processes. Leads that arrive together are inserted by one statement. */
import {setTimeout as sleep} from 'node:timers/promises';
import {databaseTimings} from '../../config/timings.ts';
import {createBatcher} from '../batcher.ts';
import {storeError} from '../../leads/store-errors.ts';
import type {LeadStore} from '../../leads/ports.ts';
import type {Emit} from '../../observe/observations.ts';
import {acceptsLeads, type Written} from '../new-lead.ts';
import type {Encryptor} from '../encryption.ts';
import {leadQueries} from '../queries.ts';
import {acceptAll} from './accept.ts';
import type {SqlWords} from '../database.ts';
import {refusalOf} from './connections.ts';
import {startPatience, startPostgres} from './start.ts';
import type {NewRows} from '../new-rows.ts';

type Options = {
  /** False for commands, because only the server upgrades a database. */
  mayUpgrade?: boolean;
  /** How long connecting is retried while the database cannot be reached, in milliseconds. */
  patience?: number;
  emit?: Emit | undefined;
};

/** Milliseconds between two attempts while another process is using the idempotency key. */
const keyInterval = 50;

const jsonList = (parameter: string) => `(SELECT jsonb_array_elements_text(${parameter}::jsonb) AS value)`;

export const postgresWords: SqlWords = {
  skipLocked: 'FOR UPDATE OF deliveries SKIP LOCKED',
  forUpdate: (table) => `FOR UPDATE OF ${table}`,
  lockTable: (name) => `LOCK TABLE ${name} IN EXCLUSIVE MODE`,
  oneByOne: (name) => `SELECT pg_advisory_xact_lock(hashtextextended('${name}', 0))`,
  clock: 'CURRENT_TIMESTAMP',
  jsonList,
  // LATERAL with LIMIT, so that PostgreSQL looks up each row by an index (accept.ts).
  selectEach: (parameter, select) =>
    `SELECT found.* FROM ${jsonList(parameter)} AS listed, LATERAL (${select('listed.value')} LIMIT 1) AS found`,
  onlyIndex: () => '',
};

/** @throws Error when the database cannot be reached or was made by a newer version or before 1.0.0 */
export async function openPostgresStore(
  url: string,
  encryptor: Encryptor,
  {mayUpgrade = true, patience = startPatience, emit}: Options = {},
): Promise<LeadStore> {
  const connections = await startPostgres({url, encryptor, mayUpgrade, emit, patience});

  const accepts = createBatcher<NewRows, Written>((batch) => acceptAll(connections, batch, encryptor));

  async function write(rows: NewRows): Promise<Written> {
    const waitEnds = performance.now() + databaseTimings.keyWait;
    let written = await accepts.add(rows);
    while (written.outcome === 'key-in-progress' && performance.now() < waitEnds) {
      await sleep(keyInterval);
      written = await accepts.add(rows);
    }
    return written;
  }

  const queries = leadQueries(
    {
      read: (statement) => orUnavailable(connections.read(statement)),
      readMany: (statement) => orUnavailable(connections.read(statement)),
      readOne: async (statement) => (await orUnavailable(connections.read(statement)))[0] as never,
      write: (...statements) => orUnavailable(connections.write(...statements)),
      ...postgresWords,
    },
    encryptor,
  );

  // Only the server notes the keys that it uses. The database user of a command may have only the right to read.
  await (mayUpgrade ? queries.useKeys() : queries.checkKeys()).catch(async (error: unknown) => {
    await connections.close();
    throw error;
  });

  return {
    ...queries,
    accept: acceptsLeads(write, queries),
    // Nothing to do: PostgreSQL manages its own files, and keeps old rows in them until it reuses their space.
    purge: () => Promise.resolve(true),
    async close() {
      await accepts.drained();
      await queries.close();
      await connections.close();
    },
  };
}

async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw storeError(error, refusalOf(error));
  }
}
