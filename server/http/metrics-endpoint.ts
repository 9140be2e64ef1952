/**
 * `GET /metrics` for Prometheus, on an address of its own: the metrics name partners and destinations, which is nobody's
 * business but the operator's.
 */
import {once} from 'node:events';
import {createServer, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';

export type MetricsEndpoint = {port: number; close(): Promise<void>};

/** Milliseconds. Whoever reads the metrics sends a small request at once. */
const timeouts = {headersTimeout: 5_000, requestTimeout: 5_000};

/**
 * @param write makes the metrics
 * @throws Error when it cannot listen there
 */
export async function startMetricsEndpoint(
  {host, port}: {host: string; port: number},
  write: () => Promise<{type: string; text: string}>,
): Promise<MetricsEndpoint> {
  const server = createServer(timeouts, ({method, url}, response) => {
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
