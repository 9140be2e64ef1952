/** Creates the parts of the app and connects them. It opens the store, but no port. */
import {IncomingMessage, ServerResponse} from 'node:http';
import express, {Router, type Express} from 'express';
import {minimums} from '../calculator/calculator.ts';
import {figuresOf} from '../calculator/policy.ts';
import {ConfigError, type Config} from './config/config.ts';
import {defaultDestination, unencrypted} from './config/destinations.ts';
import {usualTimings, type Timings} from './config/timings.ts';
import type {Emit} from './observe/observations.ts';
import {readDisk, type Readings} from './observe/readings.ts';
import {countRefusals} from './observe/refusals.ts';
import {explainedAnswer} from './leads/calculated-answer.ts';
import {changedConsents} from './leads/consent-texts.ts';
import {watchDescriptors} from './observe/file-descriptors.ts';
import {createIdempotencyDigests} from './leads/idempotency.ts';
import type {LeadStore} from './leads/ports.ts';
import {createResultTokens} from './leads/result-tokens.ts';
import {checkInHex, checkValueOf, createSealer} from './store/sealing.ts';
import {openStore, unencryptedHost} from './store/open-store.ts';
import {newestVersion, readAllVersions} from './versions/embed-versions.ts';
import {startCountingRequests} from './versions/request-counts.ts';
import {startReloads, type Reloads} from './reload/reloads.ts';
import {startLeadService} from './lead-service.ts';
import {createAddressReader} from './http/client-address.ts';
import {embedApi} from './http/embed/embed-api.ts';
import {embedFiles} from './http/embed/embed-files.ts';
import {createProofs} from './http/embed/proof.ts';
import {createQuota} from './http/embed/quota.ts';
import {versionList} from './http/embed/version-list.ts';
import {healthEndpoints, liveEndpoint} from './http/health.ts';
import {applyPages} from './http/apply/apply-pages.ts';
import {createScriptlessForm} from './http/apply/scriptless-form.ts';
import {jsonApi} from './http/json/json-api.ts';
import {createCounters} from './http/limits/counters.ts';
import {createFailureDelay} from './http/limits/failure-delay.ts';
import {createFailureLimit} from './http/limits/failure-limit.ts';
import {createRateLimits} from './http/limits/rate-limit.ts';
import {openapiPages} from './http/openapi.ts';
import {errorReplies, notFound, refuseWhile} from './http/problem-replies.ts';
import {requestContext} from './http/request-context.ts';
import {snippetsRouter} from './http/snippets/snippets-router.ts';
import {createVisitorLeads} from './http/visitor-leads.ts';
import {versionForSnippets} from './snippets/parts.ts';

export type App = {
  handle: Express;
  /**
   * The classes of the requests and responses that an HTTP server makes. They have the methods of Express from the start.
   * Express gives these to all others by changing their prototypes, which makes each later use of them slower.
   */
  messages: {IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse};
  /** The routes that `handle` gets from the configuration in force, for tests that look for all routes. */
  readonly routes: Router;
  /**
   * Reports this process in the store, by which `store copy` sees that it runs, and reloads when it is asked to
   * (reload/reloads.ts), until `close` ends.
   * @param read reads the settings and files for a reload
   * @param noteReloaded is told of each configuration that comes in force
   * @throws StoreMarked when the leads of the store were moved. Then the app is closed
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
 * @throws Error when the store cannot be opened
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
  const versions = readAllVersions(config);
  const {rateLimit: perMinute, publicUrl} = config;
  const opened = given ?? (await openStore(config, createSealer(config.dataKeys), emit));
  async function check({partners, destinations}: Config) {
    const changed = changedConsents(partners, await opened.consentTexts());
    if (changed.length > 0) throw new ConfigError(changed, []);
    for (const destination of unencrypted(destinations)) emit({type: 'destination-unencrypted', destination});
  }
  async function sayUnencrypted() {
    const host = await unencryptedHost(config);
    if (host !== undefined) emit({type: 'database-unencrypted', host});
  }
  await Promise.all([check(config), sayUnencrypted()]).catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  const service = await startLeadService(opened, config, {emit, timings});
  const {watch} = service;
  const descriptors = watchDescriptors(emit);
  const requests = startCountingRequests(opened, () => inForce.partners, timings.requestCounts);
  const counters = createCounters(config.redisUrl, () => inForce.tokenKeys[0], emit);
  const rateLimits = createRateLimits(counters);
  const failures = {window: 60_000, counters, emit};
  const failureDelay = createFailureDelay();
  const signIns = createFailureLimit({
    ...failures,
    what: 'sign-ins',
    maxFailures: 20,
    exempt: config.signInExempt,
  });
  const unknownPartners = createFailureLimit({
    ...failures,
    what: 'requests for unknown partners',
    maxFailures: perMinute,
  });
  const quota = createQuota(counters, perMinute, emit);
  let [draining, refusing] = [false, false];

  const pinned = config.snippetsPage ? versionForSnippets(versions) : undefined;
  /** All routes that depend on what a reload replaces. Limits and counters are the same before and after. */
  function routesUnder({partners, callers, tokenKeys, destinations, policy, ...others}: Config): Router {
    const digests = createIdempotencyDigests(tokenKeys);
    const {desk} = service;
    const usualAnswer = destinations.has(defaultDestination) ? defaultDestination : undefined;
    const visitorLeads = createVisitorLeads({
      desk,
      digests,
      confirmations: others.confirmations,
      tokenKeys,
      tokens: createResultTokens(tokenKeys),
      explain: (lead, answer) => explainedAnswer(lead, answer, policy),
    });
    const figures = figuresOf(policy);
    const routes = Router({caseSensitive: true});
    routes.use(jsonApi({callers, signIns, failureDelay, desk, digests, usualAnswer, timings}));
    routes.use(
      embedApi({
        partners,
        publicUrl,
        visitorLeads,
        digests,
        minimums: minimums(policy),
        figures,
        proofs: config.proofOfWork > 0 ? createProofs(tokenKeys, config.proofOfWork) : undefined,
        quota,
        unknownPartners,
        rateLimits,
        perMinute,
        timings,
      }),
    );
    routes.use(
      applyPages({
        partners,
        publicUrl,
        version: newestVersion(versions),
        unknownPartners,
        rateLimits,
        perMinute,
        form: createScriptlessForm({publicUrl, visitorLeads, tokenKeys, counters, figures, emit}),
        emit,
        timings,
      }),
    );
    if (pinned) routes.use(snippetsRouter({partners, publicUrl, version: pinned, unknownPartners}));
    return routes;
  }
  let routes = routesUnder(config);
  let reloads: Reloads | undefined;
  /**
   * Puts another configuration in force, if it is valid. A request that is in progress keeps the old configuration.
   * @throws ConfigError when the text of a consent has changed without a new version. Then nothing is changed
   */
  async function reload(reloaded: Config) {
    await check(reloaded);
    service.reload(reloaded);
    inForce = reloaded;
    routes = routesUnder(reloaded);
  }

  async function close(patience: number) {
    await service.stopClaiming();
    await requests.stop();
    counters.close();
    descriptors.stop();
    await service.close(patience);
    // Not before: `store copy` must not begin while a delivery goes on.
    await reloads?.stop();
    await opened.close();
  }

  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request) as typeof app.request;
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response) as typeof app.response;
  app.use(requestContext(emit, createAddressReader(config.trustProxy)));
  app.use(liveEndpoint());
  app.use(refuseWhile(() => refusing));
  // A request meets this once, and stays with the routes that it finds.
  app.use((request, response, next) => routes(request, response, next));
  app.use(versionList(versions));
  app.use(embedFiles(versions, requests.count, emit));
  const {isDegraded} = service;
  app.use(healthEndpoints({watch, descriptors, isDegraded, isDraining: () => draining}));
  app.use(openapiPages(publicUrl));
  app.use(notFound, errorReplies(emit));

  return {
    handle: app,
    messages: {IncomingMessage: AppRequest, ServerResponse: AppResponse},
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
        destinations: service.destinations,
        refusals: refusals.counts,
        emit,
        timings,
      }).catch(async (error: unknown) => {
        await close(0);
        throw error;
      });
      return reloads;
    },
    readings: async () => ({...(await service.readings()), disk: await readDisk(config)}),
    drain() {
      draining = true;
      return service.stopClaiming();
    },
    refuseRequests: () => {
      refusing = true;
      void service.stopClaiming();
      void requests.stop();
    },
    close,
  };
}
