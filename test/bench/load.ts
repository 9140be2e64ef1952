/** The load: creates and reads leads over keep-alive connections on loopback. */
import {randomUUID} from 'node:crypto';
import autocannon from 'autocannon';
import {Pool} from 'undici';

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

async function run(options: autocannon.Options): Promise<Figures> {
  const {requests, duration, latency, non2xx, errors} = await autocannon({duration: seconds, ...options});
  if (non2xx + errors > 0) throw new Error(`${non2xx} refused, ${errors} failed`);
  return {perSecond: requests.total / duration, p50: latency.p50, p99: latency.p99};
}

export const createLeads = (origin: string, connections: number) =>
  run({url: `${origin}/json/leads`, connections, method: 'POST', headers: callerHeaders, body});

/** Each lead is of another person. The load tool does the same work for all servers that are compared. */
const createAnew = (
  origin: string,
  path: string,
  connections: number,
  write: (lead: object) => {headers: Record<string, string>; body: object},
) =>
  run({
    url: origin + path,
    connections,
    requests: [
      {
        method: 'POST',
        path,
        setupRequest(request) {
          const {headers, body} = write({...lead, last_name: randomUUID()});
          return {...request, headers, body: JSON.stringify(body)};
        },
      },
    ],
  });

export const createFromCaller = (origin: string, connections: number) =>
  createAnew(origin, '/json/leads', connections, (body) => ({headers: callerHeaders, body}));

/** Like pages do: every lead has a new idempotency key. */
export const createFromPage = (origin: string, connections: number) =>
  createAnew(origin, '/embed/v1/leads', connections, (lead) => ({
    headers: {...pageHeaders, 'idempotency-key': randomUUID()},
    body: {lead, elapsed_ms: 60_000},
  }));

async function createOne(origin: string): Promise<string> {
  const response = await fetch(`${origin}/json/leads`, {method: 'POST', headers: callerHeaders, body});
  const {id} = (await response.json()) as {id?: string};
  return `/json/leads/${id ?? 'any'}`;
}

export const readLeads = async (origin: string, connections: number) =>
  run({url: origin + (await createOne(origin)), connections, method: 'GET', headers: callerHeaders});

async function timed(pool: Pool, path: string, headers: Record<string, string>): Promise<number> {
  const start = performance.now();
  const {body: reply} = await pool.request({method: 'GET', path, headers});
  await reply.dump();
  return performance.now() - start;
}

const at = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!;

/** Measures reads, one after the other, while another thread creates leads over 50 connections. */
export async function readWhile(origin: string): Promise<Figures> {
  const path = await createOne(origin);
  const pool = new Pool(origin, {connections: 1});
  const times: number[] = [];
  let creating = true;
  const url = `${origin}/json/leads`;
  const load = run({url, connections: 50, method: 'POST', headers: callerHeaders, body, workers: 1});
  void load.finally(() => {
    creating = false;
  });
  while (creating) times.push(await timed(pool, path, callerHeaders));
  const {perSecond} = await load;
  await pool.close();
  return {perSecond, p50: at(times, 0.5), p99: at(times, 0.99)};
}

/** The median times, in milliseconds, of two reads that get a 404: of an unknown id, and with a wrong token. */
export async function compareRefusals(
  origin: string,
  pairs: number,
): Promise<[absent: number, wrong: number]> {
  const response = await fetch(`${origin}/embed/v1/leads`, {
    method: 'POST',
    headers: {...pageHeaders, 'idempotency-key': randomUUID()},
    body: JSON.stringify({lead}),
  });
  const {id, token} = (await response.json()) as {id: string; token: string};
  const pool = new Pool(origin, {connections: 1});
  const headers = {
    ...pageHeaders,
    authorization: `Bearer ${token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
  };
  const times: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    times[0].push(await timed(pool, `/embed/v1/leads/${randomUUID()}`, headers));
    times[1].push(await timed(pool, `/embed/v1/leads/${id}`, headers));
  }
  await pool.close();
  return [at(times[0], 0.5), at(times[1], 0.5)];
}
