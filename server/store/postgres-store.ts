/** The store for several processes: PostgreSQL, leads that arrive together inserted by one statement. */
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import {createBatcher} from './batcher.ts';
import {StoreUnavailable, type LeadStore} from './lead-store.ts';
import {migrations} from './migrations.ts';
import type {Row, Statement} from './database.ts';
import {leadQueries} from './queries.ts';
import {acceptAll, inTransaction, nameOf} from './postgres-accept.ts';
import {toAcceptRow, toAccepted, type AcceptRow, type Written} from './rows.ts';

/** For measuring, as for the embedded store. */
type Options = {maxBatch?: number; commitDelay?: number};

/** Milliseconds. A statement that takes longer ends with 503, and its lead was not acknowledged. */
const statementTimeout = 8_000;
/** No statement of ours waits for another's; this is for locks that somebody else takes, such as an operator. */
const lockTimeout = 5_000;
/** How long a key that another process is writing with is waited for, and how often it is tried. */
const keyPatience = 5_000;
const keyInterval = 50;
const connectTimeout = 3_000;
/** Any number that no other program on the database takes for its migrations. */
const migrationLock = 0x1ead;

const integerType = 20;
const types = {
  // Amounts and times are far below 2^53.
  getTypeParser: (oid: number, format?: 'text') =>
    oid === integerType ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
} as pg.CustomTypesConfig;

/** @throws Error when the database cannot be reached or was made by a newer version */
export async function openPostgresStore(url: string, options: Options = {}): Promise<LeadStore> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: statementTimeout,
    lock_timeout: lockTimeout,
    query_timeout: statementTimeout + 1_000,
    idle_in_transaction_session_timeout: statementTimeout,
    keepAlive: true,
    application_name: 'lead-prequal',
    types,
  });
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => undefined);
  try {
    await migrate(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }

  const run = async (client: pg.Pool | pg.PoolClient, {text, values}: Statement) =>
    (await client.query<Row>({name: nameOf(text), text, values: [...values]})).rows;

  const accepts = createBatcher<AcceptRow, Written>(async (batch) => {
    if (options.commitDelay) await pool.query('SELECT pg_sleep($1)', [options.commitDelay / 1_000]);
    return acceptAll(pool, batch);
  }, options);

  const queries = leadQueries({
    read: (statement) => orUnavailable(run(pool, statement)),
    readOne: async (statement) => (await orUnavailable(run(pool, statement)))[0],
    write: (...statements) => {
      const [first, ...others] = statements;
      // One is a transaction by itself.
      if (first && others.length === 0) return orUnavailable(run(pool, first));
      return orUnavailable(
        inTransaction(pool, async (client) => {
          let rows: Row[] = [];
          for (const statement of statements) rows = await run(client, statement);
          return rows;
        }),
      );
    },
    skipLocked: 'FOR UPDATE OF outbox SKIP LOCKED',
  });

  return {
    ...queries,
    async accept(entry) {
      const row = toAcceptRow(entry);
      const patienceEnds = Date.now() + keyPatience;
      let written = await accepts.add(row);
      while (written.outcome === 'key-in-progress' && Date.now() < patienceEnds) {
        await sleep(keyInterval);
        written = await accepts.add(row);
      }
      return toAccepted(written, entry, queries.find);
    },
    async close() {
      await accepts.drained();
      await pool.end();
    },
  };
}

/** Several processes may start at once: the lock lets one of them work while the others wait for it. */
async function migrate(pool: pg.Pool) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
    const {rows} = await client.query<{version: number}>('SELECT version FROM schema_version');
    const version = rows[0]?.version ?? 0;
    if (version > migrations.length) throw new Error('The database was made by a newer version');
    for (const migration of migrations.slice(version)) {
      await client.query(migration({integer: 'BIGINT', tableOptions: ''}));
    }
    await client.query('DELETE FROM schema_version');
    await client.query('INSERT INTO schema_version VALUES ($1)', [migrations.length]);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new StoreUnavailable(error);
  }
}
