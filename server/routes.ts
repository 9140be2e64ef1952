/** The routes that depend on the configuration. A reload makes them anew; limits and counters stay. */
import {isDeepStrictEqual} from 'node:util';
import {Router} from 'express';
import {minimums} from '../calculator/calculator.ts';
import {figuresOf} from '../calculator/policy.ts';
import type {Config} from './config/config.ts';
import {contactFacts} from './config/contact-facts.ts';
import type {Partner} from './config/partners.ts';
import type {Timings} from './config/timings.ts';
import {explainedAnswer} from './leads/calculated-answer.ts';
import {addressDigests, networkDigests} from './leads/confirmation-digests.ts';
import {createIdempotencyDigests} from './leads/idempotency.ts';
import type {LeadService} from './leads/lead-service.ts';
import {createResultTokens} from './leads/result-tokens.ts';
import type {LeadStore} from './leads/ports.ts';
import type {VisitorService} from './leads/visitor-leads.ts';
import type {Emit} from './observe/observations.ts';
import {versionForSnippets} from './snippets/parts.ts';
import {newestVersion, type EmbedVersion} from './versions/embed-versions.ts';
import type {RequestCounter} from './versions/request-counts.ts';
import {applyPages} from './http/apply/apply-pages.ts';
import {createLinkDesk} from './admin/link-desk.ts';
import {createRevokePage} from './http/apply/revoke-page.ts';
import {createNoJsForm} from './http/apply/no-js-form.ts';
import {embedApi} from './http/embed/embed-api.ts';
import {createCompressor} from './http/embed/compression.ts';
import {embedFiles} from './http/embed/embed-files.ts';
import {createProofs} from './http/embed/proof.ts';
import {createQuota} from './http/embed/quota.ts';
import {jsonApi} from './http/json/json-api.ts';
import type {Counters} from './http/limits/counters.ts';
import {createFailureDelay} from './http/limits/failure-delay.ts';
import {createFailureLimit} from './http/limits/failure-limit.ts';
import {createRateLimits} from './http/limits/rate-limit.ts';
import {versionList} from './http/public-lists.ts';
import {viewCounter} from './http/view-counter.ts';
import {snippetsRouter} from './http/snippets/snippets-router.ts';

/** What is the same before and after a reload: it has counted failures, and compressed forms. */
type Lasting = {
  store: LeadStore;
  counters: Counters;
  /** Is told of each version of the form that a page has asked for, and of each page view. */
  requests: Pick<RequestCounter, 'count' | 'countView'>;
  emit: Emit;
  timings: Timings;
  /** Counts which callers read leads. */
  reads: {count: (read: {user: string}) => void};
};

/** @returns makes the routes of a configuration, with the service that takes leads under it, and the versions that it serves */
export function createRoutes(
  first: Config,
  {store, counters, requests, emit, timings, reads}: Lasting,
): (config: Config, service: LeadService, versions: readonly EmbedVersion[]) => Router {
  let inForce: Pick<Config, 'signInExempt' | 'rateLimit'> = first;
  const failures = {window: 60_000, counters, emit};
  const signIns = createFailureLimit({
    ...failures,
    what: 'sign-ins',
    maxFailures: () => 20,
    exempt: () => inForce.signInExempt,
  });
  const unknownPartners = createFailureLimit({
    ...failures,
    what: 'requests for unknown partners',
    maxFailures: () => inForce.rateLimit,
  });
  const failureDelay = createFailureDelay();
  const rateLimits = createRateLimits(counters);
  const compressor = createCompressor();
  let files = {versions: [] as readonly EmbedVersion[], router: Router()};
  function filesOf(versions: readonly EmbedVersion[]): Router {
    if (!isDeepStrictEqual(files.versions, versions))
      files = {versions, router: embedFiles(versions, requests.count, emit, compressor)};
    return files.router;
  }

  return (config, service, versions) => {
    inForce = config;
    const {partners, callers, tokenKeys, policy, confirmations, publicUrl, proofOfWork} = config;
    const ofPages = {publicUrl, unknownPartners, rateLimits, perMinute: config.rateLimit, timings};
    const quota = createQuota(counters, config.rateLimit, emit);
    const pinned = config.snippetsPage ? versionForSnippets(versions) : undefined;
    const digests = createIdempotencyDigests(tokenKeys);
    const visitorService: VisitorService = {
      service,
      digests,
      confirmations: confirmations
        ? {addresses: addressDigests(tokenKeys), networks: networkDigests(tokenKeys)}
        : undefined,
      tokens: createResultTokens(tokenKeys),
      explain: (lead, answer) => explainedAnswer(lead, answer, policy),
    };
    const figures = figuresOf(policy);
    const proofs = proofOfWork > 0 ? createProofs(tokenKeys, proofOfWork) : undefined;
    const facts = (partner: Partner) => contactFacts(partner, config.destinations);
    const countView = viewCounter(versions, requests);
    const form = createNoJsForm({countView, publicUrl, visitorService, facts, tokenKeys, counters, emit});
    const routes = Router({caseSensitive: true});
    const around = {signIns, failureDelay, timings, reads};
    routes.use(jsonApi({...around, callers, partners, service, digests}));
    routes.use(
      embedApi({
        ...ofPages,
        partners,
        visitorService,
        minimums: minimums(policy),
        figures,
        facts,
        proofs,
        quota,
        countView,
      }),
    );
    const revokePage = createRevokePage(createLinkDesk({store, config}), config);
    const version = newestVersion(versions);
    routes.use(applyPages({...ofPages, partners, version, form, revokePage, emit}));
    if (pinned) routes.use(snippetsRouter({partners, publicUrl, version: pinned, unknownPartners}));
    routes.use(versionList(versions), filesOf(versions));
    return routes;
  };
}
