/**
 * Starts the HTTP server on a port. To stop it, closes the port, refuses new requests, and gives those in flight time to
 * end. Before that, it may drain: it goes on, but asks load balancers to send requests elsewhere.
 */
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import {promisify} from 'node:util';
import {createApp} from './app.ts';
import {readConfig, type Config} from './config/config.ts';
import {connectionLimits} from './http/connections.ts';
import {closeListener, createListener} from './http/listener.ts';
import {startMetricsEndpoint, type MetricsEndpoint} from './http/metrics-endpoint.ts';
import {usualTimings, type Timings} from './config/timings.ts';
import type {Emit} from './observe/observations.ts';
import type {LeadStore} from './leads/ports.ts';

/** The library of the metrics takes memory, so it is loaded only if there are any. */
const loadMetrics = () => import('./observe/metrics.ts');

export type RunningServer = {
  port: number;
  /** Undefined without metrics. */
  metricsPort: number | undefined;
  /**
   * From now on, `/readyz` says 503, and no waiting delivery is claimed. Requests are served until `close`, and those that
   * arrive on open connections after it as well.
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
  let draining = false;
  const {handle, messages} = app;
  const server = createListener(handle, {
    emit,
    trustProxy: config.trustProxy,
    limits: connectionLimits,
    messages,
  });
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
      const deadline = performance.now() + timings.deliveriesEnd;
      if (!draining) app.refuseRequests();
      // After a drain, clients that send requests all the time have half a second to hear that their connection ends.
      await closeListener(server, timings.requestsEnd, emit, draining ? 500 : undefined);
      await metricsEndpoint?.close();
      await app.close(Math.max(0, deadline - performance.now()));
    },
  };
}
