/**
 * `npm run bench -- growth [sizes] [database]`, such as `10000,100000,1000000 SQLite`: what grows with the number of
 * leads. Of each ten leads, one has a delivery that waits; there are 1,000 partners and 50 destinations. These
 * are paused, so that what waits goes on waiting. Each row has a figure for each size, and what the largest size takes of
 * the smallest one. In place of sizes, `idle` measures only destinations that have nothing to do, and `processes` only what
 * several processes take of each create.
 */
import {fork} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {openAttachedStore} from '../../server/store/open-store.ts';
import {serviceSettings, startService, type RunningService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {testEncryptor} from '../support/test-server.ts';
import {newSecret} from '../support/webhook-receiver.ts';
import {createFromCaller, quantile} from './load.ts';
import {
  dropStore,
  execute,
  freshStore,
  processorTime,
  startBenchServer,
  type Kind,
  type Measured,
} from './servers.ts';
import {writeConfig} from '../support/config-file.ts';
import {fill, encryptFilled, startCreates} from './year-of-leads.ts';

const [, , what = '10000,100000,1000000'] = process.argv;
const sizes = /^\d/.test(what) ? what.split(',').map(Number) : [];
const only = process.argv[3];
const shape = {partners: 1_000, destinations: 50};
const names = Array.from({length: shape.destinations}, (_, index) => `destination-${index}`);
/** Milliseconds before creates are measured, and for which they are. */
const [warm, measured] = [5_000, Number(process.env['SECONDS'] ?? 5) * 1_000];
const pairs = Number(process.env['PAIRS'] ?? 5);
const day = 24 * 3_600_000;

/** Milliseconds of a single call, the median and the most. */
type Figures = Map<string, number>;

function configFile(folder: string, named: readonly string[]): string {
  const destinations = Object.fromEntries(
    named.map((name) => [name, {type: 'webhook', url: 'http://127.0.0.1:9/', credentials: 'ALL'}]),
  );
  const partners = Array.from({length: shape.partners}, (_, index) => ({
    key: index === 0 ? 'acme' : `partner-${index}`,
    ...(index > 0 && {send_to: [named[index % named.length]]}),
  }));
  return writeConfig(folder, partners, destinations, {retain_days: 1});
}

function environmentOf(kind: Kind, location: string, folder: string, named: readonly string[]) {
  return {
    ...serviceSettings(folder),
    ...(kind === 'SQLite' ? {DATABASE_PATH: location} : {DATABASE_URL: location}),
    CONFIG_FILE: configFile(folder, named),
    CREDENTIALS_ALL_SECRET: newSecret(),
  };
}

async function timed(figures: Figures, what: string, works: readonly (() => Promise<unknown>)[]) {
  const times: number[] = [];
  for (const work of works) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  figures.set(`${what}, median ms`, quantile(times, 0.5));
  if (times.length > 5) figures.set(`${what}, most ms`, Math.max(...times));
}

async function startGrowthServer(environment: Record<string, string>) {
  const env = {PATH: process.env['PATH'], PORT: '0', ...environment};
  const child = fork(join(import.meta.dirname, 'growth-server.ts'), {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {child, port};
}

/** What a server without any request takes of a core, with so many destinations that have nothing to do. */
async function idle(kind: Kind, destinations: number) {
  const folder = makeTemporaryFolder();
  const named = Array.from({length: destinations}, (_, index) => `destination-${index}`);
  const {child} = await startGrowthServer(environmentOf(kind, await freshStore(kind), folder.path, named));
  await sleep(warm);
  const [used, begun] = [processorTime(child.pid!), performance.now()];
  await sleep(4 * measured);
  const share = (processorTime(child.pid!) - used) / (performance.now() - begun);
  console.log(`${kind}, ${destinations} idle destinations: ${(100 * share).toFixed(1)} % of a core`);
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
  folder.remove();
}

/** Measures creates on one server in pairs: alone, then beside the sweep. Each figure is the median of the p99 of the pairs. */
async function compareCreates(environment: Record<string, string>, figures: Figures) {
  const {child, port} = await startGrowthServer(environment);
  const creates = startCreates(`http://127.0.0.1:${port}`);
  await sleep(warm);
  const p99s = {alone: [] as number[], sweep: [] as number[]};
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const mode of ['alone', 'sweep'] as const) {
      child.send(mode);
      // A slice that has begun goes on.
      await sleep(500);
      creates.take();
      await sleep(measured);
      const {p99, failures, creates: count} = creates.take();
      if (failures > 0) console.log(`  ${failures} of ${count} creates failed (${mode})`);
      p99s[mode].push(p99);
    }
  }
  await creates.stop();
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
  const [alone, beside] = [quantile(p99s.alone, 0.5), quantile(p99s.sweep, 0.5)];
  figures.set('creates alone, p99 ms', alone);
  figures.set('creates beside the sweep, p99 ms', beside);
  figures.set('beside the sweep, of alone', beside / alone);
}

async function measure(kind: Kind, leads: number): Promise<Figures> {
  const figures: Figures = new Map();
  const folder = makeTemporaryFolder();
  const location = await freshStore(kind);
  const filling = performance.now();
  const config = await fill(kind, location, folder.path, leads, {...shape, waiting: leads / 10});
  await encryptFilled(config);
  console.log(`  ${leads} leads are there after ${Math.round((performance.now() - filling) / 1_000)} s`);
  const paused = names.map((name) => `('${name}', 1, 'for the benchmark')`);
  await execute(
    location,
    `INSERT INTO paused_destinations (destination, paused_at, reason) VALUES ${paused.join(', ')}`,
  );
  const environment = environmentOf(kind, location, folder.path, names);

  const running: RunningService[] = [];
  const start = async () => void running.push(await startService(environment, folder.path));
  await timed(figures, 'start of the server', [start]);
  await running.pop()?.end('SIGTERM');

  const store = await openAttachedStore(config, testEncryptor, true);
  const now = Date.now();
  const leaseEnd = now + 1;
  await timed(
    figures,
    'claimDue of 8, one for each destination',
    names.map((name) => () => store.claimDue(name, {now, leaseEnd, limit: 8, maxSends: 3})),
  );
  // Nobody keeps leads for less than the year, so a slice of the sweep only looks.
  const retention = {shortest: day, keptFor: () => undefined, grace: day, keepConsent: () => true};
  const reads: Record<string, () => Promise<unknown>> = {
    waitingDestinations: () => store.waitingDestinations(),
    countOutbox: () => store.countOutbox(),
    'a list page of 50 leads': () => store.listLeads({}, {limit: 50}),
    'a list page of 50 leads of one partner of 1,000': () =>
      store.listLeads({partner: 'partner-7'}, {limit: 50}),
    'a list page of 50 open deliveries of one destination': () =>
      store.listDeliveries(50, {state: 'waiting', destination: names[7]}),
    'a slice of the sweep that erases nothing': () => store.applyRetention(now, retention),
  };
  for (const [what, read] of Object.entries(reads)) await timed(figures, what, Array(5).fill(read));
  await store.close();

  await compareCreates(environment, figures);
  const [erased] = await execute(location, 'SELECT COUNT(*) AS leads FROM leads WHERE erased_at IS NOT NULL');
  figures.set('leads that the sweep erased meanwhile', Number(erased?.['leads']));

  folder.remove();
  await dropStore(location);
  return figures;
}

async function print(kind: Kind) {
  console.log(`\n${kind}`);
  const columns: Figures[] = [];
  for (const size of sizes) columns.push(await measure(kind, size));
  console.log(`\n| ${kind} | ${sizes.map((size) => size.toLocaleString('en-US')).join(' | ')} | ratio |`);
  console.log(`| --- | ${sizes.map(() => '---').join(' | ')} | --- |`);
  for (const what of columns[0]!.keys()) {
    const row = columns.map((figures) => figures.get(what)!);
    const shown = row.map((value) =>
      value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US'),
    );
    console.log(`| ${what} | ${shown.join(' | ')} | ${(row.at(-1)! / row[0]!).toFixed(1)} |`);
  }
}

/** Milliseconds of a core that the PostgreSQL of a store has used, where all of it runs on this machine. */
async function timeOfPostgres(location: string) {
  const rows = await execute(location, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
  return rows.reduce((sum, {pid}) => sum + processorTime(Number(pid)), 0);
}

/** Creates a second of callers on a new store, with 50 connections in all, and the processor time of each. */
async function throughput(kind: Kind, processes: number) {
  const location = await freshStore(kind);
  const servers: Measured[] = [];
  for (let index = 0; index < processes; index += 1)
    servers.push(await startBenchServer('production.ts', location));
  const round = () => Promise.all(servers.map(({url}) => createFromCaller(url, 50 / processes)));
  const times = async () => [
    servers.reduce((sum, {pid}) => sum + processorTime(pid), 0),
    kind === 'SQLite' ? 0 : await timeOfPostgres(location),
  ];
  await round();
  const [before, begun] = [await times(), performance.now()];
  const figures = await round();
  const perSecond = figures.reduce((sum, each) => sum + each.perSecond, 0);
  const leads = (perSecond * (performance.now() - begun)) / 1_000;
  const [inServers, inDatabase] = (await times()).map((time, index) =>
    Math.round((1_000 * (time - before[index]!)) / leads),
  );
  for (const server of servers) server.stop();
  const p99 = Math.max(...figures.map((each) => each.p99));
  console.log(
    `${kind}, ${processes} ${processes === 1 ? 'process' : 'processes'}: ${Math.round(perSecond)} creates a second, p99 ${p99} ms; processor time of each: ${inServers} µs in servers, ${inDatabase} µs in PostgreSQL`,
  );
}

const hasPostgres = process.env['TEST_DATABASE_URL'] !== undefined;
const kinds = (['SQLite', 'PostgreSQL'] as const).filter(
  (kind) => kind === (only ?? kind) && (kind === 'SQLite' || hasPostgres),
);
for (const kind of kinds) {
  if (what === 'idle') for (const destinations of [1, 200]) await idle(kind, destinations);
  else for (const processes of kind === 'SQLite' ? [1] : [1, 2, 4]) await throughput(kind, processes);
}
for (const kind of sizes.length > 0 ? kinds : []) await print(kind);
