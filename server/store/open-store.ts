import {setTimeout as sleep} from 'node:timers/promises';
import type {Config} from '../config/config.ts';
import type {LeadStore, AttachedStore} from '../leads/ports.ts';
import {withRemedy} from '../observe/causes.ts';
import type {Emit} from '../observe/observations.ts';
import type {Encryptor} from './encryption.ts';
import {NoTables, type StartsWith} from './schema.ts';
import {inspectSqlite} from './sqlite/connection.ts';
import {openSqliteStore, openAttachedSqlite} from './sqlite/store.ts';

/** Loaded only if the configuration has a URL, because the driver of PostgreSQL takes time to load. */
const postgres = async () => ({
  ...(await import('./postgres/start.ts')),
  ...(await import('./postgres/store.ts')),
});

type DatabaseSettings = Pick<Config, 'databaseUrl' | 'databasePath'>;

/**
 * Opens PostgreSQL if the configuration has its URL, else SQLite. While PostgreSQL cannot be reached, connecting is
 * retried for a minute.
 * @throws Error when the database cannot be opened. The message names the setting of the database
 */
export function openStore(settings: DatabaseSettings, encryptor: Encryptor, emit?: Emit): Promise<LeadStore> {
  const {databaseUrl: url, databasePath: path} = settings;
  return naming<LeadStore>(settings, async () =>
    url
      ? (await postgres()).openPostgresStore(url, encryptor, {emit})
      : openSqliteStore(path, encryptor, emit),
  );
}

/** How long a starting server may take to create its tables, and the pause between two checks for them, in milliseconds. */
const [tablesPatience, tablesPause] = [5_000, 50];

/**
 * Opens the store for a command, while a server may be running. Waits for a server that is creating its tables.
 * @param mayWrite if false, a SQLite file is opened read-only
 * @throws Error as `openStore`, and for a database of an older version, because only the server upgrades it
 */
export function openAttachedStore(
  settings: DatabaseSettings,
  encryptor: Encryptor,
  mayWrite: boolean,
  emit?: Emit,
): Promise<AttachedStore> {
  const {databaseUrl: url, databasePath: path} = settings;
  const open = async () =>
    url
      ? (await postgres()).openPostgresStore(url, encryptor, {mayUpgrade: false, emit})
      : openAttachedSqlite(path, encryptor, mayWrite);
  const deadline = performance.now() + tablesPatience;
  return naming<AttachedStore>(settings, async () => {
    for (;;) {
      try {
        return await open();
      } catch (error) {
        if (!(error instanceof NoTables) || performance.now() > deadline) throw error;
        await sleep(tablesPause);
      }
    }
  });
}

/**
 * What a start would do with the database. Changes nothing, and may run while a server is running.
 * @throws Error when the start would fail because of the database as it is now
 */
export function inspectStore(settings: DatabaseSettings): Promise<StartsWith> {
  const {databaseUrl: url, databasePath: path} = settings;
  return naming(settings, async () => (url ? (await postgres()).inspectPostgres(url) : inspectSqlite(path)));
}

/**
 * The host of a PostgreSQL that is reached over a network without TLS. Undefined if there is none.
 * @throws Error as `openStore`
 */
export function unencryptedHost(settings: DatabaseSettings): Promise<string | undefined> {
  const {databaseUrl: url} = settings;
  return naming(settings, async () => (url ? (await postgres()).unencryptedHost(url) : undefined));
}

async function naming<Store>({databaseUrl}: DatabaseSettings, open: () => Promise<Store>): Promise<Store> {
  try {
    return await open();
  } catch (error) {
    const setting = databaseUrl ? 'DATABASE_URL' : 'DATABASE_PATH';
    const reason = error instanceof Error ? error.message : String(error);
    const words = databaseUrl ? withRemedy(reason) : reason;
    throw new Error(`The database that ${setting} names cannot be opened: ${words}`, {cause: error});
  }
}
