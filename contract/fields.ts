/**
 * The fields of a lead: one row each, read by the schema on the server (`lead-schema.ts`) and by the form in
 * the browser. Names and types come from the specification, limits from the decisions in `docs/api.md`.
 */

export const leadTypes = ['standard', 'prequalification'] as const;
export type LeadType = (typeof leadTypes)[number];

/** Score ranges, best first. */
export const creditScores = ['Above 720', '680 - 720', '620 - 679', 'Below 620'] as const;
export type CreditScore = (typeof creditScores)[number];

export type FieldKind = 'name' | 'email' | 'phone' | 'choice' | 'flag' | 'money' | 'text';

/** `max` counts characters (Unicode code points) of a text, whole US dollars of an amount. */
export type Field = {
  readonly kind: FieldKind;
  /** English; other languages translate it by the field's name. */
  readonly label: string;
  readonly required: boolean;
  readonly max?: number;
  /** What a text must look like once trimmed. Every pattern runs in linear time and only within `max`. */
  readonly pattern?: RegExp;
  readonly choices?: readonly string[];
  /** What it takes, in words, where the list of choices would be too long to read. */
  readonly expects?: string;
  /** The token of the HTML standard. */
  readonly autocomplete?: string;
};

type FieldTable = Readonly<Record<string, Field>>;

/** Any script; neither control characters nor halves of a surrogate pair, which databases treat differently. */
const oneLine = /^[^\p{Cc}\p{Cs}]+$/u;
const manyLines = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;
/** One `@`, and a domain with a dot. */
const email = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@.\p{Cc}\p{Cs}]+(?:\.[^\s@.\p{Cc}\p{Cs}]+)+$/u;
/** Seven digits or more among the signs people put between them; the server looks the number up besides. */
const phone = /^\+?(?:[-.\s()/]*\d){7,}(?:[\s,;]*(?:x|ext\.?)\s*\d+)?[-.\s()]*$/i;

const name = {kind: 'name', required: true, max: 80, pattern: oneLine} as const;
const money = {kind: 'money', required: true, max: 999_999_999} as const;

/** Asked of every lead. */
export const contactFields = {
  first_name: {...name, label: 'First name', autocomplete: 'given-name'},
  last_name: {...name, label: 'Last name', autocomplete: 'family-name'},
  email: {kind: 'email', label: 'Email', required: true, max: 254, pattern: email, autocomplete: 'email'},
  phone: {kind: 'phone', label: 'Phone', required: true, max: 40, pattern: phone, autocomplete: 'tel'},
} as const satisfies FieldTable;
export type ContactFieldName = keyof typeof contactFields;

/** Asked of a pre-qualification lead besides; ignored on a standard one. */
export const financialFields = {
  credit_score: {kind: 'choice', label: 'Credit score', required: true, choices: creditScores},
  bankruptcy: {kind: 'flag', label: 'Bankruptcy', required: false},
  retirement: {...money, label: 'Retirement funds'},
  cash: {...money, label: 'Cash'},
  investments: {...money, label: 'Investments'},
} as const satisfies FieldTable;

/** What the form shows. */
export const formFields = {...contactFields, ...financialFields};
export type FormFieldName = keyof typeof formFields;

const usStates =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI';
const timeFrames = [
  "Don't Know Yet",
  'Less than 2 months',
  '2-6 months',
  '6-12 months',
  'More than 12 Months',
] as const;

/** Accepted, stored and forwarded when a caller sends them; the form does not ask. */
export const extraFields = {
  state: {
    kind: 'choice',
    label: 'State',
    required: false,
    choices: /* @__PURE__ */ usStates.split(' '),
    expects: 'a two-letter US code, such as CA',
  },
  time_frame: {kind: 'choice', label: 'Time frame', required: false, choices: timeFrames},
  notes: {kind: 'text', label: 'Notes', required: false, max: 2_000, pattern: manyLines},
} as const satisfies FieldTable;

/** The client identifier that the service gave to the caller; never asked of a visitor. */
export const cidField = {
  kind: 'name',
  label: 'Client identifier',
  required: true,
  max: 64,
  pattern: oneLine,
} as const satisfies Field;

/** What can be wrong with one field. */
export type FieldErrorCode = 'required' | 'invalid' | 'too_long' | 'too_large';

/** Length as people count it, and as JSON Schema does: an emoji is one character, not two. */
export const characters = (text: string) => Array.from(text).length;
