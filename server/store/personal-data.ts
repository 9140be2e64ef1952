/**
 * The personal data of a lead. It includes amounts and reasons: the rollover is the retirement balance to the dollar, and a
 * reason may reveal a bankruptcy.
 */
import {amountNames} from '../../contract/amounts.ts';
import type {Context} from '../../contract/embed.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {Consent, LeadRecord, Routing} from '../leads/stored-lead.ts';
import type {RowOf} from './columns.ts';
import {list} from './database.ts';
import {DecryptionError} from './encryption.ts';

type LeadRow = RowOf<'leads'>;

/** The columns of an answer, without its status, which is not personal. An answer that arrives after the lead is encrypted as this JSON. */
export type AnswerValues = Pick<LeadRow, (typeof amountNames)[number] | 'reasons' | 'policy_version'> & {
  policy_hash?: string;
};

/** What is encrypted as JSON together with a new lead. */
export type PersonalData = {
  /** The fields of the lead, without `cid` and `lead_type`. */
  lead: object;
  answer: AnswerValues;
  consent: Consent | null;
  attribution: LeadRecord['attribution'];
  context: Context | null;
  routing?: Routing | undefined;
};

/**
 * The columns in which versions before 2.0 could store personal data unencrypted, with their values in rows of encrypted or
 * erased leads.
 */
export const nothingInClear = {
  ...tableOf(amountNames, () => null),
  reasons: '{}',
  policy_version: null,
  clear_lead: '',
  attribution: null,
  context: null,
} as const;

/** SQL that sets these columns to these values. */
export const emptiedColumns = list(
  Object.entries(nothingInClear).map(
    ([column, value]) => `${column} = ${value === null ? 'NULL' : `'${value}'`}`,
  ),
);

/**
 * Reads the personal data of a lead that is not encrypted yet from these columns.
 * @param open like `decrypt`: throws if unencrypted data may not be read
 * @throws DecryptionError
 */
export function inClearOf(
  row: Pick<LeadRow, keyof typeof nothingInClear> & {consent: string | null},
  open: (text: string) => string,
): PersonalData {
  if (row.clear_lead === '') throw new DecryptionError('Its encrypted data is missing');
  const read = (text: string | null) => (text === null ? null : (JSON.parse(text) as never));
  return {
    lead: JSON.parse(open(row.clear_lead)) as object,
    answer: {
      ...tableOf(amountNames, (name) => row[name]),
      reasons: row.reasons,
      policy_version: row.policy_version,
    },
    consent: read(row.consent),
    attribution: read(row.attribution),
    context: read(row.context),
  };
}
