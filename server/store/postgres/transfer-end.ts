/** A database in PostgreSQL as one of the two databases of a transfer. */
import pg from 'pg';
import {goneAfter} from '../../reload/reloads.ts';
import {tables, type TableName} from '../columns.ts';
import {list, type Row, type Statement} from '../database.ts';
import {refuseOtherVersion, setMark} from '../schema.ts';
import {pageSize, selectBehind, TransferError, type End, type EndRole} from '../transfer.ts';
import {asHex, input} from './accept.ts';
import {beginLong, openClient, openConnections} from './connections.ts';
import {readFound, upgrade} from './start.ts';

const byBytes = '"C"';
const lockNotAvailable = '55P03';
/** Servers report in this table. It is locked last, so that one that starts during a transfer is seen at the end. */
const reports: TableName = 'processes';
const others = Object.keys(tables).filter((table) => table !== reports);

/** The URL without user, password and options, which may be secrets. */
function placeOf(url: string): string {
  const {hostname, port, pathname, searchParams} = new URL(url);
  return `postgres://${hostname || searchParams.get('host') || 'localhost'}:${port || '5432'}${pathname}`;
}

type Opened = {
  url: string;
  place: string;
  run: (text: string, values?: readonly unknown[]) => Promise<Row[]>;
};

/** From now on nobody else writes to these tables, until the end of the transaction. */
async function lock({run, place}: Opened, names: readonly string[]) {
  await run("SET LOCAL lock_timeout = '3s'");
  await run(`LOCK TABLE ${list(names)} IN SHARE ROW EXCLUSIVE MODE`).catch((error: unknown) => {
    const isOthers = error instanceof pg.DatabaseError && error.code === lockNotAvailable;
    throw isOthers ? new TransferError(`Another copy or a command uses ${place}: wait for its end`) : error;
  });
  const [served] = await run('SELECT 1 AS yes FROM processes WHERE seen_at >= $1', [Date.now() - goneAfter]);
  if (served)
    throw new TransferError(
      `A server uses ${place}: stop all servers first, and wait a minute after one that was killed`,
    );
}

/** Creates the tables of an empty target. Begins the transaction of a source, which ends with the transfer. */
async function prepare(opened: Opened, role: EndRole) {
  const {url, place, run} = opened;
  const [own] = await run("SELECT to_regclass('schema_version')::text AS tables");
  if (own?.['tables'] === null) {
    if (role === 'source') throw new TransferError(`${place} has no tables of this service`);
    const connections = await openConnections(url);
    await upgrade(connections, {mark: 'unfinished', place: role.copyOf}).finally(connections.close);
  }
  const found = await readFound(run);
  refuseOtherVersion({...found, mark: undefined});
  if (role === 'source') {
    await run(beginLong);
    await lock(opened, others);
  }
  return found;
}

/** @throws Error when the database cannot be reached, or has the tables of another version */
export async function openPostgresEnd(url: string, role: EndRole): Promise<End> {
  const place = placeOf(url);
  const client = await openClient(url);
  const run: Opened['run'] = async (text, values = []) => (await client.query<Row>(text, [...values])).rows;
  const runAll = async (statements: readonly Statement[]) => {
    for (const {text, values} of statements) await run(text, values);
  };
  const opened = {url, place, run};
  const found = await prepare(opened, role).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });

  return {
    place,
    found,
    read: ({text, values}) => run(text, values),
    byBytes,
    async *pages(table, after) {
      if (role !== 'source') await run(beginLong);
      const {text, values} = selectBehind(table, after, byBytes);
      await run(`DECLARE pages NO SCROLL CURSOR FOR ${text}`, values);
      for (;;) {
        const page = await run(`FETCH ${pageSize} FROM pages`);
        if (page.length === 0) break;
        yield page;
      }
      await run(role === 'source' ? 'CLOSE pages' : 'COMMIT');
    },
    async insert(table, rows) {
      const columns = list(Object.keys(tables[table].columns));
      await run(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${input(table)}`, [
        JSON.stringify({[table]: rows.map(toJson)}),
      ]);
    },
    async write(statements) {
      await run('BEGIN');
      await runAll(statements);
      await run('COMMIT');
    },
    async markMoved(target) {
      await lock(opened, [reports]);
      await runAll([setMark({mark: 'moved', place: target})]);
      await run('COMMIT');
    },
    // Otherwise the first statements would be planned for empty tables.
    tidy: async () => void (await run('ANALYZE')),
    close: () => client.end(),
  };
}

// Not by a replacer of JSON.stringify: it gets a Buffer, which the driver makes of bytes, after `toJSON`.
const toJson = (row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? asHex(value) : value,
    ]),
  );
