/** The client of an upstream that speaks the specification: adds its credentials and `cid`, trusts no reply. */
import {Pool} from 'undici';
import {z} from 'zod';
import {paths} from '../../contract/api.ts';
import {prequalificationSchema, type Lead} from '../../contract/lead-schema.ts';
import type {FinalAnswer} from '../answer.ts';

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

export type Upstream = {
  /** @throws DeliveryError when there is no answer yet */
  deliver(parcel: Parcel): Promise<FinalAnswer>;
  close(): Promise<void>;
};

/**
 * - `failed`: it was not taken, or its amounts were not read; try again
 * - `misconfigured`: our credentials or address are wrong; no lead will get through
 * - `ambiguous`: it was sent, and what became of it is unknown
 */
export type DeliveryFault = 'failed' | 'misconfigured' | 'ambiguous';

/** The message holds no word of a reply: it may have what the visitor typed. */
export class DeliveryError extends Error {
  readonly fault: DeliveryFault;
  /** Milliseconds that the upstream asked us to wait. */
  readonly retryAfter: number;
  /** It tells nothing of how others fare: the upstream stumbles over this lead. */
  readonly aboutLead: boolean;

  constructor(fault: DeliveryFault, message: string, {retryAfter = 0, aboutLead = false} = {}) {
    super(message);
    this.name = 'DeliveryError';
    this.fault = fault;
    this.retryAfter = retryAfter;
    this.aboutLead = aboutLead;
  }
}

const maxReplyBytes = 65_536;
const refusals = [400, 413, 422];
/** What is not there when it is asked for may still come; who may not ask will not be told. */
const misconfigurations = {POST: [401, 403, 404], GET: [401, 403]};
/** A lead that failed so often is the reason itself, unless the upstream is plainly away. */
const attemptsOfDoubt = 3;
/** Longest wait that an upstream may ask for, in milliseconds. */
const longestWait = 3_600_000;

// Without what a database may refuse: NUL and halves of a surrogate pair.
const createdSchema = z.object({
  id: z
    .string()
    .max(256)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u),
});
/** The name is ours to give; the amounts are the upstream's. */
const amountsSchema = prequalificationSchema.omit({first_name: true});

type Reply = {status: number; text: string; retryAfter: number};

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
    headers: Record<string, string> = {},
    body: string | null = null,
  ): Promise<Reply> {
    const reply = await pool.request({
      method,
      path,
      headers: {authorization, accept: 'application/json', ...headers},
      body,
      signal,
    });
    const {statusCode: status, headers: replied} = reply;
    return {status, text: await reply.body.text(), retryAfter: readRetryAfter(replied['retry-after'])};
  }

  async function post({id, lead, attempts}: Parcel, signal: AbortSignal): Promise<string | undefined> {
    const headers = {'content-type': 'application/json', 'idempotency-key': id};
    const wire = JSON.stringify({...lead, cid, phone: lead.phone.typed});
    const reply = await ask('POST', leadsPath, signal, headers, wire).catch((error: unknown) => {
      const [fault, what] = wasNeverSent(error) ? (['failed', 'could not be reached'] as const) : lost;
      throw new DeliveryError(fault, `The upstream ${what} (${codeOf(error)})`, stumble(error, attempts));
    });
    if (refusals.includes(reply.status)) return undefined;
    refuseOthers('POST', reply, attempts);
    return parse(reply, createdSchema, 'ambiguous').id;
  }

  async function get(upstreamId: string, attempts: number, signal: AbortSignal) {
    const path = `${leadsPath}/${encodeURIComponent(upstreamId)}`;
    const reply = await ask('GET', path, signal).catch((error: unknown) => {
      throw new DeliveryError(
        'failed',
        `The amounts could not be read (${codeOf(error)})`,
        stumble(error, attempts),
      );
    });
    refuseOthers('GET', reply, attempts);
    return parse(reply, amountsSchema, 'failed');
  }

  return {
    async deliver(parcel) {
      const {lead, upstreamId, attempts, onTaken} = parcel;
      const signal = AbortSignal.timeout(timeout);
      const takenAs = upstreamId ?? (await post(parcel, signal));
      if (takenAs === undefined) return {status: 'refused'};
      if (upstreamId === null) await onTaken(takenAs);
      const amounts = lead.lead_type === 'standard' ? null : await get(takenAs, attempts, signal);
      return {status: 'done', amounts, reasons: {}, policyVersion: null};
    },
    close: () => pool.destroy(),
  };
}

const lost = ['ambiguous', 'gave no reply that could be read'] as const;

/** A timeout is a DOMException, whose `code` is a number: its name says more. */
function codeOf(error: unknown): string {
  const {code, name} = error as {code?: unknown; name?: string};
  return typeof code === 'string' ? code : (name ?? 'unknown');
}

const unreachable = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Before a connection stood and was trusted, nothing can have been taken. */
const wasNeverSent = (error: unknown) =>
  unreachable.includes(codeOf(error)) || /CERT|TLS|SSL|VERIFY/.test(codeOf(error));

/** The upstream as a whole is away or too slow, whichever lead is sent. */
const isAway = (error: unknown) =>
  wasNeverSent(error) || ['TimeoutError', 'ETIMEDOUT'].includes(codeOf(error));
const stumble = (error: unknown, attempts: number) => ({
  aboutLead: attempts >= attemptsOfDoubt && !isAway(error),
});

/** Behind a gateway's error, or after one in its midst, the lead may have been taken. */
const mayHideSuccess = (status: number) => status === 408 || (status >= 500 && status !== 503);

/** @throws DeliveryError for every status but 2xx */
function refuseOthers(method: 'GET' | 'POST', {status, retryAfter}: Reply, attempts: number) {
  if (status >= 200 && status < 300) return;
  const message = `The upstream answered ${method} with ${status}`;
  if (misconfigurations[method].includes(status))
    throw new DeliveryError('misconfigured', message, {retryAfter});
  const fault = method === 'POST' && mayHideSuccess(status) ? 'ambiguous' : 'failed';
  const aboutLead = ![429, 503].includes(status) && attempts >= attemptsOfDoubt;
  throw new DeliveryError(fault, message, {retryAfter, aboutLead});
}

/** What comes with a success says nothing of other leads. */
function parse<Value>({text}: Reply, schema: z.ZodType<Value>, fault: DeliveryFault): Value {
  const about = {aboutLead: true};
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new DeliveryError(fault, 'The upstream answered with something that is not JSON', about);
  }
  const result = schema.safeParse(data);
  if (!result.success)
    throw new DeliveryError(fault, "The upstream's answer is not the specification's", about);
  return result.data;
}

/** Seconds or an HTTP date; milliseconds from now, and no longer than an hour. */
function readRetryAfter(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), longestWait) : 0;
}
