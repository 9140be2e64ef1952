/** Starts the app on a port and stops it without dropping what it accepted. */
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Request, Response} from 'express';
import type {Logger} from 'pino';
import {createApp} from './app.ts';
import type {Config} from './config.ts';
import {refuseUnparsable, replyWithoutExpress} from './http/problem-replies.ts';
import {usualPace, type Pace} from './delivery/pace.ts';
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
/** More are closed at once, so that a flood cannot take all memory. */
const mostConnections = 2_000;
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
  const server = createServer({...timeouts, requireHostHeader: false}, (request, response) => {
    // Node would answer these by itself, with an empty page or one of HTML.
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      replyWithoutExpress(response, 'bad-request', 'The Host header is missing.');
    } else {
      app.handle(request as Request, response as Response, () => {
        replyWithoutExpress(response, 'bad-request', 'The address cannot be understood.');
      });
    }
  });
  server.on('checkExpectation', (_request, response) => {
    replyWithoutExpress(response, 'expectation-failed', 'Only 100-continue is understood.');
  });
  server.maxConnections = mostConnections;
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
