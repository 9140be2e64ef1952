/** Starts the server in production, and stops it on a signal. */
import {paths} from '../contract/api.ts';
import {createObservationLog} from './observe/observation-log.ts';
import {createLog} from './observe/log.ts';
import {ConfigError, privacyWarnings, readConfig, type Config} from './config/config.ts';
import {makeMissingKey} from './config/data-key-file.ts';
import {ownCommand} from './config/environment.ts';
import {sizeThreadPool} from './config/thread-pool.ts';
import {usualTimings} from './config/timings.ts';
import {readVersions} from './versions/embed-versions.ts';
import {newestScript, type NewestScript} from './snippets/newest-script.ts';
import {startPagesChild, type PagesChild} from './pages/child.ts';
import {firstInvitation} from './first-invitation.ts';
import {startServer} from './server.ts';
import {snippetForTerminal} from './snippets/terminal.ts';

/** Node's own words for a port that is taken name no setting, and nothing to do. */
function whyNot(error: unknown): string {
  const {code, port} = error as NodeJS.ErrnoException & {port?: number};
  return code === 'EADDRINUSE'
    ? `PORT ${port} is used by a server that runs already, or by another program: stop it, or set another port`
    : String(error);
}

function refuseToStart(error: unknown): never {
  console.error(error instanceof ConfigError ? error.message : `Cannot start: ${whyNot(error)}`);
  process.exit(1);
}

function start(): {config: Config; newest: NewestScript; toPaste: string} {
  try {
    // What is wrong is said before a key is made.
    readConfig(undefined, true);
    const newKey = makeMissingKey();
    if (newKey !== undefined)
      console.error(
        `A new key encrypts personal data: ${newKey}\nNo backup has it: copy it to a safe place, then say: ${ownCommand('keys saved')}`,
      );
    const config = readConfig();
    sizeThreadPool(config.destinations);
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
const log = createObservationLog(createLog(config.logLevel));
for (const warning of config.warnings) log.emit({type: 'config-doubtful', warning});
// The process ends only when its threads have ended, and nothing can end one that looks up a name, which may take a
// minute. If another program takes the place of this one, all threads end at once.
process.on('exit', (status) => {
  const looksUp = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap');
  if (looksUp) process.execve?.(process.execPath, ['node', '-e', `process.exit(${status})`], {});
});
// Node itself ends the process after such an error, and prints the error to standard error.
process.on('uncaughtExceptionMonitor', (error) => log.emit({type: 'crashed', error}));
type Stage =
  | {name: 'starting' | 'serving' | 'stopping'}
  /** `since` in milliseconds of `performance.now()`; `timer` ends the drain. */
  | {name: 'draining'; since: number; timer: NodeJS.Timeout};
let stage: Stage = {name: 'starting'};
let pages: PagesChild | undefined;

/**
 * Milliseconds. One stop may send the signal several times: a terminal and systemd signal every process, and npm passes
 * it on. A signal that comes later than this after the first one is from somebody who does not want to wait.
 */
const sameStop = 250;

function onSignal(signal: NodeJS.Signals) {
  pages?.letEnd();
  switch (stage.name) {
    case 'starting':
      // For example while it waits for its database. It has no leads, so it may end at once.
      log.emit({type: 'stopping', reason: `${signal} before it was ready`});
      return process.exit(0);
    case 'serving':
      return config.drainSeconds > 0 ? drain(signal, config.drainSeconds) : stop(signal);
    case 'draining':
      return performance.now() - stage.since > sameStop ? stop(`${signal} during the drain`) : undefined;
    case 'stopping':
      return undefined;
  }
}
function drain(signal: NodeJS.Signals, seconds: number) {
  log.emit({type: 'draining', signal, seconds});
  stage = {
    name: 'draining',
    since: performance.now(),
    timer: setTimeout(stop, seconds * 1_000, 'the drain has ended'),
  };
  void server.drain();
}
function stop(reason: string) {
  log.emit({type: 'stopping', reason});
  if (stage.name === 'draining') clearTimeout(stage.timer);
  stage = {name: 'stopping'};
  const since = performance.now();
  const {processEnd} = usualTimings;
  setTimeout(() => {
    log.emit({type: 'stop-timed-out', seconds: processEnd / 1_000});
    process.exit(1);
  }, processEnd).unref();
  void Promise.all([server.close(), pages?.end()]).then(() => {
    log.emit({type: 'stopped', ms: Math.round(performance.now() - since)});
    log.flush(() => process.exit(0));
  });
}
// The listener is added before the server starts, because the first process of a container ignores these signals as
// long as it has no listener. The same listener serves all stages: a signal that came while it is replaced would be
// lost.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
// SIGHUP would end the process by default. Closed terminals send it, too: to read the same files again does no harm.
const started = startServer(config, log.emit);
process.on('SIGHUP', () => void started.then((running) => running.reload(), refuseToStart));
const server = await started.catch(refuseToStart);
stage = {name: 'serving'};
for (const note of [...privacyWarnings(config), ...config.notes]) log.emit({type: 'config-noted', note});
log.emit({type: 'ready', host: config.host, port: server.port, metrics: server.metricsPort, ...newest});
log.flush();
// Standard output has one JSON object a line, in which quotes are escaped, so the snippet could not be pasted from there.
console.error(toPaste);
console.error(`The form: ${config.publicUrl}${paths.apply}/${config.partners[0].key}`);
if (config.admin) {
  if (!process.argv.includes('--without-pages')) pages = startPagesChild(log.emit);
  // Whoever reads a terminal has started the server.
  const invited = firstInvitation(config, log.emit, process.stderr.isTTY);
  console.error(await invited.catch((error: unknown) => `Nobody could be invited: ${String(error)}`));
}
