/** Creates the parts of the app and connects them. It opens the store, but no port. */
import type {Router} from 'express';
import {ConfigError, type Config} from './config/config.ts';
import {routeOf} from './config/callers.ts';
import {unencrypted} from './config/destinations.ts';
import {usualTimings, type Timings} from './config/timings.ts';
import type {Emit} from './observe/observations.ts';
import {readDisk, type Readings} from './observe/readings.ts';
import {countRefusals} from './observe/refusals.ts';
import {archived} from './leads/archive.ts';
import {changedConsents, wordsInForce} from './leads/consent-texts.ts';
import {leadDoubts} from './leads/lead-doubts.ts';
import type {LeadStore} from './leads/ports.ts';
import {reasonOf} from './leads/store-errors.ts';
import {checkInHex, checkValueOf, createEncryptor} from './store/encryption.ts';
import {openStore, unencryptedHost} from './store/open-store.ts';
import {readAllVersions, type EmbedVersion} from './versions/embed-versions.ts';
import {startCountingRequests, startDailyCounts} from './versions/request-counts.ts';
import {startReloads, type Reloads} from './reload/reloads.ts';
import {repairAtStart} from './admin/repairing.ts';
import {inOneLine} from './admin/status.ts';
import {startAlerts} from './alerts.ts';
import {startPipeline} from './pipeline.ts';
import {createCounters} from './http/limits/counters.ts';
import {expressApp, type ExpressApp} from './express-app.ts';
import {createRoutes} from './routes.ts';

export type App = ExpressApp & {
  /** The routes that `handle` gets from the configuration in force, for tests that look for all routes. */
  readonly routes: Router;
  /**
   * Reports this process in the store, and reloads when it is asked to (reload/reloads.ts), until `close` ends.
   * @param read reads the settings and files for a reload
   * @param noteReloaded is told of each configuration that comes in force
   */
  startReloads(read: () => Config, noteReloaded?: (config: Config) => void): Promise<Pick<Reloads, 'reload'>>;
  /** What the metrics read. */
  readings(): Promise<Omit<Readings, 'connections'>>;
  /** From now on, `/readyz` says 503, and no waiting delivery is claimed. Resolves when that is so. */
  drain(): Promise<void>;
  /** From now on, new requests get a 503. Requests in flight go on. */
  refuseRequests(): void;
  /** Ends the deliveries and closes the store. @param patience milliseconds until deliveries in progress are cut off */
  close(patience: number): Promise<void>;
};

/**
 * @param given a store that is already open, for tests; `close` closes it as well
 * @throws ConfigError when the text of a consent has changed without a new version
 * @throws Error when the store cannot be opened, or lacks so much of the file of erasures that an operator must decide
 */
export async function createApp(
  config: Config,
  listener: Emit,
  given?: LeadStore,
  timings: Timings = usualTimings,
): Promise<App> {
  let inForce = config;
  const refusals = countRefusals(() => inForce);
  const emit: Emit = (observation) => {
    listener(observation);
    refusals.emit(observation);
  };
  const opened = given ?? (await openStore(config, createEncryptor(config.dataKeys), emit));
  let doubtsInForce: readonly string[] = [];
  /** @returns the versions of the form that it serves */
  async function check(checked: Config): Promise<readonly EmbedVersion[]> {
    const versions = readAllVersions(checked);
    const {partners, destinations, policy} = checked;
    const texts = await opened.consentTexts();
    const changed = changedConsents(partners, texts);
    if (changed.length > 0) throw new ConfigError(changed, []);
    for (const destination of unencrypted(destinations)) emit({type: 'destination-unencrypted', destination});
    const doubts = leadDoubts(checked, texts).map(inOneLine);
    for (const warning of doubts)
      if (!doubtsInForce.includes(warning)) emit({type: 'config-doubtful', warning});
    doubtsInForce = doubts;
    // What is needed later, to show consents and amounts, is no reason to take no leads now.
    await opened
      .keepWords([
        ...wordsInForce(partners),
        archived(policy),
        ...[...partners, ...checked.callers.map(routeOf)].flatMap(({rules}) =>
          rules ? archived(rules) : [],
        ),
      ])
      .catch((error: unknown) => emit({type: 'words-not-kept', reason: reasonOf(error)}));
    return versions;
  }
  async function sayUnencrypted() {
    const host = await unencryptedHost(config);
    if (host !== undefined) emit({type: 'database-unencrypted', host});
  }
  const repair = () =>
    repairAtStart(
      {store: opened, config},
      {
        done: (done) => emit({type: 'store-repaired', ...done}),
        doubt: (reason) => emit({type: 'erasures-doubtful', reason}),
      },
    );
  const checkAndRepair = async () => {
    const versions = await check(config);
    await repair();
    return versions;
  };
  const [versions] = await Promise.all([checkAndRepair(), sayUnencrypted()]).catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  const pipeline = await startPipeline(opened, config, {emit, timings});
  const {watch} = pipeline;
  const requests = startCountingRequests(opened, () => inForce.partners, timings.requestCounts);
  const reads = startDailyCounts<{user: string}>((counts) => opened.addReads(counts), timings.requestCounts);
  const alerts = startAlerts({store: opened, config: () => inForce, emit, timings});
  const counters = createCounters(config.redisUrl, () => inForce.tokenKeys[0], emit);
  const routesUnder = createRoutes(config, {
    store: watch.store,
    counters,
    requests,
    emit,
    timings,
    reads,
  });
  let [draining, refusing] = [false, false];
  let routes = routesUnder(config, pipeline.service, versions);
  let reloads: Reloads | undefined;
  /**
   * Puts another configuration in force, if it is valid. A request that is in progress keeps the old configuration.
   * @throws ConfigError when the text of a consent has changed without a new version, and Error when the versions of the form
   * cannot be served. Then nothing is changed
   */
  async function reload(reloaded: Config) {
    const versions = await check(reloaded);
    pipeline.reload(reloaded);
    inForce = reloaded;
    routes = routesUnder(reloaded, pipeline.service, versions);
  }

  async function close(patience: number) {
    await pipeline.stopClaiming();
    await requests.stop();
    await reads.stop();
    await alerts.stop();
    counters.close();
    await pipeline.close(patience);
    await reloads?.stop();
    await opened.close();
  }

  const {handle, messages} = expressApp(config, {
    routes: () => routes,
    store: opened,
    health: {watch, isDegraded: pipeline.isDegraded, isDraining: () => draining},
    isRefusing: () => refusing,
    emit,
  });

  return {
    handle,
    messages,
    get routes() {
      return routes;
    },
    async startReloads(read, noteReloaded) {
      reloads = await startReloads({
        config,
        store: watch.store,
        sealsWith: checkInHex(checkValueOf(config.dataKeys[0])),
        read,
        async apply(next) {
          await reload(next);
          noteReloaded?.(next);
        },
        destinations: pipeline.destinations,
        refusals: refusals.counts,
        overdue: pipeline.overdue,
        emit,
        timings,
      });
      return reloads;
    },
    readings: async () => ({...(await pipeline.readings()), disk: await readDisk(config)}),
    drain() {
      draining = true;
      return pipeline.stopClaiming();
    },
    refuseRequests: () => {
      refusing = true;
      void pipeline.stopClaiming();
      void requests.stop();
    },
    close,
  };
}
