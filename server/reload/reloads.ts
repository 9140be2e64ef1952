/**
 * Reads settings and files again, when SIGHUP comes or when `lead-prequal reload` asks all processes through the store.
 * Each process reads its own files, and reports in the store what it has in force, and why it refused what it read. A
 * configuration that is refused changes nothing.
 */
import {randomUUID} from 'node:crypto';
import {hostname} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import {ConfigError, type Config} from '../config/config.ts';
import {
  changesBetween,
  digestOf,
  keptUnder,
  needRestart,
  reloadedConfig,
  shortened,
  type Kept,
} from '../config/reloaded.ts';
import type {Timings} from '../config/timings.ts';
import type {Emit} from '../observe/observations.ts';
import type {DestinationReading, OverdueReading} from '../observe/readings.ts';
import type {RefusalCount} from '../observe/refusals.ts';

/** The report that a process writes about itself. Times are milliseconds since 1970. */
export type ProcessReport = {
  /** A random id, because a number of a process is used again. */
  id: string;
  /** The name of the machine or container, and the number of the process, such as `web-1:4711`. People read it. */
  name: string;
  /** The process writes the report again every few seconds. */
  seenAt: number;
  /** The digest of the configuration in force, made by `digestOf`. */
  digest: string;
  inForceSince: number;
  /** The last request to reload that the process has answered. */
  request: string | null;
  /** What the last reload changed, as `changesBetween`. */
  changes: readonly string[];
  /** Why the configuration that was read last is refused, a sentence for each fault. Empty if it is in force. */
  faults: readonly string[];
  /** The settings of which the process has another value than the last configuration that it read. */
  needRestart: readonly string[];
  /** The data key with which the process encrypts, as `checkInHex`. */
  sealsWith: string;
  /** What the configuration in force keeps. Missing in reports of versions before 1.6.0. */
  kept?: Kept;
  /** How the destinations are for this process. Missing in reports of versions before 1.7.0. */
  destinations?: readonly DestinationReading[];
  /** Missing in reports of versions before 1.7.0. */
  refusals?: readonly RefusalCount[];
  /** Missing in reports of versions before 1.7.0, and until the first run of the retention job has ended. */
  overdue?: OverdueReading | undefined;
  /** The settings of the process's environment (`Config.environment`). */
  environment: Readonly<Record<string, string>>;
};

/** Stands behind the id of a request that also takes a configuration which keeps less than the one in force. */
const shortening = ' shorten';
export const newRequest = (mayShorten: boolean): string => randomUUID() + (mayShorten ? shortening : '');

/** The part of the store through which processes are asked, and report. */
export type ReloadStore = {
  /** The last request to reload, if there was one. */
  reloadRequest(): Promise<string | undefined>;
  askForReload(request: string): Promise<void>;
  report(process: ProcessReport): Promise<void>;
  forgetProcess(id: string): Promise<void>;
  /** The processes that have reported since a time. */
  processes(since: number): Promise<ProcessReport[]>;
};

export type Reloads = {
  /** Never rejects: the log says how it ended. */
  reload: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Milliseconds after which a process reports again although nothing has changed. */
const reportEvery = 10_000;
/** Milliseconds without a report after which a process counts as gone. */
export const goneAfter = 60_000;

const statesIn = (readings: ProcessReport['destinations'] = []) =>
  readings.map(({destination, state}) => `${destination} ${state}`).join('\n');

type Parts = {
  config: Config;
  store: ReloadStore;
  /** As in `ProcessReport`. */
  sealsWith: string;
  /** Reads the settings and files. @throws ConfigError */
  read: () => Config;
  /** Puts a configuration in force. @throws ConfigError if it cannot be, and then changes nothing */
  apply: (config: Config) => Promise<void>;
  /** What the reports say of the destinations. It is asked for at each look into the store. */
  destinations: () => readonly DestinationReading[];
  refusals: () => readonly RefusalCount[];
  overdue: () => OverdueReading | undefined;
  emit: Emit;
  timings: Pick<Timings, 'idlePoll'>;
};

/** The first report is written before this resolves. If the store is away, it is written once the store is back. */
export async function startReloads(parts: Parts): Promise<Reloads> {
  const {config, store, sealsWith, read, apply, destinations, refusals, overdue, emit, timings} = parts;
  const stopping = new AbortController();
  let inForce = config;
  let report: ProcessReport = {
    id: randomUUID(),
    name: `${hostname()}:${process.pid}`,
    seenAt: 0,
    digest: digestOf(config),
    inForceSince: Date.now(),
    request: null,
    changes: [],
    faults: [],
    needRestart: [],
    sealsWith,
    kept: keptUnder(config),
    environment: config.environment,
  };
  let hasPolled = false;
  let reportedAt = -Infinity;
  let working = Promise.resolve();
  /** The reload that was requested by a signal and has not started yet. */
  let waiting: Promise<void> | undefined;

  async function attempt(mayShorten: boolean): Promise<Partial<ProcessReport>> {
    try {
      const found = read();
      const less = mayShorten ? [] : shortened(keptUnder(inForce), keptUnder(found));
      if (less.length > 0)
        throw new ConfigError(
          less.map((line) => `${line}: only "lead-prequal reload --shorten" takes that`),
          [],
        );
      const next = reloadedConfig(inForce, found);
      await apply(next);
      const outcome = {
        digest: digestOf(next),
        changes: changesBetween(inForce, next),
        faults: [],
        needRestart: needRestart(config, found),
        kept: keptUnder(next),
        environment: found.environment,
      };
      emit({type: 'config-reloaded', ...outcome});
      for (const warning of next.warnings)
        if (!inForce.warnings.includes(warning)) emit({type: 'config-doubtful', warning});
      inForce = next;
      return {...outcome, inForceSince: Date.now()};
    } catch (error) {
      const faults =
        error instanceof ConfigError
          ? error.faults
          : [error instanceof Error ? error.message : String(error)];
      emit({type: 'config-refused', digest: report.digest, faults});
      return {changes: [], faults};
    }
  }

  async function write() {
    const seen = {destinations: destinations(), refusals: refusals(), overdue: overdue()};
    report = {...report, ...seen, seenAt: Date.now()};
    await store.report(report);
    reportedAt = performance.now();
  }

  /** Reloads run one after another, because each compares the files with the configuration in force. */
  function reload(request = report.request, mayShorten = false): Promise<void> {
    working = working.then(async () => {
      waiting = undefined;
      report = {...report, ...(await attempt(mayShorten)), request};
      // If the store is away now, `poll` writes the report once the store is back.
      reportedAt = -Infinity;
      await write().catch(() => undefined);
    });
    return working;
  }

  async function poll() {
    const asked = await store.reloadRequest();
    // A process that has just started reads its files again for a request that is already in the store, because the
    // request may be newer than what the process has read. Yet it may be old, so it must not shorten anything then.
    const mayShorten = hasPolled && asked?.endsWith(shortening);
    hasPolled = true;
    if (asked !== undefined && asked !== report.request) await reload(asked, mayShorten);
    const isDue = performance.now() - reportedAt >= reportEvery;
    if (isDue || statesIn(destinations()) !== statesIn(report.destinations)) await write();
  }

  async function run() {
    while (!stopping.signal.aborted) {
      // During an outage of the store, nobody can ask for a reload, so an error is ignored here. The store's watch reports
      // the outage (store/store-watch.ts).
      await poll().catch(() => undefined);
      await sleep(timings.idlePoll, undefined, {signal: stopping.signal}).catch(() => undefined);
    }
  }

  await write().catch(() => undefined);
  const running = run();
  return {
    // A reload that has not begun will read what every later signal asks for. One reload for each of many signals would
    // delay the stop.
    reload: () => (waiting ??= reload()),
    async stop() {
      stopping.abort();
      await running;
      await working;
      await store.forgetProcess(report.id).catch(() => undefined);
    },
  };
}
