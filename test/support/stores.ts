/** All kinds of stores, for tests of what the server must do with each of them. */
import {suite} from 'node:test';
import type {Timings} from '../../server/config/timings.ts';
import type {AttachedStore} from '../../server/leads/ports.ts';
import {openAttachedStore} from '../../server/store/open-store.ts';
import {openForSuite, openWhile} from './opened.ts';
import {closeGate, createDatabaseWithTables, withoutPostgres, type Gate} from './postgres.ts';
import {execute, rowsOf, stopWrites} from './rows.ts';
import {startTestServer, type Prepare, type TestServer, testEncryptor} from './test-server.ts';

export type StoredServer = TestServer & {
  /** Reads the tables directly. */
  select(sql: string): Promise<Record<string, unknown>[]>;
  /** Changes the tables directly. */
  execute(sql: string): Promise<void>;
  /** Makes writing impossible. Resolves to a function that makes it possible again. */
  stopWrites(): Promise<() => Promise<void>>;
  /** Only for stores that several processes can open. */
  closeGate?(cid: string): Promise<Gate>;
};

export type Store = {
  name: 'SQLite' | 'PostgreSQL';
  startServer(prepare?: Prepare, timings?: Partial<Timings>): Promise<StoredServer>;
  /** Starts one before the tests of this suite and closes it after them; it is there once they run. */
  useServer(prepare?: Prepare): StoredServer;
};

/** What a command does beside the server. */
export const asOperator = <Result>({config}: TestServer, work: (store: AttachedStore) => Promise<Result>) =>
  openWhile(openAttachedStore(config, testEncryptor, true), work);

async function startOverSqlite(prepare: Prepare = {}, timings?: Partial<Timings>): Promise<StoredServer> {
  const server = await startTestServer(prepare, timings);
  const {databasePath} = server.config;
  return {
    ...server,
    select: (sql) => Promise.resolve(rowsOf(databasePath, sql)),
    execute: (sql) => Promise.resolve(execute(databasePath, sql)),
    stopWrites() {
      const letWrite = stopWrites(databasePath);
      return Promise.resolve(() => Promise.resolve(letWrite()));
    },
  };
}

async function startOverPostgres(prepare: Prepare = {}, timings?: Partial<Timings>): Promise<StoredServer> {
  const database = await createDatabaseWithTables();
  const withDatabase = (folder: string) => ({
    ...(typeof prepare === 'function' ? prepare(folder) : prepare),
    databaseUrl: database.url,
  });
  const server = await startTestServer(withDatabase, timings);
  return {
    ...server,
    select: (sql) => database.query(sql),
    execute: async (sql) => void (await database.query(sql)),
    stopWrites: () => database.takeAway(),
    closeGate: (cid) => closeGate(database, cid),
    async close() {
      await server.close();
      await database.drop();
    },
  };
}

const makeStore = (name: Store['name'], startServer: Store['startServer']): Store => ({
  name,
  startServer,
  useServer: (prepare) => openForSuite(() => startServer(prepare)),
});

/** For tests of what the server does with its store, where both stores do the same: SQLite is the cheaper one. */
export const sqlite = makeStore('SQLite', startOverSqlite);
const postgres = makeStore('PostgreSQL', startOverPostgres);
export const everyStore: readonly Store[] = [sqlite, postgres];

/**
 * Describes the same tests for each store, in a suite of its own: for what depends on their SQL, their transactions,
 * their faults, or on several processes. The suites in test/server/store/ do that for the store without the server. With
 * `TEST_STORES=PostgreSQL`, those over SQLite are left out: CI has run them on a machine that has no PostgreSQL.
 */
export function forEachStore(describe: (store: Store) => void): void {
  if (process.env['TEST_STORES'] !== 'PostgreSQL') suite('over SQLite:', () => describe(sqlite));
  overPostgres(describe);
}

/** For tests with several processes on one store. */
export function overPostgres(describe: (store: Store) => void): void {
  suite('over PostgreSQL:', {skip: withoutPostgres}, () => describe(postgres));
}
