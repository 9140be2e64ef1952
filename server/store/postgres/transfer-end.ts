/** A database in PostgreSQL as one of the two databases of a transfer. */
import pg from 'pg';
import {tables, type Table, type TableName} from '../columns.ts';
import {list, replaceText, statement, type Row} from '../database.ts';
import {selectReports} from '../process-queries.ts';
import {refuseOtherVersion} from '../schema.ts';
import {pageSize, TransferError, type End, type EndUse} from '../transfer.ts';
import {asHex, input} from './accept.ts';
import {longTimeout, openConnections, type Connections, type StatementNames} from './connections.ts';
import {readFound, upgrade} from './start.ts';

/** Collations that sort by bytes, so that the index of a primary key has the order of a transfer. */
const byBytes = `SELECT 1 AS yes FROM pg_database AS own WHERE datname = current_database()
  AND datcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8')
  AND coalesce(to_jsonb(own) ->> 'datlocprovider', 'c') = 'c'`;
const duplicateTable = '42P07';
/** Milliseconds between two statements of a transaction that does nothing but hold a lock, which may not be idle. */
const lockInterval = 60_000;
/** Columns of tables that refer to leads, with the names that PostgreSQL gives such constraints. */
const named: readonly [string, Table][] = Object.entries(tables);
const references = named.flatMap(([table, {columns}]) =>
  Object.entries(columns).flatMap(([column, {references: parent}]) =>
    parent ? [{table, column, parent, name: `${table}_${column}_fkey`}] : [],
  ),
);

/** The URL without user, password and options, which may be secrets. */
function placeOf(url: string): string {
  const {hostname, port, pathname, searchParams} = new URL(url);
  return `postgres://${hostname || searchParams.get('host') || 'localhost'}:${port || '5432'}${pathname}`;
}

/**
 * Keeps other copies into a target away, and from a source other last passes and reopenings: they would go by marks that
 * are changed meanwhile.
 * @returns what gives the lock back
 * @throws TransferError when another command has the lock
 */
async function lockEnd({longTransaction}: Connections, place: string, side: 'source' | 'target') {
  const [taken, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = longTransaction(async (client) => {
    const {rows} = await client.query<Row>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('store copy: ${side}', 0))::text AS locked`,
    );
    if (rows[0]?.['locked'] !== 'true')
      throw new TransferError(`Another command copies, moves or reopens ${place}: wait until it has ended`);
    taken.resolve();
    const isAwake = setInterval(() => void client.query('SELECT 1').catch(() => undefined), lockInterval);
    await released.promise;
    clearInterval(isAwake);
  });
  await Promise.race([taken.promise, holding]);
  return async () => {
    released.resolve();
    await holding.catch(() => undefined);
  };
}

type Options = {
  statementNames: StatementNames;
  use: EndUse;
  /** Milliseconds without a report after which a server counts as gone. */
  goneAfter: number;
};

/** @throws Error when the database cannot be reached, or has the tables of another version */
export async function openPostgresEnd(url: string, {statementNames, use, goneAfter}: Options): Promise<End> {
  const place = placeOf(url);
  const isTarget = typeof use === 'object';
  const connections = await openConnections(url, statementNames);
  const {read, write, longTransaction} = connections;
  let unlock: (() => Promise<void>) | undefined;
  async function close() {
    await unlock?.();
    await connections.close();
  }

  const inLong = <Result>(work: (run: (text: string) => Promise<Row[]>) => Promise<Result>) =>
    longTransaction((client) =>
      work(
        async (text) => (await client.query<Row>({text, query_timeout: longTimeout} as pg.QueryConfig)).rows,
      ),
    );

  async function find() {
    if (use !== 'read') unlock = await lockEnd(connections, place, isTarget ? 'target' : 'source');
    const [own] = await read(statement("SELECT to_regclass('schema_version')::text AS tables"));
    const isEmpty = own?.['tables'] === null;
    if (isEmpty && !isTarget) throw new TransferError(`${place} has no tables of this service`);
    if (isEmpty && isTarget)
      await upgrade(connections, {mark: 'unfinished', place: use.copyOf}).catch((error: unknown) => {
        const isOthers = error instanceof pg.DatabaseError && error.code === duplicateTable;
        throw isOthers
          ? new TransferError(`${place} holds tables of another program: name an empty database`)
          : error;
      });
    const found = await readFound((text) => read(statement(text)));
    refuseOtherVersion({...found, mark: undefined});
    const [sorted] = await read(statement(byBytes));
    return {found, collation: sorted ? '' : ' COLLATE "C"'};
  }

  const {found, collation} = await find().catch(async (error: unknown) => {
    await close();
    throw error;
  });

  /** In the order of bytes. Without a fitting index, PostgreSQL sorts the table once for each pass. */
  const orderOf = (table: TableName) => {
    const {columns, primaryKey} = tables[table];
    const types: Readonly<Record<string, {type: string}>> = columns;
    return list(primaryKey.map((key) => `${key}${types[key]?.type === 'text' ? collation : ''}`));
  };
  // Not by a replacer of JSON.stringify: it gets a Buffer, which the driver makes of bytes, after `toJSON`.
  const asJson = (row: Row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        value instanceof Uint8Array ? asHex(value) : value,
      ]),
    );
  const asParameter = (table: TableName, rows: readonly Row[]) => JSON.stringify({[table]: rows.map(asJson)});

  return {
    place,
    found,
    read,
    write,
    reading: (table, work) =>
      inLong(async (run) => {
        await run(`DECLARE pages NO SCROLL CURSOR FOR
          SELECT ${list(Object.keys(tables[table].columns))} FROM ${table} ORDER BY ${orderOf(table)}`);
        return work(() => run(`FETCH ${pageSize} FROM pages`));
      }),
    count: (table) =>
      inLong(async (run) => Number((await run(`SELECT COUNT(*) AS rows FROM ${table}`))[0]?.['rows'])),
    async replace(table, rows) {
      const text = replaceText(table, (columns) => `SELECT ${list(columns)} FROM ${input(table)}`);
      const [stored = []] = await write(statement(text, asParameter(table, rows)));
      return stored;
    },
    async remove(table, rows) {
      const key = list(tables[table].primaryKey);
      const text = `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${input(table)})`;
      await write(statement(text, asParameter(table, rows)));
    },
    async isServed() {
      return (await read(selectReports(Date.now() - goneAfter))).length > 0;
    },
    forgetsKilled: false,
    dropReferences: () =>
      inLong(async (run) => {
        for (const {table, name} of references)
          await run(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name}`);
      }),
    async restoreReferences() {
      await inLong(async (run) => {
        for (const {table, column, parent, name} of references) {
          await run(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name}`);
          await run(
            `ALTER TABLE ${table} ADD CONSTRAINT ${name} FOREIGN KEY (${column}) REFERENCES ${parent} (id)`,
          );
        }
        // Otherwise the first statements would be planned for empty tables.
        await run('ANALYZE');
      });
    },
    close,
  };
}
