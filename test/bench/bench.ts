/**
 * `npm run bench`: measures how fast leads are created and read. Each figure is compared with a bare server in the same
 * run, because ratios depend less on the machine. Writes docs/benchmark.md. With `--sealed`, it only prints what a data key
 * costs: creates with one beside creates without.
 */
import {writeFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {
  compareRefusals,
  createFromCaller,
  createFromPage,
  createLeads,
  readLeads,
  readWhile,
  type Figures,
} from './load.ts';
import {freshStore, median, startBenchServer} from './servers.ts';

const rounds = 3;
const connectionCounts = [1, 10, 50, 200];
/** Milliseconds that are added to each commit, to simulate slower disks. */
const slowDisk = 2;
const pairs = 5_000;

type StoreName = 'SQLite' | 'PostgreSQL';
type Row = readonly (string | number)[];
type Start = Parameters<typeof startBenchServer>;
type Load = (url: string) => Promise<Figures>;

const table = (head: readonly string[], rows: readonly Row[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const whole = (figure: number) => Math.round(figure).toLocaleString('en-US');
const ms = (latency: number) => latency.toFixed(latency < 10 ? 1 : 0);
const cells = ({perSecond, p50, p99}: Figures) => [whole(perSecond), ms(p50), ms(p99)];

/** Runs all loads in turn, in several rounds, so that a slow minute affects all of them. */
async function inTurn(...loads: (() => Promise<Figures>)[]): Promise<Figures[]> {
  const results = loads.map((): Figures[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, load] of loads.entries()) {
      const figures = await load();
      // The first round does not count, because a server that has just started runs code that is not compiled yet.
      if (round > 0) results[index]!.push(figures);
    }
  }
  return results.map((figures) => median(figures));
}

const beside = ([ours, other]: Figures[]): Row => [
  ...cells(ours!),
  ...cells(other!),
  (ours!.perSecond / other!.perSecond).toFixed(2),
];

async function compare(ours: Start, other: Start, load: Load): Promise<Row> {
  const servers = [await startBenchServer(...ours), await startBenchServer(...other)];
  const figures = await inTurn(
    ...servers.map(
      ({url}) =>
        () =>
          load(url),
    ),
  );
  for (const server of servers) server.stop();
  return beside(figures);
}

async function alone<Result>(start: Start, load: (url: string) => Promise<Result>): Promise<Result> {
  const server = await startBenchServer(...start);
  const result = await load(server.url);
  server.stop();
  return result;
}

const production = async (store: StoreName = 'SQLite', settings: Start[2] = {}): Promise<Start> => [
  'production.ts',
  await freshStore(store),
  settings,
];

async function creates(store: StoreName): Promise<Row[]> {
  const rows: Row[] = [];
  for (const connections of connectionCounts) {
    const bare: Start = ['bare-http.ts', await freshStore(store)];
    const row = await compare(await production(store), bare, (url) => createLeads(url, connections));
    rows.push([store, connections, ...row]);
  }
  return rows;
}

async function grouping(store: StoreName, commitDelay: number): Promise<Row> {
  const grouped = await production(store, {commitDelay});
  const single = await production(store, {commitDelay, oneAtATime: true});
  return [store, commitDelay, ...(await compare(grouped, single, (url) => createLeads(url, 50)))];
}

async function sealing(store: StoreName): Promise<Row> {
  const sealed = await production(store, {dataKey: 'a-data-key-of-at-least-32-characters'});
  return [store, ...(await compare(sealed, await production(store), (url) => createFromCaller(url, 50)))];
}

async function againstExpress(what: string, load: Load): Promise<Row> {
  return [what, ...(await compare(await production(), ['bare-express.ts'], load))];
}

async function readsWhileCreating(): Promise<Row> {
  const start = await production('SQLite', {commitDelay: slowDisk});
  const [figures] = await alone(start, (url) => inTurn(() => readWhile(url)));
  const {perSecond, p50, p99} = figures!;
  return [whole(perSecond), p50.toFixed(2), p99.toFixed(2)];
}

async function proxied(): Promise<Row> {
  return alone(['upstream.ts'], async (upstream) => {
    const bare: Start = ['bare-proxy.ts', '', {upstream}];
    const ours = await production('SQLite', {upstream});
    return [
      'through an upstream / bare proxy',
      ...(await compare(ours, bare, (url) => createFromPage(url, 20))),
    ];
  });
}

async function calculated(): Promise<Row> {
  const figures = await alone(await production(), (url) =>
    inTurn(
      () => createFromPage(url, 20),
      () => createFromCaller(url, 20),
    ),
  );
  return ['calculator / `/json/leads`', ...beside(figures)];
}

async function refusals(): Promise<Row> {
  const medians = await alone(await production(), (url) => compareRefusals(url, pairs));
  return medians.map((figure) => figure.toFixed(3));
}

const stores: StoreName[] = process.env['TEST_DATABASE_URL'] ? ['SQLite', 'PostgreSQL'] : ['SQLite'];
if (stores.length === 1) console.error('Without TEST_DATABASE_URL, PostgreSQL is left out.');

const figures = (name: string) => [`${name}/s`, 'p50 ms', 'p99 ms'];

async function compareSealing() {
  const rows: Row[] = [];
  for (const store of stores) rows.push(await sealing(store));
  return table(['Store', ...figures('sealed'), ...figures('in clear'), 'ratio'], rows);
}

async function measureAll() {
  const createRows: Row[] = [];
  const groupingRows: Row[] = [];
  for (const store of stores) {
    createRows.push(...(await creates(store)));
    for (const delay of [0, slowDisk]) groupingRows.push(await grouping(store, delay));
  }

  return `# Benchmark

For operators who plan a machine, and for contributors: how many leads the server takes, and how fast.

Written by \`npm run bench\` with Node ${process.versions.node} on ${cpus().length} × ${cpus()[0]!.model.trim()}. Server and load share these cores. Each figure is the median of ${rounds} rounds, taken in turn after one that only warms up.

Layers on, as in production:

- on every request: request id, security headers, one log line, time limits of the connection, RFC 9457 errors
- on \`/json/leads\`: Basic auth, limits of the body (type, size, depth), schema, calculator, durable store
- on \`/embed/v1\`: partner and origin, CORS, rate limit by address, limits of the body, schema, idempotency key, token of the result, calculator or upstream with circuit breaker and outbox, merging of duplicates, durable store

Off: the proof of work, which a load tool cannot pay; and the limits of the rate limiter are too high to be met.

## Creating a lead, durable

Ours against bare \`node:http\` with the same store and the same credentials check.

${table(['Store', 'Connections', ...figures('ours'), ...figures('bare'), 'ratio'], createRows)}

## Sharing a commit

50 connections; grouped commits against one commit a lead, on this disk and with milliseconds added to each commit.

${table(['Store', 'added ms', ...figures('grouped'), ...figures('one each'), 'ratio'], groupingRows)}

## Against bare Express, 50 connections

${table(
  ['What', ...figures('ours'), ...figures('bare'), 'ratio'],
  [
    await againstExpress('create, durable / bare echo', (url) => createLeads(url, 50)),
    await againstExpress('read / bare JSON route', (url) => readLeads(url, 50)),
  ],
)}

## Reading while 50 connections create, ${slowDisk} ms added to each commit

${table(['creates/s', 'read p50 ms', 'read p99 ms'], [await readsWhileCreating()])}

## Leads from pages, 20 connections

Through the proxy, against an Express route that makes the same POST and GET over \`undici.Pool\` and stores nothing; and with the calculator, against the same leads of a caller.

${table(['What', ...figures('ours'), ...figures('other'), 'ratio'], [await proxied(), await calculated()])}

## Two answers that must not be told apart

Median milliseconds of ${pairs.toLocaleString('en-US')} interleaved pairs of reads that both end with 404.

${table(['id that is not there', 'wrong token'], [await refusals()])}
`;
}

if (process.argv.includes('--sealed')) console.log(await compareSealing());
else {
  const report = await measureAll();
  writeFileSync('docs/benchmark.md', report);
  console.log(report);
}
