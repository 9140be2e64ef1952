/**
 * Takes the leads of visitors for a partner: those that the form's script sends, and those that a browser sends by itself.
 * The `cid` of the partner is added to each lead here, and is never sent to a browser.
 */
import type {Explanation} from '../../contract/amounts.ts';
import type {EmbedAnswer, EmbedSubmission} from '../../contract/embed.ts';
import {confirmedBy} from '../config/confirmations.ts';
import {mergesDuplicates, type Partner} from '../config/partners.ts';
import {receiversOf} from '../config/routes.ts';
import type {addressDigests, networkDigests} from './confirmation-digests.ts';
import {comparableText, type IdempotencyDigests, type IdempotencyKey} from './idempotency.ts';
import {readLead, replayLead, submitLead} from './intake.ts';
import type {LeadService} from './lead-service.ts';
import {parseFormLead, type Lead} from './lead-schema.ts';
import type {NewLead} from './new-lead.ts';
import {readOwnAnswers} from './own-answers.ts';
import {ProblemError} from './problem-error.ts';
import type {ResultTokens} from './result-tokens.ts';
import {LeadUnreadable} from './store-errors.ts';
import type {DoneAnswer, StoredLead} from './stored-lead.ts';
import {leadOfForm, readAttribution, readContext, type Visitor} from './visitor-submission.ts';

type AddressDigests = ReturnType<typeof addressDigests>;
type NetworkDigests = ReturnType<typeof networkDigests>;

/** What takes the leads of visitors, under one configuration. */
export type VisitorService = {
  service: LeadService;
  digests: IdempotencyDigests;
  /** What makes the digests by which confirmations are limited. Undefined if visitors get none. */
  confirmations: {addresses: AddressDigests; networks: NetworkDigests} | undefined;
  tokens: ResultTokens;
  explain: (lead: Lead, answer: DoneAnswer) => Explanation | undefined;
};

/** What must be valid for a new lead, and need not be for one that is stored already. */
type Given = Pick<NewLead, 'consent' | 'consentText' | 'proof'>;

/** A lead that a page has sent. */
export type SentLead = {
  partner: Partner;
  visitor: Visitor;
  body: EmbedSubmission | undefined;
  lead: Lead;
  idempotency: readonly IdempotencyKey[];
  /** @throws ProblemError if the lead must not be stored */
  readGiven: () => Promise<Given>;
  /** Why a bot may have sent the lead. */
  suspect: string | undefined;
  /** Whether the lead may be merged with an earlier one, if the partner wants that. */
  mayMerge: boolean;
};

/**
 * Reads the lead in what a page has sent.
 * @returns also the content that must be the same when it is sent again with the same idempotency key
 * @throws ProblemError
 */
export function readVisitorLead(
  partner: Partner,
  body: EmbedSubmission | undefined,
): {lead: Lead; content: string} {
  const {answers, errors} = readOwnAnswers(partner.questions, body?.lead ?? {});
  const own = answers.length > 0 && {answers};
  const given = body ? {...leadOfForm(partner, body), ...own, cid: partner.cid} : null;
  const lead = readLead(given, parseFormLead, errors);
  if (!partner.leadTypes.includes(lead.lead_type)) {
    throw new ProblemError('lead-type-not-allowed', 'Check the lead-type attribute of the form.');
  }
  const version = partner.consent && body?.consent?.version;
  const fingerprint = comparableText(lead);
  return {lead, content: version === undefined ? fingerprint : `${fingerprint} ${version}`};
}

/** Who has the idempotency keys of a partner's visitors. */
export const ownerOfKeys = ({key}: Partner) => `partner:${key}`;

/** Stores the lead, or finds the one that was stored with the same key. @throws ProblemError */
export async function takeVisitorLead(
  visitorService: VisitorService,
  sent: SentLead,
): Promise<{outcome: 'created' | 'replayed'; stored: StoredLead}> {
  const {service, digests} = visitorService;
  const {partner, visitor, body, lead, idempotency, suspect} = sent;
  let given: Given;
  try {
    given = await sent.readGiven();
  } catch (problem) {
    // This may be a retry of a page that lost the response. Then the lead is already stored, so the consent and the
    // proof of the retry need not be valid any more.
    const stored = await replayLead(service, idempotency, lead);
    if (!stored) throw problem;
    return {outcome: 'replayed', stored};
  }
  const {answerFrom, sendTo, rules} = partner;
  const hold = suspect !== undefined && partner.suspect === 'hold';
  const supersedes = await supersededId(visitorService, partner, body);
  // A merged duplicate is not delivered. If no leads of the partner are delivered, nothing is merged. A lead that is
  // held, or that corrects an earlier one, is never merged, because the other lead would be delivered in its place.
  const isDelivered = answerFrom !== undefined || receiversOf(partner).length > 0;
  const merges =
    sent.mayMerge && mergesDuplicates(partner, lead.lead_type) && isDelivered && !hold && !supersedes;
  return submitLead(service, {
    lead,
    partner: partner.key,
    answerFrom,
    sendTo,
    rules,
    language: body?.lang ?? given.consent?.textLanguage,
    hold,
    ...given,
    attribution: body && readAttribution(visitor, body),
    ...(body && readContext(partner, body)),
    suspect,
    supersedes,
    idempotency,
    leadDigests: merges ? digests.ofLead(comparableText(lead)) : [],
    ...confirming(visitorService, sent, given),
  });
}

/** What a new lead has if its visitor may get a confirmation. A suspect gets none. */
function confirming(
  {confirmations}: VisitorService,
  {partner: {key, confirm}, visitor, body, lead, suspect}: SentLead,
  {consent}: Given,
): Pick<NewLead, 'confirmBy' | 'confirmation'> {
  if (!confirmations || !confirm || suspect !== undefined) return {};
  return {
    confirmBy: confirmedBy(confirm),
    confirmation: {
      partner: key,
      address: confirmations.addresses(lead.email)[0] ?? '',
      networks: confirmations.networks(visitor.network),
      language: body?.lang ?? consent?.textLanguage ?? 'en',
    },
  };
}

/**
 * An unknown id, another partner's lead, and a missing or wrong token all cause the same query and the same comparison,
 * so that the response time tells a stranger nothing.
 */
async function findWithToken({service, tokens}: VisitorService, partner: Partner, id: string, token: string) {
  const stored = await service.find(id).catch((error: unknown) => {
    if (error instanceof LeadUnreadable) return error;
    throw error;
  });
  const mayRead = tokens.verify(id, token, stored?.createdAt ?? 0);
  return stored && mayRead && stored.partner === partner.key ? stored : undefined;
}

/** The lead with this id, if the token gives access to it. @throws LeadUnreadable */
export async function readWithToken(
  visitorService: VisitorService,
  partner: Partner,
  id: string,
  token: string,
): Promise<StoredLead | undefined> {
  const found = await findWithToken(visitorService, partner, id, token);
  if (found instanceof LeadUnreadable) throw found;
  return found;
}

/**
 * The id of the earlier lead that this one corrects, if the page has a valid token for the earlier lead. Nothing needs to
 * be read of that one.
 */
async function supersededId(
  visitorService: VisitorService,
  partner: Partner,
  body: EmbedSubmission | undefined,
) {
  const named = body?.supersedes;
  return named && (await findWithToken(visitorService, partner, named.id, named.token))?.id;
}

/** What the visitor's page gets. */
export function toAnswer({tokens, explain}: VisitorService, {id, lead, answer}: StoredLead): EmbedAnswer {
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
}
