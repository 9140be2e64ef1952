/** The routes that depend on the configuration. A reload makes them anew; limits and counters stay. */
import {Router} from 'express';
import {minimums} from '../calculator/calculator.ts';
import {figuresOf} from '../calculator/policy.ts';
import type {Config} from './config/config.ts';
import {defaultDestination} from './config/destinations.ts';
import type {Timings} from './config/timings.ts';
import {explainedAnswer} from './leads/calculated-answer.ts';
import {addressDigests, networkDigests} from './leads/confirmation-digests.ts';
import {createIdempotencyDigests} from './leads/idempotency.ts';
import type {LeadDesk} from './leads/lead-desk.ts';
import {createResultTokens} from './leads/result-tokens.ts';
import type {LeadStore} from './leads/ports.ts';
import type {VisitorDesk} from './leads/visitor-leads.ts';
import type {Emit} from './observe/observations.ts';
import {versionForSnippets} from './snippets/parts.ts';
import {newestVersion, type EmbedVersion} from './versions/embed-versions.ts';
import {applyPages} from './http/apply/apply-pages.ts';
import {createLinkDesk} from './admin/link-desk.ts';
import {createRevokePage} from './http/apply/revoke-page.ts';
import {createScriptlessForm} from './http/apply/scriptless-form.ts';
import {embedApi} from './http/embed/embed-api.ts';
import {createProofs} from './http/embed/proof.ts';
import {createQuota} from './http/embed/quota.ts';
import {jsonApi} from './http/json/json-api.ts';
import type {Counters} from './http/limits/counters.ts';
import {createFailureDelay} from './http/limits/failure-delay.ts';
import {createFailureLimit} from './http/limits/failure-limit.ts';
import {createRateLimits} from './http/limits/rate-limit.ts';
import {snippetsRouter} from './http/snippets/snippets-router.ts';

/** What is the same before and after a reload. */
type Lasting = {
  store: LeadStore;
  counters: Counters;
  versions: readonly EmbedVersion[];
  emit: Emit;
  timings: Timings;
  /** Counts which callers read leads. */
  reads: {count: (read: {user: string}) => void};
};

/** @returns makes the routes of a configuration, with the desk that takes leads under it */
export function createRoutes(
  {rateLimit: perMinute, publicUrl, signInExempt, proofOfWork, snippetsPage}: Config,
  {store, counters, versions, emit, timings, reads}: Lasting,
): (config: Config, desk: LeadDesk) => Router {
  const failures = {window: 60_000, counters, emit};
  const signIns = createFailureLimit({...failures, what: 'sign-ins', maxFailures: 20, exempt: signInExempt});
  const unknownPartners = createFailureLimit({
    ...failures,
    what: 'requests for unknown partners',
    maxFailures: perMinute,
  });
  const failureDelay = createFailureDelay();
  const ofPages = {
    publicUrl,
    unknownPartners,
    rateLimits: createRateLimits(counters),
    perMinute,
    timings,
  };
  const quota = createQuota(counters, perMinute, emit);
  const pinned = snippetsPage ? versionForSnippets(versions) : undefined;

  return (config, desk) => {
    const {partners, callers, tokenKeys, destinations, policy, confirmations} = config;
    const digests = createIdempotencyDigests(tokenKeys);
    const usualAnswer = destinations.has(defaultDestination) ? defaultDestination : undefined;
    const visitorDesk: VisitorDesk = {
      desk,
      digests,
      confirmations: confirmations
        ? {addresses: addressDigests(tokenKeys), networks: networkDigests(tokenKeys)}
        : undefined,
      tokens: createResultTokens(tokenKeys),
      explain: (lead, answer) => explainedAnswer(lead, answer, policy),
    };
    const figures = figuresOf(policy);
    const proofs = proofOfWork > 0 ? createProofs(tokenKeys, proofOfWork) : undefined;
    const form = createScriptlessForm({publicUrl, visitorDesk, tokenKeys, counters, emit});
    const routes = Router({caseSensitive: true});
    const around = {signIns, failureDelay, timings, reads};
    routes.use(jsonApi({...around, callers, partners, desk, digests, usualAnswer}));
    routes.use(
      embedApi({...ofPages, partners, visitorDesk, minimums: minimums(policy), figures, proofs, quota}),
    );
    const revokePage = createRevokePage(createLinkDesk({store, config}), config);
    const version = newestVersion(versions);
    routes.use(applyPages({...ofPages, partners, version, form, revokePage, emit}));
    if (pinned) routes.use(snippetsRouter({partners, publicUrl, version: pinned, unknownPartners}));
    return routes;
  };
}
