/**
 * `GET /metrics` for Prometheus, on an address of its own: the metrics name partners and destinations, which is nobody's
 * business but the operator's.
 */
import {once} from 'node:events';
import {createServer, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Emit} from '../observe/observations.ts';
import {connectionLimits, guardConnections} from './connections.ts';

export type MetricsEndpoint = {port: number; close(): Promise<void>};

/** Milliseconds. They are short, because programs that read the metrics send one small request at once. */
const timeouts = {headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000};
/** Few programs read the metrics. When there are more connections, idle ones are closed. */
const connections = 16;

/**
 * @param emit gets an observation when there are too many connections
 * @param write makes the metrics
 * @throws Error when it cannot listen there
 */
export async function startMetricsEndpoint(
  {host, port}: {host: string; port: number},
  emit: Emit,
  write: () => Promise<{type: string; text: string}>,
): Promise<MetricsEndpoint> {
  const server = createServer(timeouts);
  const guard = guardConnections(server, emit, () => true, {...connectionLimits, connections});
  server.on('request', (request, response) => {
    if (!guard.track(request, response)) return;
    const {method, url} = request;
    if (url !== '/metrics') return reply(response, 404, 'There is nothing at this address but /metrics.');
    if (method !== 'GET') {
      response.setHeader('Allow', 'GET');
      return reply(response, 405, 'Use GET.');
    }
    write().then(
      ({type, text}) => reply(response, 200, text, type),
      () => reply(response, 500, 'The metrics cannot be read.'),
    );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw new Error(
      `The metrics cannot listen at METRICS_HOST and METRICS_PORT: ${(error as Error).message}`,
    );
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      // A scrape that is cut off is made again, and nothing waits for it.
      server.closeAllConnections();
      await closed;
    },
  };
}

function reply(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8') {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}
