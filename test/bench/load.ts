/** The load: creates and reads leads over keep-alive connections on loopback. */
import {randomUUID} from 'node:crypto';
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

/** The value that this share of the values does not reach, such as the median for 0.5. */
export const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

/** Each connection has one request in progress, so that all connections send equally often. */
async function run(origin: string, connections: number, next: () => Request): Promise<Figures> {
  const times: number[] = [];
  const begun = performance.now();
  const isOver = () => performance.now() >= begun + seconds * 1_000;
  const keepSending = async () => {
    const client = new Client(origin);
    while (!isOver()) {
      const sent = performance.now();
      const {statusCode, body: reply} = await client.request(next());
      await reply.dump();
      if (statusCode >= 300) throw new Error(`A request of the load got ${statusCode}`);
      times.push(performance.now() - sent);
    }
    await client.close();
  };
  await Promise.all(Array.from({length: connections}, keepSending));
  const perSecond = times.length / ((performance.now() - begun) / 1_000);
  return {perSecond, p50: quantile(times, 0.5), p99: quantile(times, 0.99)};
}

const create: Request = {method: 'POST', path: '/json/leads', headers: callerHeaders, body};

export const createLeads = (origin: string, connections: number) => run(origin, connections, () => create);

const another = () => ({...lead, last_name: randomUUID()});

/** Each lead is of another person. */
export const createFromCaller = (origin: string, connections: number) =>
  run(origin, connections, () => ({...create, body: JSON.stringify(another())}));

/** Like pages do: each lead is of another person, and has a new idempotency key. */
export const createFromPage = (origin: string, connections: number) =>
  run(origin, connections, () => ({
    method: 'POST',
    path: '/embed/v1/leads',
    headers: {...pageHeaders, 'idempotency-key': randomUUID()},
    body: JSON.stringify({lead: another(), elapsed_ms: 60_000}),
  }));

/** A configuration and a lead in turn. @param view whether the page view is counted (`began`) or was before (`again`) */
export function viewAndCreate(origin: string, connections: number, view: 'began' | 'again') {
  const config = {
    method: 'GET',
    path: `/embed/v1/config?view=${view}&version=2.0.0`,
    headers: pageHeaders,
  } as const;
  let isView = false;
  return run(origin, connections, () => ((isView = !isView) ? config : create));
}

export async function readLeads(origin: string, connections: number) {
  const response = await fetch(`${origin}/json/leads`, {method: 'POST', headers: callerHeaders, body});
  const {id} = (await response.json()) as {id: string};
  return run(origin, connections, () => ({
    method: 'GET',
    path: `/json/leads/${id}`,
    headers: callerHeaders,
  }));
}
