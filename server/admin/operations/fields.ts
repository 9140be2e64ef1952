/** The input fields of an operation, for its command, its page and the docs. Each is given as text and parsed by its schema. */
import {z} from 'zod';
import {contextName, contextValue, type Context} from '../../../contract/embed.ts';
import {linkWays} from '../../leads/revocation.ts';
import {readTime, timeForms} from '../times.ts';

/**
 * - `argument`: it is a positional argument. Other fields are options
 * - `value`: the placeholder for the value in the usage. A flag has none
 * - `many`: it may be given several times
 * - `asks`: `-` reads the value from standard input, so that it appears in no list of processes and no shell history. A terminal
 *   shows these words as the prompt
 */
export type Field<Schema extends z.ZodType = z.ZodType> = {
  schema: Schema;
  what: string;
  argument?: true;
  value?: string;
  choices?: readonly string[];
  many?: true;
  asks?: string;
};
export type Fields = Readonly<Record<string, Field>>;
export type Input<Of extends Fields> = {[Name in keyof Of]: z.infer<Of[Name]['schema']>};

const text = z.string();
type Meta = Omit<Field, 'schema' | 'what'>;

export const argument = (what: string, meta: Meta = {}) =>
  ({schema: text, what, argument: true, ...meta}) as const;
export const option = (value: string, what: string, meta: Meta = {}) =>
  ({schema: text.optional(), what, value, ...meta}) as const;
export const flag = (what: string) => ({schema: z.boolean().optional(), what}) as const;
export const choice = <const Name extends string>(value: string, choices: readonly Name[], what: string) =>
  ({schema: z.enum(choices).optional(), what, value, choices}) as const;

/** A field whose text `read` turns into something else. @param read throws an Error that says what is wrong */
export const parsedBy = <Value>(read: (text: string) => Value) =>
  text.transform((given, context): Value => {
    try {
      return read(given);
    } catch (error) {
      context.addIssue((error as Error).message);
      return z.NEVER;
    }
  });

/** @param what the rows of a list, in the plural */
export const limit = (what: string) =>
  ({
    schema: z.coerce
      .number('It must be a number from 1 on.')
      .int()
      .min(1, 'It must be a number from 1 on.')
      .default(50),
    what: `so many ${what}, at most (default: 50)`,
    value: 'number',
  }) as const;

const time = parsedBy(readTime).optional();
/** @param what the things whose times are compared, in the plural */
export const since = (what: string) =>
  ({schema: time, what: `only ${what} from this time on: ${timeForms}`, value: 'time'}) as const;
export const until = (what: string) =>
  ({schema: time, what: `only ${what} before this time`, value: 'time'}) as const;

/** The maximum length of `way` in characters. */
const longestWay = 40;
const wrongWay = `It must be a word or some, of at most ${longestWay} characters, and not ${linkWays.join(' or ')}, which visitors press.`;
/** How somebody asked, such as by telephone, in an operator's words. */
export const way = z
  .string(wrongWay)
  .trim()
  .min(1, wrongWay)
  .max(longestWay, wrongWay)
  .refine((given) => !linkWays.some((each) => each === given), wrongWay);

/** The reason for a change, which the audit keeps. */
export const reason = (what: string) =>
  ({
    schema: z
      .string('say why, which is kept')
      .trim()
      .min(1, 'say why, which is kept')
      .max(200, 'It must have at most 200 characters.'),
    what,
    value: 'text',
  }) as const;

/** Pairs such as `brand=north`, each name once. @param thing what has a name and a value. @param pattern of the value */
export const pairs = (thing: string, example: string, what: string, pattern = contextValue) =>
  ({
    schema: z
      .array(text)
      .transform((pairs, issues): Context => {
        const values: Record<string, string> = {};
        for (const pair of pairs) {
          const [name = '', ...rest] = pair.split('=');
          const value = rest.join('=').trim();
          if (!pair.includes('=') || !contextName.test(name) || !pattern.test(value))
            issues.addIssue(
              `It must be the name of ${thing} and its value, of at most 200 characters in one line: ${example}.`,
            );
          else if (Object.hasOwn(values, name))
            issues.addIssue(`A lead has one value of ${name}, so it can be given only once.`);
          else values[name] = value;
        }
        return values;
      })
      .optional(),
    what,
    value: 'name=value',
    many: true,
  }) as const;

export const context = (what: string) => pairs('a hidden field', 'brand=north', what);

/** Parses the given values by their schemas. @returns `wrong`: the name of the first wrong field, and why it is wrong */
export function readInput(
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
): {input: Readonly<Record<string, unknown>>; wrong?: readonly [name: string, why: string]} {
  const shape = Object.fromEntries(Object.entries(fields).map(([name, {schema}]) => [name, schema]));
  const {data, error} = z.object(shape).safeParse(given);
  if (data) return {input: data};
  const [issue] = error.issues;
  return {input: {}, wrong: [String(issue?.path[0]), issue?.message ?? '']};
}

/** The name of a field as an option of a command, or in a URL. */
export const optionName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
export const isRequired = ({schema}: Field): boolean => !schema.safeParse(undefined).success;
/** An argument as the usage of the command shows it. */
export const inUsage = (name: string, field: Field): string =>
  field.many ? `[${name}...]` : isRequired(field) ? `<${name}>` : `[${name}]`;
