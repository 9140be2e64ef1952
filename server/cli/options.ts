/** The options that several commands have. */
import {InvalidArgumentError, Option} from 'commander';
import type {ZodType} from 'zod';
import {contextName, contextValue, type Context} from '../../contract/embed.ts';
import {midnight} from '../admin/words.ts';
import {inRfc3339} from '../config/values.ts';

/** @param line what each line is, as the function says that makes it */
export const jsonOption = (line: ZodType): Option & {line: ZodType} =>
  Object.assign(new Option('--json', 'print one JSON object a line, for programs'), {line});

/** @param what the rows of a list, in the plural */
export const limitOption = (what: string): Option =>
  new Option('--limit <number>', `so many ${what}, at most`).argParser(readCount).default(50);

function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1) throw new InvalidArgumentError('It must be a number from 1 on.');
  return count;
}

export const contextOption = (description: string): Option =>
  new Option('--context <name=value>', `${description}; may be given several times`).argParser(readContext);

function readContext(text: string, earlier: Context = {}): Context {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=').trim();
  if (!contextName.test(name) || !contextValue.test(value))
    throw new InvalidArgumentError(
      'It must be the name of a hidden field and its value, of at most 200 characters in one line: brand=north.',
    );
  if (Object.hasOwn(earlier, name))
    throw new InvalidArgumentError(`A lead has one value of ${name}, so it can be given only once.`);
  return {...earlier, [name]: value};
}

const forms =
  'a day such as 2026-11-22, a time such as 2026-11-22T14:30, today, yesterday, or how long ago, such as 90m, 12h or 7d; in the time zone of this machine, unless it ends in Z or +01:00';

export const sinceOption = (what: string): Option =>
  new Option('--since <time>', `only ${what} from this time on: ${forms}`).argParser(readTime);
export const untilOption = (what: string): Option =>
  new Option('--until <time>', `only ${what} before this time`).argParser(readTime);

const units = {m: 60_000, h: 3_600_000, d: 86_400_000} as const;

/**
 * Times without a zone, and days, are those of the time zone of this machine.
 * @returns milliseconds since 1970
 * @throws InvalidArgumentError when the text is no time
 */
export function readTime(text: string): number {
  const now = Date.now();
  if (text === 'now') return now;
  if (text === 'today') return midnight(now, 0);
  if (text === 'yesterday') return midnight(now, -1);
  const ago = /^(\d{1,6})([mhd])$/.exec(text);
  if (ago) return now - Number(ago[1]) * units[ago[2] as keyof typeof units];
  const parts = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d.*))?$/.exec(inRfc3339(text));
  const [, date = '', day, clock = '00:00'] = parts ?? [];
  // With a day alone, `Date` would take it as one in UTC.
  const time = Date.parse(`${date}T${clock}`);
  // `Date` turns 31 February into a day of March.
  const isReal = new Date(`${date}T00:00Z`).getUTCDate() === Number(day);
  if (Number.isNaN(time) || !isReal) throw new InvalidArgumentError(`It must be ${forms}.`);
  return time;
}
