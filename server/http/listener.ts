/** An HTTP server that limits what clients can do to it, and that lets requests end when it closes. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import {Server as NetServer} from 'node:net';
import {setImmediate as turnOfEventLoop} from 'node:timers/promises';
import type {Express, Request, Response} from 'express';
import type {Config} from '../config/config.ts';
import type {Emit} from '../observe/observations.ts';
import {createProxyCheck} from './client-address.ts';
import {guardConnections, type ConnectionGuard, type ConnectionLimits} from './connections.ts';
import {closeAfterLargeBody, isDeclaredTooLarge} from './large-body.ts';
import {refuseUnparsable, replyWithoutExpress, type WriteProblem} from './problem-replies.ts';

/** Milliseconds. Node's defaults are minutes. The keep-alive is longer than 60 s, the default of reverse proxies. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
};

type Settings = {
  emit: Emit;
  trustProxy: Config['trustProxy'];
  limits: ConnectionLimits;
  /** How many bytes all headers of a request may have. Node's default is 16 KiB. */
  maxHeaderSize?: number;
  /** How a request that cannot be parsed is refused. As JSON unless it says otherwise. */
  writeProblem?: WriteProblem;
  /** The classes of requests and responses (express-app.ts). */
  messages?: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
};

/** `portCloses` is there once the port is about to close. Requests that arrive until it resolves wait for it. */
export type Listener = Server & {connectionGuard: ConnectionGuard; portCloses?: Promise<void>};

export function createListener(
  handle: Express,
  {emit, trustProxy, limits, maxHeaderSize, writeProblem, messages = {}}: Settings,
): Listener {
  const bare = createServer({...timeouts, ...messages, maxHeaderSize, requireHostHeader: false});
  const connections = guardConnections(bare, emit, createProxyCheck(trustProxy), limits);
  const server: Listener = Object.assign(bare, {connectionGuard: connections});
  server.on('request', (request, response) => {
    if (!connections.track(request, response)) return;
    closeAfterLargeBody(request, response);
    if (server.portCloses && server.listening) void server.portCloses.then(() => respond(request, response));
    else respond(request, response);
  });
  function respond(request: IncomingMessage, response: ServerResponse) {
    // Node's own checks are not enough: its reply to a missing Host header has no body, and of several Host headers it
    // takes the first.
    const hosts = hostHeaders(request);
    if (hosts > 1) {
      replyWithoutExpress(response, 'bad-request', 'The Host header was sent more than once.');
    } else if (hosts === 0 && request.httpVersion === '1.1') {
      replyWithoutExpress(response, 'bad-request', 'The Host header is missing.');
    } else {
      handle(request as Request, response as Response, () => {
        replyWithoutExpress(response, 'bad-request', 'The address cannot be understood.');
      });
    }
  }
  // No 100-continue for a body that is too large, so that the client does not send it.
  server.on('checkContinue', (request, response) => {
    if (!isDeclaredTooLarge(request)) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    // An empty header expects nothing. Guzzle sends one if it is told to leave `Expect` out.
    if (!request.headers.expect?.trim()) return void server.emit('request', request, response);
    if (!connections.track(request, response)) return;
    closeAfterLargeBody(request, response);
    replyWithoutExpress(response, 'expectation-failed', 'Only 100-continue is understood.');
  });
  server.on('clientError', (error, socket) =>
    refuseUnparsable(error, socket, connections.currentResponse(socket), writeProblem),
  );
  return server;
}

/**
 * Closes the port, and then each connection with its next response, which the clients are told.
 * @param requestsEnd milliseconds that requests in flight have to end
 * @param idleEnd milliseconds after which connections are closed that have sent no request
 */
export async function closeListener(
  server: Listener,
  requestsEnd: number,
  emit: Emit,
  idleEnd = 100,
): Promise<void> {
  const closed = new Promise((resolve) => server.once('close', resolve));
  const cutOff = setTimeout(() => {
    server.getConnections((_error, count) => emit({type: 'connections-cut', connections: count}));
    server.closeAllConnections();
  }, requestsEnd);
  server.portCloses = closePort(server);
  await server.portCloses;
  // What has arrived is read after the timers of a turn, and then no connection with a request counts as idle.
  const closeIdle = setInterval(() => setImmediate(() => server.closeIdleConnections()), idleEnd);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cutOff);
  // Nothing is open any more. This ends the timer with which Node checks the connections.
  server.close();
}

/**
 * Closes the port when no connection waits to be accepted, because the system resets those that do. Node accepts one in
 * each turn of the event loop. Requests wait meanwhile, so clients that open a connection for each request open no other.
 */
async function closePort(server: Listener) {
  let isAccepted = true;
  server.on('connection', () => (isAccepted = true));
  // No more than 511 wait at the same time, so this ends even if there are clients that never stop.
  for (let turns = 0; isAccepted && turns < 511; turns += 1) {
    isAccepted = false;
    // The first ends the turn that goes on, and the second a whole one.
    await turnOfEventLoop();
    await turnOfEventLoop();
  }
  // This closes the port alone. The own `close` of an HTTP server would also close idle connections at once, although a
  // request may be on its way on them.
  NetServer.prototype.close.call(server);
  server.connectionGuard.endWithNext();
}

function hostHeaders({rawHeaders}: IncomingMessage): number {
  // `rawHeaders` alternates names and values.
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
}
