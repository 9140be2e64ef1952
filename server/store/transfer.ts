/**
 * Moves a store into another database: what `lead-prequal store copy` does. (In sqlite/, a copy is the file of a backup.)
 *
 * A pass goes through each table of both databases in the order of keys, as one merges two sorted lists: it writes what
 * the target lacks or has otherwise, and deletes what the source has no longer. So a pass that was killed is simply made
 * again, and passes beside running servers bring the target nearer. The last pass is made while no server runs. Rows are
 * taken as they stand: no key opens them.
 *
 * References are not checked meanwhile, because a lead may arrive between the pass through `leads` and the one through
 * a table that refers to it. Marks keep servers from either store until the transfer is complete.
 */
import {createHash} from 'node:crypto';
import {tables, type TableName, type Value} from './columns.ts';
import {statement, type Database, type Row} from './database.ts';
import {clearMark, setMark, whyMarked, type Found} from './schema.ts';

/** How many rows are read or written at a time. */
export const pageSize = 500;

/**
 * What is done with a database: it is read beside running servers, or gets a mark in the last pass, or becomes a copy of
 * the store at a place. Only for a copy, an empty database gets its tables, with the mark of an unfinished copy.
 */
export type EndUse = 'read' | 'mark' | {copyOf: string};

/** One of the two databases of a transfer. */
export type End = Pick<Database, 'read' | 'write'> & {
  /** The file, or the URL without secrets. */
  place: string;
  found: Found;
  /** Gives pages of a table in the order of keys as bytes; after the last one, empty pages. */
  reading: <Result>(
    table: TableName,
    work: (next: () => Promise<readonly Row[]>) => Promise<Result>,
  ) => Promise<Result>;
  count: (table: TableName) => Promise<number>;
  /** Inserts rows, or replaces those with their keys. Returns them as the database has them then, in any order. */
  replace: (table: TableName, rows: readonly Row[]) => Promise<Row[]>;
  remove: (table: TableName, rows: readonly Row[]) => Promise<void>;
  /**
   * Whether a server uses the store. While this end is open, SQLite's server lock stays taken after `false`, so a server
   * that starts after that is known by its report.
   */
  isServed: () => Promise<boolean>;
  /** Whether a server that was killed counts as gone at once. Otherwise it counts as running for a while. */
  forgetsKilled: boolean;
  /** May be called again after a kill. */
  dropReferences: () => Promise<void>;
  /** Also leaves the database as servers want to find it. @throws Error when a row refers to a lead that is not there */
  restoreReferences: () => Promise<void>;
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
/** Parents come before children, as they do in columns.ts. */
export const transferred = (Object.keys(tables) as TableName[]).filter((table) => !stays.includes(table));

export type TableOutcome = {
  table: TableName;
  rows: number;
  written: number;
  removed: number;
  /** Of all rows of the table, in the order of keys. */
  digest: string;
};
export type Tell = (progress: {table: TableName; rows: number; of: number}) => void;

/** The text of a row that is the same on both databases, for comparing and digests. */
function textOf(table: TableName, row: Row): string {
  const values = Object.keys(tables[table].columns).map((column) => {
    const value = row[column] ?? null;
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  });
  return `${JSON.stringify(values)}\n`;
}

/** Rows of which this is true have the same text. It takes less time than making the other text. */
const isSame = (table: TableName, one: Row, other: Row) =>
  Object.keys(tables[table].columns).every((column) => {
    const [value, there] = [one[column], other[column]];
    return value instanceof Uint8Array && there instanceof Uint8Array
      ? Buffer.compare(value, there) === 0
      : value === there;
  });

const surrogate = /[\ud800-\udfff]/;
/** Compares by the bytes of UTF-8, as SQLite does. JavaScript compares by units of UTF-16. */
function compareValues(one: Value, other: Value): number {
  if (one === other) return 0;
  if (typeof one === 'string' && typeof other === 'string' && surrogate.test(one + other))
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

function compareKeys(table: TableName, one: Row, other: Row): number {
  for (const column of tables[table].primaryKey) {
    const order = compareValues(one[column] ?? null, other[column] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

const keyOf = (table: TableName, row: Row) =>
  JSON.stringify(tables[table].primaryKey.map((column) => row[column]));

/** The rows of pages, one by one. @throws Error if they are not in order, which would make the merge wrong */
function oneByOne(table: TableName, next: () => Promise<readonly Row[]>) {
  let [page, at]: [readonly Row[], number] = [[], 0];
  let isEnded = false;
  let before: Row | undefined;
  return {
    /** The row that is next, which `take` goes beyond. */
    async head(): Promise<Row | undefined> {
      if (at === page.length && !isEnded) {
        [page, at] = [await next(), 0];
        isEnded = page.length === 0;
      }
      return page[at];
    },
    take() {
      const row = page[at];
      if (before && row && compareKeys(table, before, row) >= 0)
        throw new Error(`The rows of ${table} do not come in the order of their keys`);
      before = row;
      at += 1;
    },
  };
}

/** One pass through a table. Afterwards the target has what the source had when its rows were read. */
export async function passThrough(
  table: TableName,
  source: End,
  target: End,
  tell: (rows: number) => void = () => undefined,
): Promise<TableOutcome> {
  return source.reading(table, (nextOfSource) =>
    target.reading(table, async (nextOfTarget) => {
      const [ofSource, ofTarget] = [oneByOne(table, nextOfSource), oneByOne(table, nextOfTarget)];
      const digests = {source: createHash('sha256'), target: createHash('sha256')};
      let [rows, written, removed] = [0, 0, 0];
      // What the target holds of the rows since the last `settle`, in order: a text, or a row that is to be written.
      let held: (string | Row)[] = [];
      let gone: Row[] = [];

      async function settle() {
        if (gone.length > 0) await target.remove(table, gone);
        const missing = held.filter((each) => typeof each !== 'string');
        const stored = missing.length > 0 ? await target.replace(table, missing) : [];
        const byKey = new Map(stored.map((row) => [keyOf(table, row), row]));
        for (const each of held) {
          const row = typeof each === 'string' ? undefined : byKey.get(keyOf(table, each));
          digests.target.update(typeof each === 'string' ? each : row ? textOf(table, row) : '');
        }
        written += missing.length;
        removed += gone.length;
        [held, gone] = [[], []];
        tell(rows);
      }

      for (;;) {
        const row = await ofSource.head();
        const other = await ofTarget.head();
        if (!row && !other) break;
        const order = row && other ? compareKeys(table, row, other) : row ? -1 : 1;
        if (other && order >= 0) ofTarget.take();
        if (other && order > 0) gone.push(other);
        if (row && order <= 0) {
          ofSource.take();
          const text = textOf(table, row);
          digests.source.update(text);
          rows += 1;
          held.push(other && order === 0 && isSame(table, row, other) ? text : row);
        }
        if (held.length >= pageSize || gone.length >= pageSize) await settle();
      }
      await settle();
      const [digest, copied] = [digests.source.digest('hex'), digests.target.digest('hex')];
      if (digest !== copied)
        throw new TransferError(`${target.place} holds rows of ${table} otherwise than they were written`);
      return {table, rows, written, removed, digest};
    }),
  );
}

export type Transfer = {
  tables: TableOutcome[];
  /** True if an earlier run has done everything. */
  wasDone: boolean;
};

/**
 * @param isLast whether this is the last pass, after which the target is the store, and the source is marked
 * @throws TransferError before anything was changed, if it may not be; any other error leaves a target with which the
 *   next call goes on
 */
export async function transfer(source: End, target: End, isLast: boolean, tell: Tell): Promise<Transfer> {
  const wasDone = await checkMarks(source, target, isLast);
  if (wasDone) return {tables: [], wasDone};
  if (isLast) await refuseServed(source);
  await target.write(...setMark({mark: 'unfinished', place: source.place}));
  await target.dropReferences();
  if (isLast && !source.found.mark) {
    // From here on no server starts on the source. One that starts just now either sees the mark after its report, or
    // has reported itself before (process-queries.ts).
    await source.write(...setMark({mark: 'moving', place: target.place}));
    await refuseServed(source).catch(async (error: unknown) => {
      await source.write(...clearMark());
      throw error;
    });
  }
  const outcomes: TableOutcome[] = [];
  for (const table of transferred) {
    const of = await source.count(table);
    outcomes.push(await passThrough(table, source, target, (rows) => tell({table, rows, of})));
  }
  if (isLast) {
    for (const {table, rows} of outcomes) await checkCounts(table, rows, source, target);
    await target.restoreReferences();
    // A server that hung counts as gone after a while. If it goes on during the pass, it may write until it sees the mark.
    await refuseServed(source);
    // In this order, so that after a kill in between no server starts on either of them.
    await source.write(...setMark({mark: 'moved', place: target.place}));
    await target.write(...clearMark());
  }
  return {tables: outcomes, wasDone: false};
}

/** Another count than that of the rows that the pass saw. */
async function checkCounts(table: TableName, rows: number, source: End, target: End) {
  const [here, there] = [await source.count(table), await target.count(table)];
  if (here === rows && there === rows) return;
  throw new TransferError(
    `${table} has ${here} rows in ${source.place} and ${there} in ${target.place}, and ${rows} were compared: something else writes there`,
  );
}

async function refuseServed({isServed, place, forgetsKilled}: End) {
  if (!(await isServed())) return;
  const wait = forgetsKilled ? '' : ', and wait a minute after one that was killed';
  throw new TransferError(`A server uses ${place}: stop all servers first${wait}`);
}

/** @returns true if there is nothing to do any more */
async function checkMarks(source: End, target: End, isLast: boolean): Promise<boolean> {
  const [of, at] = [source.found.mark, target.found.mark];
  if (source.place === target.place) throw new TransferError(`${source.place} is the store itself`);
  if (of && (of.mark === 'unfinished' || of.place !== target.place))
    throw new TransferError(`${source.place} is not to be copied there. ${whyMarked(of)}`);
  if (at && (at.mark !== 'unfinished' || at.place !== source.place))
    throw new TransferError(`${target.place} is not to be overwritten. ${whyMarked(at)}`);
  if (of?.mark === 'moved' && !at && (await holdsRows(target))) return true;
  if (of && !isLast)
    throw new TransferError(
      `The last pass has begun: add --finish to go on, or run "lead-prequal store reopen"`,
    );
  if (!at && (await holdsRows(target)))
    throw new TransferError(
      `${target.place} holds other data, which a copy would mix with its own: name an empty database`,
    );
  return false;
}

async function holdsRows({read}: End): Promise<boolean> {
  for (const table of transferred)
    if ((await read(statement(`SELECT 1 AS row FROM ${table} LIMIT 1`))).length > 0) return true;
  return false;
}

/**
 * Takes the mark of a store away whose leads were moved, or are being moved.
 * @param isAgreed asks whether a store may be left that servers may have used since
 * @returns where they were moved to, or undefined if it was not agreed
 */
export async function reopen(
  {found: {mark}, place, write}: End,
  isAgreed: (newPlace: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (!mark) throw new TransferError(`${place} has no mark: servers start on it`);
  if (mark.mark === 'unfinished') throw new TransferError(whyMarked(mark));
  if (mark.mark === 'moved' && !(await isAgreed(mark.place))) return undefined;
  await write(...clearMark());
  return mark.place;
}
