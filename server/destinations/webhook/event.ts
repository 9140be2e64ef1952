/** Builds the bodies of events. Their schemas are those of `lead-event.ts`, from which the published one is made. */
import {
  leadEventSchema,
  type ErasedEvent,
  type LeadEvent,
  type OutcomeEvent,
  type RevokedEvent,
} from '../../leads/lead-event.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {known, saidOfConsent} from '../../leads/consent-record.ts';
import type {SignedConsent} from '../../leads/evidence.ts';
import type {Lead} from '../../leads/lead-schema.ts';
import type {NewestOutcome} from '../../leads/outcomes.ts';
import {timeZonesOf} from '../../leads/time-there.ts';
import type {
  Answer,
  Consent,
  LeadIdentity,
  LeadRecord,
  Revocation,
  Tombstone,
} from '../../leads/stored-lead.ts';
import type {ReportedEvent} from '../reported-event.ts';

/**
 * The fields of a lead that an event holds, in their order. The `cid` is not among them, because it belongs to the caller
 * who sent the lead.
 */
const fieldNames = Object.keys(leadEventSchema.shape.data.shape.lead.shape);

/** @throws Error for an erased lead, of which there is no record */
export function toEvent(
  event: Pick<ReportedEvent, 'type' | 'at' | 'answer'>,
  record: LeadRecord,
  beside?: Partial<SignedConsent> & {revoke_link: string},
): LeadEvent {
  if (event.type === 'lead.erased' || event.type === 'consent.revoked' || event.type === 'lead.outcome')
    throw new Error('This event has no record of the lead');
  const data = toEventData(record, event.answer);
  const consent = data.consent && {...data.consent, ...beside};
  return {type: event.type, timestamp: new Date(event.at).toISOString(), data: {...data, consent}};
}

export const toErasedEvent = ({at}: Pick<ReportedEvent, 'at'>, lead: Tombstone): ErasedEvent => ({
  type: 'lead.erased',
  timestamp: new Date(at).toISOString(),
  data: identityOf(lead),
});

export const toRevokedEvent = (lead: LeadIdentity, {at, scope}: Revocation): RevokedEvent => ({
  type: 'consent.revoked',
  timestamp: new Date(at).toISOString(),
  data: {...identityOf(lead), scope},
});

/** Neither the note, which is for those who call, nor who wrote it. @param outcome that stood then */
export const toOutcomeEvent = (
  lead: LeadIdentity,
  {at}: Pick<ReportedEvent, 'at'>,
  outcome: NewestOutcome | undefined,
): OutcomeEvent => ({
  type: 'lead.outcome',
  timestamp: new Date(at).toISOString(),
  data: {...identityOf(lead), outcome: outcome?.outcome ?? null, amount: outcome?.amount ?? null},
});

const identityOf = (lead: LeadIdentity) => ({
  id: lead.id,
  reference: referenceOf(lead.id),
  created_at: new Date(lead.createdAt).toISOString(),
  partner: lead.partner,
  duplicate_of: lead.duplicateOf,
  supersedes: lead.supersedes,
});

/** A lead with everything that is stored with it, in the words of events. Exports have the same. */
export function toEventData(
  record: Omit<LeadRecord, 'isAnsweredLater'>,
  answer: Answer | null,
): LeadEvent['data'] {
  const {id, createdAt, lead, partner, consent, attribution, context, suspect, duplicateOf, supersedes} =
    record;
  const {opt_out_signal, ...came} = attribution ?? {};
  return {
    id,
    reference: referenceOf(id),
    created_at: new Date(createdAt).toISOString(),
    partner,
    lead: fieldsOf(lead),
    time_zones: [...timeZonesOf(lead)],
    answer: answer && answerOf(answer),
    consent: consent && consentOf(consent),
    attribution: came as LeadEvent['data']['attribution'],
    ...known('opt_out_signal', opt_out_signal),
    ...(context && {context}),
    suspect,
    duplicate_of: duplicateOf,
    supersedes,
  };
}

function fieldsOf({phone, ...fields}: Lead): LeadEvent['data']['lead'] {
  const values: Readonly<Record<string, unknown>> = {...fields, phone: phone.typed, phone_e164: phone.e164};
  const named = fieldNames.map((name) => [name, values[name]]).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as LeadEvent['data']['lead'];
}

function answerOf(answer: Answer): LeadEvent['data']['answer'] {
  if (answer.status !== 'done')
    return {status: answer.status, prequalification: null, reasons: {}, policy_version: null};
  const {status, amounts, reasons, policyVersion} = answer;
  return {status, prequalification: amounts, reasons, policy_version: policyVersion};
}

/** The record of a consent, in the words of events. */
export const consentOf = (consent: Consent): NonNullable<LeadEvent['data']['consent']> => ({
  text_version: consent.textVersion,
  text_language: consent.textLanguage ?? null,
  text_hash: consent.textHash,
  agreed: consent.agreed,
  given_at: new Date(consent.givenAt).toISOString(),
  origin: consent.origin,
  page: consent.page,
  // eslint-disable-next-line no-restricted-properties -- This is the address of a stored consent, not of a request.
  ip: consent.ip,
  user_agent: consent.userAgent,
  ...(consent.script && {script: consent.script}),
  ...known('source', consent.source),
  ...known('text', consent.words),
  ...saidOfConsent(consent),
});
