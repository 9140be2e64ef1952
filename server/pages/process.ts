/** The process of the operators' pages. It works on the server's store, also while no server runs. */
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import {openAttached} from '../admin/attached.ts';
import {Refusal} from '../admin/admin.ts';
import {readStatus, type Status} from '../admin/status.ts';
import {ConfigError, readConfig, type Config} from '../config/config.ts';
import {needRestart, reloadedConfig} from '../config/reloaded.ts';
import {onceIn} from '../config/once-in.ts';
import {sizeThreadPool} from '../config/thread-pool.ts';
import {usualTimings} from '../config/timings.ts';
import type {Environment} from '../config/environment.ts';
import {connectionLimits} from '../http/connections.ts';
import {closeListener, createListener} from '../http/listener.ts';
import {askState} from '../observe/ask-server.ts';
import {createLog} from '../observe/log.ts';
import {createObservationLog} from '../observe/observation-log.ts';
import type {Emit} from '../observe/observations.ts';
import type {ReloadStore} from '../reload/reloads.ts';
import {createPages} from './app.ts';
import {problemPage} from './replies.ts';
import type {Route} from './visit.ts';

/** Milliseconds in which configuration and status are read once at most. */
const usualReads = {configuration: 10_000, status: 5_000};
/** Milliseconds. Servers report every 10 s. */
const reportedWithin = 25_000;
/** A download may be long, and only who is signed in gets one, so its bytes have no limit. */
const limits = {...connectionLimits, connections: 500, unread: Infinity};
/** Bytes. A browser sends all cookies of the domain with each request, also those of its other hosts. */
const maxHeaderSize = 64 * 1024;

export type RunningPages = {port: number; close(): Promise<void>};

/**
 * @param read reads the settings and files, also again later
 * @throws ConfigError, and Refusal without `ADMIN_URL`, or if the store cannot be opened
 */
export async function startPages(
  read: () => Config,
  routes: readonly Route[],
  emit: Emit,
  reads = usualReads,
): Promise<RunningPages> {
  const config = read();
  if (!config.admin)
    throw new Refusal(
      'ADMIN_URL is missing: where operators reach these pages, such as https://admin.leads.example.com (docs/admin.md)',
    );
  sizeThreadPool(config.destinations);
  const store = await openAttached(config, {mayWrite: true, emit});
  const kept = keepReading(config, read, reads.configuration);
  const status = onceIn(reads.status, async () =>
    readStatus({
      config: kept.inForce(),
      server: await serverState(config, store),
      withStore: (work) => work(store),
      checkStart: () => Promise.resolve(kept.faults().map((text) => ({level: 'fault' as const, text}))),
    }),
  );
  const app = createPages({
    admin: () => ({store, config: kept.inForce()}),
    status: status.read,
    changed: status.forget,
    routes,
    emit,
  });
  const server = createListener(app, {
    emit,
    trustProxy: config.trustProxy,
    limits,
    maxHeaderSize,
    writeProblem: problemPage,
  });
  server.listen(config.admin.port, config.host);
  await once(server, 'listening').catch(async (error: unknown) => {
    await store.close();
    throw new Refusal(`These pages cannot listen at HOST and ADMIN_PORT: ${(error as Error).message}`);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      await closeListener(server, usualTimings.requestsEnd, emit);
      await store.close();
    },
  };
}

/** A server in another container does not answer here, but reports in the store. */
async function serverState(config: Config, store: Pick<ReloadStore, 'processes'>): Promise<Status['server']> {
  const state = config.port === 0 ? 'unknown' : await askState(config);
  if (state !== 'away' && state !== 'unknown') return state;
  const reports = await store.processes(Date.now() - reportedWithin).catch(() => []);
  return reports.length > 0 ? 'ok' : state;
}

/** Reads the configuration again when somebody asks for it. One that cannot be read leaves the one before in force. */
function keepReading(first: Config, read: () => Config, every: number) {
  let [inForce, faults, readAt] = [first, [] as readonly string[], performance.now()];
  function readAgain() {
    readAt = performance.now();
    try {
      const now = read();
      const changed = needRestart(inForce, now);
      faults =
        changed.length > 0 ? [`The operators' pages need a restart, because of ${changed.join(', ')}`] : [];
      inForce = reloadedConfig(inForce, now);
    } catch (error) {
      faults = error instanceof ConfigError ? error.faults : [String(error)];
    }
  }
  return {
    inForce() {
      if (performance.now() - readAt > every) readAgain();
      return inForce;
    },
    faults: () => faults,
  };
}

/**
 * Runs until a signal comes, and then lets requests end.
 * @throws as `startPages`
 */
export async function runPages(environment: Environment | undefined, routes: readonly Route[]) {
  const read = () => readConfig(environment);
  const {host, logLevel, admin} = read();
  const log = createObservationLog(createLog(logLevel));
  process.on('uncaughtExceptionMonitor', (error) => log.emit({type: 'crashed', error}));
  const pages = await startPages(read, routes, log.emit);
  const stopped = Promise.withResolvers<string>();
  // Until now, lead-prequal.cjs ended the process, because nothing had to end before.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopped.resolve);
  process.once('disconnect', () => stopped.resolve('the server has ended'));
  log.emit({type: 'pages-ready', host, port: pages.port, url: admin?.url ?? ''});
  log.flush();
  log.emit({type: 'stopping', reason: await stopped.promise});
  const since = performance.now();
  setTimeout(() => process.exit(1), usualTimings.processEnd).unref();
  await pages.close();
  log.emit({type: 'stopped', ms: Math.round(performance.now() - since)});
  await new Promise<void>((resolve) => log.flush(resolve));
}
