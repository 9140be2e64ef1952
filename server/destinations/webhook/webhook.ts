/**
 * A destination that gets the news of leads at a URL, signed as Standard Webhooks says:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import {createHmac} from 'node:crypto';
import {addAbortSignal} from 'node:stream';
import type {Dispatcher} from 'undici';
import type {WebhookSettings} from '../../config/destinations.ts';
import type {Settlement} from '../../leads/deliveries.ts';
import type {LeadEvent} from '../../leads/lead-event.ts';
import {certificatePeriod} from '../certificate-period.ts';
import type {Destination} from '../destination.ts';
import {excerptOf} from '../excerpt.ts';
import {usualNetwork, type Network} from '../network.ts';
import {newsOf} from '../news.ts';
import {readRetryAfter} from '../retry-after.ts';
import {sampleRecord} from '../sample.ts';
import {usualParallel} from '../terms.ts';
import {toEvent} from './event.ts';
import {withoutStatus, withStatus} from './failures.ts';
import {createConnector, wasCutBetweenRequests} from './guard.ts';

/** Milliseconds. */
const longestConnecting = 10_000;
/** Milliseconds. The status says how the attempt ended, so the body that follows it may not take longer than this. */
const longestBody = 1_000;
/** Bytes of a body that are read, at most. After a longer body, the connection is closed. */
const maxBodyBytes = 4_096;

/** @param timeout milliseconds for one attempt, from looking up the host to the status of the answer */
export function createWebhook(
  settings: WebhookSettings,
  timeout: number,
  network: Partial<Network> = {},
): Destination {
  const {lookup, createPool} = {...usualNetwork, ...network};
  const {url, namedHost, secrets, isInternal, parallel = usualParallel} = settings;
  const who = namedHost === undefined ? 'the receiver' : `the receiver ${namedHost}`;
  const {origin, pathname, search} = new URL(url);
  const connecting = Math.min(timeout, longestConnecting);
  const options = {
    connections: parallel,
    connect: createConnector(isInternal, connecting, lookup),
  };
  const uncheckedConnect = createConnector(isInternal, connecting, lookup, false);
  const pool = createPool(origin, options);
  /** For second requests. Its connections are closed after each request. */
  const fresh = createPool(origin, options);

  async function send(id: string, event: LeadEvent, attempts: number): Promise<Settlement> {
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signed = `${id}.${timestamp}.${body}`;
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'lead-prequal',
      'accept-encoding': 'identity',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': secrets.map((secret) => signature(secret, signed)).join(' '),
    };
    const signal = AbortSignal.timeout(timeout);
    const request = {method: 'POST', path: pathname + search, headers, body, signal} as const;
    const reply = await pool
      .request(request)
      .catch((error: unknown) => {
        // Sending again is safe: the receiver drops repeats by the id.
        if (!wasCutBetweenRequests(error)) throw error;
        return fresh.request({...request, reset: true});
      })
      .catch(async (error: unknown) => {
        const period = await certificatePeriod(error, new URL(url), uncheckedConnect);
        throw withoutStatus(error, attempts, timeout, {who, period});
      });
    const {statusCode: status} = reply;
    const excerpt = await readExcerpt(reply, signal);
    if (status >= 200 && status < 300)
      return {state: 'delivered', answer: null, note: `The receiver answered ${status}`};
    throw withStatus({status, excerpt, retryAfter: readRetryAfter(reply.headers['retry-after'])}, attempts);
  }

  return {
    deliver(request) {
      const news = newsOf(request);
      return send(news.id, toEvent(news, request.lead), request.attempts);
    },
    test() {
      const {id, event} = sampleEvent();
      return send(id, event, 0);
    },
    close: async () => void (await Promise.all([pool.destroy(), fresh.destroy()])),
  };
}

const signature = (secret: Buffer, signed: string) =>
  `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;

/** An event about a lead that nobody sent. `test` says so to programs. The id is that of no other event. */
export function sampleEvent(record = sampleRecord()): {id: string; event: LeadEvent} {
  const {id, createdAt: at, answer} = record;
  const {data, ...head} = toEvent({type: 'lead.created', at, answer}, record);
  return {id: `evt_test_${id}`, event: {...head, test: true, data}};
}

/**
 * Reads the beginning of the body, for operators. If the body is short, the connection can be used again. Does not reject
 * if the body is broken, too long or slow, because the status is known already.
 */
async function readExcerpt(
  {body, headers}: Dispatcher.ResponseData,
  signal: AbortSignal,
): Promise<string | undefined> {
  addAbortSignal(AbortSignal.any([signal, AbortSignal.timeout(longestBody)]), body);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBodyBytes) break;
    }
  } catch {
    // What has come so far is enough.
  }
  // The request asks for no compression. A receiver that compresses nevertheless has no readable excerpt.
  const isCompressed = (headers['content-encoding'] ?? 'identity') !== 'identity';
  if (isCompressed || bytes === 0) return undefined;
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBodyBytes), {stream: true});
  return excerptOf(text);
}
