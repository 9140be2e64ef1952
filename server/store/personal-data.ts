/**
 * What of a lead is personal, as one text that can be sealed. Amounts and reasons are, too: the rollover is the
 * retirement balance to the dollar, and a reason may say that there was a bankruptcy.
 *
 * The text has values without their names where every lead has them, because then four sealed leads instead of three fit
 * on a page of SQLite.
 */
import {amountNames} from '../../contract/amounts.ts';
import type {Context} from '../../contract/embed.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {KeptConsent} from '../leads/erasure.ts';
import type {Consent, LeadRecord} from '../leads/stored-lead.ts';
import type {RowOf} from './columns.ts';

type LeadRow = RowOf<'leads'>;

/** The columns of an answer, without its status, which is not personal. */
export type AnswerValues = Pick<LeadRow, (typeof amountNames)[number] | 'reasons' | 'policy_version'>;

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

/**
 * The names whose values stand in this order. Names that come later in a record, or that are not here, stand with their
 * values. The lists must never change, because stored texts were made with them; a new field needs no place in them.
 */
const places = {
  lead: [
    'first_name',
    'last_name',
    'email',
    'credit_score',
    'retirement',
    'cash',
    'investments',
    'bankruptcy',
  ],
  answer: [
    'rollover_amount',
    'sba_qualified_amount',
    'unsecured_amount',
    'portfolio_loan_qualified_amount',
    'total_qualified_amount',
    'reasons',
    'policy_version',
  ],
  consent: [
    'textVersion',
    'textHash',
    'agreed',
    'givenAt',
    'origin',
    'page',
    'ip',
    'userAgent',
    'textLanguage',
  ],
  attribution: ['landing_page', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign'],
} as const;

type Packed = [others: object, ...values: unknown[]];

/** The values of the named fields up to the first that is missing, and before them the other fields with their names. */
function pack(record: object, names: readonly string[]): Packed {
  const fields = new Map(Object.entries(record).filter(([, value]) => value !== undefined));
  const values: unknown[] = [];
  for (const name of names) {
    if (!fields.has(name)) break;
    values.push(fields.get(name));
    fields.delete(name);
  }
  return [Object.fromEntries(fields), ...values];
}

const unpack = ([others, ...values]: Packed, names: readonly string[]): object => ({
  ...Object.fromEntries(names.slice(0, values.length).map((name, index) => [name, values[index]])),
  ...others,
});

const packed = (record: object | null, names: readonly string[]) => record && pack(record, names);
const unpacked = (record: Packed | null, names: readonly string[]) => record && unpack(record, names);

/** The reasons are JSON in their column, and would get a backslash before each quotation mark. */
const packedAnswer = (answer: AnswerValues) =>
  pack({...answer, reasons: JSON.parse(answer.reasons) as object}, places.answer);
function unpackedAnswer(answer: Packed): AnswerValues {
  const {reasons, ...others} = unpack(answer, places.answer) as AnswerValues;
  return {...others, reasons: JSON.stringify(reasons)};
}

export const answerText = (answer: AnswerValues) => JSON.stringify(packedAnswer(answer));
export const readAnswerText = (text: string) => unpackedAnswer(JSON.parse(text) as Packed);

export const personalText = ({lead, answer, consent, attribution, context}: PersonalData) =>
  JSON.stringify([
    pack(lead, places.lead),
    packedAnswer(answer),
    packed(consent, places.consent),
    packed(attribution, places.attribution),
    context,
  ]);

/** @throws SyntaxError or TypeError when the text is none of `personalText` */
export function readPersonalText(text: string): PersonalData {
  const [lead, answer, consent, attribution, context] = JSON.parse(text) as [
    Packed,
    Packed,
    Packed | null,
    Packed | null,
    Context | null,
  ];
  return {
    lead: unpack(lead, places.lead),
    answer: unpackedAnswer(answer),
    consent: unpacked(consent, places.consent) as Consent | null,
    attribution: unpacked(attribution, places.attribution),
    context,
  };
}

export const keptText = (kept: KeptConsent) => JSON.stringify(kept);
export const readKeptText = (text: string) => JSON.parse(text) as KeptConsent;
