/** Connects to PostgreSQL, retries while it cannot be reached, and creates or upgrades the tables. */
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import {isWithin, readAddress, readRanges} from '../../config/addresses.ts';
import {reasonOf} from '../../leads/store-errors.ts';
import {goneAfter, type ProcessReport} from '../../reload/reloads.ts';
import type {Emit} from '../../observe/observations.ts';
import {encryptedByUpgrade, selectBefore} from '../clear-mark.ts';
import {tables} from '../columns.ts';
import {list, statement, type Row} from '../database.ts';
import {
  canServe,
  currentVersion,
  emitUpgrade,
  isOneOf,
  markedSince,
  oldestServer,
  refuseOtherVersion,
  selectMark,
  selectOldestServer,
  startsWith,
  statementsFrom,
  type Dialect,
  type Found,
  type StartsWith,
  type StoreMark,
} from '../schema.ts';
import type {Encryptor} from '../encryption.ts';
import {longTimeout, openConnections, type Connections} from './connections.ts';

/** How long connecting is retried, in milliseconds, so that the database can be started together with the server. */
export const startPatience = 60_000;
/** Milliseconds between two attempts. The pause doubles each time, up to the maximum. */
const [firstPause, maxPause] = [250, 5_000];
/** While the database cannot be reached, an observation is emitted each time that this many milliseconds have passed. */
const observationInterval = 10_000;
/** The key of an advisory lock. It can be any number that no other program uses in this database. */
const upgradeLock = 0x1ead;

const networkErrors = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
];

/**
 * Errors that may be over soon: the database cannot be reached, is starting or stopping (57P01 to 57P03), has no free connection
 * (53300), is a standby that is not promoted yet (25006), its pooler cannot reach it (class 08), or an older server must stop
 * first. A wrong password or database name (28P01, 3D000) is not among them.
 */
function isTemporary(error: unknown): boolean {
  const {code = '', syscall, message} = error as {code?: string; syscall?: string; message: string};
  if (error instanceof OlderServer) return true;
  if (error instanceof pg.DatabaseError) return /^(08|57P0[123]$|53300$|25006$)/.test(code);
  // A file that `sslrootcert` names is missing.
  if (syscall === 'open') return false;
  return networkErrors.includes(code) || /^Connection terminated|timeout/.test(message);
}

export const dialect: Dialect = {
  types: {text: 'TEXT', integer: 'BIGINT', blob: 'BYTEA'},
  tableOptions: () => '',
  jsonText: (column, key) => `${column}::jsonb ->> '${key}'`,
  checkAtOnce: (tables) =>
    tables
      .map((table) => `ALTER TABLE ${table} ALTER CONSTRAINT ${table}_lead_id_fkey NOT DEFERRABLE`)
      .join('; '),
  allowTexts: (table, column, _before, now) => `
    ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check,
      ADD CONSTRAINT ${table}_${column}_check CHECK (${isOneOf(column, now)})`,
};

type Options = {
  url: string;
  encryptor: Encryptor;
  /** False for commands, which refuse the tables of an older version. */
  mayUpgrade: boolean;
  emit: Emit | undefined;
  patience: number;
};

/** @throws Error when the database cannot be reached for `patience` milliseconds, or cannot be used at all */
export async function startPostgres(options: Options): Promise<Connections> {
  const {emit, patience} = options;
  const started = performance.now();
  const seconds = (milliseconds: number) => Math.round(milliseconds / 1_000);
  let emittedAt: number | undefined;
  for (let pause = firstPause; ; pause = Math.min(maxPause, pause * 2)) {
    try {
      const connections = await openUpgraded(options);
      const waited = seconds(performance.now() - started);
      if (emittedAt !== undefined) emit?.({type: 'database-reached', seconds: waited});
      return connections;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      const reason = reasonOf(error);
      const now = performance.now();
      if (now + pause >= started + patience) {
        throw new Error(`The database could not be reached for ${seconds(patience)} s: ${reason}`, {
          cause: error,
        });
      }
      if (emittedAt === undefined || now >= emittedAt + observationInterval) {
        const left = seconds(started + patience - now);
        emit?.({type: 'database-awaited', reason, seconds: left});
        emittedAt = now;
      }
      await sleep(pause);
    }
  }
}

async function openUpgraded({url, encryptor, mayUpgrade, emit}: Options): Promise<Connections> {
  const connections = await openConnections(url);
  try {
    if (!mayUpgrade) refuseOtherVersion(await readFoundIfAny((text) => connections.read(statement(text))));
    else {
      const before = await connections.longTransaction((client) => bringUp(client, encryptor));
      if (emit) emitUpgrade(before, emit);
    }
    return connections;
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** `inspectStore` (open-store.ts) for PostgreSQL. Unlike a start, it does not wait for a database that cannot be reached. */
export async function inspectPostgres(url: string): Promise<StartsWith> {
  const {read, close} = await openConnections(url);
  try {
    const [found] = await read(
      statement(`SELECT current_setting('transaction_read_only') AS "readOnly",
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)::text AS "mayCreate"`),
    );
    await refuseOtherEncoding((text) => read(statement(text)));
    if (found?.['readOnly'] === 'on') throw new Error('The database is read-only, such as a standby');
    if (found?.['mayCreate'] === 'false')
      throw new Error('The user of the database may not create tables in it');
    return startsWith(await readFoundIfAny((text) => read(statement(text))));
  } finally {
    await close();
  }
}

/**
 * Refuses other encodings than UTF-8: they lack most characters or check none, so that some names could never be stored.
 * @throws Error with the remedy
 */
async function refuseOtherEncoding(read: (text: string) => Promise<Row[]>) {
  const [row] = await read(
    `SELECT current_setting('server_encoding') AS server, current_setting('client_encoding') AS client`,
  );
  if (row?.['server'] !== 'UTF8')
    throw new Error(
      `The database has the encoding ${String(row?.['server'])}, in which not every name can be stored. Create another one (CREATE DATABASE leads ENCODING 'UTF8' TEMPLATE template0), let DATABASE_URL name it, and take along what is in this one with pg_dump and pg_restore`,
    );
  if (row['client'] !== 'UTF8')
    throw new Error(
      `The connection has the encoding ${String(row['client'])}: take client_encoding out of DATABASE_URL, and out of the settings of the user and of the pooler`,
    );
}

const loopback = readRanges('loopback');

/**
 * The host, if the connection to it leaves this machine without TLS.
 * @throws Error if a file that the URL names cannot be read
 */
export function unencryptedHost(url: string): string | undefined {
  const {host, ssl} = new pg.Client({connectionString: url});
  const isHere =
    host.startsWith('/') || /^(.+\.)?localhost$/.test(host) || isWithin(readAddress(host) ?? '', loopback);
  return ssl || isHere ? undefined : host;
}

/** Reads the version of the tables. 0 for a database without tables. */
export async function readFoundIfAny(read: (text: string) => Promise<Row[]>): Promise<Found> {
  const [found] = await read(`SELECT to_regclass('schema_version')::text AS tables`);
  return found?.['tables'] === null ? {version: 0} : readFound(read);
}

async function readFound(read: (text: string) => Promise<Row[]>): Promise<Found> {
  const [row] = await read('SELECT version FROM schema_version');
  const version = Number(row?.['version'] ?? 0);
  if (version < markedSince) return {version};
  const [oldest] = version <= currentVersion ? [] : await read(selectOldestServer);
  const oldestServer = oldest ? Number(oldest['oldest_server']) : version;
  // The mark is only read if this server can serve these newer tables, because otherwise their form is not known.
  if (!canServe({version, oldestServer})) return {version, oldestServer};
  const [mark] = (await read(selectMark)) as StoreMark[];
  return {version, oldestServer, mark};
}

/** An older server is still running that cannot serve the upgraded tables. It could drop or wrongly send what it does not know. */
class OlderServer extends Error {}

/** @throws OlderServer until no such server has reported for a minute */
async function refuseOlderServers(version: number, run: (text: string) => Promise<Row[]>) {
  if (version < tables.processes.since || version >= oldestServer) return;
  const [running] = await run(`SELECT report FROM processes WHERE seen_at > ${Date.now() - goneAfter}`);
  if (!running) return;
  const {name} = JSON.parse(String(running['report'])) as Pick<ProcessReport, 'name'>;
  throw new OlderServer(
    `The server ${name} of an older version runs on this database, or was killed within the last minute: stop it first`,
  );
}

const ownTables = Object.keys(tables).map((name) => `'${name}'`);

/**
 * Creates or upgrades the tables, in a transaction that has begun. If several processes start at once, a lock lets one of them
 * upgrade while the others wait.
 * @param encryptor encrypts the mark without which unencrypted data is no longer read; new tables need none
 * @returns the version that the tables had, 0 if there were none
 * @throws Error also if the encoding of the database is not UTF-8, or an upgrade needs a missing data key
 */
export async function bringUp(client: pg.ClientBase, encryptor?: Encryptor): Promise<number> {
  const run = async (text: string, values?: unknown[]) =>
    (await client.query<Row>({text, ...(values && {values}), query_timeout: longTimeout} as pg.QueryConfig))
      .rows;
  await run('SELECT pg_advisory_xact_lock($1)', [upgradeLock]);
  await refuseOtherEncoding(run);
  await run('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
  const found = await readFound(run);
  const {version} = found;
  if (startsWith(found) === 'the tables as they are') return version;
  await refuseOlderServers(version, run);
  // Servers of the previous version may be running. If one of their transactions and this one deadlock, PostgreSQL aborts one of
  // them, which is retried. So all locks are taken before anything is done.
  const own = await run(
    `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename IN (${list(ownTables)})
      ORDER BY tablename`,
  );
  if (own.length > 0)
    await run(`LOCK TABLE ${list(own.map(({tablename}) => String(tablename)))} IN ACCESS EXCLUSIVE MODE`);
  for (const text of statementsFrom(version, dialect)) await run(text);
  if (encryptor) {
    const [keys, publicKeys] = [await run(selectBefore[0]), await run(selectBefore[1])];
    for (const {text, values} of encryptedByUpgrade(version, encryptor, keys, publicKeys))
      await run(text, [...values]);
  }
  await run('DELETE FROM schema_version');
  await run('INSERT INTO schema_version VALUES ($1)', [currentVersion]);
  return version;
}
