/**
 * Posts JSON to a URL that the file or a secret names, and says how it ended. Webhooks and chat rooms share it.
 */
import {addAbortSignal} from 'node:stream';
import type {Dispatcher} from 'undici';
import type {WebhookSettings} from '../../config/destinations.ts';
import type {Settlement} from '../../leads/deliveries.ts';
import {certificatePeriod} from '../certificate-period.ts';
import {excerptOf} from '../excerpt.ts';
import {usualNetwork, type Network} from '../network.ts';
import {readRetryAfter} from '../retry-after.ts';
import {withoutStatus, withStatus} from './failures.ts';
import {createConnector, wasCutBetweenRequests} from './guard.ts';

/** Milliseconds. */
const longestConnecting = 10_000;
/** Milliseconds. The status says how the attempt ended, so the body that follows it may not take longer than this. */
const longestBody = 1_000;
/** Bytes of a body that are read, at most. After a longer body, the connection is closed. */
const maxBodyBytes = 4_096;
/** Characters. Shorter parts of an address, such as `v1`, are words that a reply may need. */
const shortestSecret = 10;

/** What is different about a kind of destinations. */
type Kind = {
  /** What messages call it. observe/causes.ts says by this name what its answers mean. */
  receiver?: string;
  /** The status that a body says, if it is not that of the reply. */
  statusIn?: (excerpt: string | undefined) => number | undefined;
};

/**
 * @param parallel connections, at most
 * @param timeout milliseconds for one attempt, from looking up the host to the status of the answer
 */
export function createPoster(
  {url, namedHost, isInternal}: Pick<WebhookSettings, 'url' | 'namedHost' | 'isInternal'>,
  parallel: number,
  timeout: number,
  network: Partial<Network> = {},
  {receiver = 'receiver', statusIn}: Kind = {},
) {
  const {lookup, createPool} = {...usualNetwork, ...network};
  const who = namedHost === undefined ? `the ${receiver}` : `the ${receiver} ${namedHost}`;
  const {origin, pathname, search} = new URL(url);
  const masked = namedHost === undefined ? mask(url) : (text: string) => text;
  const connecting = Math.min(timeout, longestConnecting);
  const options = {connections: parallel, connect: createConnector(isInternal, connecting, lookup)};
  const uncheckedConnect = createConnector(isInternal, connecting, lookup, false);
  const pool = createPool(origin, options);
  /** For second requests. Its connections are closed after each request. */
  const fresh = createPool(origin, options);

  /**
   * @param attempts the number of earlier attempts
   * @throws DeliveryError for every reply but 2xx, and without one
   */
  async function post(
    body: string,
    given: Readonly<Record<string, string>>,
    attempts: number,
  ): Promise<Settlement> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'lead-prequal',
      'accept-encoding': 'identity',
      ...given,
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
        throw withoutStatus(error, attempts, timeout, {receiver, who, period});
      });
    const excerpt = await readExcerpt(reply, signal, masked);
    const status = statusIn?.(excerpt) ?? reply.statusCode;
    if (status >= 200 && status < 300)
      return {state: 'delivered', answer: null, note: `The ${receiver} answered ${status}`};
    const retryAfter = readRetryAfter(reply.headers['retry-after']);
    throw withStatus({receiver, status, excerpt, retryAfter}, attempts);
  }

  /** `close` aborts the requests in progress. */
  return {post, close: async () => void (await Promise.all([pool.destroy(), fresh.destroy()]))};
}

/**
 * Reads the beginning of the body, for operators. If the body is short, the connection can be used again. Does not reject
 * if the body is broken, too long or slow, because the status is known already.
 */
async function readExcerpt(
  {body, headers}: Dispatcher.ResponseData,
  signal: AbortSignal,
  masked: (text: string) => string,
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
  return excerptOf(masked(text));
}

/** Commands show the beginning of a reply, which may repeat the address. So its parts are left out if it is a secret. */
function mask(url: string): (text: string) => string {
  const {pathname, search, searchParams} = new URL(url);
  const parts = [
    ...pathname.split('/'),
    ...search.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1)),
    ...searchParams.values(),
  ];
  const secrets = parts
    .filter(({length}) => length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}
