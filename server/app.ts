/** Builds the app out of its rooms; the only file that knows them all. Opens the store, but no port. */
import express, {type Express} from 'express';
import type {Logger} from 'pino';
import type {Lead} from '../contract/lead-schema.ts';
import {calculatedAnswer, minimums} from './answers/calculator.ts';
import {warnOfPlainHttp} from './answers/plain-http.ts';
import {createUpstream} from './answers/upstream.ts';
import type {Config} from './config.ts';
import {createCourier} from './delivery/courier.ts';
import {usualPace, type Pace} from './delivery/pace.ts';
import {startWorkers} from './delivery/worker.ts';
import {embedApi} from './http/embed-api.ts';
import {embedFiles} from './http/embed-files.ts';
import {readVersions} from './http/embed-versions.ts';
import {healthPages, livePage} from './http/health.ts';
import {leadApi} from './http/lead-api.ts';
import {openapiPages} from './http/openapi.ts';
import {errorReplies, notFound, refuseWhile} from './http/problem-replies.ts';
import {createAddressReader} from './http/client-address.ts';
import {createCounts} from './http/counts.ts';
import {createFailureLimit} from './http/failure-limit.ts';
import {createProofs} from './http/proof.ts';
import {createQuota} from './http/quota.ts';
import {createRateLimits} from './http/rate-limit.ts';
import {requestContext} from './http/request-context.ts';
import {createRequestLog} from './http/request-log.ts';
import {createLeadDesk} from './lead-desk.ts';
import type {LeadStore} from './store/lead-store.ts';
import {startForgetting} from './store/forgetting.ts';
import {openStore} from './store/open-store.ts';
import {watchStore} from './store/store-watch.ts';
import {createTokens} from './tokens.ts';

export type App = {
  handle: Express;
  /** From now on requests are answered with 503; those under way go on. */
  refuseRequests(): void;
  /** @param patience milliseconds for deliveries under way */
  close(patience: number): Promise<void>;
};

/**
 * @param given a store that is open already; it is closed with the app
 * @throws Error when the store cannot be opened
 */
export async function createApp(
  config: Config,
  log: Logger,
  given?: LeadStore,
  pace: Pace = usualPace,
): Promise<App> {
  warnOfPlainHttp(config.upstreams, log);
  const watch = watchStore(given ?? (await openStore(config, log)), log);
  const {store} = watch;
  const upstreams = new Map(
    [...config.upstreams].map(([name, settings]) => [name, createUpstream(settings, pace.delivery)] as const),
  );
  const {onAmbiguous, outboxPerSecond: perSecond, rateLimit: perMinute, callers, partners} = config;
  const courier = createCourier({store, upstreams, onAmbiguous, log, pace});
  const parts = {store, courier, onAmbiguous, log, parallel: 8, perSecond, pace};
  const workers = startWorkers([...upstreams.keys()], parts);
  const forgetting = startForgetting(store, log);
  const calculate = (lead: Lead) => calculatedAnswer(lead, config.policy);
  const desk = createLeadDesk({store, courier, calculate, log, pace});
  const tokens = createTokens(config.tokenKeys);
  const proofs = config.proofOfWork > 0 ? createProofs(config.tokenKeys, config.proofOfWork) : undefined;
  const counts = createCounts(config.redisUrl, log);
  const limits = createRateLimits(counts);
  const failures = {window: 60_000, counts, log};
  const signIns = createFailureLimit({
    ...failures,
    what: 'sign-ins',
    most: 20,
    exempt: config.signInExempt,
  });
  const guesses = createFailureLimit({...failures, what: 'requests for unknown partners', most: perMinute});
  const quota = createQuota(counts, perMinute, log);
  const upstream = upstreams.has('default') ? 'default' : undefined;
  let refusing = false;

  const requestLog = createRequestLog(log);
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.use(requestContext(requestLog, createAddressReader(config.trustProxy)));
  app.use(livePage());
  app.use(refuseWhile(() => refusing));
  app.use(leadApi({callers, signIns, desk, tokens, upstream}));
  app.use(
    embedApi({
      partners,
      desk,
      tokens,
      minimums: minimums(config.policy),
      proofs,
      quota,
      guesses,
      limits,
      perMinute,
    }),
  );
  app.use(embedFiles(readVersions(config.embedFolder, config.releasesFolder), config.immutableFiles));
  app.use(healthPages(watch, courier));
  app.use(openapiPages(config.publicUrl));
  app.use(notFound, errorReplies(log));

  return {
    handle: app,
    refuseRequests: () => {
      refusing = true;
      void workers.stop();
    },
    async close(patience) {
      await workers.stop();
      await forgetting.stop();
      counts.close();
      watch.stop();
      await desk.close(patience);
      requestLog.flush();
    },
  };
}
