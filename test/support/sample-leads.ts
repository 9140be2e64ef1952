/** Leads as callers send them, as the schema gives them out, and what the default policy makes of them. */
import {randomUUIDv7} from 'node:crypto';
import {leadSchema, type Lead} from '../../contract/lead-schema.ts';
import type {Answer} from '../../server/answer.ts';
import type {LeadEntry} from '../../server/store/lead-store.ts';

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
  cash: 50_000,
  investments: 20_001,
};

export const prequalificationBody = {...standardBody, lead_type: 'prequalification', ...finances};

export const amounts = {
  rollover_amount: 100_000,
  sba_qualified_amount: 600_000,
  unsecured_amount: 150_000,
  portfolio_loan_qualified_amount: 12_000,
  total_qualified_amount: 862_000,
};

export const asLead = (body: object): Lead => leadSchema.parse(body);

export const doneAnswer: Extract<Answer, {status: 'done'}> = {
  status: 'done',
  amounts,
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

export const without = (body: object, field: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
