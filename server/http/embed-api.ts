/** `/embed/v1`: the browser's side. Credentials and `cid` are added here and never leave. */
import {createHash} from 'node:crypto';
import {Router, type Request, type RequestHandler} from 'express';
import type {AmountPart, EmbedAnswer, EmbedConfig} from '../../contract/api.ts';
import type {LeadDesk} from '../lead-desk.ts';
import {mergesDuplicates, type Partner} from '../partners.ts';
import type {Consent, StoredLead} from '../store/lead-store.ts';
import type {Tokens} from '../tokens.ts';
import {bareAddress, readAttribution, readEmbedBody, type EmbedBody} from './embed-body.ts';
import type {FailureLimit} from './failure-limit.ts';
import {jsonBody} from './json-body.ts';
import {replyJson} from './json-reply.ts';
import {fingerprintOf, readIdempotencyKey, readLead, replayLead, takeLead} from './lead-intake.ts';
import {mount, operations} from './operations.ts';
import {partnerGate} from './partner-gate.ts';
import {ProblemError} from './problem-replies.ts';
import type {Proof, Proofs} from './proof.ts';
import type {Quota} from './quota.ts';
import type {RateLimits} from './rate-limit.ts';

type Parts = {
  partners: readonly [Partner, ...Partner[]];
  desk: LeadDesk;
  tokens: Tokens;
  minimums: Partial<Record<AmountPart, number>>;
  /** Undefined where no proof of work is asked for. */
  proofs: Proofs | undefined;
  quota: Quota;
  /** Of requests for partners that are not known. */
  guesses: FailureLimit;
  limits: RateLimits;
  perMinute: number;
};

/** Nobody fills the form in faster than this, in milliseconds; an autofill may. */
const shortestTime = 3_000;

export function embedApi(parts: Parts): Router {
  const {partners, desk, tokens, minimums, proofs, quota, guesses, limits, perMinute} = parts;
  const router = Router({caseSensitive: true});

  const toAnswer = ({id, lead, answer}: StoredLead): EmbedAnswer => {
    const amounts = answer.status === 'done' ? answer.amounts : null;
    return {
      id,
      token: tokens.issue(id),
      status: answer.status,
      prequalification: amounts && {first_name: lead.first_name, ...amounts},
      reasons: answer.status === 'done' ? answer.reasons : {},
    };
  };

  const newChallenge = async (from: Proofs, partner: Partner, network: string) =>
    from.challenge({partner: partner.key, network}, await quota.issue(partner, network));

  const config: RequestHandler = async (request, response) => {
    const partner = request.partner!;
    const {lead_types, consent, colors, upstream} = partner;
    const body: EmbedConfig = {
      lead_types,
      minimums: upstream === undefined ? minimums : {},
      consent: consent ?? null,
      colors: colors ?? {},
      challenge: proofs ? await newChallenge(proofs, partner, request.network) : null,
    };
    replyJson(response, 200, body);
  };

  /** Reads the quota before the rate limit reads its own counter, so that one round trip to Redis serves both. */
  const lookAhead: RequestHandler = (request, _response, next) => {
    if (proofs) request.standing = quota.look(request.partner!, request.network);
    next();
  };

  /** @throws ProblemError when one is asked for and none came that is good for a lead */
  async function readProof(request: Request, body: EmbedBody | undefined): Promise<Proof | undefined> {
    if (!proofs) return undefined;
    const {partner, network, standing} = request;
    const checked = await proofs.check(body?.proof, {partner: partner!.key, network});
    if (!checked || !quota.accepts(checked.issue, await standing!)) {
      throw new ProblemError('proof-needed', 'Fetch the configuration and solve its challenge.');
    }
    return checked.proof;
  }

  const create: RequestHandler = async (request, response) => {
    const partner = request.partner!;
    const body = readEmbedBody(request.body);
    const lead = readLead(body ? {...body.lead, cid: partner.cid} : null);
    if (!partner.lead_types.includes(lead.lead_type)) {
      throw new ProblemError('lead-type-not-allowed', 'Check the lead-type attribute of the form.');
    }
    const same = fingerprintOf(lead);
    const version = partner.consent && body?.consent?.version;
    const content = version === undefined ? same : `${same} ${version}`;
    const idempotency = readIdempotencyKey(request, tokens, `partner:${partner.key}`, content);
    if (!idempotency) throw new ProblemError('idempotency-key-invalid', 'Send an Idempotency-Key header.');

    let given: {consent: Consent | undefined; proof: Proof | undefined};
    try {
      given = {consent: readConsent(request, partner, body), proof: await readProof(request, body)};
    } catch (problem) {
      // A retry after a lost reply brings the consent and the proof of then, which may be outlived.
      const replayed = await replayLead(desk, idempotency);
      if (!replayed) throw problem;
      request.leadId = replayed.id;
      replyJson(response, 201, toAnswer(replayed));
      return;
    }

    const suspect = suspicions(body);
    const hold = suspect !== undefined && partner.suspect === 'hold';
    const supersedes = await superseded(partner, body);
    // Where nothing is delivered there is nothing to merge; a held lead must not stand in for a sound one, nor one
    // from before a correction for the visitor's last word.
    const merges = mergesDuplicates(partner, lead.lead_type);
    const mayMerge = merges && partner.upstream !== undefined && !hold && !supersedes;
    const {outcome, stored} = await takeLead(desk, {
      lead,
      partner: partner.key,
      upstream: partner.upstream,
      idempotency,
      ...given,
      attribution: body && readAttribution(body),
      suspect,
      hold,
      supersedes,
      sameLead: mayMerge ? tokens.digests(same) : [],
    });
    // The visitor does not wait for it.
    if (outcome === 'created') void quota.count(partner, request.network);
    request.leadId = stored.id;
    replyJson(response, 201, toAnswer(stored));
  };

  /** Unknown id, another partner's lead, missing and wrong token: the same query, the same comparison. */
  async function readWithToken(partner: Partner, id: string, token: string): Promise<StoredLead | undefined> {
    const stored = await desk.find(id);
    const mayRead = tokens.verify(id, token, stored?.createdAt ?? 0);
    return stored && mayRead && stored.partner === partner.key ? stored : undefined;
  }

  async function superseded(partner: Partner, body: EmbedBody | undefined) {
    const named = body?.supersedes;
    return named && (await readWithToken(partner, named.id, named.token))?.id;
  }

  const read: RequestHandler<{id: string}> = async (request, response) => {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(request.get('Authorization') ?? '') ?? [];
    const stored = await readWithToken(request.partner!, request.params.id, token);
    if (!stored) throw new ProblemError('not-found', 'There is no such lead for this token.');
    request.leadId = stored.id;
    if (stored.answer.status === 'pending') response.set('Retry-After', '5');
    replyJson(response, 200, toAnswer(stored));
  };

  mount(
    router,
    [
      [operations.embedConfig, limits('config', perMinute), config],
      [operations.embedCreate, lookAhead, limits('leads', perMinute), jsonBody, create],
      [operations.embedRead, limits('results', perMinute * 2), read],
    ],
    partnerGate(partners, guesses),
  );
  return router;
}

/** What the visitor was shown and did. @throws ProblemError when it is not what the partner asks for now */
function readConsent(request: Request, {consent}: Partner, body: EmbedBody | undefined): Consent | undefined {
  if (!consent) return undefined;
  const given = body?.consent;
  if (given && given.version !== consent.version) {
    throw new ProblemError('consent-outdated', 'Fetch the configuration and show its text.', {
      headers: {'Retry-After': '1'},
    });
  }
  if (!given || (consent.required && !given.agreed)) {
    const errors = [{field: 'consent', code: 'required', message: 'is required'}];
    throw new ProblemError('invalid-lead', 'Check consent.', {errors});
  }
  const origin = request.get('Origin');
  const page = bareAddress(body?.page);
  return {
    textVersion: consent.version,
    textHash: createHash('sha256').update(consent.text).digest('hex'),
    agreed: consent.required ? given.agreed : null,
    givenAt: Date.now(),
    origin: origin ?? null,
    page: URL.parse(page ?? '')?.origin === origin ? page : null,
    ip: request.address,
    userAgent: request.get('User-Agent')?.slice(0, 512) ?? null,
  };
}

/** Never a ground to refuse: autofill fills traps and beats clocks, too. */
function suspicions(body: EmbedBody | undefined): string | undefined {
  const trapped = body?.trap ? 'trap' : '';
  const fast = (body?.elapsed_ms ?? Infinity) < shortestTime ? 'fast' : '';
  return [trapped, fast].filter(Boolean).join(' ') || undefined;
}
