/**
 * `npm run bench`: measures how fast leads are created and read. Creates are compared with a bare server in the same run,
 * because ratios depend less on the machine. docs/scale.md has a part of it.
 */
import {cpus} from 'node:os';
import {table} from '../../build/docs/markdown.ts';
import {createFromPage, createLeads, readLeads, type Figures} from './load.ts';
import {freshStore, median, startBenchServer, type Kind} from './servers.ts';

const rounds = 3;
const connectionCounts = [1, 10, 50, 200];
/** Milliseconds that are added to each commit, to simulate slower disks. */
const slowDisk = 2;

type Row = readonly (string | number)[];
type Start = Parameters<typeof startBenchServer>;
type Load = (url: string) => Promise<Figures>;

const ms = (latency: number) => latency.toFixed(latency < 10 ? 1 : 0);
const cells = ({perSecond, p50, p99}: Figures) => [
  Math.round(perSecond).toLocaleString('en-US'),
  ms(p50),
  ms(p99),
];
const titles = (name: string) => [`${name}/s`, 'p50 ms', 'p99 ms'];

/** Loads all servers in turn, in several rounds, so that a slow minute affects all of them. */
async function measure(load: Load, ...starts: Start[]): Promise<Figures[]> {
  const servers = [];
  for (const start of starts) servers.push(await startBenchServer(...start));
  const results = servers.map((): Figures[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, {url}] of servers.entries()) {
      const figures = await load(url);
      // The first round does not count, because a server that has just started runs code that is not compiled yet.
      if (round > 0) results[index]!.push(figures);
    }
  }
  for (const server of servers) server.stop();
  return results.map((figures) => median(figures));
}

async function compare(load: Load, ours: Start, other: Start): Promise<Row> {
  const [one, another] = (await measure(load, ours, other)) as [Figures, Figures];
  return [...cells(one), ...cells(another), (one.perSecond / another.perSecond).toFixed(2)];
}

const production = async (store: Kind = 'SQLite', settings: Start[2] = {}): Promise<Start> => [
  'production.ts',
  await freshStore(store),
  settings,
];

async function creates(store: Kind): Promise<Row[]> {
  const rows: Row[] = [];
  for (const connections of connectionCounts) {
    const bare: Start = ['bare-http.ts', await freshStore(store)];
    const row = await compare((url) => createLeads(url, connections), await production(store), bare);
    rows.push([store, connections, ...row]);
  }
  return rows;
}

async function grouping(store: Kind, commitDelay: number): Promise<Row> {
  const grouped = await production(store, {commitDelay});
  const single = await production(store, {commitDelay, oneAtATime: true});
  return [store, commitDelay, ...(await compare((url) => createLeads(url, 50), grouped, single))];
}

async function others(): Promise<Row[]> {
  const upstream = await startBenchServer('upstream.ts');
  const loads: readonly [what: string, load: Load, settings?: Start[2]][] = [
    ['reads of a caller, 50 connections', (url) => readLeads(url, 50)],
    ['leads of pages, the calculator answers, 20', (url) => createFromPage(url, 20)],
    ['leads of pages, an upstream answers, 20', (url) => createFromPage(url, 20), {upstream: upstream.url}],
  ];
  const rows: Row[] = [];
  for (const [what, load, settings] of loads) {
    const [figures] = await measure(load, await production('SQLite', settings));
    rows.push([what, ...cells(figures!)]);
  }
  upstream.stop();
  return rows;
}

const stores: Kind[] = process.env['TEST_DATABASE_URL'] ? ['SQLite', 'PostgreSQL'] : ['SQLite'];
if (stores.length === 1) console.error('Without TEST_DATABASE_URL, PostgreSQL is left out.');

async function measureAll() {
  const createRows: Row[] = [];
  const groupingRows: Row[] = [];
  for (const store of stores) {
    createRows.push(...(await creates(store)));
    for (const delay of [0, slowDisk]) groupingRows.push(await grouping(store, delay));
  }

  return `# Benchmark

Measured with Node ${process.versions.node} on ${cpus().length} × ${cpus()[0]!.model.trim()}. Server and load share these cores. Each figure is the median of ${rounds} rounds, taken in turn after one that only warms up.

Layers on, as in production:

- on every request: request id, security headers, one log line, time limits of the connection, RFC 9457 errors
- on \`/json/leads\`: Basic auth, limits of the body (type, size, depth), schema, calculator, durable store
- on \`/embed/v1\`: partner and origin, CORS, rate limit by address, limits of the body, schema, idempotency key, token of the result, calculator or upstream with circuit breaker and outbox, merging of duplicates, durable store

Off: the proof of work, which a load tool cannot pay; and the limits of the rate limiter are too high to be met.

## Creating a lead, durable

Ours against bare \`node:http\` with the same store and the same credentials check.

${table(['Store', 'Connections', ...titles('ours'), ...titles('bare'), 'ratio'], createRows)}

## Sharing a commit

50 connections; grouped commits against one commit a lead, on this disk and with milliseconds added to each commit.

${table(['Store', 'added ms', ...titles('grouped'), ...titles('one each'), 'ratio'], groupingRows)}

## Reads, and leads of pages, over SQLite

${table(['What', ...titles('ours')], await others())}
`;
}

console.log(await measureAll());
