/**
 * The connection pool for PostgreSQL, and how statements run: when a connection is closed after an error, when a transaction is
 * retried, and how long a statement may take. Statements with parameters are prepared once for each connection.
 */
import {createHash} from 'node:crypto';
import {ExponentialBackoff, handleWhen, retry} from 'cockatiel';
import pg from 'pg';
import {databaseTimings} from '../../config/timings.ts';
import type {RefusedPart} from '../../leads/store-errors.ts';
import type {Row, Statement} from '../database.ts';

type Run = <Found = Row>(statement: Statement) => Promise<Found[]>;

export type Connections = {
  /** Runs a statement that changes nothing. */
  read: Run;
  /** Runs the statements in one transaction. Resolves after its commit, with the rows of each statement. */
  write: (...statements: Statement[]) => Promise<Row[][]>;
  /**
   * Runs a transaction in two round trips: `first` is sent together with BEGIN, `last` together with COMMIT.
   * @param last gets the rows of each first statement. It is called again if PostgreSQL aborts the transaction because of
   *   a conflict
   * @returns the rows of each last statement
   */
  transaction: (
    first: readonly Statement[],
    last: (rows: Row[][]) => readonly Statement[],
  ) => Promise<Row[][]>;
  /** Runs `work` in a transaction whose statements may take minutes. A text may hold several statements. */
  longTransaction: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>;
  close: () => Promise<void>;
};

/** Milliseconds to open a connection, or to get one from the pool. */
const connectTimeout = 3_000;
/** Milliseconds for a statement of a long transaction, such as one that creates an index. */
export const longTimeout = 600_000;
/** PostgreSQL's settings for the time limits of short transactions, in milliseconds. */
const timeLimits = {
  statement_timeout: databaseTimings.statement,
  lock_timeout: databaseTimings.lock,
  idle_in_transaction_session_timeout: databaseTimings.statement,
};
const limitOf = (name: string, milliseconds: number) => `SET LOCAL ${name} = ${milliseconds}`;
const beginLimited = [
  'BEGIN',
  ...Object.entries(timeLimits).map(([name, value]) => limitOf(name, value)),
].join('; ');
/**
 * Begins the transaction that upgrades tables, which may wait while another process upgrades them. With READ COMMITTED, it then
 * sees what that process has changed.
 */
export const beginLong = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  ...Object.keys(timeLimits).map((name) => limitOf(name, longTimeout)),
].join('; ');

/** The OID of PostgreSQL's type BIGINT. */
const bigintType = 20;
const types = {
  // A BIGINT is read as a JavaScript number, because amounts and times are far below 2^53.
  getTypeParser: (oid: number, format?: 'text') =>
    oid === bigintType ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
} as pg.CustomTypesConfig;

const codeOf = (error: unknown) => (error instanceof pg.DatabaseError && error.code) || '';

/**
 * PostgreSQL aborted one of two conflicting transactions (40001 serialization_failure, 40P01 deadlock_detected).
 * Nothing of it was stored, and a retry may succeed.
 */
const isConflict = (error: unknown) => ['40001', '40P01'].includes(codeOf(error));
/** The maximum number of attempts. The pauses between them are random, so that the same transactions do not collide again. */
const maxAttempts = 5;
const retryConflicts = retry(handleWhen(isConflict), {
  maxAttempts: maxAttempts - 1,
  backoff: new ExponentialBackoff({initialDelay: 10, maxDelay: 250}),
});

/**
 * Errors after which the connection can be used again: errors of data (class 22), constraints (23), conflicts (40), and
 * time limits (55P03, 57014). After any other error, for example because PostgreSQL shuts down (57P01) or has become
 * read-only (25006), the connection is closed, and the next query opens a new one.
 */
const isConnectionUsable = (error: unknown) => /^(22|23|40|55P03$|57014$)/.test(codeOf(error));

/**
 * Classifies an error by its class in the SQL standard: 22 and 23 concern the data and the constraints of a row, 54 its size, 42
 * the statement and the privileges of the user. 42P05 means that a pooler gave the connection to another client.
 */
export function refusalOf(error: unknown): RefusedPart | undefined {
  const code = codeOf(error);
  if (/^(22|23|54)/.test(code)) return 'row';
  return code.startsWith('42') && code !== '42P05' ? 'statement' : undefined;
}

/** PgBouncer refuses a client that sends time limits or other unknown parameters when it connects. */
const isRefusedByPooler = (error: unknown) =>
  codeOf(error) === '08P01' && /unsupported startup parameter/.test((error as Error).message);

/**
 * The name of a statement is a hash of its text. Behind a pooler, several processes share a connection to PostgreSQL,
 * so if two of them gave the same name to different texts, the wrong statement would run.
 */
const names = new Map<string, string>();
function nameOf(text: string): string {
  let name = names.get(text);
  if (!name) names.set(text, (name = `lead_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`));
  return name;
}

const optionsFor = (url: string) => ({
  connectionString: url,
  connectionTimeoutMillis: connectTimeout,
  keepAlive: true,
  application_name: 'lead-prequal',
  types,
});

/** Opens a separate connection, for a command that runs one long transaction. */
export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client(optionsFor(url));
  // Ignored: as with a pool, a running statement is rejected, too.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function createPool(url: string, limitsAtConnect: boolean): pg.Pool {
  const pool = new pg.Pool({
    ...optionsFor(url),
    max: 10,
    query_timeout: databaseTimings.reply,
    // A statement is sent without waiting for the reply to the one before it.
    pipeline: true,
    ...(limitsAtConnect && timeLimits),
  });
  // When a connection breaks, the pool emits an error if the connection is idle, else the client does. Without a
  // listener either event would end the process. Both are ignored here, because a running statement is rejected as
  // well.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/**
 * Opens a pool, and one connection to check that the database can be reached. If a pooler refuses the time limits at
 * connect, each transaction sets them.
 * @throws Error of PostgreSQL or of the network
 */
export async function openConnections(url: string): Promise<Connections> {
  const connect = async (limitsAtConnect: boolean) => {
    const pool = createPool(url, limitsAtConnect);
    try {
      (await pool.connect()).release();
      return connectionsOf(pool, limitsAtConnect);
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

/** Waits for all replies, so that none is left on the connection. @throws the first error */
async function allReplies<Replies extends readonly unknown[] | []>(replies: Replies) {
  await Promise.allSettled(replies);
  return Promise.all(replies);
}

const runOn =
  (client: pg.PoolClient): Run =>
  async ({text, values}) => {
    // Statements without parameters run rarely, so a name would save nothing.
    const name = values.length > 0 ? {name: nameOf(text)} : {};
    return (await client.query({...name, text, values: [...values]})).rows as never[];
  };

async function withClient<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(!isConnectionUsable(error));
    throw error;
  }
}

/** @param work begins and commits the transaction. If it throws, the transaction is rolled back */
const inTransaction = <Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>) =>
  withClient(pool, async (client) => {
    try {
      return await work(client);
    } catch (error) {
      // If the connection gets closed, PostgreSQL rolls back by itself.
      if (isConnectionUsable(error)) await client.query('ROLLBACK');
      throw error;
    }
  });

/** @param limitsAtConnect true if time limits are set for each connection, false if each transaction must set them */
function connectionsOf(pool: pg.Pool, limitsAtConnect: boolean): Connections {
  const begin = limitsAtConnect ? 'BEGIN' : beginLimited;
  const transaction: Connections['transaction'] = (first, last) =>
    retryConflicts.execute(() =>
      inTransaction(pool, async (client) => {
        const run = runOn(client);
        const [, found] = await allReplies([client.query(begin), allReplies(first.map(run))]);
        // If one of the last statements fails, COMMIT rolls back.
        const [rows] = await allReplies([allReplies(last(found).map(run)), client.query('COMMIT')]);
        return rows;
      }),
    );
  const runAlone: Run = (statement) =>
    retryConflicts.execute(() => withClient(pool, (client) => runOn(client)(statement)));

  return {
    read: runAlone,
    async write(...statements) {
      const [only, ...others] = statements;
      // One statement is a transaction by itself, unless it needs time limits.
      if (only && others.length === 0 && limitsAtConnect) return [await runAlone(only)];
      return transaction([], () => statements);
    },
    transaction,
    longTransaction: (work) =>
      retryConflicts.execute(() =>
        inTransaction(pool, async (client) => {
          await client.query(beginLong);
          const result = await work(client);
          await client.query('COMMIT');
          return result;
        }),
      ),
    close: () => pool.end(),
  };
}
