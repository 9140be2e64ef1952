/** Production: reads the configuration, starts the server, stops it on a signal. */
import {createLog} from './log.ts';
import {ConfigError, readConfig, type Config} from './config.ts';
import {newestSnippet, type Snippet} from './http/embed-versions.ts';
import {startServer} from './server.ts';

/** Longest wait for requests under way, in milliseconds. */
const grace = 10_000;

function refuseToStart(error: unknown): never {
  console.error(error instanceof ConfigError ? error.message : `Cannot start: ${String(error)}`);
  process.exit(1);
}

function start(): {config: Config; snippet: Snippet} {
  try {
    const config = readConfig();
    return {config, snippet: newestSnippet(config.embedFolder, config.publicUrl, config.releasesFolder)};
  } catch (error) {
    return refuseToStart(error);
  }
}

const {config, snippet} = start();
const log = createLog(config.logLevel);
let stage: 'starting' | 'serving' | 'stopping' = 'starting';
function stop() {
  // While the server waits for its database it has taken no lead, so nothing has to be finished.
  if (stage === 'starting') process.exit(0);
  // One stop may send several signals: npm passes its own on, and a terminal or systemd sends it to every process.
  if (stage === 'stopping') return;
  stage = 'stopping';
  setTimeout(() => process.exit(1), grace).unref();
  void server.close().then(() => log.flush(() => process.exit(0)));
}
// They are listened to from the start, because the first process of a container ignores them otherwise; and by one
// listener, because a signal that comes while a listener is replaced by another is lost.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
// A closed terminal and scripts that expect a reload send it; by default it would kill the process.
process.on('SIGHUP', () => {
  log.warn('SIGHUP changes nothing: restart the server to make it read its configuration again');
});
const server = await startServer(config, log).catch(refuseToStart);
stage = 'serving';
log.info({host: config.host, port: server.port, ...snippet}, 'ready');
log.flush();
