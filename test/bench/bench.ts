/**
 * `npm run bench`: how fast leads are created and read, always beside something bare in the same run, for
 * machines differ and a ratio does not. Writes docs/benchmark.md.
 */
import {writeFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {compareRefusals, createFromPage, createLeads, readLeads, readWhile, type Figures} from './load.ts';
import {freshStore, median, startBenchServer, type Measured} from './servers.ts';

const rounds = 3;
const connectionCounts = [1, 10, 50, 200];
/** Milliseconds added to a commit, for disks that are not as fast as this one. */
const slowDisk = 2;

type Row = readonly (string | number)[];
const table = (head: readonly string[], rows: readonly Row[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const whole = (figure: number) => Math.round(figure).toLocaleString('en-US');
const ratio = (a: Figures, b: Figures) => (a.perSecond / b.perSecond).toFixed(2);
/** The load tool counts latency in whole milliseconds. */
const ms = (latency: number) => (latency < 1 ? '<1' : latency.toFixed(0));
const cells = ({perSecond, p50, p99}: Figures) => [whole(perSecond), ms(p50), ms(p99)];

/** The same load on each server in turn, round after round, so that a slow minute hits all of them. */
async function sideBySide(servers: readonly Measured[], load: (server: Measured) => Promise<Figures>) {
  const results = servers.map((): Figures[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, server] of servers.entries()) results[index]!.push(await load(server));
  }
  return results.map((figures) => median(figures));
}

async function creates(storeName: 'SQLite' | 'PostgreSQL') {
  const rows: Row[] = [];
  for (const connections of connectionCounts) {
    const servers = [
      await startBenchServer('production.ts', await freshStore(storeName)),
      await startBenchServer('bare-http.ts', await freshStore(storeName)),
    ];
    const [ours, bare] = await sideBySide(servers, ({url}) => createLeads(url, connections));
    rows.push([storeName, connections, ...cells(ours!), ...cells(bare!), ratio(ours!, bare!)]);
    for (const server of servers) server.stop();
  }
  return rows;
}

async function grouping(storeName: 'SQLite' | 'PostgreSQL', commitDelay: number): Promise<Row> {
  const servers = [
    await startBenchServer('production.ts', await freshStore(storeName), {commitDelay}),
    await startBenchServer('production.ts', await freshStore(storeName), {commitDelay, maxBatch: 1}),
  ];
  const [grouped, single] = await sideBySide(servers, ({url}) => createLeads(url, 50));
  for (const server of servers) server.stop();
  return [storeName, commitDelay, ...cells(grouped!), ...cells(single!), ratio(grouped!, single!)];
}

async function echoes(): Promise<Row> {
  const servers = [
    await startBenchServer('production.ts', await freshStore('SQLite')),
    await startBenchServer('bare-express.ts'),
  ];
  const [ours, echo] = await sideBySide(servers, ({url}) => createLeads(url, 50));
  for (const server of servers) server.stop();
  return ['create, durable / bare Express echo', ...cells(ours!), ...cells(echo!), ratio(ours!, echo!)];
}

async function reads(): Promise<Row> {
  const servers = [
    await startBenchServer('production.ts', await freshStore('SQLite')),
    await startBenchServer('bare-express.ts'),
  ];
  const [ours, bare] = await sideBySide(servers, ({url}) => readLeads(url, 50));
  for (const server of servers) server.stop();
  return ['read / bare Express route', ...cells(ours!), ...cells(bare!), ratio(ours!, bare!)];
}

async function readsWhileCreating(): Promise<Row> {
  const server = await startBenchServer('production.ts', await freshStore('SQLite'), {commitDelay: slowDisk});
  const {p50, p99} = await readWhile(server.url);
  server.stop();
  return [p50.toFixed(2), p99.toFixed(2)];
}

/** Through the proxy to a local upstream, and without a hop against the same lead of a caller; 20 connections. */
async function pages(): Promise<Row[]> {
  const upstream = await startBenchServer('upstream.ts');
  const proxies = [
    await startBenchServer('production.ts', await freshStore('SQLite'), {upstream: upstream.url}),
    await startBenchServer('bare-proxy.ts', '', {upstream: upstream.url}),
  ];
  const [proxied, bare] = await sideBySide(proxies, ({url}) => createFromPage(url, 20));
  for (const server of [...proxies, upstream]) server.stop();

  const own = await startBenchServer('production.ts', await freshStore('SQLite'));
  const fromPage: Figures[] = [];
  const fromCaller: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    fromPage.push(await createFromPage(own.url, 20));
    fromCaller.push(await createLeads(own.url, 20));
  }
  own.stop();
  const [page, caller] = [median(fromPage), median(fromCaller)];
  return [
    ['page, through an upstream / bare proxy', ...cells(proxied!), ...cells(bare!), ratio(proxied!, bare!)],
    ['page, calculator / `/json/leads`', ...cells(page), ...cells(caller), ratio(page, caller)],
  ];
}

const pairs = 5_000;
async function refusals(): Promise<Row> {
  const server = await startBenchServer('production.ts', await freshStore('SQLite'));
  const [absent, wrong] = await compareRefusals(server.url, pairs);
  server.stop();
  return [absent.toFixed(3), wrong.toFixed(3)];
}

const stores = process.env['TEST_DATABASE_URL'] ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const);
if (stores.length === 1) console.error('Without TEST_DATABASE_URL, PostgreSQL is left out.');

const createRows: Row[] = [];
const groupingRows: Row[] = [];
for (const store of stores) {
  createRows.push(...(await creates(store)));
  for (const delay of [0, slowDisk]) groupingRows.push(await grouping(store, delay));
}
const figures = (name: string) => [`${name}/s`, 'p50 ms', 'p99 ms'];

const report = `# Benchmark

Written by \`npm run bench\` with Node ${process.versions.node} on ${cpus().length} × ${cpus()[0]!.model.trim()}. Server and load share these cores; medians of ${rounds} interleaved rounds. Layers on, as in production: request id and headers, Basic auth, body limits, schema, calculator, store, one log line.

## Creating a lead, durable

Ours against bare \`node:http\` with the same store and the same credentials check.

${table(['Store', 'Connections', ...figures('ours'), ...figures('bare'), 'ratio'], createRows)}

## Sharing a commit

50 connections; grouped commits against one commit a lead, on this disk and with milliseconds added to each commit.

${table(['Store', 'added ms', ...figures('grouped'), ...figures('one each'), 'ratio'], groupingRows)}

## Against bare Express, 50 connections

${table(['What', ...figures('ours'), ...figures('bare'), 'ratio'], [await echoes(), await reads()])}

## Reading while 50 connections create, ${slowDisk} ms added to each commit

${table(['p50 ms', 'p99 ms'], [await readsWhileCreating()])}

## Leads from pages, 20 connections

Besides the layers above: origin, rate limit, idempotency key and duplicates. The proof of work is the browser's.

${table(['What', ...figures('ours'), ...figures('other'), 'ratio'], await pages())}

## Two answers that must not be told apart

Median milliseconds of ${pairs.toLocaleString('en-US')} interleaved pairs of reads that both end with 404.

${table(['id that is not there', 'wrong token'], [await refusals()])}
`;
writeFileSync('docs/benchmark.md', report);
console.log(report);
