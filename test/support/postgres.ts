/** Creates databases for tests, on the PostgreSQL that `TEST_DATABASE_URL` names. */
import {createHash, randomBytes} from 'node:crypto';
import pg from 'pg';
import type {LeadStore} from '../../server/leads/ports.ts';
import {dialect} from '../../server/store/postgres/start.ts';
import {openPostgresStore} from '../../server/store/postgres/store.ts';
import {statementsFrom} from '../../server/store/schema.ts';
import {keepCommonGround} from './common-ground.ts';
import {skipUnless} from './installed.ts';
import {openFor, type Owner} from './opened.ts';
import {until} from './until.ts';
import {testEncryptor} from './test-server.ts';

const {TEST_DATABASE_URL: serverUrl} = process.env;

/** Why tests with PostgreSQL are skipped; false if they run. */
export const withoutPostgres = skipUnless(
  'REQUIRE_STORES',
  !serverUrl && 'TEST_DATABASE_URL does not say where a PostgreSQL is',
);

// Not beside the recorder, which must see by whom a statement is sent.
if (!process.env['STATEMENTS_FILE']) keepCommonGround();

type Row = Record<string, unknown>;

export type TestDatabase = {
  url: string;
  query(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Breaks all connections and refuses new ones, like a server that is down. Resolves to a function that undoes this. */
  takeAway(): Promise<() => Promise<void>>;
  drop(): Promise<void>;
};

async function query(connectionString: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({connectionString});
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

const admin = (sql: string) => query(serverUrl!, sql);
const urlOf = (name: string) => Object.assign(new URL(serverUrl!), {pathname: name}).href;

/**
 * New and empty: for tests of how the tables are made.
 * @param from the database that is copied
 * @param options further words of CREATE DATABASE
 */
export async function createDatabase(from = 'template1', options = ''): Promise<TestDatabase> {
  const name = `lead_prequal_test_${randomBytes(8).toString('hex')}`;
  await admin(`CREATE DATABASE ${name} TEMPLATE ${from} ${options}`);
  const url = urlOf(name);
  return {
    url,
    query: (sql, values) => query(url, sql, values),
    async takeAway() {
      await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      return async () => void (await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
    },
    drop: async () => void (await admin(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/** A new and empty one, which is dropped after the test or the suite that owns it. */
export const databaseFor = (owner: Owner, ...from: Parameters<typeof createDatabase>) =>
  droppedAfter(owner, createDatabase(...from));

async function droppedAfter(owner: Owner, creating: Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await creating;
  owner.after(() => database.drop());
  return database;
}

/**
 * The name of a database that has the tables and no rows, which tests copy because a copy is made faster than the
 * tables are. The first test process on a PostgreSQL makes it, and it stays there for the next runs. Its name has a hash
 * of the schema, so another version of the schema gets a database of its own. Processes that need it at the same time
 * wait for the one that makes it. It gets its name when it is complete, so that a run that was cut off leaves none.
 */
async function makeTemplate(): Promise<string> {
  const schema = createHash('sha256')
    .update([...statementsFrom(0, dialect), 'without keys'].join(';'))
    .digest('hex');
  const name = `lead_prequal_template_${schema.slice(0, 16)}`;
  const client = new pg.Client({connectionString: serverUrl!});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [templateLock]);
    const {rowCount} = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) {
      await client.query(`DROP DATABASE IF EXISTS ${name}_unfinished WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${name}_unfinished`);
      await (await openPostgresStore(urlOf(`${name}_unfinished`), testEncryptor)).close();
      // As if no server had used the database yet: tests open it with data keys, or in clear.
      await query(urlOf(`${name}_unfinished`), 'DELETE FROM data_keys');
      await client.query(`ALTER DATABASE ${name}_unfinished RENAME TO ${name}`);
    }
    return name;
  } finally {
    await client.end();
  }
}
/** The key of an advisory lock. It can be any number that no other program uses on this PostgreSQL. */
const templateLock = 0x7e57;
let template: Promise<string> | undefined;

/** New, with the tables and without rows: the store that opens it finds nothing to make. */
export const createDatabaseWithTables = async (): Promise<TestDatabase> =>
  createDatabase(await (template ??= makeTemplate()));

/**
 * A new database and as many stores on it, opened at once, as several processes would have. The test that owns them
 * closes the stores and drops the database.
 * @param prepare changes the database before the stores open
 */
export async function openPostgresStores(
  owner: Owner,
  count: number,
  prepare?: (database: TestDatabase) => Promise<unknown>,
): Promise<{database: TestDatabase; stores: LeadStore[]}> {
  const database = await droppedAfter(owner, createDatabaseWithTables());
  await prepare?.(database);
  const opening = Array.from({length: count}, () => openPostgresStore(database.url, testEncryptor));
  return {database, stores: await Promise.all(opening.map((store) => openFor(owner, store)))};
}

export type Gate = {
  /** Resolves when an insert waits at the gate. */
  reached(): Promise<void>;
  open(): Promise<void>;
};

/**
 * Makes a database slow for the leads of one client: their inserts wait, with all their locks, until the gate is opened.
 * If a test fails before it opens the gate, it ends half a minute later.
 */
export async function closeGate(database: TestDatabase, cid: string): Promise<Gate> {
  const query = (sql: string) => database.query(sql);
  await query('CREATE TABLE gate AS SELECT 1 AS closed');
  await query(`CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      WHILE EXISTS (SELECT FROM gate) AND clock_timestamp() < statement_timestamp() + interval '30 s'
      LOOP PERFORM pg_sleep(0.01); END LOOP;
      RETURN NEW;
    END $$`);
  await query(`CREATE TRIGGER slow BEFORE INSERT ON leads FOR EACH ROW WHEN (NEW.cid = '${cid}')
    EXECUTE FUNCTION wait_at_gate()`);
  const standing = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  return {
    reached: () => until(async () => (await query(standing)).length > 0),
    open: async () => void (await query('DELETE FROM gate')),
  };
}
