/**
 * What anybody shows of a lead: whether it may be called, how far it has come, its amounts, and what was agreed. Mails, chat rooms,
 * spreadsheets, pages and commands write this down, and decide nothing of it.
 */
import {z} from 'zod';
import type {Amounts} from '../../contract/amounts.ts';
import {referenceOf} from '../../contract/reference.ts';
import {shownAmountsOf} from './calculated-answer.ts';
import type {DeliveryReason, DeliveryState} from './deliveries.ts';
import type {OpenDelivery} from './figures.ts';
import {lookUp} from '../../form/words/look-up.ts';
import {oneLine} from './hidden-characters.ts';
import type {FullLead, LeadOutline, ListedLead} from './lead-filter.ts';
import {createdAtOf} from './lead-ids.ts';
import {
  agreedWords,
  languageWords,
  noConsent,
  resultWords,
  signalWords,
  states,
  suspicionWords,
  type StateReason,
} from './lead-words.ts';
import {mayCall, mayCallSchema, stopSchema, type CallFacts} from './may-call.ts';
import type {NewestOutcome} from './outcomes.ts';
import type {Answer, Consent} from './stored-lead.ts';
import {timeThere, timeZonesOf} from './time-there.ts';

const text = z.string().nullable();
const number = z.number().nullable();

/**
 * Times are milliseconds since 1970.
 * - `state`: how far it has come, in a word or three
 * - `record`: everything that is stored, for what is written down as it came. Null for those who see no persons, and if the lead was
 *   erased or cannot be read. `isHidden`: the first of these
 * - `unreadable`: why the lead cannot be opened
 * - `came`: what time it was where the phone is, when the lead came
 * - `campaign`: source, medium and name, as far as they are known
 * - `call`, `stop`: whether it may be called now, and what was said about its number. Null for those who see no persons
 * - `correctedBy`: the id of its newest correction
 * - `amounts`: as the visitor saw them. `result`: what there is in their place. Null of what has none of its own
 * - `consent`: how it was agreed, such as `Ticked the box`, when, to which text, and in which language, such as `Spanish`
 * - `outcome`: the newest one that stands. Those who see no persons get no amount
 * - `suspicion`: why a bot may have sent it. `optOut`: the signal of the browser. Both in words
 */
export const leadView = z.object({
  id: z.string(),
  reference: z.string(),
  createdAt: z.number(),
  partner: text,
  erasedAt: number,
  state: z.object({
    reason: z.enum(Object.keys(states) as [StateReason, ...StateReason[]]),
    kind: z.enum(['ok', 'wait', 'held', 'no', 'gone']),
    words: z.string(),
  }),
  record: z.custom<FullLead>().nullable(),
  isHidden: z.boolean(),
  unreadable: text,
  came: text,
  campaign: z.array(z.string()),
  call: mayCallSchema.nullable(),
  stop: stopSchema.nullable(),
  correctedBy: text,
  amounts: z.custom<Amounts>().nullable(),
  result: z.enum(Object.keys(resultWords) as [Result, ...Result[]]).nullable(),
  consent: z.object({text: z.string(), at: number, version: text, language: text}).nullable(),
  outcome: z.custom<NewestOutcome>().nullable(),
  suspicion: text,
  optOut: text,
});
export type LeadView = z.infer<typeof leadView>;
type Result = keyof typeof resultWords;

/** A lead as it was read. One that cannot be opened may have its identity in clear. */
export type KnownLead = ListedLead | LeadOutline;

/**
 * What the store has besides.
 * - `open`: the deliveries of the lead that have not ended
 * - `answer`: the one that a message tells of, if that is not the one of now
 */
export type Beside = Pick<CallFacts, 'stop' | 'correctedBy'> & {
  open?: readonly (Pick<OpenDelivery, 'destination' | 'content' | 'reason'> & {state: DeliveryState})[];
  answer?: Answer | null;
  outcome?: NewestOutcome | undefined;
};

/**
 * @param how `rounding`: of the amounts, by the policy in force. `now`: the moment for which it holds, in milliseconds since 1970
 */
export function viewOf(
  lead: KnownLead,
  beside: Beside,
  {rounding, now}: {rounding: number; now: number},
): LeadView {
  const {id} = lead;
  const record = 'lead' in lead ? lead : null;
  const isHidden = 'status' in lead;
  const erasedAt = 'erasedAt' in lead ? lead.erasedAt : null;
  const {stop, correctedBy = null, open = [], answer = record?.answer ?? null, outcome} = beside;
  const {utm_source, utm_medium, utm_campaign = isHidden ? lead.campaign : null} = record?.attribution ?? {};
  const signal = record?.attribution?.opt_out_signal;
  const amounts = shownAmountsOf(answer, rounding);
  const facts = {
    stop,
    correctedBy,
    isErased: erasedAt !== null,
    isHeld: open.some(({state, reason}) => state === 'held' && reason === 'suspect'),
    ...(record && {lead: record.lead, consent: record.consent, addressStoppedAt: record.mailboxStoppedAt}),
  };
  return {
    id,
    reference: referenceOf(id),
    erasedAt,
    isHidden,
    record,
    correctedBy,
    amounts,
    createdAt: 'createdAt' in lead ? lead.createdAt : createdAtOf(id),
    partner: 'partner' in lead ? lead.partner : null,
    state: stateOf(lead, beside),
    unreadable: 'unreadable' in lead ? lead.unreadable : null,
    came: (record && timeThere(record.createdAt, timeZonesOf(record.lead))) ?? null,
    campaign: [utm_source, utm_medium, utm_campaign].filter((part) => part != null),
    call: isHidden ? null : mayCall(facts, now),
    stop: stop ?? null,
    result: record && answer && !amounts ? resultOf(answer, record) : null,
    consent: record && consentOf(record.consent),
    outcome: outcome ? {...outcome, amount: isHidden ? null : outcome.amount} : null,
    suspicion: suspicionWords(record?.suspect ?? null),
    optOut: signal ? signalWords[signal] : null,
  };
}

function resultOf({status}: Answer, {lead}: FullLead): Result {
  if (status === 'refused') return 'refused';
  return status === 'pending' && lead.lead_type !== 'standard' ? 'to_follow' : 'none';
}

function consentOf(consent: Consent | null): LeadView['consent'] {
  if (!consent) return {text: noConsent, at: null, version: null, language: null};
  const {givenAt: at, textVersion, textLanguage} = consent;
  const language = textLanguage === undefined ? null : languageWords(textLanguage);
  return {text: agreedWords(consent), at, version: oneLine(textVersion, 64), language};
}

const whyHeld = {
  suspect: 'held_bot',
  suppressed: 'held_stopped',
  elsewhere: 'held_moved',
} as const satisfies Partial<Record<DeliveryReason, StateReason>>;

function stateOf(lead: KnownLead, beside: Beside): LeadView['state'] {
  const [reason, subject = ''] = whyIn(lead, beside);
  const [kind, words] = states[reason];
  return {reason, kind, words: words.replace('$', () => subject)};
}

/** What needs somebody comes first. */
function whyIn(lead: KnownLead, {stop, correctedBy, open = []}: Beside): [StateReason, subject?: string] {
  if ('unreadable' in lead) return ['unreadable'];
  if ('erasedAt' in lead && lead.erasedAt !== null) return ['erased'];
  const isOutline = 'status' in lead;
  if (isOutline ? lead.revokedAt !== null : lead.revoked) return ['revoked'];
  const isStopped =
    stop?.why === 'stopped' || (isOutline ? lead.suppressedAt !== null : lead.isSuppressed === true);
  const held = open.find(({state}) => state === 'held');
  if (held && isStopped) return ['held_stopped'];
  // Without a reason, an attempt failed after which the destination may have it.
  if (held) return [lookUp(whyHeld, held.reason ?? undefined) ?? 'held_unclear', held.destination];
  if (isStopped) return ['stopped'];
  const ended = open.find(({state}) => state === 'refused' || state === 'failed');
  if (ended) return [ended.state === 'failed' ? 'given_up' : 'not_taken', ended.destination];
  // A confirmation is for the visitor, and no operator needs to wait for it.
  const waiting = open.filter(({content}) => content !== 'confirmation').map(({destination}) => destination);
  const [destination, ...others] = new Set(waiting);
  if (destination !== undefined)
    return others.length > 0 ? ['several_waiting', `${others.length + 1}`] : ['waiting', destination];
  if (correctedBy != null) return ['corrected'];
  return [isOutline ? lead.status : 'answer' in lead ? lead.answer.status : 'done'];
}
