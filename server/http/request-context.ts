import {randomUUID} from 'node:crypto';
import {IncomingMessage, ServerResponse} from 'node:http';
import {Socket} from 'node:net';
import type {RequestHandler} from 'express';
import helmet from 'helmet';
import type {Caller} from '../callers.ts';
import type {ClientAddress, createAddressReader} from './client-address.ts';
import type {Partner} from '../partners.ts';
import type {Standing} from './quota.ts';
import type {RequestLog} from './request-log.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** In the log and in the `X-Request-Id` of the answer. */
    id: string;
    /** The visitor's address, in canonical spelling. Not Express's `ip`, which believes any text. */
    address: ClientAddress['address'];
    /** What limits count as one visitor. */
    network: ClientAddress['network'];
    /** Set by `basicAuth`. */
    caller?: Caller;
    /** Set by `partnerGate`. */
    partner?: Partner;
    /** Set by `embedApi` where a proof of work is asked for. */
    standing?: Promise<Standing>;
    /** The lead that the request made, or that its sender was allowed to read. */
    leadId?: string;
  }
}

/** For an API: nothing it answers is a page, and only the built form is for others' pages. */
const guard = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {defaultSrc: ["'none'"], frameAncestors: ["'none'"]},
  },
});

/** What every answer carries. Worked out once, on a sample: helmet's headers are the same for every request. */
function fixedHeaders(): Map<string, string> {
  const sample = new ServerResponse(new IncomingMessage(new Socket()));
  guard(sample.req, sample, () => undefined);
  sample.setHeader('cache-control', 'no-store');
  return new Map(Object.entries(sample.getHeaders()) as [string, string][]);
}

/** A request id, the visitor's address, the headers that every answer has, and a line in the log. */
export function requestContext(
  requestLog: Pick<RequestLog, 'write'>,
  readClientAddress: ReturnType<typeof createAddressReader>,
): RequestHandler {
  const headers = fixedHeaders();
  return (request, response, next) => {
    const start = performance.now();
    request.id = randomUUID();
    // Node joins several headers of this name into one text.
    const forwardedFor = request.headers['x-forwarded-for'] as string | undefined;
    const {address, network} = readClientAddress(request.socket.remoteAddress, forwardedFor);
    request.address = address;
    request.network = network;
    response.setHeaders(headers);
    response.setHeader('X-Request-Id', request.id);
    response.on('close', () => requestLog.write(request, response, Math.round(performance.now() - start)));
    next();
  };
}
