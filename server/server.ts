/**
 * Starts the HTTP server on a port. To stop it, closes the port, refuses new requests, and gives those in flight time to
 * end. Before that, it may drain: it goes on, but asks load balancers and clients to go elsewhere.
 */
import {once} from 'node:events';
import {createServer, type IncomingMessage} from 'node:http';
import {Server as NetServer, type AddressInfo} from 'node:net';
import {promisify} from 'node:util';
import type {Request, Response} from 'express';
import {createApp} from './app.ts';
import {readConfig, type Config} from './config/config.ts';
import {connectionLimits, guardConnections} from './http/connections.ts';
import {createProxyCheck} from './http/client-address.ts';
import {closeAfterLargeBody, isDeclaredTooLarge} from './http/large-body.ts';
import {startMetricsEndpoint, type MetricsEndpoint} from './http/metrics-endpoint.ts';
import {refuseUnparsable, replyWithoutExpress} from './http/problem-replies.ts';
import {usualTimings, type Timings} from './config/timings.ts';
import type {Emit} from './observe/observations.ts';
import type {LeadStore} from './leads/ports.ts';

/** Milliseconds. Node's defaults are minutes. The keep-alive is longer than 60 s, the default of reverse proxies. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
};

/** The library of the metrics takes memory, so it is loaded only if there are any. */
const loadMetrics = () => import('./observe/metrics.ts');

export type RunningServer = {
  port: number;
  /** Undefined without metrics. */
  metricsPort: number | undefined;
  /**
   * From now on, `/readyz` says 503, each connection ends with its next response, and no waiting delivery is claimed.
   * Requests are served until `close`, and those that it finds on open connections are served as well.
   */
  drain(): Promise<void>;
  /** Reads settings and files again. Never rejects: the log says how it ended. */
  reload(): Promise<void>;
  close(): Promise<void>;
};

/**
 * @param read reads the settings and files for a reload
 * @throws Error when the port is taken, or the store cannot be opened or has a mark
 */
export async function startServer(
  config: Config,
  log: Emit,
  store?: LeadStore,
  timings: Timings = usualTimings,
  read: () => Config = readConfig,
): Promise<RunningServer> {
  let inForce = config;
  const metrics = config.metrics && (await loadMetrics()).createMetrics(() => inForce);
  const emit: Emit = metrics
    ? (observation) => {
        log(observation);
        metrics.emit(observation);
      }
    : log;
  const app = await createApp(config, emit, store, timings);
  const server = createServer({...timeouts, ...app.messages, requireHostHeader: false});
  const connections = guardConnections(server, emit, createProxyCheck(config.trustProxy), connectionLimits);
  let draining = false;
  server.on('request', (request, response) => {
    if (!connections.track(request, response)) return;
    if (draining) response.shouldKeepAlive = false;
    closeAfterLargeBody(request, response);
    // Node's own checks are not enough: its reply to a missing Host header has no body, and of several Host headers it
    // takes the first.
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
  // No 100-continue for a body that is too large, so that the client does not send it.
  server.on('checkContinue', (request, response) => {
    if (!isDeclaredTooLarge(request)) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    if (!connections.track(request, response)) return;
    closeAfterLargeBody(request, response);
    replyWithoutExpress(response, 'expectation-failed', 'Only 100-continue is understood.');
  });
  server.on('clientError', (error, socket) =>
    refuseUnparsable(error, socket, connections.currentResponse(socket)),
  );
  const readings = async () => ({
    ...(await app.readings()),
    connections: await promisify(server.getConnections.bind(server))(),
  });
  // Before the port is open, because this throws if the leads of the store were moved.
  const {reload} = await app.startReloads(read, (next) => {
    inForce = next;
  });
  let metricsEndpoint: MetricsEndpoint | undefined;
  try {
    if (config.metrics && metrics)
      metricsEndpoint = await startMetricsEndpoint(config.metrics, emit, async () =>
        metrics.write(await readings()),
      );
    server.listen(config.port, config.host);
    await once(server, 'listening');
  } catch (error) {
    await metricsEndpoint?.close();
    await app.close(0);
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    metricsPort: metricsEndpoint?.port,
    drain() {
      draining = true;
      return app.drain();
    },
    reload,
    async close() {
      const end = performance.now() + timings.deliveriesEnd;
      const closed = once(server, 'close');
      if (!draining) app.refuseRequests();
      // This closes the port alone. The own `close` of an HTTP server would also close idle connections at once, although
      // a request may be on its way on them.
      NetServer.prototype.close.call(server);
      const closeIdle = setInterval(() => server.closeIdleConnections(), 100);
      const cutOff = setTimeout(() => {
        server.getConnections((_error, count) => emit({type: 'connections-cut', connections: count}));
        server.closeAllConnections();
      }, timings.requestsEnd);
      await closed;
      clearInterval(closeIdle);
      clearTimeout(cutOff);
      // Nothing is open any more. This ends the timer with which Node checks the connections.
      server.close();
      await metricsEndpoint?.close();
      await app.close(Math.max(0, end - performance.now()));
    },
  };
}

function hostHeaders({rawHeaders}: IncomingMessage): number {
  // `rawHeaders` alternates names and values.
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
}
