/** Starts the measured servers, each in its own process and with its own store. */
import {fork, type ForkOptions} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import pg from 'pg';
import type {StoreArguments} from './bench-server.ts';
import type {Figures} from './load.ts';

export type Measured = {url: string; pid: number; stop(): void};

/** Milliseconds of a core that a process has used until now, with all its threads. */
export function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // What follows the name: the 12th and 13th field are its own time and the kernel's, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

export type Kind = 'SQLite' | 'PostgreSQL';

/** Sends statements past the server. @returns the rows of the last one */
export async function execute(location: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  let rows: Record<string, unknown>[] = [];
  if (location.startsWith('postgres:')) {
    const client = new pg.Client(location);
    await client.connect();
    for (const sql of statements) ({rows} = await client.query<Record<string, unknown>>(sql));
    await client.end();
  } else {
    const database = new DatabaseSync(location, {timeout: 5_000});
    for (const sql of statements) rows = database.prepare(sql).all();
    database.close();
  }
  return rows;
}

const administer = (sql: string) => execute(process.env['TEST_DATABASE_URL']!, sql);

const stores = new Set<string>();

/** A new SQLite file, or a new database in the PostgreSQL of `TEST_DATABASE_URL`. It is removed when the process ends. */
export async function freshStore(name: Kind): Promise<string> {
  const location = name === 'SQLite' ? freshFile() : await freshDatabase();
  stores.add(location);
  return location;
}

const freshFile = () => join(mkdtempSync(join(tmpdir(), 'lead-prequal-bench-')), 'leads.sqlite');

async function freshDatabase() {
  const url = new URL(process.env['TEST_DATABASE_URL']!);
  url.pathname = `/lead_prequal_bench_${Date.now()}`;
  await administer(`CREATE DATABASE ${url.pathname.slice(1)}`);
  return url.href;
}

/** Removes a fresh store before the process ends, to have its room for the next. */
export async function dropStore(location: string) {
  stores.delete(location);
  if (location.startsWith('postgres'))
    await administer(`DROP DATABASE ${new URL(location).pathname.slice(1)} WITH (FORCE)`);
  else rmSync(dirname(location), {recursive: true});
}

process.once('beforeExit', () => void Promise.all(Array.from(stores, dropStore)));

/** `commitDelay`: milliseconds that are added to each commit, to simulate a slower disk. */
type Settings = Partial<Omit<StoreArguments, 'location'>> & {commitDelay?: number};

/** Runs Node under a tracer that delays each fsync, with which SQLite ends a commit. */
const slowDisk = (milliseconds: number): ForkOptions => ({
  execPath: 'strace',
  execArgv: [
    ...['--follow-forks', '--seccomp-bpf', '--quiet=all', '--output=/dev/null', '--trace=fsync,fdatasync'],
    `--inject=fsync,fdatasync:delay_exit=${milliseconds}ms`,
    process.execPath,
  ],
});

/** The disk of PostgreSQL cannot be slowed down, so the statement that inserts a batch is delayed instead. */
const slowInserts = (url: string, milliseconds: number) =>
  execute(
    url,
    `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(${milliseconds / 1_000}); RETURN NULL; END $$`,
    'CREATE TRIGGER slow AFTER INSERT ON leads EXECUTE FUNCTION wait()',
  );

export async function startBenchServer(
  file: string,
  location = '',
  {oneAtATime = false, upstream = '', commitDelay = 0}: Settings = {},
): Promise<Measured> {
  const settings: StoreArguments = {location, upstream, oneAtATime};
  const options = commitDelay > 0 && !location.startsWith('postgres:') ? slowDisk(commitDelay) : {};
  const child = fork(join(import.meta.dirname, file), [JSON.stringify(settings)], options);
  const [port] = (await once(child, 'message')) as [number];
  if (commitDelay > 0 && location.startsWith('postgres:')) await slowInserts(location, commitDelay);
  return {url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => child.disconnect()};
}

/** The round with the median throughput. */
export function median(figures: readonly Figures[]): Figures {
  return figures.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(figures.length / 2)]!;
}
