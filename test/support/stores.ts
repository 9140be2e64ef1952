/** Every store there is, for what the service must do over each of them alike. */
import {DatabaseSync} from 'node:sqlite';
import {after, before, suite} from 'node:test';
import type {Pace} from '../../server/delivery/pace.ts';
import {closeGate, createDatabase, withoutPostgres, type Gate} from './postgres.ts';
import {startTestServer, type Prepare, type TestServer} from './test-server.ts';

export type StoredServer = TestServer & {
  /** What is in the tables, past the service. */
  select(sql: string): Promise<Record<string, unknown>[]>;
  /** Changes the tables, past the service. */
  execute(sql: string): Promise<void>;
  /** Makes it impossible to write; resolves to what makes it possible again. */
  stopWrites(): Promise<() => Promise<void>>;
  /** Only where several processes can have the store open. */
  closeGate?(cid: string): Promise<Gate>;
};

export type Store = {
  name: 'SQLite' | 'PostgreSQL';
  startServer(prepare?: Prepare, pace?: Partial<Pace>): Promise<StoredServer>;
  /** Starts one before the tests of this suite and closes it after them; it is there once they run. */
  useServer(prepare?: Prepare): StoredServer;
};

async function startOverSqlite(prepare: Prepare = {}, pace?: Partial<Pace>): Promise<StoredServer> {
  const server = await startTestServer(prepare, pace);
  const {databasePath} = server.config;
  return {
    ...server,
    select(sql) {
      const database = new DatabaseSync(databasePath, {readOnly: true});
      const rows = database.prepare(sql).all();
      database.close();
      return Promise.resolve(rows);
    },
    execute(sql) {
      const database = new DatabaseSync(databasePath, {timeout: 5_000});
      database.exec(sql);
      database.close();
      return Promise.resolve();
    },
    stopWrites() {
      const other = new DatabaseSync(databasePath, {timeout: 5_000});
      other.exec('BEGIN IMMEDIATE');
      return Promise.resolve(() => {
        other.exec('COMMIT');
        other.close();
        return Promise.resolve();
      });
    },
  };
}

async function startOverPostgres(prepare: Prepare = {}, pace?: Partial<Pace>): Promise<StoredServer> {
  const database = await createDatabase();
  const withDatabase = (folder: string) => ({
    ...(typeof prepare === 'function' ? prepare(folder) : prepare),
    databaseUrl: database.url,
  });
  const server = await startTestServer(withDatabase, pace);
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
  useServer(prepare) {
    const server = {} as StoredServer;
    before(async () => Object.assign(server, await startServer(prepare)));
    after(() => server.close());
    return server;
  },
});

/** Describes the same over each store, in a suite of its own. */
export function forEachStore(describe: (store: Store) => void): void {
  suite('over SQLite:', () => describe(makeStore('SQLite', startOverSqlite)));
  suite('over PostgreSQL:', {skip: withoutPostgres}, () =>
    describe(makeStore('PostgreSQL', startOverPostgres)),
  );
}
