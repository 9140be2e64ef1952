/** `/embed/v1`: the API that the form calls from partners' pages. */
import {Router, type Request, type RequestHandler} from 'express';
import type {AmountPart} from '../../../contract/amounts.ts';
import type {EmbedConfig, EmbedSubmission} from '../../../contract/embed.ts';
import type {PolicyFigures} from '../../../contract/policy.ts';
import {consentFor} from '../../leads/consent-texts.ts';
import type {Partner} from '../../config/partners.ts';
import type {ContactFacts} from '../../config/contact-facts.ts';
import type {Timings} from '../../config/timings.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import {jsonBody, replyJson} from '../json-body.ts';
import {contactLinks} from '../../snippets/fallback.ts';
import {readIdempotencyKey} from '../../leads/intake.ts';
import {mount} from '../mount.ts';
import {operations} from '../operations.ts';
import {askedFieldsIn} from '../../../form/words/asked.ts';
import {partnerGate} from './partner-gate.ts';
import {partnerWords} from './partner-words.ts';
import {ProblemError} from '../../leads/problem-error.ts';
import {
  ownerOfKeys,
  readVisitorLead,
  readWithToken,
  takeVisitorLead,
  toAnswer,
  type VisitorService,
} from '../../leads/visitor-leads.ts';
import {readConsent, refuseOtherPartner, suspicions} from '../../leads/visitor-submission.ts';
import {partnerOf, visitorOf} from '../request-context.ts';
import {viewStages} from '../../versions/request-counts.ts';
import type {CountView} from '../view-counter.ts';
import {readSubmission} from '../wire-schemas.ts';
import type {Proof, Proofs} from './proof.ts';
import type {Quota, QuotaState} from './quota.ts';
import type {RateLimits} from '../limits/rate-limit.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set if a proof of work is required: the counters of the partner and of the network. */
    quotaState?: Promise<QuotaState>;
  }
}

type Parts = {
  partners: readonly [Partner, ...Partner[]];
  publicUrl: string;
  visitorService: VisitorService;
  minimums: Partial<Record<AmountPart, number>>;
  figures: PolicyFigures;
  facts: (partner: Partner) => ContactFacts;
  /** Undefined if no proof of work is required. */
  proofs: Proofs | undefined;
  quota: Quota;
  countView: CountView;
  unknownPartners: FailureLimit;
  rateLimits: RateLimits;
  /**
   * How many leads, and how many requests for the configuration, one address may send in a minute; twice as many reads.
   */
  perMinute: number;
  timings: Pick<Timings, 'requestWait'>;
};

export function embedApi(parts: Parts): Router {
  const {partners, publicUrl, visitorService, minimums, figures, facts, proofs, quota, countView} = parts;
  const {unknownPartners, rateLimits, perMinute} = parts;
  const router = Router({caseSensitive: true});

  const newChallenge = async (from: Proofs, partner: Partner, network: string) =>
    from.challenge({partner: partner.key, network}, await quota.nextTerms(partner, network));

  const config: RequestHandler = async (request, response) => {
    const partner = partnerOf(request);
    const {view = viewStages[0], version} = request.query;
    const stage = viewStages.find((each) => each === view);
    if (stage) countView(request, stage, version);
    const {key, name, contact, leadTypes, colors, answerFrom, showsEstimate, contextFields, ask, questions} =
      partner;
    const locale = localeOf(request);
    const body: EmbedConfig = {
      lead_types: leadTypes,
      minimums: answerFrom === undefined ? minimums : {},
      consent: consentFor(partner, locale),
      colors: colors ?? {},
      ...(name !== key && {name}),
      ...(contact && {contact: contactLinks(contact)}),
      ...partnerWords(partner, facts(partner), locale),
      ...(showsEstimate && {estimate: estimateOf(figures)}),
      ...(ask.length + questions.length > 0 && {
        ask: askedFieldsIn(ask, locale, questions),
      }),
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
    const {lead, content} = readVisitorLead(partner, body);
    const idempotency = readIdempotencyKey(
      request.get('Idempotency-Key'),
      visitorService.digests,
      ownerOfKeys(partner),
      () => content,
    );
    if (!idempotency) throw new ProblemError('idempotency-key-invalid', 'Send an Idempotency-Key header.');
    const visitor = visitorOf(request);
    const {outcome, stored} = await takeVisitorLead(visitorService, {
      partner,
      visitor,
      body,
      lead,
      idempotency,
      readGiven: async () => ({
        ...readConsent(visitor, partner, body),
        proof: await readProof(request, body),
      }),
      suspect: suspicions(body),
      mayMerge: true,
    });
    request.leadId = stored.id;
    // There is no `await`, so that the visitor does not wait for Redis.
    if (outcome === 'created') void quota.countLead(partner, request.network);
    replyJson(response, 201, toAnswer(visitorService, stored));
  };

  const read: RequestHandler<{id: string}> = async (request, response) => {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(request.get('Authorization') ?? '') ?? [];
    const stored = await readWithToken(visitorService, partnerOf(request), request.params.id, token);
    if (!stored) throw new ProblemError('not-found', 'There is no such lead for this token.');
    request.leadId = stored.id;
    if (stored.answer.status === 'pending') response.set('Retry-After', '5');
    replyJson(response, 200, toAnswer(visitorService, stored));
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

/** Forms before 1.6 do not know the minimum of the portfolio loan, and count none in the total that they show. */
const estimateOf = ({portfolio_loan, ...figures}: PolicyFigures): NonNullable<EmbedConfig['estimate']> =>
  portfolio_loan.minimum === 0
    ? {...figures, portfolio_loan}
    : {
        ...figures,
        portfolio_loan: {...portfolio_loan, percent_of_investments: 0},
        portfolio_loan_from: portfolio_loan,
      };

/** The language of the form, such as `es-US`. Forms before 1.4 do not send it. */
function localeOf({query}: Request): string | undefined {
  const {lang} = query;
  return typeof lang === 'string' && lang !== '' ? lang : undefined;
}
