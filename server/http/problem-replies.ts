/** Where an error becomes a reply. Every error on every path leaves through here, as RFC 9457 problem+json. */
import {STATUS_CODES, type ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import type {ErrorRequestHandler, RequestHandler, Response} from 'express';
import type {Logger} from 'pino';
import {problems, problemTypePrefix, type Problem, type ProblemCode} from '../../contract/api.ts';
import {createLogSampler} from '../log-sampler.ts';
import {StoreUnavailable} from '../store/lead-store.ts';

type Extras = {headers?: Record<string, string>; errors?: NonNullable<Problem['errors']>};

/** Thrown by a route to say no. `detail` is for the caller's eyes: no secret, nothing that was sent. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly extras: Extras;

  constructor(code: ProblemCode, detail: string, extras: Extras = {}) {
    super(detail);
    this.name = 'ProblemError';
    this.code = code;
    this.extras = extras;
  }
}

const mediaType = 'application/problem+json';

function problem(code: ProblemCode, detail: string, errors?: Extras['errors']): Problem {
  const [status, title] = problems[code];
  return {type: `${problemTypePrefix}${code}`, title, status, detail, ...(errors && {errors})};
}

function reply(response: Response, {code, message, extras}: ProblemError) {
  const body = problem(code, message, extras.errors);
  response
    .status(body.status)
    .set(extras.headers ?? {})
    .type(mediaType)
    .send(JSON.stringify(body));
}

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof StoreUnavailable) {
    return new ProblemError(
      'store-unavailable',
      'If this was a lead, send it again shortly with the same Idempotency-Key.',
      {
        headers: {'Retry-After': '5'},
      },
    );
  }
  // Express's router throws such errors, for an address that it cannot decode.
  const {status} = error as {status?: number};
  if (status !== undefined && status >= 400 && status < 500) {
    return new ProblemError('bad-request', 'The request cannot be understood.');
  }
  return new ProblemError('internal', 'The error was logged. Please try again later.');
}

/**
 * Express's last handler. An error of the server (5xx) is logged with its cause; the caller is told nothing about
 * it. While the store cannot work every request fails alike, so these lines are sampled.
 */
export function errorReplies(log: Logger): ErrorRequestHandler {
  const sampler = createLogSampler(log);
  return (error: unknown, request, response, next) => {
    const answer = toProblem(error);
    if (error instanceof StoreUnavailable) {
      const {reason} = error;
      sampler.write('error', reason, {request: request.id, reason}, 'the store cannot work: 503');
    } else if (problems[answer.code][0] >= 500 && !(error instanceof ProblemError)) {
      log.error({request: request.id, err: error});
    }
    if (response.headersSent) next(error);
    else reply(response, answer);
  };
}

/** While it is true, which is when the service stops, every request is turned away. */
export const refuseWhile =
  (stopping: () => boolean): RequestHandler =>
  (_request, _response, next) => {
    if (!stopping()) return next();
    throw new ProblemError('shutting-down', 'Please send it again shortly.', {
      headers: {'Retry-After': '5', Connection: 'close'},
    });
  };

export const notFound: RequestHandler = () => {
  throw new ProblemError('not-found', 'There is nothing at this address.');
};

/** @param allowed the methods that the route does have, as the `Allow` header wants them */
export const methodNotAllowed =
  (allowed: string): RequestHandler =>
  () => {
    throw new ProblemError('method-not-allowed', `Use ${allowed}.`, {headers: {Allow: allowed}});
  };

const unparsable: Readonly<Record<string, ProblemError>> = {
  HPE_HEADER_OVERFLOW: new ProblemError('headers-too-large', 'The headers may have at most 16 KiB in all.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ProblemError('request-timeout', 'Send the whole request without a pause.'),
};
const notHttp = new ProblemError('bad-request', 'The request cannot be understood.');

/** For requests that never get as far as Express. */
export function replyWithoutExpress(response: ServerResponse, code: ProblemCode, detail: string) {
  const reason = problem(code, detail);
  const body = JSON.stringify(reason);
  response.writeHead(reason.status, {
    'Content-Type': mediaType,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.end(body);
}

/** For requests that Node's parser refuses before Express sees them. */
export function refuseUnparsable(error: NodeJS.ErrnoException, socket: Duplex) {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  // A whole request before it still waits for its answer, and would take this one for it.
  const {_httpMessage: underWay} = socket as {_httpMessage?: ServerResponse};
  if (underWay?.req.complete) {
    underWay.once('finish', () => socket.end());
    return;
  }
  if (underWay?.headersSent) {
    socket.destroy();
    return;
  }
  const {code, message} = unparsable[error.code ?? ''] ?? notHttp;
  const reason = problem(code, message);
  const {status} = reason;
  const body = JSON.stringify(reason);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: ${mediaType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
