/** Sample deliveries of events, as the dispatcher hands them to webhooks and e-mails. */
import type {DeliveryRequest, RecordRequest} from '../../server/destinations/destination.ts';
import {parseFormLead} from '../../server/leads/lead-schema.ts';
import {
  noCircumstances,
  type LeadRecord,
  type Tombstone,
  type RevocationScope,
} from '../../server/leads/stored-lead.ts';
import {asLead, doneAnswer, prequalificationBody, sampleConsent} from './sample-leads.ts';

/** Its reference is K7QM-2XHD. */
export const sampleId = '01934b2c-0000-7000-8000-0099ef41762d';
/** Friday. */
export const sampleTime = Date.UTC(2026, 10, 20, 17, 45, 12);

export const sampleRecord = (changes: Partial<LeadRecord> = {}): LeadRecord => ({
  id: sampleId,
  createdAt: sampleTime,
  lead: asLead(prequalificationBody),
  partner: 'acme',
  answer: doneAnswer,
  isAnsweredLater: false,
  ...noCircumstances,
  duplicateOf: null,
  ...changes,
});

/** A visitor who answers everything that the form may ask for. */
const {data: ana} = parseFormLead({
  ...prequalificationBody,
  first_name: 'Ana',
  last_name: 'Silva',
  email: 'ana@example.com',
  phone: '(305) 555-0142 x12',
  call_time: 'evening',
  state: 'FL',
  time_frame: '2-6 months',
  notes: 'I want to open a bakery.\n\nSee www.bakery.example',
});
export const telling: Partial<LeadRecord> = {
  ...(ana && {lead: ana}),
  attribution: {utm_source: 'google', utm_medium: 'cpc', utm_campaign: 'spring'},
  consent: {...sampleConsent, textVersion: '3', textLanguage: 'es', givenAt: sampleTime},
};

const firstAttempt: Omit<DeliveryRequest, 'lead' | 'content' | 'happenedAt'> = {
  now: sampleTime,
  remoteId: null,
  attempts: 0,
  recipients: null,
  decide: () => Promise.reject(new Error('An event needs no decision')),
  corrected: () => Promise.resolve(undefined),
  onTaken: () => Promise.reject(new Error('An event has no id at its destination')),
};

export function eventRequest(
  changes: Partial<LeadRecord> = {},
  content: RecordRequest['content'] = 'created',
  happenedAt = sampleTime,
): RecordRequest {
  return {
    ...firstAttempt,
    lead: sampleRecord(changes),
    content,
    happenedAt,
    now: changes.createdAt ?? happenedAt,
  };
}

/** The event of the erasure of the sample, a week later. */
export function erasedRequest(changes: Partial<Tombstone> = {}): Extract<DeliveryRequest, {lead: Tombstone}> {
  const erasedAt = sampleTime + 7 * 86_400_000;
  const lead: Tombstone = {
    id: sampleId,
    createdAt: sampleTime,
    partner: 'acme',
    cid: '1001',
    erasedAt,
    supersedes: null,
    duplicateOf: null,
    ...changes,
  };
  return {...firstAttempt, lead, content: 'erased', happenedAt: lead.erasedAt};
}

/** The event of the revocation of its consent for everybody, two minutes later. */
export function revokedRequest(
  scope: RevocationScope = 'all',
): Extract<DeliveryRequest, {content: 'revoked'}> {
  const at = sampleTime + 120_000;
  const identity = {
    id: sampleId,
    createdAt: sampleTime,
    partner: 'acme',
    supersedes: null,
    duplicateOf: null,
  };
  const lead = {...identity, revoked: {at, scope}};
  return {...firstAttempt, lead, content: 'revoked', happenedAt: at, contact: ana};
}
