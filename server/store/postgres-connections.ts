/**
 * The connections to PostgreSQL, and how statements run over them: which connection is used again after an error,
 * which transaction is tried again, how long a statement may take, and whether it gets a name.
 */
import {createHash} from 'node:crypto';
import {ExponentialBackoff, handleWhen, retry} from 'cockatiel';
import pg from 'pg';
import type {Row, Statement} from './database.ts';

/** Whether statements get names, under which PostgreSQL keeps them prepared for a connection. */
export type StatementNames = 'named' | 'unnamed';

type Run = (statement: Statement) => Promise<Row[]>;

export type Connections = {
  /** For statements that change nothing. */
  read: Run;
  /** In one transaction; resolves after its commit with the rows of the last statement. */
  write: (...statements: Statement[]) => Promise<Row[]>;
  /** @param work is called again where PostgreSQL ended the transaction because of another one */
  transaction: <Result>(work: (run: Run) => Promise<Result>) => Promise<Result>;
  /** As `transaction`, for text of several statements that may take minutes. */
  longTransaction: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>;
  close: () => Promise<void>;
};

/** Milliseconds. A statement that takes longer ends with 503, and its lead was not acknowledged. */
const statementTimeout = 8_000;
/** Milliseconds. No statement of ours waits for another's; this is for locks that an operator takes. */
const lockTimeout = 5_000;
/** Milliseconds. */
const connectTimeout = 3_000;
/** Milliseconds for one statement of a long transaction, such as one that makes an index. */
export const longTimeout = 600_000;
const limits = {
  statement_timeout: statementTimeout,
  lock_timeout: lockTimeout,
  idle_in_transaction_session_timeout: statementTimeout,
};
const limitOf = (name: string, milliseconds: number) => `SET LOCAL ${name} = ${milliseconds}`;
const beginLimited = ['BEGIN', ...Object.entries(limits).map(([name, value]) => limitOf(name, value))].join(
  '; ',
);
/** Read committed, so that what another process migrated is seen once its lock is free. */
const beginLong = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  ...Object.keys(limits).map((name) => limitOf(name, longTimeout)),
].join('; ');

const integerType = 20;
const types = {
  // Amounts and times are far below 2^53.
  getTypeParser: (oid: number, format?: 'text') =>
    oid === integerType ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
} as pg.CustomTypesConfig;

const codeOf = (error: unknown) => (error instanceof pg.DatabaseError && error.code) || '';

/**
 * PostgreSQL gave up one of two transactions that were in each other's way: 40001 serialization_failure,
 * 40P01 deadlock_detected. Nothing of it was stored, and the same again may succeed.
 */
const isConflict = (error: unknown) => ['40001', '40P01'].includes(codeOf(error));
/** Tries in all, with pauses that are random, so that two that collided do not collide again. */
const conflictTries = 5;
const retryConflicts = retry(handleWhen(isConflict), {
  maxAttempts: conflictTries - 1,
  backoff: new ExponentialBackoff({initialDelay: 10, maxDelay: 250}),
});

/**
 * Errors after which the connection is as good as before: those of the data (class 22), of constraints (23), of
 * conflicts (40), and those of our own time limits (55P03, 57014). After any other, such as a server that shuts
 * down (57P01) or became read-only (25006), the connection is closed, and the next query opens a new one.
 */
const leavesConnectionSound = (error: unknown) => /^(22|23|40|55P03$|57014$)/.test(codeOf(error));

/** PgBouncer refuses settings that it does not know when a client connects. */
const isRefusedByPooler = (error: unknown) =>
  codeOf(error) === '08P01' && /unsupported startup parameter/.test((error as Error).message);

/**
 * Names go by the text. Behind a pooler several processes share a connection to PostgreSQL, and a name that two of
 * them gave to different texts would run the wrong one.
 */
const names = new Map<string, string>();
function nameOf(text: string): string {
  let name = names.get(text);
  if (!name) names.set(text, (name = `lead_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`));
  return name;
}

function createPool(url: string, limitsAtConnect: boolean): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: statementTimeout + 1_000,
    keepAlive: true,
    application_name: 'lead-prequal',
    types,
    ...(limitsAtConnect && limits),
  });
  // A connection that breaks is an event of the pool while it is idle, and of the client while it is in use. Without
  // listeners either would end the process. The statement that was under way is rejected, too, and reports it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/**
 * Makes one connection to find out whether the database can be reached.
 * @throws Error of PostgreSQL or of the network
 */
export async function openConnections(url: string, statementNames: StatementNames): Promise<Connections> {
  const connect = async (limitsAtConnect: boolean) => {
    const pool = createPool(url, limitsAtConnect);
    try {
      (await pool.connect()).release();
      return connectionsOf(pool, statementNames, limitsAtConnect);
    } catch (error) {
      await pool.end();
      throw error;
    }
  };
  try {
    return await connect(true);
  } catch (error) {
    if (!isRefusedByPooler(error)) throw error;
    return connect(false);
  }
}

/** @param limitsAtConnect whether each connection has the time limits, so that transactions need not set them */
function connectionsOf(pool: pg.Pool, statementNames: StatementNames, limitsAtConnect: boolean): Connections {
  const runOn =
    (client: pg.PoolClient): Run =>
    async ({text, values}) => {
      const name = statementNames === 'named' ? {name: nameOf(text)} : {};
      return (await client.query<Row>({...name, text, values: [...values]})).rows;
    };

  async function withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(!leavesConnectionSound(error));
      throw error;
    }
  }

  const inTransaction = <Result>(begin: string, work: (client: pg.PoolClient) => Promise<Result>) =>
    withClient(async (client) => {
      try {
        await client.query(begin);
        const result = await work(client);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // Where the connection is closed, PostgreSQL rolls back by itself.
        if (leavesConnectionSound(error)) await client.query('ROLLBACK');
        throw error;
      }
    });

  const begin = limitsAtConnect ? 'BEGIN' : beginLimited;
  const transaction: Connections['transaction'] = (work) =>
    retryConflicts.execute(() => inTransaction(begin, (client) => work(runOn(client))));
  const runAlone: Run = (statement) =>
    retryConflicts.execute(() => withClient((client) => runOn(client)(statement)));

  return {
    read: runAlone,
    async write(...statements) {
      const [only, ...others] = statements;
      // One statement is a transaction by itself, unless it needs time limits.
      if (only && others.length === 0 && limitsAtConnect) return runAlone(only);
      return transaction(async (run) => {
        let rows: Row[] = [];
        for (const statement of statements) rows = await run(statement);
        return rows;
      });
    },
    transaction,
    longTransaction: (work) => inTransaction(beginLong, work),
    close: () => pool.end(),
  };
}
