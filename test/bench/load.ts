/** The load: creates and reads leads over keep-alive connections on loopback. */
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {Worker} from 'node:worker_threads';
import {Client} from 'undici';

export type Figures = {perSecond: number; p50: number; p99: number};

const seconds = 2;
const callerHeaders = {
  authorization: `Basic ${Buffer.from('acme:correct horse battery').toString('base64')}`,
  'content-type': 'application/json',
};
const pageHeaders = {origin: 'https://www.example.com', 'content-type': 'application/json'};
const lead = {
  cid: '1001',
  lead_type: 'prequalification',
  first_name: 'Ana',
  last_name: 'Silva',
  phone: '415-555-0132',
  email: 'ana@example.com',
  credit_score: 'Above 720',
  bankruptcy: false,
  retirement: 120_000,
  cash: '20000',
  investments: 0,
};
const body = JSON.stringify(lead);

type Request = {method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string};

async function send(client: Client, request: Request) {
  const begun = performance.now();
  const {statusCode, body: reply} = await client.request(request);
  await reply.dump();
  return {statusCode, took: performance.now() - begun};
}

const at = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!;

/** Each connection has one request in progress, so that all connections send equally often. */
async function run(origin: string, connections: number, next: () => Request): Promise<Figures> {
  const times: number[] = [];
  const begun = performance.now();
  const isOver = () => performance.now() >= begun + seconds * 1_000;
  const keepSending = async () => {
    const client = new Client(origin);
    while (!isOver()) {
      const {statusCode, took} = await send(client, next());
      if (statusCode >= 300) throw new Error(`A request of the load got ${statusCode}`);
      times.push(took);
    }
    await client.close();
  };
  await Promise.all(Array.from({length: connections}, keepSending));
  const perSecond = times.length / ((performance.now() - begun) / 1_000);
  return {perSecond, p50: at(times, 0.5), p99: at(times, 0.99)};
}

const create: Request = {method: 'POST', path: '/json/leads', headers: callerHeaders, body};

export const createLeads = (origin: string, connections: number) => run(origin, connections, () => create);

const another = () => ({...lead, last_name: randomUUID()});

/** Each lead is of another person. */
export const createFromCaller = (origin: string, connections: number) =>
  run(origin, connections, () => ({...create, body: JSON.stringify(another())}));

const fromPage = (sent: object): Request => ({
  method: 'POST',
  path: '/embed/v1/leads',
  headers: {...pageHeaders, 'idempotency-key': randomUUID()},
  body: JSON.stringify(sent),
});

/** Like pages do: each lead is of another person, and has a new idempotency key. */
export const createFromPage = (origin: string, connections: number) =>
  run(origin, connections, () => fromPage({lead: another(), elapsed_ms: 60_000}));

async function readOfOne(origin: string): Promise<Request> {
  const response = await fetch(`${origin}/json/leads`, {method: 'POST', headers: callerHeaders, body});
  const {id = 'any'} = (await response.json()) as {id?: string};
  return {method: 'GET', path: `/json/leads/${id}`, headers: callerHeaders};
}

export async function readLeads(origin: string, connections: number) {
  const read = await readOfOne(origin);
  return run(origin, connections, () => read);
}

/** Measures reads, one after the other, while another thread creates leads over 50 connections. */
export async function readWhile(origin: string): Promise<Figures> {
  const read = await readOfOne(origin);
  const client = new Client(origin);
  const times: number[] = [];
  let created: Figures | undefined;
  const load = new Worker(new URL('load-thread.ts', import.meta.url), {workerData: origin});
  const loaded = once(load, 'message').then(([figures]) => (created = figures as Figures));
  while (!created) times.push((await send(client, read)).took);
  const {perSecond} = await loaded;
  await client.close();
  return {perSecond, p50: at(times, 0.5), p99: at(times, 0.99)};
}

/** The median times, in milliseconds, of two reads that get a 404: of an unknown id, and with a wrong token. */
export async function compareRefusals(
  origin: string,
  pairs: number,
): Promise<[absent: number, wrong: number]> {
  const {path, ...created} = fromPage({lead});
  const response = await fetch(origin + path, created);
  const {id, token} = (await response.json()) as {id: string; token: string};
  const client = new Client(origin);
  const headers = {
    ...pageHeaders,
    authorization: `Bearer ${token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
  };
  const timeRead = async (of: string) =>
    (await send(client, {method: 'GET', path: `${path}/${of}`, headers})).took;
  const times: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    times[0].push(await timeRead(randomUUID()));
    times[1].push(await timeRead(id));
  }
  await client.close();
  return [at(times[0], 0.5), at(times[1], 0.5)];
}
