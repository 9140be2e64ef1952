/** From a URL to connections whose database has all its tables: waits for a database that is not there yet. */
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import {reasonOf, type StoreLog} from './lead-store.ts';
import {migrations} from './migrations.ts';
import {longTimeout, openConnections, type Connections, type StatementNames} from './postgres-connections.ts';

/** Milliseconds for which a database that is absent is tried, so that both may be started at the same time. */
export const startPatience = 60_000;
/** Milliseconds between two tries: twice as long each time, up to the longest. */
const [firstPause, longestPause] = [250, 5_000];
/** Milliseconds between two lines of the log that say so. */
const logInterval = 10_000;
/** Any number that no other program on the database takes for its migrations. */
const migrationLock = 0x1ead;

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
 * A database that may be there in a moment: it cannot be reached, starts or stops (57P01 to 57P03), has no
 * connection left (53300), is a standby that is not promoted yet (25006), or its pooler cannot reach it (class 08).
 * A wrong password or name of a database (28P01, 3D000) does not get right by waiting.
 */
function isAbsent(error: unknown): boolean {
  const {code = '', message} = error as {code?: string; message: string};
  if (error instanceof pg.DatabaseError) return /^(08|57P0[123]$|53300$|25006$)/.test(code);
  return networkErrors.includes(code) || /^Connection terminated|timeout/.test(message);
}

type Options = {url: string; statementNames: StatementNames; log: StoreLog | undefined; patience: number};

/** @throws Error when the database stays away for `patience` milliseconds, or cannot be used at all */
export async function startPostgres({url, statementNames, log, patience}: Options): Promise<Connections> {
  const started = Date.now();
  const seconds = (milliseconds: number) => Math.round(milliseconds / 1_000);
  let loggedAt: number | undefined;
  for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
    try {
      const connections = await openMigrated(url, statementNames);
      const waited = seconds(Date.now() - started);
      if (loggedAt !== undefined) log?.info({seconds: waited}, 'the database is there');
      return connections;
    } catch (error) {
      if (!isAbsent(error)) throw error;
      const reason = reasonOf(error);
      const now = Date.now();
      if (now + pause >= started + patience) {
        throw new Error(`The database could not be reached for ${seconds(patience)} s: ${reason}`, {
          cause: error,
        });
      }
      if (loggedAt === undefined || now >= loggedAt + logInterval) {
        const left = seconds(started + patience - now);
        log?.warn({reason, seconds: left}, `the database cannot be reached; it is tried for ${left} s more`);
        loggedAt = now;
      }
      await sleep(pause);
    }
  }
}

async function openMigrated(url: string, statementNames: StatementNames): Promise<Connections> {
  const connections = await openConnections(url, statementNames);
  try {
    await migrate(connections);
    return connections;
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** Several processes may start at once: the lock lets one of them work while the others wait for it. */
const migrate = ({longTransaction}: Connections) =>
  longTransaction(async (client) => {
    const run = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      client.query<Row>({text, ...(values && {values}), query_timeout: longTimeout} as pg.QueryConfig);
    await run('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await run('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
    const {rows} = await run<{version: number}>('SELECT version FROM schema_version');
    const version = rows[0]?.version ?? 0;
    if (version > migrations.length) throw new Error('The database was made by a newer version');
    for (const migration of migrations.slice(version)) {
      await run(migration({integer: 'BIGINT', tableOptions: ''}));
    }
    await run('DELETE FROM schema_version');
    await run('INSERT INTO schema_version VALUES ($1)', [migrations.length]);
  });
