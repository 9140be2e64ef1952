/**
 * Moves a store into another database, while no server runs: what `lead-prequal store copy` does. (In sqlite/, a copy is
 * the file of a backup.)
 *
 * Table by table, rows go over in the order of their keys, and then both tables are compared. Each page is committed, so
 * a copy that was killed goes on after the greatest key. Rows are taken as they stand: no key opens them.
 *
 * The target has a mark that keeps servers from it until all is equal. The source is left as it is until then. Its mark
 * is stored only if nobody has written to it meanwhile, so a copy that fails or is given up needs no repair.
 */
import {createHash} from 'node:crypto';
import {tables, type Table, type TableName} from './columns.ts';
import {list, statement, type Row, type Statement} from './database.ts';
import {clearMark, whyMarked, type Found} from './schema.ts';

/** How many rows are read and written at a time. */
export const pageSize = 1_000;

/** Which of the two databases one is. An empty target gets tables, with the mark of a copy that is not complete. */
export type EndRole = 'source' | {copyOf: string};

/** One of the two databases. Only one transfer at a time has it open. */
export type End = {
  /** The file, or the URL without secrets. */
  place: string;
  /** As it was when it was opened. */
  found: Found;
  read: (statement: Statement) => Promise<Row[]>;
  /** The collation that compares bytes. */
  byBytes: string;
  /** Gives the rows behind another one, or all, in the order of keys as bytes. */
  pages: (table: TableName, after?: Row) => AsyncGenerator<Row[], void>;
  insert: (table: TableName, rows: readonly Row[]) => Promise<void>;
  /** In one transaction. */
  write: (statements: readonly Statement[]) => Promise<void>;
  /** Stores the mark of a source that was moved. @throws TransferError if a server has used it since it was opened */
  markMoved: (place: string) => Promise<void>;
  /** Leaves a target as servers want to find it. */
  tidy: () => Promise<void>;
  close: () => Promise<void>;
};

/** What an operator can correct. */
export class TransferError extends Error {}

const stays: readonly TableName[] = [
  // The processes of the servers of the source. Those of the target report themselves.
  'processes',
  // What cannot be opened is met again in the target.
  'unreadable_leads',
  // What these say is about the tables of one database, and not about its leads.
  'schema_compatibility',
  'store_mark',
];
/** Leads come before the rows that refer to them, as they do in columns.ts. */
export const transferred = (Object.keys(tables) as TableName[]).filter((table) => !stays.includes(table));

export type TableOutcome = {
  table: TableName;
  rows: number;
  /** Of all rows of the table, in the order of keys. */
  digest: string;
};
export type Progress = {table: TableName; rows: number; of: number};
/** Milliseconds between two reports for a table. */
const reportEvery = 2_000;

/** @throws TransferError if there may be no copy; any other error leaves a target with which the next call goes on */
export async function* transfer(
  source: End,
  target: End,
): AsyncGenerator<Progress, TableOutcome[], undefined> {
  refuseOthers(source, target);
  const outcomes: TableOutcome[] = [];
  for (const table of transferred) {
    try {
      yield* copyTable(table, source, target);
    } catch (error) {
      throw new Error(`${table}: ${(error as Error).message}`, {cause: error});
    }
    outcomes.push(await compare(table, source, target));
  }
  await target.tidy();
  // In this order, so that after a kill in between no server starts on either of them.
  await source.markMoved(target.place);
  await target.write([clearMark()]);
  return outcomes;
}

/** @throws TransferError unless the target is new, or an earlier copy of the source that is not complete */
function refuseOthers(source: End, target: End) {
  const [of, at] = [source.found.mark, target.found.mark];
  if (source.place === target.place) throw new TransferError(`${source.place} is the store itself`);
  // After a kill between the last two commits, both have a mark.
  if (of && !(of.mark === 'moved' && of.place === target.place && at))
    throw new TransferError(`${source.place} is not to be copied there. ${whyMarked(of)}`);
  if (!at)
    throw new TransferError(
      `${target.place} holds other data, which a copy would mix with its own: name an empty database`,
    );
  if (at.mark !== 'unfinished' || at.place !== source.place)
    throw new TransferError(`${target.place} is not to be overwritten. ${whyMarked(at)}`);
}

async function* copyTable(
  table: TableName,
  source: End,
  target: End,
): AsyncGenerator<Progress, void, undefined> {
  const [last] = await target.read(selectLast(table, target.byBytes));
  const of = await countOf(table, source);
  let rows = last ? await countOf(table, target) : 0;
  let reportedAt = -Infinity;
  const pages = source.pages(table, last);
  let page = await pages.next();
  while (!page.done) {
    rows += page.value.length;
    // The next page is read while this one is written.
    [page] = await Promise.all([pages.next(), target.insert(table, page.value)]);
    if (!page.done && performance.now() - reportedAt < reportEvery) continue;
    yield {table, rows, of};
    reportedAt = performance.now();
  }
}

async function countOf(table: TableName, {read}: End): Promise<number> {
  const [row] = await read(statement(`SELECT COUNT(*) AS rows FROM ${table}`));
  return Number(row?.['rows']);
}

async function compare(table: TableName, source: End, target: End): Promise<TableOutcome> {
  const [ours, theirs] = await Promise.all([digestOf(table, source), digestOf(table, target)]);
  if (ours.digest === theirs.digest) return {table, ...ours};
  throw new TransferError(
    `${table} is not the same in ${source.place}, with ${ours.rows} rows, and in ${target.place}, with ${theirs.rows}: one of them was changed since the copy began. Empty or delete ${target.place}, and run the same command again`,
  );
}

async function digestOf(table: TableName, end: End): Promise<{rows: number; digest: string}> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of end.pages(table)) {
    rows += page.length;
    hash.update(page.map((row) => textOf(table, row)).join(''));
  }
  return {rows, digest: hash.digest('hex')};
}

/** The text of a row that is the same on both databases. */
function textOf(table: TableName, row: Row): string {
  const values = Object.keys(tables[table].columns).map((column) => {
    const value = row[column] ?? null;
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  });
  return `${JSON.stringify(values)}\n`;
}

/** The columns of a key, as SQL that compares by bytes. */
function keysOf(table: TableName, byBytes: string): string[] {
  const {columns, primaryKey}: Table = tables[table];
  return primaryKey.map((key) => (columns[key]?.type === 'text' ? `${key} COLLATE ${byBytes}` : key));
}

/** Selects the rows of a table behind one of them, or all, in the order of keys. */
export function selectBehind(table: TableName, after: Row | undefined, byBytes: string): Statement {
  const {columns, primaryKey} = tables[table];
  const keys = list(keysOf(table, byBytes));
  const parameters = list(primaryKey.map((_, index) => `$${index + 1}`));
  const behind = after ? `WHERE (${keys}) > (${parameters})` : '';
  return statement(
    `SELECT ${list(Object.keys(columns))} FROM ${table} ${behind} ORDER BY ${keys}`,
    ...(after ? primaryKey.map((column) => after[column] ?? null) : []),
  );
}

function selectLast(table: TableName, byBytes: string): Statement {
  const descending = keysOf(table, byBytes).map((key) => `${key} DESC`);
  return statement(
    `SELECT ${list(tables[table].primaryKey)} FROM ${table} ORDER BY ${list(descending)} LIMIT 1`,
  );
}
