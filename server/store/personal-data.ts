/**
 * What of a lead is personal. Amounts and reasons are, too: the rollover is the retirement balance to the dollar, and a
 * reason may say that there was a bankruptcy.
 */
import {amountNames} from '../../contract/amounts.ts';
import type {Context} from '../../contract/embed.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {Consent, LeadRecord} from '../leads/stored-lead.ts';
import type {RowOf} from './columns.ts';

type LeadRow = RowOf<'leads'>;

/** The columns of an answer, without its status, which is not personal. One that comes later is sealed as JSON. */
export type AnswerValues = Pick<LeadRow, (typeof amountNames)[number] | 'reasons' | 'policy_version'>;

/** What is sealed as JSON together with a new lead. */
export type PersonalData = {
  /** The fields of the lead, without `cid` and `lead_type`. */
  lead: object;
  answer: AnswerValues;
  consent: Consent | null;
  attribution: LeadRecord['attribution'];
  context: Context | null;
};

/** An answer of which nothing is known, or which is sealed. */
export const noAnswer: AnswerValues = {
  ...tableOf(amountNames, () => null),
  reasons: '{}',
  policy_version: null,
};
