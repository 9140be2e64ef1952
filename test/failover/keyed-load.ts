/**
 * Clients of several servers that share a database: callers and pages send each lead with an idempotency key until it is
 * acknowledged, visitors without a script press the last button of the apply page until they get their answer, and readers
 * ask for a lead. All answers are noted.
 */
import {randomBytes, randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {Pool} from 'undici';
import {usualTimings} from '../../server/config/timings.ts';
import {formWords} from '../../form/words/form-words.ts';
import {sayFailure} from '../../form/words/say-failure.ts';
import {basic} from '../support/http.ts';
import type {Owner} from '../support/opened.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import {acme} from '../support/test-server.ts';
import {fromCaller, fromPage, type NewLead} from '../faults/load.ts';

type Reply = {status: number; type: string; retryAfter: string; text: string};
type Client = 'caller' | 'page' | 'apply page' | 'reader';

/** A server answers within its own limit. On a busy machine the way there and back may take some time, too. */
const patience = usualTimings.requestWait + 3_000;
/** Milliseconds before a lead is sent again. That is sooner than `Retry-After` asks, so that the gap is measured well. */
const pause = 250;
/** Milliseconds between the leads of a client. */
const interval = 100;

export type KeyedLoad = {
  /** The e-mail addresses of the leads that were sent, and the ids that their acknowledgements named, if they did. */
  leads: Map<string, string | undefined>;
  /** When which server acknowledged a lead, in milliseconds of `performance.now()`. */
  acknowledged: {at: number; server: number}[];
  /** How often each client got each status. */
  statuses: Record<string, number>;
  /** Answers that are neither what was asked for nor an error in words, and requests without an answer. */
  bad: string[];
  /** Milliseconds that the slowest answer took. */
  slowest(): number;
  /** Sends no new leads, and resolves when all that were sent are acknowledged. */
  stop(): Promise<void>;
};

/** Whether the reply says in words that the client must try again, and when. */
function asksToTryAgain(client: Client, {status, type, retryAfter, text}: Reply): boolean {
  if (!/^\d+$/.test(retryAfter)) return false;
  if (client === 'apply page') {
    const {title} = sayFailure(formWords.en, 'store-unavailable');
    return status === 503 && type.startsWith('text/html') && text.includes(title);
  }
  // 409 means that another process is still storing a lead with this key.
  if (!(status === 503 || (status === 409 && client !== 'reader'))) return false;
  const {title, detail} = JSON.parse(text) as {title?: string; detail?: string};
  return type.startsWith('application/problem+json') && !!title && !!detail;
}

export function sendKeyedLoad(owner: Owner, urls: readonly string[], clientsOfEach = 3): KeyedLoad {
  const timeouts = {headersTimeout: patience, bodyTimeout: patience};
  const pools = urls.map((url) => new Pool(url, {connections: 20, ...timeouts}));
  const leads: KeyedLoad['leads'] = new Map();
  const acknowledged: KeyedLoad['acknowledged'] = [];
  const statuses: KeyedLoad['statuses'] = {};
  const bad: string[] = [];
  let [slowest, count, sending] = [0, 0, true];
  let readable: string | undefined;
  let isOver = false;

  /** @returns the reply, and undefined if it says to try again, or was noted as a bad one */
  async function ask(
    client: Client,
    server: number,
    request: {method: string; path: string; headers?: Record<string, string>; body?: string},
    good: number,
  ): Promise<Reply | undefined> {
    const begun = performance.now();
    const note = (status: string) =>
      (statuses[`${client} ${status}`] = (statuses[`${client} ${status}`] ?? 0) + 1);
    try {
      const {
        statusCode: status,
        headers,
        body,
      } = await pools[server % urls.length]!.request({
        ...request,
        method: request.method,
      });
      const header = (name: string) => String(headers[name] ?? '');
      const reply = {
        status,
        type: header('content-type'),
        retryAfter: header('retry-after'),
        text: await body.text(),
      };
      slowest = Math.max(slowest, performance.now() - begun);
      note(String(status));
      if (status === good) return reply;
      if (!asksToTryAgain(client, reply)) bad.push(`${client}: ${status} ${reply.text.slice(0, 200)}`);
    } catch (error) {
      note('none');
      bad.push(`${client}: ${String(error)} after ${Math.round(performance.now() - begun)} ms`);
    }
    return undefined;
  }

  const newEmail = () => `person-${(count += 1)}@example.com`;
  function acknowledge(email: string, server: number, id?: string) {
    leads.set(email, id);
    acknowledged.push({at: performance.now(), server: server % urls.length});
  }

  /** A retry goes to the next server, as behind a load balancer. */
  async function sendUntilAcknowledged(
    client: 'caller' | 'page',
    email: string,
    lead: NewLead,
    first: number,
  ) {
    leads.set(email, undefined);
    for (let server = first; !isOver; server += 1) {
      const reply = await ask(client, server, {method: 'POST', ...lead}, 201);
      if (reply) return acknowledge(email, server, (JSON.parse(reply.text) as {id: string}).id);
      await sleep(pause);
    }
  }

  async function clientOf(server: number, client: 'caller' | 'page') {
    for (; sending; await sleep(interval)) {
      const email = newEmail();
      const from = client === 'caller' ? fromCaller() : fromPage();
      const headers = {...from.headers, 'idempotency-key': randomUUID()};
      const body = {...prequalificationBody, email};
      const text = JSON.stringify(client === 'caller' ? body : {lead: without(body, 'cid')});
      await sendUntilAcknowledged(client, email, {...from, headers, body: text}, server);
    }
  }

  /**
   * Each visitor comes from another network, because a network may send few leads without a script in an hour. Redis still
   * has those of an earlier run.
   */
  async function visitor(first: number) {
    const answers = {
      ...{credit_score: 'Above 720', retirement: '120000', cash: '50000', investments: '0'},
      ...{first_name: 'Ann', last_name: 'Lee', phone: '415-555-0132'},
    };
    for (; sending; await sleep(interval)) {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': `2001:db8:${randomBytes(4).toString('hex').replace(/^.{4}/, '$&:')}::1`,
      };
      const path = '/apply/acme';
      const page = await ask('apply page', first, {method: 'GET', path, headers}, 200);
      const token = /name="_token" value="([^"]*)"/.exec(page?.text ?? '')?.[1];
      if (token !== undefined) {
        const email = newEmail();
        leads.set(email, undefined);
        for (let server = first; !isOver; server += 1) {
          const body = new URLSearchParams({...answers, email, _token: token}).toString();
          if (await ask('apply page', server, {method: 'POST', path, headers, body}, 200)) {
            acknowledge(email, server);
            break;
          }
          await sleep(pause);
        }
      }
    }
  }

  async function reader(server: number) {
    for (; sending; await sleep(interval)) {
      readable ??= [...leads.values()].find((id) => id !== undefined);
      if (readable === undefined) continue;
      const headers = basic(acme);
      await ask('reader', server, {method: 'GET', path: `/json/leads/${readable}`, headers}, 200);
    }
  }

  const running = urls.flatMap((_, server) => [
    ...Array.from({length: clientsOfEach}, () => clientOf(server, 'caller')),
    ...Array.from({length: clientsOfEach}, () => clientOf(server, 'page')),
    visitor(server),
    reader(server),
  ]);
  async function stop() {
    sending = false;
    await Promise.all(running);
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
  // If the test has failed, the servers may be gone, and nothing is acknowledged any more.
  owner.after(() => {
    isOver = true;
    return stop();
  });
  return {leads, acknowledged, statuses, bad, slowest: () => slowest, stop};
}

/**
 * The longest time, of all servers, in which a server acknowledged no lead.
 * @param from when what may have interrupted it began
 */
export function longestGap({acknowledged}: KeyedLoad, servers: number, from: number): number {
  let longest = 0;
  for (let server = 0; server < servers; server += 1) {
    const times = acknowledged.filter((one) => one.server === server).map(({at}) => at);
    const first = times.findLastIndex((at) => at <= from);
    for (let index = Math.max(first, 0) + 1; index < times.length; index += 1)
      longest = Math.max(longest, times[index]! - times[index - 1]!);
  }
  return longest;
}
