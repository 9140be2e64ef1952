/** The zod schema of a lead, built from the field table row by row. */
import {z} from 'zod';
import {
  characters,
  cidField,
  contactFields,
  fieldErrorCodes,
  financialFields,
  type Field,
  type FieldErrorCode,
  type FieldKind,
  type FieldTable,
} from '../../contract/fields.ts';
import {normalized} from '../../contract/normalized.ts';
import type {FieldError} from '../../contract/problems.ts';
import {callerQuestions, formQuestions} from '../../contract/questions.ts';
import {ownAnswer} from './own-answers.ts';
import {addressOf, addressPattern, noSpaces, phoneOf} from './read-contact.ts';

const limitsOf = (field: Field) => ({
  max: field.max ?? Infinity,
  pattern: field.pattern ?? /(?:)/,
});

/**
 * If a text is too long, `abort` ends the check, so that the pattern is never tested on a long text. The pattern is no
 * `.regex()`, because that would be published in the OpenAPI document. There, a pattern has no flags, and without them
 * `\p{Cc}` stands for some letters, or for nothing at all. `expectation` says the rule in words.
 */
export const text = (field: Field, string = z.string()) => {
  const {max, pattern} = limitsOf(field);
  return string
    .trim()
    .refine((value) => value !== '' || !field.required, {params: {code: 'required'}, abort: true})
    .refine((value) => characters(value) <= max, {params: {code: 'too_long'}, abort: true})
    .refine((value) => pattern.test(value))
    .meta({...(field.required && {minLength: 1}), maxLength: max});
};

/** The name of a person. Its length is checked when it is normalised, which can make it shorter. */
const name = (field: Field) =>
  text(
    field,
    z
      .string()
      .trim()
      .overwrite((value) => normalized(value, 'NFC')),
  );

/** The output has the number as it was typed, and in E.164. */
const phone = (field: Field) =>
  text({...field, pattern: cidField.pattern}).transform((typed, context) => {
    const e164 = phoneOf(typed)?.e164;
    if (e164 !== undefined) return {typed, e164};
    context.addIssue({code: 'custom', message: 'not a telephone number'});
    return z.NEVER;
  });

const email = (field: Field) =>
  text({...field, pattern: noSpaces}, z.string().trim().overwrite(addressOf)).regex(addressPattern);

/** A JSON integer, or a string of digits. Other values that JavaScript could convert to a number are refused. */
const money = (field: Field) =>
  z
    .union([z.int().meta({minimum: 0, maximum: field.max}), z.string().regex(/^[0-9]+$/)])
    // Adding 0 turns -0 into 0.
    .transform((dollars) => Number(dollars) + 0)
    .pipe(z.int().min(0).max(limitsOf(field).max));

/** A boolean, or one of the words `true` and `false`, because programs that encode forms can send only texts. */
const flag = () => z.union([z.boolean(), z.literal(['true', 'false']).transform((word) => word === 'true')]);

/** A label such as `680 - 720`, with any spaces around the dash. */
const range = /^(\d+)\s*-\s*(\d+)$/;
/** Characters. Longer texts are refused before the pattern `range` is tested. All labels of ranges are shorter. */
const maxRangeLength = 40;

/** One of the labels in `choices`. In labels that are ranges, callers may leave out the spaces around the dash. */
function choice({choices = []}: Field) {
  const labels = z.enum(choices);
  if (!choices.some((label) => range.test(label))) return labels;
  return z
    .string()
    .max(maxRangeLength, {abort: true})
    .meta({examples: choices})
    .transform((label) => label.replace(range, '$1 - $2'))
    .pipe(labels);
}

/** The output type of each kind of field. */
type ValueOfKind = {
  name: string;
  email: string;
  text: string;
  phone: {typed: string; e164: string};
  choice: string;
  flag: boolean;
  money: number;
};

const schemaOfKind: {[Kind in FieldKind]: (field: Field) => z.ZodType<ValueOfKind[Kind]>} = {
  name,
  email,
  text,
  phone,
  choice,
  flag,
  money,
};

type ValueOf<Row extends Field> = Row extends {choices: readonly (infer Choice)[]}
  ? Choice
  : ValueOfKind[Row['kind']];
export type SchemaOf<Row extends Field, Value> = Row['required'] extends true
  ? z.ZodType<Value>
  : z.ZodOptional<z.ZodType<Value>>;

/** The schemas of all rows of a table. */
function schemasOf<Table extends FieldTable>(table: Table) {
  const schemas = Object.entries(table).map(([name, field]) => {
    const schema = schemaOfKind[field.kind](field);
    return [name, field.required ? schema : schema.optional()];
  });
  return Object.fromEntries(schemas) as {[Name in keyof Table]: SchemaOf<Table[Name], ValueOf<Table[Name]>>};
}

const fieldsOfEveryLead = {cid: cidField, ...contactFields, ...callerQuestions};
/** The fields of both types of leads, by name. */
export const leadFields: FieldTable = {...fieldsOfEveryLead, ...financialFields};
const allFields: FieldTable = {...leadFields, ...formQuestions};

// The order of the fields must never change, because stored digests of leads (`comparableText`) depend on it.
const common = schemasOf(fieldsOfEveryLead);
const standardLead = z.object({lead_type: z.literal('standard').default('standard'), ...common});
const prequalificationLead = z.object({
  lead_type: z.literal('prequalification'),
  ...common,
  ...schemasOf(financialFields),
});

/** What callers send. A body without `lead_type` is a standard lead. */
export const leadSchema = z.discriminatedUnion('lead_type', [standardLead, prequalificationLead]);

/** Last, and left out of leads that have none, because digests depend on the order. */
const ofForms = {...schemasOf(formQuestions), answers: z.array(ownAnswer).optional()};
const formLeadSchema = z.discriminatedUnion('lead_type', [
  standardLead.extend(ofForms),
  prequalificationLead.extend(ofForms),
]);

/** The compiled schema is three times as fast. Compiling uses `new Function`, which is no problem on a server. */
const compiled = z.compile(leadSchema);
const compiledOfForms = z.compile(formLeadSchema);
export const parseLead = (body: unknown) => compiled.safeParse(body);
/** Reads a lead of the form, which may have fields that callers cannot send. */
export const parseFormLead = (body: unknown) => compiledOfForms.safeParse(body);

/** A lead after it was parsed: texts are trimmed, amounts are numbers, and the phone number has both forms. */
export type Lead = z.output<typeof formLeadSchema>;

/** Which values the field accepts, for error messages and documents. */
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

/**
 * The first error of each field. The messages never repeat the values that were sent.
 * @param expects which values a field accepts
 */
export function fieldErrors(error: z.ZodError, body: unknown, expects = expectation): FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const issue of error.issues) {
    const field = String(issue.path[0] ?? '');
    if (errors.has(field)) continue;
    const missing =
      field !== '' && (body === null || typeof body !== 'object' || !Object.hasOwn(body, field));
    const code = missing ? 'required' : codeOf(issue);
    errors.set(field, {field, code, message: code === 'required' ? 'is required' : expects(field)});
  }
  return [...errors.values()];
}

function codeOf(issue: z.core.$ZodIssue): FieldErrorCode {
  if (issue.code === 'custom') {
    return fieldErrorCodes.find((code) => code === issue.params?.['code']) ?? 'invalid';
  }
  return issue.code === 'too_big' && issue.origin !== 'string' ? 'too_large' : 'invalid';
}
