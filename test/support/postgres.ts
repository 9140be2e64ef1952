/** Creates databases for tests, on the PostgreSQL that `TEST_DATABASE_URL` names. */
import {randomBytes} from 'node:crypto';
import pg from 'pg';
import type {LeadStore} from '../../server/leads/lead-store.ts';
import {clearText} from '../../server/store/codec.ts';
import {openPostgresStore} from '../../server/store/postgres/store.ts';
import {openFor, type Owner} from './opened.ts';
import {until} from './until.ts';

const {TEST_DATABASE_URL: serverUrl, REQUIRE_STORES: required} = process.env;

/** Why tests with PostgreSQL are skipped; false if they run. */
export const withoutPostgres = serverUrl ? false : 'TEST_DATABASE_URL does not say where a PostgreSQL is';
if (withoutPostgres && required === '1') throw new Error(`REQUIRE_STORES is set, but ${withoutPostgres}`);

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

/** New and empty. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `lead_prequal_test_${randomBytes(8).toString('hex')}`;
  const admin = (sql: string) => query(serverUrl!, sql);
  await admin(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl!);
  url.pathname = name;
  return {
    url: url.href,
    query: (sql, values) => query(url.href, sql, values),
    async takeAway() {
      await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      return async () => void (await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
    },
    drop: async () => void (await admin(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/**
 * A new database and as many stores on it, opened at once, as several processes would have. The test that owns them
 * closes the stores and drops the database.
 * @param prepare changes the empty database before the stores open
 */
export async function openPostgresStores(
  owner: Owner,
  count: number,
  prepare?: (database: TestDatabase) => Promise<unknown>,
): Promise<{database: TestDatabase; stores: LeadStore[]}> {
  const database = await createDatabase();
  owner.after(() => database.drop());
  await prepare?.(database);
  const opening = Array.from({length: count}, () => openPostgresStore(database.url, clearText));
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
