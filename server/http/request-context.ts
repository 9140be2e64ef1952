/**
 * Gives each request the properties that handlers read, such as its id and the visitor's address, and each response the
 * headers that all responses have. Emits an observation when a response has ended.
 */
import {randomUUID} from 'node:crypto';
import type {Request, RequestHandler} from 'express';
import type {ProblemCode} from '../../contract/problems.ts';
import type {Caller} from '../config/callers.ts';
import type {ClientAddress, createAddressReader} from './client-address.ts';
import type {Partner} from '../config/partners.ts';
import type {Visitor} from '../leads/visitor-submission.ts';
import type {Emit} from '../observe/observations.ts';
import {operations} from './operations.ts';
import {readQuery} from './query.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** A random id, which the observations of the request and the `X-Request-Id` header of its response hold. */
    id: string;
    /** The visitor's address in canonical spelling. Express's `ip` is not checked and may be any text. */
    address: ClientAddress['address'];
    /** The network of the address, which rate limits count as one visitor. */
    network: ClientAddress['network'];
    /** Set by `basicAuth`; read with `callerOf`. */
    caller?: Caller;
    /** Set by `partnerGate`; read with `partnerOf`. */
    partner?: Partner;
    /** The lead that the request created or read. */
    leadId?: string;
    /** Why the request was refused. */
    problem?: ProblemCode;
  }
}

/** @throws Error for a route that does not run `basicAuth` first */
export function callerOf({caller}: Pick<Request, 'caller'>): Caller {
  if (!caller) throw new Error('basicAuth did not run for this route');
  return caller;
}

/** @throws Error for a route that does not run `partnerGate` first */
export function partnerOf({partner}: Pick<Request, 'partner'>): Partner {
  if (!partner) throw new Error('partnerGate did not run for this route');
  return partner;
}

/** What leads/ keeps of who sent the request. */
export const visitorOf = (request: Request): Visitor => ({
  address: request.address,
  network: request.network,
  origin: request.get('Origin'),
  userAgent: request.get('User-Agent'),
  optsOut: request.get('Sec-GPC') === '1',
  asksNotToTrack: request.get('DNT') === '1',
});

/**
 * The headers of every response. They keep browsers from running the response of an API as a page, and from showing it in a
 * frame. Headers for browsers that nobody has any more are missing: each takes room in the first packets of the form's script.
 */
const fixedHeaders = new Map([
  ['content-security-policy', "default-src 'none';frame-ancestors 'none'"],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['strict-transport-security', 'max-age=31536000; includeSubDomains'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'SAMEORIGIN'],
  ['cache-control', 'no-store'],
]);

/** Replaces a path that no route has, because such a path may hold personal data. */
const unknownPath = ':unknown';
const operationPaths = new Set<string>(Object.values(operations).map(({path}) => path));

/** Gives every request an id and the visitor's address, sets the fixed headers, and emits an observation when it ends. */
export function requestContext(
  emit: Emit,
  readClientAddress: ReturnType<typeof createAddressReader>,
): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    request.id = randomUUID();
    // If the header was sent several times, Node joins the values with commas.
    const forwardedFor = request.get('X-Forwarded-For');
    const {address, network} = readClientAddress(request.socket.remoteAddress, forwardedFor);
    request.address = address;
    request.network = network;
    // Express's own property would parse the query anew at every access.
    if (request.url.includes('?')) Object.defineProperty(request, 'query', {value: readQuery(request.url)});
    response.setHeaders(fixedHeaders);
    response.setHeader('X-Request-Id', request.id);
    response.on('close', () => {
      const ms = Math.round(performance.now() - start);
      emitAnswered(emit, request, response.statusCode, ms);
    });
    next();
  };
}

function emitAnswered(emit: Emit, request: Request, status: number, ms: number) {
  const {id, method, caller, partner, leadId, problem} = request;
  const path = (request.route as {path: string} | undefined)?.path ?? unknownPath;
  emit({
    type: 'request-answered',
    request: id,
    method,
    path,
    isOperation: operationPaths.has(path),
    status,
    ms,
    caller: caller?.user,
    partner: partner?.key,
    lead: leadId,
    problem,
  });
}
