/** Starts the servers under measurement, each in a process and on a store of its own. */
import {fork} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import pg from 'pg';
import type {StoreArguments} from './bench-server.ts';
import type {Figures} from './load.ts';

export type Measured = {url: string; stop(): void};

/** A new SQLite file, or a new database in the PostgreSQL of `TEST_DATABASE_URL`. */
export async function freshStore(name: 'SQLite' | 'PostgreSQL'): Promise<string> {
  if (name === 'SQLite') return join(mkdtempSync(join(tmpdir(), 'lead-prequal-bench-')), 'leads.sqlite');
  const url = new URL(process.env['TEST_DATABASE_URL']!);
  const client = new pg.Client(url.href);
  await client.connect();
  url.pathname = `/lead_prequal_bench_${Date.now()}`;
  await client.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
  await client.end();
  return url.href;
}

export async function startBenchServer(
  file: string,
  location = '',
  {maxBatch = 500, commitDelay = 0, upstream = ''}: Partial<StoreArguments> = {},
): Promise<Measured> {
  const settings: StoreArguments = {location, upstream, maxBatch, commitDelay};
  const child = fork(join(import.meta.dirname, file), [JSON.stringify(settings)]);
  const [port] = (await once(child, 'message')) as [number];
  return {url: `http://127.0.0.1:${port}`, stop: () => child.disconnect()};
}

/** The round in the middle, by throughput. */
export function median(figures: readonly Figures[]): Figures {
  return figures.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(figures.length / 2)]!;
}
