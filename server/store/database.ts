/** The interface of both databases: how statements are written, and the functions that run them. */
import {tables, type IndexName, type TableName, type Value} from './columns.ts';

/** The parameters are `$1`, `$2` and so on. */
export type Statement = {text: string; values: readonly Value[]};
export type Row = Record<string, Value>;

export type Database = {
  read: <Found = Row>(statement: Statement) => Promise<Found[]>;
  readOne: <Found = Row>(statement: Statement) => Promise<Found | undefined>;
  /** For statements that read many rows. In a server on SQLite, the writer's thread runs them. */
  readMany: <Found = Row>(statement: Statement) => Promise<Found[]>;
  /** Runs the statements in one transaction. Resolves after its commit, with the rows of each statement. */
  write: (...statements: Statement[]) => Promise<Row[][]>;
  /** Like `write`, for stores that were opened read-only: uses another connection to write a note, such as an entry of the audit. */
  writeAside?: (...statements: Statement[]) => Promise<unknown>;
  // On SQLite, only one transaction writes at a time, so the SQL that locks rows or tables is empty there, or has no effect.
  /** SQL that skips rows that another transaction has locked. */
  skipLocked: string;
  /** SQL that locks the rows of a table that a SELECT reads, until the end of the transaction. */
  forUpdate: (table: TableName) => string;
  /** A statement that locks `name` until the end of the transaction: transactions with the same name run one after the other. */
  oneByOne: (name: string) => string;
  /** A statement that waits for all transactions that read the table FOR KEY SHARE, and makes new ones wait. */
  lockTable: (name: TableName) => string;
  /**
   * SQL for the time of the database, which all processes share, as a `Date`. NULL on SQLite, where the time of the process is
   * used.
   */
  clock: string;
  /** SQL for the rows of a parameter that holds a JSON list of texts. The only column is `value`. */
  jsonList: (parameter: string) => string;
  /**
   * SQL that runs `select` for each text of a parameter with a JSON list, in one statement, and finds at most one row for each.
   * Undefined for SQLite, where many statements are as fast as one.
   */
  selectEach?: (parameter: string, select: (text: string) => string) => string;
  /** SQL to append to a table's name, which makes SQLite use this index. PostgreSQL chooses its indexes itself. */
  onlyIndex: (name: IndexName) => string;
};

/** The SQL in which SQLite and PostgreSQL differ. */
export type SqlWords = Omit<Database, 'read' | 'readOne' | 'readMany' | 'write' | 'writeAside'>;

export const statement = (text: string, ...values: Value[]): Statement => ({text, values});

/**
 * SQL that is 1 if there is such a row, else 0, and looks it up for each outer row. With EXISTS, PostgreSQL may read the whole
 * inner table, such as all open deliveries, because it does not expect a LIMIT to leave few outer rows.
 */
export const isThere = (from: string) => `COALESCE((SELECT 1 FROM ${from} LIMIT 1), 0)`;

export const list = (words: readonly string[]): string => words.join(', ');

/** Tables in which a new row replaces an old one, because another lead may use an expired key or digest again. */
const replaced: readonly TableName[] = ['idempotency_keys', 'same_leads'];
/** Tables in which the first row is kept, and a second one with the same key is ignored. */
const kept: readonly TableName[] = ['consent_texts', 'consent_words'];

const taking = (columns: readonly string[]) =>
  list(columns.map((column) => `${column} = excluded.${column}`));

/** An INSERT statement for all columns of a table. `source` returns the SQL that gives the rows, such as VALUES. */
export function insertText(name: TableName, source: (columns: readonly string[]) => string): string {
  const {columns, primaryKey} = tables[name];
  const names = Object.keys(columns);
  const others = names.filter((column) => !primaryKey.some((key) => key === column));
  const conflict = `ON CONFLICT (${list(primaryKey)})`;
  const onConflict = replaced.includes(name)
    ? `${conflict} DO UPDATE SET ${taking(others)}`
    : kept.includes(name)
      ? `${conflict} DO NOTHING`
      : '';
  return `INSERT INTO ${name} (${list(names)}) ${source(names)} ${onConflict}`;
}

/** An INSERT statement for one row, whose values are in the order of the columns. */
export const insertRow = (name: TableName): string =>
  insertText(name, (columns) => `VALUES (${list(columns.map((_, index) => `$${index + 1}`))})`);

/** Like `insertRow`. If there is a row with this key, these columns of it get the new values. */
export const upsertRow = <Name extends TableName>(
  name: Name,
  ...columns: (keyof (typeof tables)[Name]['columns'] & string)[]
): string =>
  `${insertRow(name)} ON CONFLICT (${list(tables[name].primaryKey)}) DO UPDATE SET ${taking(columns)}`;
