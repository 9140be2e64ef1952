/** The two connections to the SQLite file: one for reading, and one for writing, which upgrades the database first. */
import {DatabaseSync, type StatementSync} from 'node:sqlite';
import type {Value} from '../columns.ts';
import {encryptedByUpgrade, selectBefore} from '../clear-mark.ts';
import {statement, type Row, type Statement, type SqlWords} from '../database.ts';
import {
  canServe,
  currentVersion,
  isOneOf,
  markedSince,
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
import {refuseDamaged, refuseMoved, refuseOtherOwner, refuseUnwritable, sizeOf} from './files.ts';

export type Runner = {
  all: <Found = Row>(statement: Statement) => Found[];
  one: <Found = Row>(statement: Statement) => Found | undefined;
};

/**
 * SQLite has no statement that changes a constraint. Its documentation says how to edit the schema's text, which is
 * allowed because the rows do not change: https://www.sqlite.org/lang_altertable.html#otheralter
 */
const inSchema = (tables: readonly string[], before: string, now: string) => `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, '${quoted(before)}', '${quoted(now)}')
    WHERE type = 'table' AND name IN (${tables.map((table) => `'${table}'`).join(', ')});
  PRAGMA writable_schema = RESET`;
/** Escapes a text for use between quotes in SQL. */
export const quoted = (text: string) => text.replaceAll("'", "''");

const dialect: Dialect = {
  types: {text: 'TEXT', integer: 'INTEGER', blob: 'BLOB'},
  tableOptions: (hasLargeRows) => (hasLargeRows ? 'STRICT' : 'STRICT, WITHOUT ROWID'),
  jsonText: (column, key) => `${column} ->> '${key}'`,
  checkAtOnce: (tables) => inSchema(tables, ' DEFERRABLE INITIALLY DEFERRED', ''),
  allowTexts: (table, column, before, now) =>
    before.map((each) => inSchema([table], isOneOf(column, each), isOneOf(column, now))).join(';'),
};

export const sqliteWords: SqlWords = {
  skipLocked: '',
  forUpdate: () => '',
  oneByOne: () => 'SELECT 1',
  lockTable: () => 'SELECT 1',
  clock: 'NULL',
  jsonList: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
  onlyIndex: (name) => ` INDEXED BY ${name}`,
};

/** The size of the page cache during an upgrade, in kilobytes, so that a page that changes twice is written only once. */
const upgradeCache = 64 * 1024;

export function openReader(path: string): DatabaseSync {
  return new DatabaseSync(path, {readOnly: true, timeout: 100});
}

/** Opens a connection for a command. @throws Error when the file has the tables of another version, or a mark */
export function openAttached(path: string, mayWrite: boolean): DatabaseSync {
  const database = new DatabaseSync(path, {readOnly: !mayWrite, timeout: 5_000});
  try {
    refuseOtherVersion(readFound(database));
    if (mayWrite) database.exec(`PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; ${lateCheckpoints}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** `inspectStore` (open-store.ts) for a SQLite file. */
export function inspectSqlite(path: string): StartsWith {
  refuseOtherOwner(path);
  refuseUnwritable(path);
  if (sizeOf(path) === 0) return startsWith({version: 0});
  refuseDamaged(path);
  using database = openReader(path);
  return startsWith(readFound(database));
}

/**
 * When the log has this many pages, they are copied to the main file. The default is 1000. With a higher number, a page that many
 * leads change is copied less often.
 */
const lateCheckpoints = 'PRAGMA wal_autocheckpoint = 4000';

/**
 * Opens the connection for writing, and creates or upgrades the tables.
 * @returns also the schema version that the database had, 0 if it was empty
 * @throws Error when the file is damaged, or was made by a newer version or before 1.0.0, or its leads were moved, or a data
 * key is missing that an upgrade needs
 */
export function openWriter(path: string, encryptor: Encryptor): {database: DatabaseSync; before: number} {
  refuseDamaged(path);
  // Checked again, because `store copy` may have just finished. Otherwise the next line would create a new file.
  refuseMoved(path);
  const database = new DatabaseSync(path, {timeout: 2_000});
  // With FULL, a commit returns after its fsync. This is why no acknowledged lead is lost in a power failure.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
  database.exec(lateCheckpoints);
  emptyLog(database);
  return {database, before: upgrade(database, encryptor)};
}

/**
 * Moves the commits from the log to the main file, and empties the log. If a crash left an incomplete commit in the log, it would
 * look like damage once later commits follow it.
 * @returns false if that is not possible now, because another connection is reading, or writes for longer than the timeout
 */
export const emptyLog = (database: DatabaseSync): boolean =>
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;

/** Like `emptyLog`, but hardly waits for other connections, so that writes need not wait either. */
export function emptyLogAtOnce(database: DatabaseSync): boolean {
  const usual = settingOf(database, 'busy_timeout');
  database.exec('PRAGMA busy_timeout = 20');
  try {
    return emptyLog(database);
  } finally {
    database.exec(`PRAGMA busy_timeout = ${usual}`);
  }
}

/** Runs `work` in a transaction. If it throws, the transaction is rolled back. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

const settingOf = (database: DatabaseSync, name: 'user_version' | 'cache_size' | 'busy_timeout') =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);

export function readFound(database: DatabaseSync): Found {
  const version = settingOf(database, 'user_version');
  if (version < markedSince) return {version};
  const oldestServer =
    version <= currentVersion
      ? version
      : Number(database.prepare(selectOldestServer).get()?.['oldest_server']);
  // The mark is only read if this server can serve these newer tables, because otherwise their form is not known.
  if (!canServe({version, oldestServer})) return {version, oldestServer};
  return {version, oldestServer, mark: database.prepare(selectMark).get() as StoreMark | undefined};
}

function upgrade(database: DatabaseSync, encryptor: Encryptor): number {
  const found = readFound(database);
  const {version: before} = found;
  if (startsWith(found) === 'the tables as they are') return before;
  const usualCache = settingOf(database, 'cache_size');
  // In defensive mode, SQLite refuses edits of the schema's text.
  database.enableDefensive(false);
  database.exec(`PRAGMA cache_size = -${upgradeCache}`);
  inTransaction(database, () => {
    for (const text of statementsFrom(before, dialect)) database.exec(text);
    const {all} = createRunner(database);
    const [keys, publicKeys] = selectBefore.map((text) => all(statement(text)));
    for (const change of encryptedByUpgrade(before, encryptor, keys!, publicKeys!)) all(change);
    database.exec(`PRAGMA user_version = ${currentVersion}`);
  });
  database.exec(`PRAGMA cache_size = ${usualCache}`);
  database.enableDefensive(true);
  // The log of an upgrade can be as large as the database.
  emptyLog(database);
  return before;
}

type Prepared = {run: StatementSync; toRow: (cells: readonly Value[]) => Row};

/**
 * Runs statements. Each text is prepared only once. SQLite returns lists of cells, and the rows are made here: making and reading
 * the objects of `node:sqlite` takes more than one and a half times as long.
 */
export function createRunner(database: DatabaseSync): Runner {
  const prepared = new Map<string, Prepared>();
  function prepare(text: string): Prepared {
    const known = prepared.get(text);
    if (known) return known;
    const run = database.prepare(text.replaceAll('$', '?'));
    run.setReturnArrays(true);
    const names = run.columns().map(({name}) => name);
    const toRow = (cells: readonly Value[]) => {
      const row: Row = {};
      for (let index = 0; index < names.length; index += 1) row[names[index]!] = cells[index]!;
      return row;
    };
    const statement = {run, toRow};
    prepared.set(text, statement);
    return statement;
  }
  return {
    all({text, values}) {
      const {run, toRow} = prepare(text);
      return (run.all(...values) as unknown as Value[][]).map(toRow) as never[];
    },
    one({text, values}) {
      const {run, toRow} = prepare(text);
      const cells = run.get(...values) as unknown as Value[] | undefined;
      return cells && (toRow(cells) as never);
    },
  };
}
