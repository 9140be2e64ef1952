/**
 * The fields of a lead, one row each. The server's schema (`server/leads/lead-schema.ts`), the form, the OpenAPI
 * document and the documentation are all made from these rows. Names and types come from the specification, 2.1,
 * limits from the decisions in `docs/api.md`. Labels and help texts are in `form/words/`.
 */
import type {QuestionName} from './questions.ts';

export const leadTypes = ['standard', 'prequalification'] as const;
export type LeadType = (typeof leadTypes)[number];

/** Score ranges, best first. */
export const creditScores = ['Above 720', '680 - 720', '620 - 679', 'Below 620'] as const;
export type CreditScore = (typeof creditScores)[number];

export type FieldKind = 'name' | 'email' | 'phone' | 'choice' | 'flag' | 'money' | 'text';

/** `max` is the maximum number of characters (Unicode code points) of a text, or the maximum whole US dollars. */
export type Field = {
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly max?: number;
  /** Must match the trimmed text. It runs in linear time, and only on texts within `max`. */
  readonly pattern?: RegExp;
  readonly choices?: readonly string[];
  /** Describes the allowed values if the list of choices would be too long. */
  readonly expects?: string;
  /** The `autocomplete` token of the HTML standard. */
  readonly autocomplete?: string;
};

export type FieldTable = Readonly<Record<string, Field>>;

/**
 * Any text without control characters and halves of surrogate pairs, because databases treat these differently, and
 * without the separators of lines and paragraphs, which would begin a new line in a file or an e-mail.
 */
export const oneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;

/** The same with several lines. */
export const manyLines = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;

const name = {kind: 'name', required: true, max: 80, pattern: oneLine} as const;
const money = {kind: 'money', required: true, max: 999_999_999} as const;

/** The contact data. Every lead has those that are required. */
export const contactFields = {
  first_name: {...name, autocomplete: 'given-name'},
  last_name: {...name, autocomplete: 'family-name'},
  email: {kind: 'email', required: true, max: 254, autocomplete: 'email'},
  phone: {kind: 'phone', required: true, max: 40, autocomplete: 'tel'},
} as const satisfies FieldTable;
export type ContactFieldName = keyof typeof contactFields;

/** The first question of the form. The first file of the form has this row alone. */
export const creditScore = {kind: 'choice', required: true, choices: creditScores} as const satisfies Field;

/** The further fields of a pre-qualification lead. In a standard lead they are ignored. */
export const financialFields = {
  credit_score: creditScore,
  bankruptcy: {kind: 'flag', required: false},
  retirement: money,
  cash: money,
  investments: money,
} as const satisfies FieldTable;

/** The fields that every form has. What a partner asks besides comes with its configuration (questions.ts). */
export const formFields = {...contactFields, ...financialFields} satisfies FieldTable;
export type FormFieldName = keyof typeof formFields | QuestionName;

/** The client identifier that the operator gave to the caller. The form does not show it. */
export const cidField = {
  kind: 'text',
  required: true,
  max: 64,
  pattern: oneLine,
} as const satisfies Field;

/** The kinds of errors in a field. */
export const fieldErrorCodes = ['required', 'invalid', 'too_long', 'too_large'] as const;
export type FieldErrorCode = (typeof fieldErrorCodes)[number];

/** The length in code points, as JSON Schema counts it: an emoji is one character, not two. */
export const characters = (text: string) => [...text].length;

/** The first `max` characters of a text. If it is cut, the last one is `…`. */
export function cutTo(text: string, max: number): string {
  const all = [...text];
  return all.length > max ? `${all.slice(0, max - 1).join('')}…` : text;
}
