/**
 * Moves all leads from an SQLite file to PostgreSQL, while no server runs. This is what `lead-prequal store copy` does. (In
 * sqlite/, a copy is the file of a backup.)
 *
 * The file is locked meanwhile, and everything in PostgreSQL is one transaction: a transfer that is killed before its commit
 * leaves both as they were. Rows are copied without decrypting them.
 *
 * After the commit, the file is renamed, so that no server stores leads in it any more. If a transfer is killed between the two
 * steps, the next one finds the same rows on both sides, and only renames the file.
 */
import {createHash} from 'node:crypto';
import {existsSync, realpathSync, renameSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import type pg from 'pg';
import {reasonOf} from '../leads/store-errors.ts';
import {withRemedy} from '../observe/causes.ts';
import {tables, type Table, type TableName} from './columns.ts';
import {list, type Row} from './database.ts';
import {asHex, input} from './postgres/accept.ts';
import {beginLong, openClient} from './postgres/connections.ts';
import {bringUp, readFoundIfAny} from './postgres/start.ts';
import {refuseOtherVersion} from './schema.ts';
import {emptyLog, readFound} from './sqlite/connection.ts';
import {CopyError} from './sqlite/copy.ts';
import {companions, movedName, refuseDamaged, refuseUnwritable, syncToDisk} from './sqlite/files.ts';
import {lockAlone} from './sqlite/restore.ts';

/** How many rows are read and written at a time. */
const pageSize = 1_000;

const stays: readonly TableName[] = [
  // Reports of servers on the SQLite file. Servers on PostgreSQL make their own.
  'processes',
  // Unreadable leads will be noticed again in PostgreSQL.
  'unreadable_leads',
  // These describe the tables of one database, and not its leads.
  'schema_compatibility',
  'store_mark',
];
/** Leads come before the rows that refer to them, as they do in columns.ts. */
export const transferred = (Object.keys(tables) as TableName[]).filter((table) => !stays.includes(table));

export type TableOutcome = {
  table: TableName;
  rows: number;
  /** The SHA-256 of all rows of the table, in the order of keys. */
  digest: string;
};
export type Progress = {table: TableName; rows: number; of: number};
/** Milliseconds between two reports for a table. */
const reportEvery = 2_000;

/** `isNew`: this transaction has created the tables, because the database was empty. */
type Target = {place: string; run: Run; isNew: boolean};
type Run = (text: string, values?: unknown[]) => Promise<Row[]>;

/**
 * @returns what was moved, and the URL without secrets
 * @throws CopyError if the copy is refused. After any error, the same call can be repeated
 */
export async function* transfer(
  path: string,
  url: string,
): AsyncGenerator<Progress, {place: string; outcomes: TableOutcome[]}, undefined> {
  using source = openAlone(path);
  const place = placeOf(url);
  const client = await openClient(url).catch((error: unknown) => {
    throw new CopyError(`${place} cannot be opened: ${withRemedy(reasonOf(error))}`);
  });
  try {
    const run: Run = async (text, values) => (await client.query<Row>(text, values)).rows;
    await run(beginLong);
    const target = {place, run, isNew: await makeTables(client, run)};
    const outcomes: TableOutcome[] = [];
    for (const table of transferred) outcomes.push(yield* transferTable(table, source, target));
    // Without this, PostgreSQL would plan the first statements for empty tables.
    await run('ANALYZE');
    // Done before the commit, because it fails if the disk is full.
    if (!emptyLog(source)) throw new Error('The log of the file cannot be emptied');
    await run('COMMIT');
    moveAway(path);
    return {place, outcomes};
  } finally {
    // Rolls back what is not committed.
    await client.end();
  }
}

/** @throws Error if another process has the file open, or if the file is damaged, has tables of another version, or could not be renamed */
function openAlone(path: string): DatabaseSync {
  if (existsSync(movedName(path)))
    throw new CopyError(`${movedName(path)} is there, from an earlier copy: delete it, or move it elsewhere`);
  refuseUnwritable(path);
  // SQLite would ignore the commits after the damage in a log, and delete them with the log.
  refuseDamaged(path);
  const database = new DatabaseSync(path, {timeout: 0});
  try {
    lockAlone(database, path);
    refuseOtherVersion(readFound(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Renames the file while it is still locked. Deletes its empty log, which SQLite does not do for a renamed file. */
function moveAway(path: string) {
  const file = realpathSync(path);
  renameSync(path, movedName(path));
  syncToDisk(movedName(path), dirname(path));
  for (const suffix of companions) rmSync(file + suffix, {force: true});
}

/** The URL without user, password and options, because these may be secrets. */
function placeOf(url: string): string {
  const {hostname, port, pathname, searchParams} = new URL(url.replace('@/', '@localhost/'));
  return `postgres://${searchParams.get('host') ?? (hostname || 'localhost')}:${port || '5432'}${pathname}`;
}

/** @returns false if there are tables already */
async function makeTables(client: pg.Client, run: Run): Promise<boolean> {
  const found = await readFoundIfAny(run);
  if (found.version === 0) return (await bringUp(client)) === 0;
  refuseOtherVersion(found);
  return false;
}

async function* transferTable(
  table: TableName,
  source: DatabaseSync,
  {run, place, isNew}: Target,
): AsyncGenerator<Progress, TableOutcome, undefined> {
  const total = Number(source.prepare(`SELECT COUNT(*) AS rows FROM ${table}`).get()?.['rows']);
  const columns = list(Object.keys(tables[table].columns));
  const insert = `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${input(table)}`;
  const [ours, theirs] = [createHash('sha256'), createHash('sha256')];
  let [rows, reportedAt] = [0, -Infinity];
  for (const page of rowsOfFile(source, table)) {
    const texts = page.map(textOf);
    if (isNew)
      await run(insert, [`{"${table}": [${texts.join()}]}`]).catch((error: unknown) => {
        throw new Error(`${table}: ${(error as Error).message}`, {cause: error});
      });
    ours.update(texts.join(''));
    rows += page.length;
    if (rows < total && performance.now() - reportedAt < reportEvery) continue;
    yield {table, rows, of: total};
    reportedAt = performance.now();
  }
  for await (const page of rowsOfTarget(run, table)) theirs.update(page.map(textOf).join(''));
  const [digest, other] = [ours.digest('hex'), theirs.digest('hex')];
  if (digest === other) return {table, rows, digest};
  throw new CopyError(
    isNew
      ? `${table} did not arrive in ${place} as it is, so nothing was changed there`
      : `${place} holds other data, which a copy would mix with its own: name an empty database. If an earlier copy of this file ended there, and servers have used it since, its leads are there: rename the file to ${movedName('…')} instead`,
  );
}

/** SQL that selects all rows of a table, sorted by their keys. Texts are compared by bytes, as SQLite does. */
function selectAll(table: TableName, collation = ''): string {
  const {columns, primaryKey}: Table = tables[table];
  const keys = primaryKey.map((key) => (columns[key]?.type === 'text' ? `${key} ${collation}` : key));
  return `SELECT ${list(Object.keys(columns))} FROM ${table} ORDER BY ${list(keys)}`;
}

function* rowsOfFile(source: DatabaseSync, table: TableName): Generator<Row[], void> {
  let page: Row[] = [];
  for (const row of source.prepare(selectAll(table)).iterate()) {
    page.push(row as Row);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function* rowsOfTarget(run: Run, table: TableName): AsyncGenerator<Row[], void> {
  await run(`DECLARE pages NO SCROLL CURSOR FOR ${selectAll(table, 'COLLATE "C"')}`);
  for (;;) {
    const page = await run(`FETCH ${pageSize} FROM pages`);
    if (page.length === 0) break;
    yield page;
  }
  await run('CLOSE pages');
}

/** A row as JSON, which is the same for both databases. */
const textOf = (row: Row): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        value instanceof Uint8Array ? asHex(value) : value,
      ]),
    ),
  );
