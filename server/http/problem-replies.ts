/**
 * Turns errors into responses (RFC 9457, problem+json). All error responses in JSON are made in this file. Others: the
 * withdrawn script (embed/embed-files.ts), and the pages for people (apply/, snippets/).
 */
import {STATUS_CODES, type ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import type {ErrorRequestHandler, Request, RequestHandler, Response} from 'express';
import {problems, problemTypePrefix, type Problem, type ProblemCode} from '../../contract/problems.ts';
import {ProblemError, retryAfter, type Extras} from '../leads/problem-error.ts';
import {LeadUnreadable, StoreUnavailable} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';

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
  if (error instanceof StoreUnavailable) return storeUnavailable();
  if (error instanceof LeadUnreadable) {
    return new ProblemError(
      'lead-unreadable',
      'The lead is stored, but it is damaged, or its key is missing. Sending this again will not help: the operator of this server has to mend it.',
    );
  }
  // Express's router throws errors with a 4xx status, for example for a URL that it cannot decode.
  const {status} = error as {status?: number};
  if (status !== undefined && status >= 400 && status < 500) {
    return new ProblemError('bad-request', 'The request cannot be understood.');
  }
  return new ProblemError('internal', 'The error was logged. Please try again later.');
}

/**
 * Turns an error into the problem that the client gets. It says nothing about the cause of an unexpected error. For
 * such an error, and for an outage of the store, an observation with the cause is emitted.
 */
export function observedProblem(error: unknown, request: Request, emit: Emit): ProblemError {
  const answer = toProblem(error);
  request.problem = answer.code;
  if (error instanceof StoreUnavailable) {
    emit({type: 'store-unavailable', request: request.id, reason: error.reason});
  } else if (error instanceof LeadUnreadable) {
    request.leadId = error.id;
    emit({type: 'lead-unreadable', lead: error.id, reason: error.reason});
  } else if (problems[answer.code][0] >= 500 && !(error instanceof ProblemError)) {
    emit({type: 'request-failed', request: request.id, error});
  }
  return answer;
}

/** Express's error handler. */
export function errorReplies(emit: Emit): ErrorRequestHandler {
  // Express takes a function for an error handler only if it has four parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  return (error: unknown, request, response, _next) => {
    const answer = observedProblem(error, request, emit);
    if (!response.headersSent) reply(response, answer);
    // An error passes from router to router in several turns of the event loop. Meanwhile the lead of a request whose time
    // was over may have been stored and answered with 201, which holds. A response that is not complete is cut off.
    else if (!response.writableEnded) response.destroy();
  };
}

const storeUnavailable = () =>
  new ProblemError(
    'store-unavailable',
    'If this was a lead, it may have been stored. Send it again shortly with the same Idempotency-Key.',
    retryAfter(5),
  );

export const shuttingDown = () =>
  new ProblemError('shutting-down', 'Please send it again shortly.', retryAfter(5));

/** Refuses every request with a 503 while `stopping()` is true. */
export const refuseWhile =
  (stopping: () => boolean): RequestHandler =>
  (_request, _response, next) => {
    if (!stopping()) return next();
    throw shuttingDown();
  };

export const notFound: RequestHandler = () => {
  throw new ProblemError('not-found', 'There is nothing at this address.');
};

/** @param allowed the methods of the route, as the `Allow` header lists them */
export const methodNotAllowed =
  (allowed: string): RequestHandler =>
  () => {
    throw new ProblemError('method-not-allowed', `Use ${allowed}.`, {headers: {Allow: allowed}});
  };

const unparsable: Readonly<Record<string, ProblemError>> = {
  HPE_HEADER_OVERFLOW: new ProblemError(
    'headers-too-large',
    'The headers have too many bytes. If they are cookies, delete those of this domain in the settings of the browser.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new ProblemError('request-timeout', 'Send the whole request without a pause.'),
};
const notHttp = new ProblemError('bad-request', 'The request cannot be understood.');

/** Replies to a request that is refused before Express sees it. */
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

export type WriteProblem = (reason: Problem) => {type: string; body: string};
const asJson: WriteProblem = (reason) => ({type: mediaType, body: JSON.stringify(reason)});

/**
 * Replies on a connection whose request Node's HTTP parser refused.
 * @param earlier the response of an earlier request that is not sent yet
 */
export function refuseUnparsable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  earlier?: ServerResponse,
  write = asJson,
) {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  // An earlier request on this connection may still wait for its response. The client would mistake an error for that
  // response. So no error is sent, and the connection closes after the response.
  if (earlier?.req.complete) {
    earlier.once('finish', () => socket.end());
    return;
  }
  if (earlier?.headersSent) {
    socket.destroy();
    return;
  }
  const {code, message} = unparsable[error.code ?? ''] ?? notHttp;
  const reason = problem(code, message);
  const {status} = reason;
  const {type, body} = write(reason);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
