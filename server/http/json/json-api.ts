/** `/json/leads`: the API of the specification, for servers that hold credentials. */
import {Router, type RequestHandler} from 'express';
import {specifiedAmounts, type SpecifiedPrequalification} from '../../../contract/amounts.ts';
import {paths} from '../../../contract/api.ts';
import {tableOf} from '../../../contract/table-of.ts';
import type {LeadService} from '../../leads/lead-service.ts';
import {LeadUnreadable} from '../../leads/store-errors.ts';
import type {StoredLead} from '../../leads/stored-lead.ts';
import {parseConsent, parseSignal, toConsent, type GivenConsent} from '../../leads/caller-consent.ts';
import {comparableText, type IdempotencyDigests} from '../../leads/idempotency.ts';
import {routeOf, type Caller} from '../../config/callers.ts';
import type {Partner} from '../../config/partners.ts';
import type {Timings} from '../../config/timings.ts';
import {basicAuth} from './basic-auth.ts';
import {jsonBody, replyJson} from '../json-body.ts';
import type {FailureDelay} from '../limits/failure-delay.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import {readIdempotencyKey, readLead, replayLead, submitLead} from '../../leads/intake.ts';
import {mount} from '../mount.ts';
import {operations} from '../operations.ts';
import {ProblemError, retryAfter} from '../../leads/problem-error.ts';
import {callerOf} from '../request-context.ts';

type Parts = {
  callers: readonly Caller[];
  /** Those whose consent texts callers may name. */
  partners: readonly Partner[];
  signIns: FailureLimit;
  failureDelay: FailureDelay;
  service: LeadService;
  digests: IdempotencyDigests;
  timings: Pick<Timings, 'requestWait'>;
  /** Counts which callers read leads. */
  reads: {count: (read: {user: string}) => void};
};

export function jsonApi(parts: Parts): Router {
  const {callers, partners, signIns, failureDelay, service, digests, timings, reads} = parts;
  const router = Router({caseSensitive: true});
  const authenticate = basicAuth(callers, signIns, failureDelay);

  const create: RequestHandler = async (request, response) => {
    const {sent, errors} = parseConsent(request.body);
    const {attribution, errors: more} = parseSignal(request.body);
    const lead = readLead(request.body, undefined, [...errors, ...more]);
    const caller = callerOf(request);
    const {user, cids} = caller;
    const texts = [sent, attribution].filter(Boolean).map((said) => JSON.stringify(said));
    if (!cids.includes(lead.cid)) {
      throw new ProblemError('cid-not-allowed', 'Use a cid that was given to this user.');
    }
    const idempotency = readIdempotencyKey(request.get('Idempotency-Key'), digests, `caller:${user}`, () =>
      [comparableText(lead), ...texts].join(' '),
    );
    const {problem, ...given}: GivenConsent = sent ? toConsent(sent, partners, lead.cid) : {};
    // This may be a retry of a lead that is stored already. Its text need not be configured any more.
    const before = problem && (await replayLead(service, idempotency ?? [], lead));
    if (problem && !before) throw problem;
    const route = routeOf(caller);
    const {id} =
      before ??
      (
        await submitLead(service, {
          ...{lead, partner: null, ...route, ...given, attribution, idempotency},
          language: given.consent?.textLanguage,
        })
      ).stored;
    request.leadId = id;
    response.setHeader('Location', `${paths.leads}/${id}`);
    replyJson(response, 201, {id});
  };

  const read: RequestHandler<{id: string}> = async (request, response) => {
    const {user, cids} = callerOf(request);
    // RFC 9562 lets UUIDs be read in any case, and databases give them back in capitals.
    const stored = await service.find(request.params.id.toLowerCase()).catch((error: unknown) => {
      // To another client, a lead that cannot be opened is as one that does not exist, too.
      if (error instanceof LeadUnreadable && !cids.includes(error.cid)) return undefined;
      throw error;
    });
    if (!stored || !cids.includes(stored.lead.cid)) {
      throw new ProblemError('not-found', 'There is no such lead for these credentials.');
    }
    request.leadId = stored.id;
    replyJson(response, 200, result(stored));
    reads.count({user});
  };

  mount(
    router,
    [
      [operations.createLead, [authenticate, jsonBody], create],
      [operations.readLead, [authenticate], read],
    ],
    timings,
  );
  return router;
}

function result({lead, answer}: StoredLead): SpecifiedPrequalification {
  if (lead.lead_type === 'standard') {
    throw new ProblemError('no-prequalification', 'Only prequalification leads have amounts.');
  }
  if (answer.status === 'pending') {
    throw new ProblemError('result-pending', 'The upstream has not answered yet.', retryAfter(5));
  }
  if (answer.status === 'refused' || !answer.amounts) {
    throw new ProblemError('upstream-refused', 'The upstream will not take this lead.');
  }
  const {amounts} = answer;
  // The calculator may return further amounts, but this response has only those that the specification names.
  return {first_name: lead.first_name, ...tableOf(specifiedAmounts, (name) => amounts[name])};
}
