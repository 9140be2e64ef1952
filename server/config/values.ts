/** Schemas of values that appear in several parts of the configuration. */
import {z} from 'zod';
import {cidField} from '../../contract/fields.ts';
import {toE164} from '../../contract/phone.ts';
import {maxKeepConsentYears, maxRetainDays} from './retention.ts';

/** The id of a client. It follows the rule for the `cid` of a lead, because no lead could have any other `cid`. */
export const cid = z
  .string()
  .max(cidField.max)
  .regex(cidField.pattern, 'must be a text without control characters')
  .refine((text) => text === text.trim(), 'must not begin or end with a space');

/** A URL to which paths can be appended. The output has no slash at its end. */
export const httpUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
    error: 'must be a URL that starts with https:// or http://',
    abort: true,
  })
  // A query or fragment would break the appended path, and the log must contain no password.
  .refine((text) => !/[?#]/.test(text) && !URL.parse(text)?.username && !URL.parse(text)?.password, {
    error: 'must have no user name, no password, no ? and no #',
  })
  .transform((text) => text.replace(/\/+$/, ''));

/**
 * A time with its zone, as PostgreSQL, Java, Salesforce and Facebook write it too, in the form of RFC 3339:
 * `2026-11-29 08:15+00` becomes `2026-11-29T08:15:00+00:00`. Any other text stays as it is.
 */
export const inRfc3339 = (text: string): string =>
  text.replace(
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)? ?(?:Z|([+-]\d\d)(?::?(\d\d))?)$/,
    (_, day: string, minute: string, second = ':00', hours?: string, minutes = '00') =>
      `${day}T${minute}${second}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`,
  );

/** What visitors read as the name of a company. */
export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^\P{C}*$/u, 'must be a text without control characters');

/** A number that visitors can call. It is shown as it is written here. */
export const telephone = z
  .string()
  .trim()
  .max(40)
  .regex(/^\P{C}*$/u, 'must be a text without control characters')
  .refine((text) => toE164(text) !== undefined, {
    error: 'must be a telephone number such as (415) 555-0132 or +44 20 7946 0958',
  });

export const emailAddress = z.email('must be an e-mail address such as hello@example.com').max(254);

/** A language tag as pages have it in `lang`. */
export const languageTag = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z\d]{2,8})*$/, 'must be a language such as en or es-MX');
/** The name of a partner or a destination, as addresses and settings have it. Flags of a pattern are lost in JSON Schema. */
const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9-]{0,63}$/;
export const name = z.string().regex(namePattern, 'must be letters, digits and dashes');
/** A destination, where a partner says to whom its leads go. Newcomers write the e-mail address itself. */
export const receiverName = z
  .string()
  .regex(
    namePattern,
    'must be the name of a destination, in letters, digits and dashes: an e-mail address is in "to" of that one (docs/email.md)',
  );

/** The number of an exact version of the form, such as `1.0.0` or `1.1.0-beta.1`. */
export const versionNumber = z
  .string()
  .regex(/^\d+\.\d+\.\d+(-[a-z\d-]+(\.[a-z\d-]+)*)?$/i, 'must be an exact version such as 1.0.0');

/** How long leads and consents are kept, as the file and each partner say it. */
export const keptDays = z.int().min(1).max(maxRetainDays);
export const keptConsentYears = z.int().min(0).max(maxKeepConsentYears);

/**
 * A list with at least one item. The output type says so, too, so that code can use the first item without a check.
 * @param ifEmpty the error for an empty list
 * @param noList the error for a value that is not a list
 */
export const nonEmpty = <Item extends z.ZodType>(item: Item, ifEmpty: string, noList?: string) =>
  z.array(item, noList).transform(([first, ...others], context): [z.output<Item>, ...z.output<Item>[]] => {
    if (first !== undefined) return [first, ...others];
    context.addIssue({code: 'custom', message: ifEmpty});
    return z.NEVER;
  });

const kindsOfValues: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const limits: Readonly<Record<string, string>> = {string: 'must have a length of', array: 'must hold'};

/** The message about a wrong value whose schema has no message of its own. It never repeats the value. */
export const inWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type')
    return issue.input === undefined
      ? 'is missing'
      : `must be ${kindsOfValues[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'unrecognized_keys') return `has an unknown field: ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_key') return `has a name that ${issue.issues[0]?.message}`;
  if (issue.code === 'too_small') return `${limits[issue.origin] ?? 'must be'} at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `${limits[issue.origin] ?? 'must be'} at most ${issue.maximum}`;
  return undefined;
};
