/** Starts the app on a port and stops it without dropping what it accepted. */
import {once} from 'node:events';
import {createServer, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Request, Response} from 'express';
import type {Logger} from 'pino';
import {createApp} from './app.ts';
import type {Config} from './config.ts';
import {guardConnections} from './connections.ts';
import {createProxyCheck} from './http/client-address.ts';
import {endAfterLargeBody, isDeclaredTooLarge} from './http/large-body.ts';
import {refuseUnparsable, replyWithoutExpress} from './http/problem-replies.ts';
import {usualPace, type Pace} from './delivery/pace.ts';
import {createLogSampler} from './log-sampler.ts';
import type {LeadStore} from './store/lead-store.ts';

/** Milliseconds. Node's own are minutes long; a keep-alive outlives that of the usual reverse proxy. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
};
/** A connection on which nothing moves for this long, in either direction, is cut off. */
const silence = 20_000;
/** Requests still under way after this are cut off, so that the process ends in 10 s. */
const patienceAtEnd = 7_000;

export type RunningServer = {port: number; close(): Promise<void>};

/** @throws Error when the port is taken or the store cannot be opened */
export async function startServer(
  config: Config,
  log: Logger,
  store?: LeadStore,
  pace: Pace = usualPace,
): Promise<RunningServer> {
  const app = await createApp(config, log, store, pace);
  const server = createServer({...timeouts, requireHostHeader: false});
  const connections = guardConnections(server, createLogSampler(log), createProxyCheck(config.trustProxy));
  server.on('request', (request, response) => {
    if (!connections.admit(request, response)) return;
    endAfterLargeBody(request, response);
    // Node answers a missing Host header by itself, with an empty page, and takes the first of two.
    const hosts = hostHeaders(request);
    if (hosts > 1) {
      replyWithoutExpress(response, 'bad-request', 'The Host header was sent more than once.');
    } else if (hosts === 0 && request.httpVersion === '1.1') {
      replyWithoutExpress(response, 'bad-request', 'The Host header is missing.');
    } else {
      app.handle(request as Request, response as Response, () => {
        replyWithoutExpress(response, 'bad-request', 'The address cannot be understood.');
      });
    }
  });
  // A body that is too large is refused without being asked for.
  server.on('checkContinue', (request, response) => {
    if (!isDeclaredTooLarge(request)) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    if (!connections.admit(request, response)) return;
    endAfterLargeBody(request, response);
    replyWithoutExpress(response, 'expectation-failed', 'Only 100-continue is understood.');
  });
  server.setTimeout(silence);
  server.on('clientError', refuseUnparsable);
  server.listen(config.port, config.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await app.close(0);
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const end = Date.now() + pace.end;
      const closed = once(server, 'close');
      app.refuseRequests();
      server.close();
      // A connection falls idle when its last answer has gone; nobody else would close it then.
      const closeIdle = setInterval(() => server.closeIdleConnections(), 100);
      const cutOff = setTimeout(() => server.closeAllConnections(), patienceAtEnd);
      await closed;
      clearInterval(closeIdle);
      clearTimeout(cutOff);
      await app.close(Math.max(0, end - Date.now()));
    },
  };
}

function hostHeaders({rawHeaders}: IncomingMessage): number {
  // Names stand at even places, each before its value.
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
}
