/** The client of an upstream that speaks the specification: adds its credentials and `cid`, trusts no reply. */
import {Pool, type Dispatcher} from 'undici';
import {paths} from '../../contract/api.ts';
import type {Lead} from '../../contract/lead-schema.ts';
import type {FinalAnswer} from '../answer.ts';
import {codeOf, withoutReply, withStatus} from './delivery-error.ts';
import {amountsShape, createdShape, maxReplyBytes, parseReply, type Reply} from './upstream-reply.ts';

export type UpstreamSettings = {baseUrl: string; user: string; password: string; cid: string};

/** A lead on its way: `upstreamId` is known once the upstream has taken it. */
export type Parcel = {
  id: string;
  lead: Lead;
  upstreamId: string | null;
  /** How often the upstream was asked before. */
  attempts: number;
  /** Commits the upstream's id, so that no later attempt sends the lead again. */
  onTaken: (upstreamId: string) => Promise<void>;
};

/** The final answer, and for a refusal the reason as operators read it. */
export type Delivered = {answer: FinalAnswer; reason: string | null};

export type Upstream = {
  /** @throws DeliveryError when there is no answer yet */
  deliver(parcel: Parcel): Promise<Delivered>;
  close(): Promise<void>;
};

/** Statuses that are an upstream's last word on a lead. */
const refusals = [400, 413, 422];
/** Longest wait that an upstream may ask for, in milliseconds. */
const longestWait = 3_600_000;
/** For the body of an error, which nobody reads; milliseconds. Its connection can be used again after it. */
const patienceForErrorBody = 1_000;

/** @param timeout milliseconds, for one delivery as a whole */
export function createUpstream(settings: UpstreamSettings, timeout: number): Upstream {
  const {baseUrl, user, password, cid} = settings;
  const base = new URL(baseUrl);
  const pool = new Pool(base.origin, {
    connections: 16,
    connectTimeout: Math.min(timeout, 5_000),
    maxResponseSize: maxReplyBytes,
  });
  const leadsPath = `${base.pathname.replace(/\/$/, '')}${paths.leads}`;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

  async function ask(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
    attempts: number,
    more: {headers?: Record<string, string>; body?: string} = {},
  ): Promise<Reply> {
    const headers = {
      authorization,
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...more.headers,
    };
    const reply = await pool
      .request({method, path, headers, body: more.body ?? null, signal})
      .catch((error: unknown) => {
        throw withoutReply(method, error, attempts);
      });
    const {statusCode: status, headers: replied} = reply;
    return {
      status,
      body: isSuccess(status) ? await readBody(reply) : await dropBody(reply, signal),
      contentEncoding: [replied['content-encoding'] ?? ''].flat().join(','),
      retryAfter: readRetryAfter(replied['retry-after']),
    };
  }

  /** The upstream's id, or the status with which it refused the lead. */
  async function post({id, lead, attempts}: Parcel, signal: AbortSignal): Promise<string | number> {
    const headers = {'content-type': 'application/json', 'idempotency-key': id};
    const body = JSON.stringify({...lead, cid, phone: lead.phone.typed});
    const reply = await ask('POST', leadsPath, signal, attempts, {headers, body});
    if (refusals.includes(reply.status)) return reply.status;
    if (!isSuccess(reply.status)) throw withStatus('POST', reply, attempts);
    return parseReply('POST', reply, createdShape).id;
  }

  async function get(upstreamId: string, attempts: number, signal: AbortSignal) {
    const path = `${leadsPath}/${encodeURIComponent(upstreamId)}`;
    const reply = await ask('GET', path, signal, attempts);
    if (!isSuccess(reply.status)) throw withStatus('GET', reply, attempts);
    return parseReply('GET', reply, amountsShape);
  }

  return {
    async deliver(parcel) {
      const {lead, upstreamId, attempts, onTaken} = parcel;
      const signal = AbortSignal.timeout(timeout);
      const taken = upstreamId ?? (await post(parcel, signal));
      if (typeof taken === 'number') {
        return {answer: {status: 'refused'}, reason: `The upstream refused the lead with ${taken}`};
      }
      if (upstreamId === null) await onTaken(taken);
      const amounts = lead.lead_type === 'standard' ? null : await get(taken, attempts, signal);
      return {answer: {status: 'done', amounts, reasons: {}, policyVersion: null}, reason: null};
    },
    close: () => pool.destroy(),
  };
}

const isSuccess = (status: number) => status >= 200 && status < 300;

/** The body, or the code of what kept it from coming: the status came, and it says that the lead was taken. */
const readBody = async ({body}: Dispatcher.ResponseData): Promise<Buffer | string> =>
  body.bytes().then((bytes) => Buffer.from(bytes), codeOf);

/** An error's status says everything: a body that breaks, never ends or is too long changes nothing about it. */
async function dropBody({body}: Dispatcher.ResponseData, signal: AbortSignal): Promise<string> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(patienceForErrorBody)]);
  await body.dump({limit: maxReplyBytes, signal: soon}).catch(() => body.destroy());
  return 'dropped';
}

/** Seconds or an HTTP date; milliseconds from now, and no longer than an hour. */
function readRetryAfter(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), longestWait) : 0;
}
