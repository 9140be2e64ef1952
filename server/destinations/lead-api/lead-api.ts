/**
 * A destination with the API of the specification: `POST /json/leads` creates the lead there, `GET /json/leads/:id`
 * reads its amounts. Requests have the credentials and the `cid` of the configuration. Every reply is checked against
 * the specification.
 */
import {randomUUIDv7} from 'node:crypto';
import {buildConnector, type Dispatcher} from 'undici';
import type {LeadApiSettings} from '../../config/destinations.ts';
import {paths} from '../../../contract/api.ts';
import {formQuestionNames} from '../../../contract/questions.ts';
import {tableOf} from '../../../contract/table-of.ts';
import type {Settlement} from '../../leads/deliveries.ts';
import {phoneOf} from '../../leads/read-contact.ts';
import {certificatePeriod} from '../certificate-period.ts';
import {
  codeOf,
  DeliveryError,
  withRecord,
  type DeliveryRequest,
  type Destination,
  type RecordRequest,
} from '../destination.ts';
import {forSockets} from '../lookups.ts';
import {usualNetwork, type Network} from '../network.ts';
import {readRetryAfter} from '../retry-after.ts';
import {usualParallel} from '../terms.ts';
import {notesOf} from './notes.ts';
import {withoutStatus, withStatus} from './failures.ts';
import {
  amountsShape,
  createdShape,
  maxReplyBytes,
  namedFields,
  parseReply,
  says,
  type Reply,
} from './reply.ts';

/** Milliseconds. A look-up takes half of this time at most. */
const longestConnecting = 10_000;
/** Statuses with which the upstream refuses a lead for good. */
const refusals = [400, 413, 422];
/**
 * Our own API has them for a lead that it has erased, and for one that its own upstream has refused for good. Others mean
 * something else by them: the body says which.
 */
const [gone, badGateway] = [410, 502];
/**
 * Milliseconds. The body of an error is read for up to this long, because only then can the connection be used again.
 */
const errorBodyWait = 1_000;

type Upstream = {
  settings: LeadApiSettings;
  timeout: number;
  base: URL;
  pool: ReturnType<Network['createPool']>;
  /** Connects whatever the certificate, to read why it is refused. */
  uncheckedConnect: buildConnector.connector;
  leadsPath: string;
  authorization: string;
};

/** @param timeout milliseconds for one attempt to deliver a lead */
export function createLeadApi(
  settings: LeadApiSettings,
  timeout: number,
  network: Partial<Network> = {},
): Destination {
  const {lookup, createPool} = {...usualNetwork, ...network};
  const {url, user, password, parallel = usualParallel} = settings;
  const base = new URL(url);
  const connecting = {timeout: Math.min(timeout, longestConnecting), lookup: forSockets(lookup)};
  const pool = createPool(base.origin, {
    // As many as the dispatcher starts at once. A request that waited for a connection could reach its time limit there, and
    // would look as if the upstream might have the lead.
    connections: parallel,
    connect: connecting,
    maxResponseSize: maxReplyBytes,
  });
  const upstream: Upstream = {
    settings,
    timeout,
    base,
    pool,
    uncheckedConnect: buildConnector({...connecting, rejectUnauthorized: false}),
    leadsPath: `${base.pathname.replace(/\/$/, '')}${paths.leads}`,
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  };
  return {
    deliver: (request) => deliver(upstream, request),
    test: () => test(upstream),
    close: () => pool.destroy(),
  };
}

async function deliver(upstream: Upstream, given: DeliveryRequest): Promise<Settlement> {
  const {timeout} = upstream;
  const request = withRecord(given);
  const {lead, attempts, onTaken} = request;
  let {remoteId} = request;
  let left = timeout;
  if (remoteId === null) {
    const begun = performance.now();
    const posted = await post(upstream, request);
    // Only the upstream's own time counts. `onTaken` may have to wait for the store, which is not its fault.
    left -= performance.now() - begun;
    if ('refusedWith' in posted) {
      const fields = namedFields(posted.refusedWith, lead.lead);
      const reason = `The upstream refused the lead with ${posted.refusedWith.status}`;
      return fields.length > 0
        ? {state: 'refused', reason: `${reason} (${fields.join(', ')})`, fields}
        : {state: 'refused', reason};
    }
    ({remoteId} = posted);
    await onTaken(remoteId);
  }
  const isStandard = lead.lead.lead_type === 'standard';
  const signal = AbortSignal.timeout(Math.max(0, Math.ceil(left)));
  const amounts = isStandard ? null : await get(upstream, remoteId, attempts, signal);
  if (amounts === 'refused')
    return {state: 'refused', reason: `The upstream refused the lead with ${badGateway}`};
  return {state: 'delivered', answer: {status: 'done', amounts, reasons: {}, policyVersion: null}};
}

async function test(upstream: Upstream): Promise<Settlement> {
  const path = `${upstream.leadsPath}/${randomUUIDv7()}`;
  const reply = await ask(upstream, 'GET', {
    path,
    attempts: 0,
    signal: AbortSignal.timeout(upstream.timeout),
  });
  if (reply.status !== 404 && !isSuccess(reply.status)) throw withStatus('GET', reply, 0);
  // A wrong path is answered with 404 as well, so the note does not say that the credentials were accepted.
  const note = `The upstream answered ${reply.status} for a lead that it does not have, and did not refuse the credentials`;
  return {state: 'delivered', answer: null, note};
}

async function post(
  upstream: Upstream,
  {lead: record, attempts}: RecordRequest,
): Promise<{remoteId: string} | {refusedWith: Reply}> {
  const {settings, timeout, leadsPath: path} = upstream;
  const signal = AbortSignal.timeout(timeout);
  const headers = {'content-type': 'application/json', 'idempotency-key': record.id};
  const notes = notesOf(record, settings.attributionInNotes);
  const body = JSON.stringify({
    ...record.lead,
    ...tableOf([...formQuestionNames, 'answers'], () => undefined),
    cid: settings.cid,
    // Another server may read only what is written as usual.
    phone: phoneOf(record.lead.phone.typed)?.plain ?? record.lead.phone.typed,
    notes,
  });
  const reply = await ask(upstream, 'POST', {path, attempts, signal, headers, body});
  if (refusals.includes(reply.status)) {
    // So says our own API of a lead whose reply was lost, if a reload has changed since then what goes along with it.
    if (!says(reply, 'idempotency-key-reused')) return {refusedWith: reply};
    const message = 'The upstream has the lead already, with another cid or other notes';
    throw new DeliveryError('ambiguous', message, {aboutLead: true, unreadable: true});
  }
  if (reply.status === gone && says(reply, 'lead-erased')) return {refusedWith: reply};
  if (!isSuccess(reply.status)) throw withStatus('POST', reply, attempts);
  return {remoteId: parseReply('POST', reply, createdShape).id};
}

async function get(upstream: Upstream, remoteId: string, attempts: number, signal: AbortSignal) {
  const path = `${upstream.leadsPath}/${encodeURIComponent(remoteId)}`;
  const reply = await ask(upstream, 'GET', {path, attempts, signal});
  if (reply.status === badGateway && says(reply, 'upstream-refused')) return 'refused';
  if (!isSuccess(reply.status)) throw withStatus('GET', reply, attempts);
  return parseReply('GET', reply, amountsShape);
}

type Question = {
  path: string;
  attempts: number;
  signal: AbortSignal;
  headers?: Record<string, string>;
  body?: string;
};

async function ask(
  {base, pool, uncheckedConnect, authorization}: Upstream,
  method: 'GET' | 'POST',
  {path, attempts, signal, headers: more, body}: Question,
): Promise<Reply> {
  const headers = {authorization, accept: 'application/json', 'accept-encoding': 'identity', ...more};
  const reply = await pool
    .request({method, path, headers, body: body ?? null, signal})
    .catch(async (error: unknown) => {
      const period = await certificatePeriod(error, base, uncheckedConnect);
      throw withoutStatus(method, error, attempts, {who: `the upstream ${base.hostname}`, period});
    });
  const {statusCode: status, headers: replied} = reply;
  return {
    status,
    body: isSuccess(status)
      ? await readBody(reply)
      : [...refusals, gone, badGateway].includes(status)
        ? await readRefusal(reply)
        : await dropBody(reply, signal),
    contentEncoding: [replied['content-encoding'] ?? ''].flat().join(','),
    retryAfter: readRetryAfter(replied['retry-after']),
  };
}

const isSuccess = (status: number) => status >= 200 && status < 300;

/**
 * Does not reject if the body ends early. The 2xx status already says that the upstream has the lead, so the failure
 * must not look like a request without a reply.
 */
const readBody = ({body}: Dispatcher.ResponseData): Promise<Reply['body']> =>
  body.bytes().then(
    (bytes) => ({received: Buffer.from(bytes)}),
    (error: unknown) => ({broken: codeOf(error)}),
  );

/** The body of a refusal may name the fields. The server does not wait long for it, because the status says enough. */
function readRefusal(reply: Dispatcher.ResponseData): Promise<Reply['body']> {
  const tooLate = setTimeout(() => reply.body.destroy(), errorBodyWait);
  return readBody(reply).finally(() => clearTimeout(tooLate));
}

/** Drops the body of an error, because the status says enough. Does not reject if the body is broken or too long. */
async function dropBody({body}: Dispatcher.ResponseData, signal: AbortSignal): Promise<Reply['body']> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(errorBodyWait)]);
  await body.dump({limit: maxReplyBytes, signal: soon}).catch(() => body.destroy());
  return {broken: 'dropped'};
}
