/** Sample leads as callers send them and as the schema parses them, with the amounts of the default policy. */
import {randomUUID, randomUUIDv7} from 'node:crypto';
import type {Amounts, SpecifiedAmount} from '../../contract/amounts.ts';
import {firstIdAt} from '../../server/leads/lead-ids.ts';
import {leadSchema, type Lead} from '../../server/leads/lead-schema.ts';
import type {Claim, DeliveryKey, NewDelivery, Postponed} from '../../server/leads/deliveries.ts';
import type {LeadEntry} from '../../server/leads/new-lead.ts';
import {
  noCircumstances,
  type Answer,
  type Consent,
  type LeadRecord,
  type StoredLead,
} from '../../server/leads/stored-lead.ts';

export const standardBody = {
  cid: '1001',
  first_name: 'Jane',
  last_name: 'Doe',
  phone: '202-555-0142',
  email: 'jane@example.com',
};

export const finances = {
  credit_score: 'Above 720',
  bankruptcy: false,
  retirement: 100_000,
  cash: 38_000,
  investments: 100_001,
};

export const prequalificationBody = {...standardBody, lead_type: 'prequalification', ...finances};

/** What every field says is found again wherever it leaks. */
export const canaryLead = {
  lead_type: 'prequalification',
  first_name: 'Canaryfirst',
  last_name: 'Canarylast',
  email: 'canary.mail@example.com',
  phone: '(415) 555-0199',
  credit_score: '680 - 720',
  bankruptcy: false,
  retirement: 7_654_321,
  cash: 1_234_567,
  investments: 5_432_101,
  notes: 'canary-notes',
};

/** As an upstream gives them. */
export const amounts = {
  rollover_amount: 100_000,
  sba_qualified_amount: 552_000,
  unsecured_amount: 150_000,
  portfolio_loan_qualified_amount: 60_000,
  total_qualified_amount: 862_000,
} satisfies Pick<Amounts, SpecifiedAmount>;

export const asLead = (body: object): Lead => leadSchema.parse(body);
/** The usual lead, but for these fields. */
export const leadWith = (changes: object): Lead => asLead({...prequalificationBody, ...changes});

export const doneAnswer: Extract<Answer, {status: 'done'}> = {
  status: 'done',
  // A part that only the calculator knows is to be added here, so that the tests store it.
  amounts: amounts satisfies Required<Amounts>,
  reasons: {},
  policyVersion: 'test-1',
};

export const newEntry = (changes: Partial<LeadEntry> = {}): LeadEntry => ({
  id: randomUUIDv7(),
  createdAt: Date.now(),
  lead: asLead(prequalificationBody),
  partner: null,
  answer: doneAnswer,
  ...changes,
});

/** The same, of a lead that came at another time. */
export const entryAt = (createdAt: number, changes: Partial<LeadEntry> = {}): LeadEntry =>
  newEntry({createdAt, id: `${firstIdAt(createdAt)}-${randomUUID().slice(14)}`, ...changes});

/** A delivery that is due at once, to the destination that answers the lead. */
export const newDelivery = (changes: Partial<NewDelivery> = {}): NewDelivery => ({
  destination: 'default',
  content: 'lead',
  givesAnswer: true,
  state: 'waiting',
  nextAttemptAt: Date.now(),
  ...changes,
});

/** A delivery that is due at once, and tells a destination that a lead was created. */
export const eventTo = (destination: string, changes: Partial<NewDelivery> = {}): NewDelivery =>
  newDelivery({destination, content: 'created', givesAnswer: false, ...changes});

/** A consent whose browser said nothing of its page or of itself. */
export const sampleConsent: Consent = {
  textVersion: '1',
  textHash: 'f'.repeat(64),
  agreed: true,
  givenAt: Date.now(),
  origin: null,
  page: null,
  ip: '203.0.113.7',
  userAgent: null,
};

/** A claim of all that is due, for an hour. */
export const claimAt = (now = Date.now(), changes: Partial<Claim> = {}): Claim => ({
  now,
  leaseEnd: now + 3_600_000,
  limit: 100,
  maxSends: 3,
  ...changes,
});

/** What is stored of an attempt that failed, and after which the destination certainly has nothing. */
export const failedAttempt: Omit<Postponed, 'until'> = {
  error: 'failed',
  tried: true,
  ambiguous: false,
  isCounted: false,
  state: 'waiting',
  excerpt: null,
  recipients: null,
};

/** A lead with which nothing further was stored. `changes` says more of it. */
export const toRecord = (stored: StoredLead, changes: Partial<LeadRecord> = {}): LeadRecord => ({
  ...stored,
  isAnsweredLater: stored.answer.status === 'pending',
  ...noCircumstances,
  duplicateOf: null,
  ...changes,
});

/** The delivery that takes a lead itself to a destination. */
export const keyOf = (lead: string, destination = 'default'): DeliveryKey => ({
  lead,
  destination,
  content: 'lead',
});

export const without = (body: object, field: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

/** A request to erase a lead, by its link. */
export const erasureAsked = (at: number) =>
  ({kind: 'erase', askedAt: at, enteredAt: at, way: 'link', endedAt: null, answer: null}) as const;
