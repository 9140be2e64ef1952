/** Production: reads the configuration, starts the server, stops it on a signal. */
import {createLog} from './log.ts';
import {ConfigError, readConfig, type Config} from './config.ts';
import {embedScript} from './http/embed-files.ts';
import {startServer} from './server.ts';

/** Longest wait for requests under way, in milliseconds. */
const grace = 10_000;

function refuseToStart(error: unknown): never {
  console.error(error instanceof ConfigError ? error.message : `Cannot start: ${String(error)}`);
  process.exit(1);
}

function start(): Config & {script: string} {
  try {
    const config = readConfig();
    return {...config, script: embedScript(config.embedFolder, config.publicUrl)};
  } catch (error) {
    return refuseToStart(error);
  }
}

const {script, ...config} = start();
const log = createLog(config.logLevel);
const signals = ['SIGINT', 'SIGTERM'] as const;
// While it waits for its database no lead was taken yet, so nothing has to be finished. The first process of a
// container ignores these signals unless it listens.
const endAtOnce = () => process.exit(0);
for (const signal of signals) process.once(signal, endAtOnce);
const server = await startServer(config, log).catch(refuseToStart);
log.info({host: config.host, port: server.port, script}, 'ready');
log.flush();

for (const signal of signals) {
  process.removeListener(signal, endAtOnce);
  process.once(signal, () => {
    setTimeout(() => process.exit(1), grace).unref();
    void server.close().then(() => process.exit(0));
  });
}
