/** Schemas of values that appear in several parts of the configuration. */
import {z} from 'zod';
import {cidField} from '../../contract/fields.ts';

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

/** The name of a partner or a destination. */
export const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/i, 'must be letters, digits and dashes');

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
