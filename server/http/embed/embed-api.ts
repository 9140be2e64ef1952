/**
 * `/embed/v1`: the API that the form calls from partners' pages. The `cid` of the partner is added to each lead here,
 * and is never sent to a browser.
 */
import {Router, type Request, type RequestHandler} from 'express';
import type {AmountPart, Explanation} from '../../../contract/amounts.ts';
import type {EmbedAnswer, EmbedConfig, EmbedSubmission} from '../../../contract/embed.ts';
import type {PolicyFigures} from '../../../contract/policy.ts';
import {confirmedBy} from '../../config/confirmations.ts';
import {addressDigests, networkDigest} from '../../leads/confirmation-digests.ts';
import {consentFor} from '../../leads/consent-texts.ts';
import type {LeadDesk, Submission} from '../../leads/lead-desk.ts';
import {mergesDuplicates, type Partner} from '../../config/partners.ts';
import type {Timings} from '../../config/timings.ts';
import {parseFormLead, type Lead} from '../../leads/lead-schema.ts';
import type {DoneAnswer, StoredLead} from '../../leads/stored-lead.ts';
import {comparableText, type IdempotencyDigests} from '../../leads/idempotency.ts';
import type {ResultTokens} from '../../leads/result-tokens.ts';
import {
  leadOfForm,
  readAttribution,
  readContext,
  readConsent,
  readSubmission,
  refuseOtherPartner,
  suspicions,
} from './embed-submission.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import {jsonBody, replyJson} from '../json-body.ts';
import {readIdempotencyKey, readLead, replayLead, submitLead} from '../lead-intake.ts';
import {mount} from '../mount.ts';
import {operations} from '../operations.ts';
import {askedFieldsIn} from '../../../form/words/asked.ts';
import {partnerGate} from './partner-gate.ts';
import {partnerWords} from './partner-words.ts';
import {ProblemError} from '../problem-replies.ts';
import {partnerOf} from '../request-context.ts';
import type {Proof, Proofs} from './proof.ts';
import type {Quota} from './quota.ts';
import type {RateLimits} from '../limits/rate-limit.ts';

type Parts = {
  partners: readonly [Partner, ...Partner[]];
  publicUrl: string;
  desk: LeadDesk;
  digests: IdempotencyDigests;
  /** Whether visitors may get confirmations. */
  confirmations: boolean;
  tokenKeys: readonly [string, ...string[]];
  tokens: ResultTokens;
  minimums: Partial<Record<AmountPart, number>>;
  figures: PolicyFigures;
  explain: (lead: Lead, answer: DoneAnswer) => Explanation | undefined;
  /** Undefined if no proof of work is required. */
  proofs: Proofs | undefined;
  quota: Quota;
  unknownPartners: FailureLimit;
  rateLimits: RateLimits;
  /**
   * How many leads, and how many requests for the configuration, one address may send in a minute; twice as many reads.
   */
  perMinute: number;
  timings: Pick<Timings, 'requestWait'>;
};

export function embedApi(parts: Parts): Router {
  const {partners, publicUrl, desk, digests, tokens, minimums, figures, explain, proofs, quota} = parts;
  const {confirmations, tokenKeys} = parts;
  const [addresses, networkOf] = [addressDigests(tokenKeys), networkDigest(tokenKeys)];
  const {unknownPartners, rateLimits, perMinute} = parts;
  const router = Router({caseSensitive: true});

  const toAnswer = ({id, lead, answer}: StoredLead): EmbedAnswer => {
    const amounts = answer.status === 'done' ? answer.amounts : null;
    const explanation = answer.status === 'done' ? explain(lead, answer) : undefined;
    return {
      id,
      token: tokens.issue(id),
      status: answer.status,
      prequalification: amounts && {first_name: lead.first_name, ...amounts},
      reasons: answer.status === 'done' ? answer.reasons : {},
      ...(explanation && {explanation}),
      ...(answer.status === 'refused' && answer.fields && {refused_fields: [...answer.fields]}),
    };
  };

  const newChallenge = async (from: Proofs, partner: Partner, network: string) =>
    from.challenge({partner: partner.key, network}, await quota.nextTerms(partner, network));

  const config: RequestHandler = async (request, response) => {
    const partner = partnerOf(request);
    const {leadTypes, colors, answerFrom, showsEstimate, contextFields, ask} = partner;
    const locale = localeOf(request);
    const body: EmbedConfig = {
      lead_types: leadTypes,
      minimums: answerFrom === undefined ? minimums : {},
      consent: consentFor(partner, locale),
      colors: colors ?? {},
      ...partnerWords(partner, locale),
      ...(showsEstimate && {estimate: figures}),
      ...(ask.length > 0 && {ask: askedFieldsIn(ask, locale)}),
      ...(contextFields.length > 0 && {context_fields: contextFields.map(({name}) => name)}),
      challenge: proofs ? await newChallenge(proofs, partner, request.network) : null,
    };
    replyJson(response, 200, body);
  };

  /** Starts to read the quota before the rate limit reads its counter, so that both take one round trip to Redis. */
  const prefetchQuota: RequestHandler = (request, _response, next) => {
    if (proofs) request.quotaState = quota.read(partnerOf(request), request.network);
    next();
  };

  /** @throws ProblemError when a proof is required and the body holds no valid one */
  async function readProof(request: Request, body: EmbedSubmission | undefined): Promise<Proof | undefined> {
    if (!proofs) return undefined;
    const {network} = request;
    const partner = partnerOf(request);
    const checked = await proofs.check(body?.proof, {partner: partner.key, network});
    const quotaState = await (request.quotaState ?? quota.read(partner, network));
    if (!checked || !quota.accepts(checked.terms, quotaState)) {
      throw new ProblemError('proof-needed', 'Fetch the configuration and solve its challenge.');
    }
    return checked.proof;
  }

  const create: RequestHandler = async (request, response) => {
    const partner = partnerOf(request);
    const body = readSubmission(request.body);
    if (body) refuseOtherPartner(partner, body);
    const lead = readLead(body ? {...leadOfForm(partner, body), cid: partner.cid} : null, parseFormLead);
    if (!partner.leadTypes.includes(lead.lead_type)) {
      throw new ProblemError('lead-type-not-allowed', 'Check the lead-type attribute of the form.');
    }
    const fingerprint = comparableText(lead);
    const version = partner.consent && body?.consent?.version;
    const content = version === undefined ? fingerprint : `${fingerprint} ${version}`;
    const idempotency = readIdempotencyKey(request, digests, `partner:${partner.key}`, content);
    if (!idempotency) throw new ProblemError('idempotency-key-invalid', 'Send an Idempotency-Key header.');

    let given: Pick<Submission, 'consent' | 'consentText' | 'proof'>;
    try {
      given = {...readConsent(request, partner, body), proof: await readProof(request, body)};
    } catch (problem) {
      // This may be a retry of a page that lost the response. Then the lead is already stored, so the consent and the
      // proof of the retry need not be valid any more.
      const replayed = await replayLead(desk, idempotency);
      if (!replayed) throw problem;
      request.leadId = replayed.id;
      replyJson(response, 201, toAnswer(replayed));
      return;
    }

    const suspect = suspicions(body);
    const {confirm} = partner;
    const confirms = confirmations && confirm !== undefined && suspect === undefined;
    const hold = suspect !== undefined && partner.suspect === 'hold';
    const supersedes = await supersededId(partner, body);
    // A merged duplicate is not delivered. If no leads of the partner are delivered, nothing is merged. A lead that is
    // held, or that corrects an earlier one, is never merged, because the other lead would be delivered in its place.
    const isDelivered = partner.answerFrom !== undefined || partner.sendTo.length > 0;
    const mayMerge = mergesDuplicates(partner, lead.lead_type) && isDelivered && !hold && !supersedes;
    const {outcome, stored} = await submitLead(desk, {
      lead,
      partner: partner.key,
      answerFrom: partner.answerFrom,
      sendTo: partner.sendTo,
      idempotency,
      ...given,
      attribution: body && readAttribution(body),
      ...(body && readContext(partner, body)),
      suspect,
      hold,
      supersedes,
      confirmBy: confirms ? confirmedBy(confirm) : undefined,
      confirmation: confirms
        ? {
            partner: partner.key,
            address: addresses(lead.email)[0] ?? '',
            network: networkOf(request.network),
            language: body?.lang ?? given.consent?.textLanguage ?? 'en',
          }
        : undefined,
      leadDigests: mayMerge ? digests.ofLead(fingerprint) : [],
    });
    // There is no `await`, so that the visitor does not wait for Redis.
    if (outcome === 'created') void quota.countLead(partner, request.network);
    request.leadId = stored.id;
    replyJson(response, 201, toAnswer(stored));
  };

  /**
   * The lead with this id, if the token gives access to it. An unknown id, another partner's lead, and a missing or
   * wrong token all cause the same query and the same comparison, so that the response time tells a stranger nothing.
   */
  async function readWithToken(partner: Partner, id: string, token: string): Promise<StoredLead | undefined> {
    const stored = await desk.find(id);
    const mayRead = tokens.verify(id, token, stored?.createdAt ?? 0);
    return stored && mayRead && stored.partner === partner.key ? stored : undefined;
  }

  /** The id of the earlier lead that this one corrects, if the page has a valid token for the earlier lead. */
  async function supersededId(partner: Partner, body: EmbedSubmission | undefined) {
    const named = body?.supersedes;
    return named && (await readWithToken(partner, named.id, named.token))?.id;
  }

  const read: RequestHandler<{id: string}> = async (request, response) => {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(request.get('Authorization') ?? '') ?? [];
    const stored = await readWithToken(partnerOf(request), request.params.id, token);
    if (!stored) throw new ProblemError('not-found', 'There is no such lead for this token.');
    request.leadId = stored.id;
    if (stored.answer.status === 'pending') response.set('Retry-After', '5');
    replyJson(response, 200, toAnswer(stored));
  };

  mount(
    router,
    [
      [operations.embedConfig, [rateLimits('config', perMinute)], config],
      [operations.embedCreate, [prefetchQuota, rateLimits('leads', perMinute), jsonBody], create],
      [operations.embedRead, [rateLimits('results', perMinute * 2)], read],
    ],
    {first: partnerGate(partners, new URL(publicUrl).origin, unknownPartners), ...parts.timings},
  );
  return router;
}

/** The language of the form, such as `es-US`. Forms before 1.4 do not send it. */
function localeOf({query}: Request): string | undefined {
  const {lang} = query;
  return typeof lang === 'string' && lang !== '' ? lang : undefined;
}
