/** The exports of the package `lead-prequal-server`. */
import type {IncomingMessage, ServerResponse} from 'node:http';
import {createApp as createAppOf} from './app.ts';
import {readConfig} from './config/config.ts';
import {sizeThreadPool} from './config/thread-pool.ts';
import {usualTimings} from './config/timings.ts';
import {createLog} from './observe/log.ts';
import {createObservationLog} from './observe/observation-log.ts';
import {startServer as startServerOf} from './server.ts';
import {newestScript} from './snippets/newest-script.ts';

/** The settings by their names, such as `PUBLIC_URL`. The default is the environment of the process. */
export type Settings = Readonly<Record<string, string | undefined>>;

export type LeadApp = {
  /** Answers a request, as a listener of `node:http` or as a handler of Express. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Ends the deliveries and closes the store. Close the port before. */
  close(): Promise<void>;
};

export type LeadServer = {
  port: number;
  /** Closes the port, lets requests in flight end, and closes the store. */
  close(): Promise<void>;
};

/** Reads the settings, and opens the log, which goes to standard output. */
function begin(settings: Settings | undefined) {
  const config = readConfig(settings);
  sizeThreadPool(config.destinations);
  const log = createObservationLog(createLog(config.logLevel));
  for (const warning of config.warnings) log.emit({type: 'config-doubtful', warning});
  return {config, log};
}

/**
 * The lead service for a server of your own. It opens the store, but no port. `startServer` also limits how long requests
 * and how many connections may take; with this function, your server has to.
 * @throws Error whose message names each setting that is missing or wrong; or when the store cannot be opened, or its
 *   leads were moved. If they are moved while it runs, it ends the process
 */
export async function createApp(settings?: Settings): Promise<LeadApp> {
  const {config, log} = begin(settings);
  const app = await createAppOf(config, log.emit);
  await app.startReloads(() => readConfig(settings));
  return {
    handle: (request, response) => void app.handle(request as never, response as never),
    async close() {
      app.refuseRequests();
      await app.close(usualTimings.deliveriesEnd);
      log.flush();
    },
  };
}

/**
 * Starts the server on `PORT`. Signals are left to the program: it calls `close`.
 * @throws Error as `createApp`, and when the port is taken
 */
export async function startServer(settings?: Settings): Promise<LeadServer> {
  const {config, log} = begin(settings);
  const again = () => readConfig(settings);
  const server = await startServerOf(config, log.emit, undefined, usualTimings, again);
  const {port, metricsPort: metrics} = server;
  log.emit({type: 'ready', host: config.host, port, metrics, ...newestScript(config)});
  return {
    port,
    async close() {
      await server.close();
      log.flush();
    },
  };
}
