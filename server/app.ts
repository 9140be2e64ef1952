/** Creates the parts of the app and connects them. It opens the store, but no port. */
import express, {type Express} from 'express';
import {minimums} from '../calculator/calculator.ts';
import {figuresOf} from '../calculator/policy.ts';
import {ConfigError, type Config} from './config/config.ts';
import {defaultDestination, unencrypted} from './config/destinations.ts';
import {usualTimings, type Timings} from './config/timings.ts';
import type {Emit} from './observe/observations.ts';
import {readDisk, type Readings} from './observe/readings.ts';
import {explainedAnswer} from './leads/calculated-answer.ts';
import {changedConsents} from './leads/consent-texts.ts';
import {watchDescriptors} from './observe/file-descriptors.ts';
import {createIdempotencyDigests} from './leads/idempotency.ts';
import type {LeadStore} from './leads/lead-store.ts';
import {createResultTokens} from './leads/result-tokens.ts';
import {clearText} from './store/codec.ts';
import {openStore} from './store/open-store.ts';
import {newestVersion, readVersions} from './versions/embed-versions.ts';
import {startCountingRequests} from './versions/request-counts.ts';
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
  emit: Emit,
  given?: LeadStore,
  timings: Timings = usualTimings,
): Promise<App> {
  for (const destination of unencrypted(config.destinations))
    emit({type: 'destination-unencrypted', destination});
  const versions = readVersions(config);
  const {rateLimit: perMinute, callers, partners} = config;
  const opened = given ?? (await openStore(config, clearText, emit));
  const changed = changedConsents(partners, await opened.consentTexts());
  if (changed.length > 0) {
    await opened.close();
    throw new ConfigError(changed, []);
  }
  const service = await startLeadService(opened, config, {emit, timings});
  const {desk, watch} = service;
  const descriptors = watchDescriptors(emit);
  const requests = startCountingRequests(opened, partners, timings.requestCounts);
  const digests = createIdempotencyDigests(config.tokenKeys);
  const proofs = config.proofOfWork > 0 ? createProofs(config.tokenKeys, config.proofOfWork) : undefined;
  const counters = createCounters(config.redisUrl, emit);
  const rateLimits = createRateLimits(counters);
  const failures = {window: 60_000, counters, emit};
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
  const visitorLeads = createVisitorLeads({
    desk,
    digests,
    confirmations: config.confirmations,
    tokenKeys: config.tokenKeys,
    tokens: createResultTokens(config.tokenKeys),
    explain: (lead, answer) => explainedAnswer(lead, answer, config.policy),
  });
  const quota = createQuota(counters, perMinute, emit);
  const usualAnswer = config.destinations.has(defaultDestination) ? defaultDestination : undefined;
  let [draining, refusing] = [false, false];

  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.use(requestContext(emit, createAddressReader(config.trustProxy)));
  app.use(liveEndpoint());
  app.use(refuseWhile(() => refusing));
  app.use(jsonApi({callers, signIns, desk, digests, usualAnswer, timings}));
  app.use(
    embedApi({
      partners,
      publicUrl: config.publicUrl,
      visitorLeads,
      digests,
      minimums: minimums(config.policy),
      figures: figuresOf(config.policy),
      proofs,
      quota,
      unknownPartners,
      rateLimits,
      perMinute,
      timings,
    }),
  );
  app.use(versionList(versions));
  app.use(embedFiles(versions, requests.count, emit));
  app.use(
    applyPages({
      partners,
      publicUrl: config.publicUrl,
      version: newestVersion(versions),
      unknownPartners,
      rateLimits,
      perMinute,
      form: createScriptlessForm({
        publicUrl: config.publicUrl,
        visitorLeads,
        tokenKeys: config.tokenKeys,
        counters,
        figures: figuresOf(config.policy),
        emit,
      }),
      emit,
      timings,
    }),
  );
  const pinned = versionForSnippets(versions);
  if (config.snippetsPage && pinned)
    app.use(snippetsRouter({partners, publicUrl: config.publicUrl, version: pinned, unknownPartners}));
  const {isDegraded} = service;
  app.use(healthEndpoints({watch, descriptors, isDegraded, isDraining: () => draining}));
  app.use(openapiPages(config.publicUrl));
  app.use(notFound, errorReplies(emit));

  return {
    handle: app,
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
    async close(patience) {
      await service.stopClaiming();
      await requests.stop();
      counters.close();
      descriptors.stop();
      await service.close(patience);
    },
  };
}
