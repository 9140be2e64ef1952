/** Parses times as operators write them. */
import {dayLength} from '../config/timings.ts';
import {inRfc3339} from '../config/values.ts';
import {midnight} from './words.ts';

export const timeForms =
  'a day such as 2026-11-22, a time such as 2026-11-22T14:30, today, yesterday, or how long ago, such as 90m, 12h or 7d; in the time zone of this machine, unless it ends in Z or +01:00';

const units = {m: 60_000, h: 3_600_000, d: dayLength} as const;

/** Days, and times without a time zone, are in the time zone of this machine. */
export function readTime(text: string): number {
  const now = Date.now();
  if (text === 'now') return now;
  if (text === 'today') return midnight(now, 0);
  if (text === 'yesterday') return midnight(now, -1);
  const ago = /^(\d{1,6})([mhd])$/.exec(text);
  if (ago) return now - Number(ago[1]) * units[ago[2] as keyof typeof units];
  const parts = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d.*))?$/.exec(inRfc3339(text));
  const [, date = '', day, clock = '00:00'] = parts ?? [];
  // `Date` would read a day without a time as UTC.
  const time = Date.parse(`${date}T${clock}`);
  // `Date` turns 31 February into a day of March.
  const isReal = new Date(`${date}T00:00Z`).getUTCDate() === Number(day);
  if (Number.isNaN(time) || !isReal) throw new Error(`It must be ${timeForms}.`);
  return time;
}

/**
 * Parses like `readTime`, but a day without a time means its noon, which is the same day everywhere in America. If noon of today
 * is still to come, it means now.
 */
export function readDay(text: string): number {
  const time = readTime(text);
  if (!/^(today|yesterday|\d{4}-\d\d-\d\d)$/.test(text)) return time;
  const now = Date.now();
  const noon = new Date(time).setHours(12);
  return time <= now ? Math.min(noon, now) : noon;
}
