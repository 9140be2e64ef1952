/** Starts the server in production, and stops it on a signal. */
import {createEventLog} from './observe/event-log.ts';
import {createLog} from './observe/log.ts';
import {ConfigError, readConfig, type Config} from './config/config.ts';
import {usualTimings} from './config/timings.ts';
import {readVersions} from './versions/embed-versions.ts';
import {newestScript, type NewestScript} from './snippets/newest-script.ts';
import {startServer} from './server.ts';
import {snippetForTerminal} from './snippets/terminal.ts';

function refuseToStart(error: unknown): never {
  console.error(error instanceof ConfigError ? error.message : `Cannot start: ${String(error)}`);
  process.exit(1);
}

function start(): {config: Config; newest: NewestScript; toPaste: string} {
  try {
    const config = readConfig();
    return {
      config,
      newest: newestScript(config),
      toPaste: snippetForTerminal(config, readVersions(config)),
    };
  } catch (error) {
    return refuseToStart(error);
  }
}

const {config, newest, toPaste} = start();
const log = createEventLog(createLog(config.logLevel));
let stage: 'starting' | 'serving' | 'stopping' = 'starting';
function stop() {
  // Before the server serves, for example while it waits for its database, it has no leads, so it may end at once.
  if (stage === 'starting') process.exit(0);
  // One stop may send the signal several times: a terminal and systemd signal every process, and npm passes it on.
  if (stage === 'stopping') return;
  stage = 'stopping';
  setTimeout(() => process.exit(1), usualTimings.processEnd).unref();
  void server.close().then(() => log.flush(() => process.exit(0)));
}
// The listener is added before the server starts, because the first process of a container ignores these signals as
// long as it has no listener. The same listener serves all stages: a signal that came while it is replaced would be
// lost.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
// SIGHUP would end the process by default. Closed terminals send it, and scripts that expect a reload.
process.on('SIGHUP', () => log.emit({type: 'reload-asked'}));
const server = await startServer(config, log.emit).catch(refuseToStart);
stage = 'serving';
log.emit({type: 'ready', host: config.host, port: server.port, ...newest});
log.flush();
// Standard output has one JSON object a line, in which quotes are escaped, so the snippet could not be pasted from there.
console.error(toPaste);
