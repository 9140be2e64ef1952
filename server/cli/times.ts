/** The options `--since` and `--until`, and the times that people give for them. */
import {InvalidArgumentError, Option} from 'commander';
import {midnight} from '../admin/words.ts';

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
  const parts = /^(\d{4}-\d\d-(\d\d))(T\d\d:\d\d.*)?$/.exec(text);
  const [, date = '', day, clock = 'T00:00'] = parts ?? [];
  // With a day alone, `Date` would take it as one in UTC.
  const time = Date.parse(date + clock);
  // `Date` turns 31 February into a day of March.
  const isReal = new Date(`${date}T00:00Z`).getUTCDate() === Number(day);
  if (Number.isNaN(time) || !isReal) throw new InvalidArgumentError(`It must be ${forms}.`);
  return time;
}
