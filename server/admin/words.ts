/** Formats times and numbers for people. */
import {lookUp} from '../../form/words/look-up.ts';
import {dayLength} from '../config/timings.ts';

const isTime = (time: number) => !Number.isNaN(new Date(time).getTime());

/** A time for people, to the second, in the time zone of this machine. */
export function localTime(time: number): string {
  if (!isTime(time)) return 'not a time';
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

/** A time of a result for people. Empty if there is none. */
export const timeOrNone = (time: string | null): string => (time === null ? '' : localTime(Date.parse(time)));

/** Such as `3:12 AM`, or `November 20 at 3:12 AM` if that is not today. In the time zone of this machine. */
export function clockTime(time: number): string {
  const day = localDay(time) === localDay(Date.now()) ? {} : ({month: 'long', day: 'numeric'} as const);
  const words = new Date(time).toLocaleString('en-US', {...day, hour: 'numeric', minute: '2-digit'});
  return words.replace('\u202f', ' ');
}

/** The time zone of this machine. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const units = [
  [2 * dayLength, dayLength, 'days'],
  [2 * 3_600_000, 3_600_000, 'h'],
  [2 * 60_000, 60_000, 'min'],
  [0, 1_000, 's'],
] as const;

/** How long something has lasted, such as `40 s`, `12 min`, `5 h` or `3 days`. */
export function lasting(milliseconds: number): string {
  const [, unit, name] = units.find(([from]) => milliseconds >= from) ?? units[3];
  return `${Math.max(0, Math.floor(milliseconds / unit))} ${name}`;
}
/** How long ago a time was. */
export const ago = (time: number): string => lasting(Date.now() - time);

/** The day of a time, such as `2026-11-22`, in the time zone of this machine. */
export const localDay = (time: number): string => localTime(time).slice(0, 10);

/** The same for a time of a result. */
export const dayOf = (time: string | null): string => localDay(Date.parse(time ?? ''));

/** The day of a time in UTC. */
export const utcDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** `1 lead`, `2 leads`, `1,000 leads`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;

/** The midnight before a time, in the time zone of this machine, moved by a number of days. */
export const midnight = (now: number, days = 0) => {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
};

/** Such as `12.5 GB`. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return `${(count / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** A destination, with its host or mailboxes if these are known. */
export const placed = ({destination, place}: {destination: string; place: string | null}): string =>
  place === null ? destination : `${destination} (${place})`;

/** The maximum number of a lead's duplicates or corrections that people see listed. One visitor can send thousands. */
export const maxOthers = 20;

/** The names of operators and callers may contain anything, even line breaks. */
const named = /^(operator|caller) (.*)$/s;
export const isNamed = (actor: string): boolean => named.test(actor);

/** @param actor as the audit has it @returns such as `Maria Lopez`, `The visitor`, or `root, by a command` */
export function actorName(actor: string): string {
  const [, kind, name = ''] = named.exec(actor) ?? [];
  if (kind !== undefined) return kind === 'operator' ? name : `The caller ${name}`;
  const actors: Record<string, string> = {visitor: 'The visitor', start: 'The server, when it started'};
  return lookUp(actors, actor) ?? `${actor}, by a command`;
}
