/** The interface of both databases: how statements are written, and the functions that run them. */
import {tables, type IndexName, type TableName, type Value} from './columns.ts';

/** The parameters are `$1`, `$2` and so on. */
export type Statement = {text: string; values: readonly Value[]};
export type Row = Record<string, Value>;

export type Database = {
  read: <Found = Row>(statement: Statement) => Promise<Found[]>;
  readOne: <Found = Row>(statement: Statement) => Promise<Found | undefined>;
  /** For statements that read many rows. On the SQLite file of a server, the writer's thread runs them. */
  readMany: <Found = Row>(statement: Statement) => Promise<Found[]>;
  /** Runs the statements in one transaction. Resolves after its commit, with the rows of each statement. */
  write: (...statements: Statement[]) => Promise<Row[][]>;
  /** As `write`, for a connection that only reads: writes a note by another one. */
  writeAside?: (...statements: Statement[]) => Promise<unknown>;
  // On SQLite, one transaction writes at a time, so what locks something is empty there, or does nothing.
  /** SQL that skips rows that another transaction has locked. */
  skipLocked: string;
  /** SQL that locks the rows of a table that a SELECT reads, until the end of the transaction. */
  forUpdate: (table: TableName) => string;
  /** SQL of a statement that makes transactions with the same `name` wait for one another, until their end. */
  oneByOne: (name: string) => string;
  /** SQL of a statement that waits for all transactions that read the table FOR KEY SHARE, and keeps new ones waiting. */
  lockTable: (name: TableName) => string;
  /**
   * SQL for the time of the database, which all processes share. It is read as a `Date`. NULL for SQLite, whose time is that
   * of the process.
   */
  clock: string;
  /** SQL for the rows of a parameter that holds a JSON list of texts. The only column is `value`. */
  jsonList: (parameter: string) => string;
  /**
   * SQL that reads, by one statement, what `select` finds for each text of a parameter that holds a JSON list: one row at
   * most. Undefined for SQLite, where many statements take no longer than one.
   */
  selectEach?: (parameter: string, select: (text: string) => string) => string;
  /** SQL that follows a table's name and makes SQLite find rows by this index. PostgreSQL chooses by itself. */
  onlyIndex: (name: IndexName) => string;
};

/** The SQL in which SQLite and PostgreSQL differ. */
export type SqlWords = Omit<Database, 'read' | 'readOne' | 'readMany' | 'write' | 'writeAside'>;

export const statement = (text: string, ...values: Value[]): Statement => ({text, values});

/**
 * SQL that is 1 if there is such a row, else 0. Looks once for each row that asks. For EXISTS, PostgreSQL may read all rows
 * of the inner table, such as all open deliveries, because it does not expect that LIMIT leaves few rows that ask.
 */
export const isThere = (from: string) => `COALESCE((SELECT 1 FROM ${from} LIMIT 1), 0)`;

export const list = (words: readonly string[]): string => words.join(', ');

/** Tables in which a new row replaces an old row, because another lead may use a key or digest that has expired. */
const replaced: readonly TableName[] = ['idempotency_keys', 'same_leads'];
/** Tables in which the first row stays. */
const kept: readonly TableName[] = ['consent_texts', 'consent_words'];

/** An INSERT statement for all columns of a table. `source` returns the SQL that gives the rows, such as VALUES. */
export function insertText(name: TableName, source: (columns: readonly string[]) => string): string {
  const {columns, primaryKey} = tables[name];
  const names = Object.keys(columns);
  const others = names.filter((column) => !primaryKey.some((key) => key === column));
  const conflict = `ON CONFLICT (${list(primaryKey)})`;
  const onConflict = replaced.includes(name)
    ? `${conflict} DO UPDATE SET ${list(others.map((column) => `${column} = excluded.${column}`))}`
    : kept.includes(name)
      ? `${conflict} DO NOTHING`
      : '';
  return `INSERT INTO ${name} (${list(names)}) ${source(names)} ${onConflict}`;
}
