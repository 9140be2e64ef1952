/** The zod schema of a lead, built from the field table. Only the server imports values from this file. */
import {parsePhoneNumberFromString} from 'libphonenumber-js/min';
import {z} from 'zod';
import {amountParts, totalAmount, type Amounts} from './api.ts';
import {
  characters,
  cidField,
  contactFields,
  extraFields,
  financialFields,
  type Field,
  type FieldErrorCode,
} from './fields.ts';

const unwrapped = (field: Field) => ({
  max: field.max ?? Infinity,
  pattern: field.pattern ?? /(?:)/,
});

/** A refused length ends the check: no pattern ever sees a text longer than its limit. */
const text = (field: Field, string = z.string()) => {
  const {max, pattern} = unwrapped(field);
  return string
    .trim()
    .refine((value) => value !== '' || !field.required, {params: {code: 'required'}, abort: true})
    .refine((value) => characters(value) <= max, {params: {code: 'too_long'}, abort: true})
    .regex(pattern)
    .meta({maxLength: max});
};

/** NFC takes quadratic time on heaps of combining marks, so it sees nothing that could not be a name anyway. */
const name = (field: Field) =>
  text(
    field,
    z
      .string()
      .trim()
      .refine((value) => value.length <= 4 * unwrapped(field).max, {params: {code: 'too_long'}, abort: true})
      .normalize('NFC'),
  );

/**
 * North American numbers are checked by their shape alone, not against a list of area codes: a list goes
 * stale, and a visitor from a new area code must not be turned away.
 */
const northAmerican = /^(?:\+?1[-.\s]*)?\(?([2-9]\d\d)\)?[-.\s]*(\d{3})[-.\s]*(\d{4})$/;

function toE164(typed: string): string | undefined {
  const parts = northAmerican.exec(typed);
  if (parts) return `+1${parts.slice(1).join('')}`;
  const number = parsePhoneNumberFromString(typed, {defaultCountry: 'US', extract: false});
  const {countryCallingCode, nationalNumber} = number ?? {};
  const valid = countryCallingCode === '1' ? northAmerican.test(nationalNumber ?? '') : number?.isValid();
  return valid ? number?.number : undefined;
}

/** Kept as typed, and as E.164. */
const phone = (field: Field) =>
  text(field).transform((typed, context) => {
    const e164 = toE164(typed);
    if (e164 !== undefined) return {typed, e164};
    context.addIssue({code: 'custom', message: 'not a telephone number'});
    return z.NEVER;
  });

/** A JSON integer or a string of digits, and nothing that merely can be coerced into one. */
const money = (field: Field) =>
  z
    .union([z.int().meta({minimum: 0, maximum: field.max}), z.string().regex(/^\d+$/)])
    .transform((dollars) => Number(dollars) + 0)
    .pipe(z.int().min(0).max(unwrapped(field).max));

/** Form encoders send the words. */
const flag = z.union([z.boolean(), z.literal(['true', 'false']).transform((word) => word === 'true')]);

/** The longest label there is, with room for spaces around a dash: the pattern below sees no more than this. */
const longestChoice = 40;
const choice = <Choice extends string>(choices: readonly Choice[]) =>
  z
    .string()
    .max(longestChoice, {abort: true})
    .meta({examples: choices})
    .transform((label) => label.replace(/^(\d+)\s*-\s*(\d+)$/, '$1 - $2'))
    .pipe(z.enum(choices as readonly [Choice, ...Choice[]]));

const contact = {
  cid: text(cidField),
  first_name: name(contactFields.first_name),
  last_name: name(contactFields.last_name),
  email: text(contactFields.email),
  phone: phone(contactFields.phone),
  state: z.enum(extraFields.state.choices).optional(),
  time_frame: z.enum(extraFields.time_frame.choices).optional(),
  notes: text(extraFields.notes).optional(),
};

const standardLead = z.object({lead_type: z.literal('standard').default('standard'), ...contact});
const prequalificationLead = z.object({
  lead_type: z.literal('prequalification'),
  ...contact,
  credit_score: choice(financialFields.credit_score.choices),
  bankruptcy: flag.optional(),
  retirement: money(financialFields.retirement),
  cash: money(financialFields.cash),
  investments: money(financialFields.investments),
});

/** A body that does not say its type is a standard lead. */
export const leadSchema = z.discriminatedUnion('lead_type', [standardLead, prequalificationLead]);

/** The same, compiled: three times as fast, by way of `new Function`, which a server may use. */
const compiled = z.compile(leadSchema);
export const parseLead = (body: unknown) => compiled.safeParse(body);

/** A lead as the schema gives it out: trimmed, amounts as numbers, the telephone number in both forms. */
export type Lead = z.output<typeof leadSchema>;
export type PrequalificationLead = z.output<typeof prequalificationLead>;

export type FieldError = {field: string; code: FieldErrorCode; message: string};

const allFields: Readonly<Record<string, Field>> = {
  cid: cidField,
  ...contactFields,
  ...financialFields,
  ...extraFields,
};

/** What the field takes, in words; never what was sent. */
export function expectation(name: string): string {
  if (name === 'lead_type') return 'must be standard or prequalification';
  const field = allFields[name];
  if (!field) return 'must be a JSON object';
  if (field.expects) return `must be ${field.expects}`;
  switch (field.kind) {
    case 'choice':
      return `must be one of: ${field.choices?.join(', ')}`;
    case 'flag':
      return 'must be true or false';
    case 'money':
      return `must be whole US dollars from 0 to ${field.max?.toLocaleString('en-US')}, as an integer or a string of digits`;
    case 'email':
      return `must be an e-mail address of at most ${field.max} characters`;
    case 'phone':
      return 'must be a US telephone number, or one that starts with + and a country code';
    case 'name':
    case 'text':
      return `must be a text of at most ${field.max?.toLocaleString('en-US')} characters without control characters`;
  }
}

/** One error a field, the first that was found; the caller's values stay out of it. */
export function fieldErrors(error: z.ZodError, body: unknown): FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const issue of error.issues) {
    const field = String(issue.path[0] ?? '');
    if (errors.has(field)) continue;
    const missing =
      field !== '' && (body === null || typeof body !== 'object' || !Object.hasOwn(body, field));
    const code = missing ? 'required' : codeOf(issue);
    errors.set(field, {field, code, message: code === 'required' ? 'is required' : expectation(field)});
  }
  return [...errors.values()];
}

function codeOf(issue: z.core.$ZodIssue): FieldErrorCode {
  if (issue.code === 'custom') return (issue.params?.['code'] as FieldErrorCode | undefined) ?? 'invalid';
  return issue.code === 'too_big' && issue.origin !== 'string' ? 'too_large' : 'invalid';
}

const amount = z.int().min(0);

/** What a pre-qualification lead reads as; an upstream's answer is held to it too. */
export const prequalificationSchema = z.object({
  first_name: z.string(),
  ...(Object.fromEntries([...amountParts, totalAmount].map((name) => [name, amount])) as Record<
    keyof Amounts,
    typeof amount
  >),
});
