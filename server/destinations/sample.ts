/** A lead that nobody sent, with which an operator tests a destination. Everything in it says that it is made up. */
import {randomUUIDv7} from 'node:crypto';
import type {formFields} from '../../contract/fields.ts';
import {formQuestionNames, formQuestions} from '../../contract/questions.ts';
import {tableOf} from '../../contract/table-of.ts';
import {parseFormLead} from '../leads/lead-schema.ts';
import {noCircumstances, type LeadRecord} from '../leads/stored-lead.ts';

/** As a form would send it. Numbers from 555-0100 to 555-0199 belong to nobody. */
const fields = {
  lead_type: 'prequalification',
  cid: 'sample',
  first_name: 'Sample',
  last_name: 'Lead',
  email: 'sample@example.com',
  phone: '(202) 555-0142',
  credit_score: 'Above 720',
  bankruptcy: false,
  retirement: 100_000,
  cash: 38_000,
  investments: 100_000,
  ...tableOf(formQuestionNames, (name) => formQuestions[name].choices[0]),
} satisfies Record<keyof typeof formFields | 'lead_type' | 'cid', unknown>;

/**
 * A record with a value wherever a lead can have one, so that its receiver sees all fields.
 * @param id the id of the lead, a UUID of version 7
 * @param at when it was stored, in milliseconds since 1970
 */
export function sampleRecord(id: string = randomUUIDv7(), at: number = Date.now()): LeadRecord {
  const {data: lead} = parseFormLead(fields);
  if (!lead) throw new Error('The sample is no valid lead');
  return {
    id,
    createdAt: at,
    lead,
    partner: 'sample',
    answer: {
      status: 'done',
      amounts: {
        rollover_amount: 100_000,
        sba_qualified_amount: 552_000,
        unsecured_amount: 150_000,
        portfolio_loan_qualified_amount: 60_000,
        total_qualified_amount: 862_000,
      },
      reasons: {},
      policyVersion: 'sample',
    },
    isAnsweredLater: false,
    duplicateOf: null,
    ...noCircumstances,
    consent: {
      textVersion: 'sample',
      textLanguage: 'en',
      textHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      agreed: true,
      givenAt: at,
      origin: 'https://www.example.com',
      page: 'https://www.example.com/funding',
      ip: '203.0.113.7',
      userAgent: 'Mozilla/5.0 (a sample)',
      form: {version: '2.0.0', button: 'See my estimate', inView: true, width: 390},
    },
    attribution: {
      utm_source: 'newsletter',
      utm_medium: 'email',
      utm_campaign: 'sample',
      gclid: 'sample',
      referrer: 'https://search.example.com/',
      landing_page: 'https://www.example.com/',
      opt_out_signal: 'gpc',
    },
    context: {brand: 'sample'},
  };
}
