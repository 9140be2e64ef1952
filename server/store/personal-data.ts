/**
 * What of a lead is personal. Amounts and reasons are, too: the rollover is the retirement balance to the dollar, and a
 * reason may say that there was a bankruptcy.
 */
import {amountNames} from '../../contract/amounts.ts';
import type {Context} from '../../contract/embed.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {Consent, LeadRecord, Routing} from '../leads/stored-lead.ts';
import type {RowOf} from './columns.ts';
import {list} from './database.ts';
import {DecryptionError} from './encryption.ts';

type LeadRow = RowOf<'leads'>;

/** The columns of an answer, without its status, which is not personal. One that comes later is encrypted as JSON. */
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
 * The columns in which versions before 2.0 could store this in clear, as they are in the row of a lead that is encrypted or
 * erased.
 */
export const nothingInClear = {
  ...tableOf(amountNames, () => null),
  reasons: '{}',
  policy_version: null,
  clear_lead: '',
  attribution: null,
  context: null,
} as const;

/** SQL that makes them so. */
export const emptiedColumns = list(
  Object.entries(nothingInClear).map(
    ([column, value]) => `${column} = ${value === null ? 'NULL' : `'${value}'`}`,
  ),
);

/**
 * What the row of a lead that is not encrypted yet has in these columns.
 * @param open as `decrypt` does it: it refuses what is in clear where nothing may be in clear
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
