/**
 * How many visitors began the form of a partner, and how many sent it. Days are those of UTC, as page views are counted. A
 * form that does not say whether it was touched counts as shown (versions/request-counts.ts).
 */
import {z} from 'zod';
import {tableOf} from '../../contract/table-of.ts';
import {dayLength} from '../config/timings.ts';
import {startOfDay, viewStages, type ViewDay} from '../versions/request-counts.ts';
import {count} from './admin.ts';
import {midnight, utcDay} from './words.ts';

/** A partner with this many leads in the week before its last one is busy. It is silent for a day by chance once in sixty years. */
const busyPartner = 70;
/** How many days back the last lead of a partner, and the last view of its form, are searched. */
export const daysLooked = 30;
/** How many of these days are compared with the days before them. */
const newestDays = 7;

const uses = {shown: count, began: count, sent: count};

/**
 * - `shown`, `began`: page views of the last seven days. `sent`: their leads, but none from before page views were counted
 * - `rate`: leads per hundred page views, or null without any. `usual_rate`: of the 23 days before
 * - `days`: the last 30, today is the last one
 * - `unbegun_since`: the day after which nobody began a form that is usually begun ten times a day
 */
export const formUse = z.object({
  ...uses,
  rate: count.nullable(),
  usual_rate: count.nullable(),
  days: z.array(z.object({day: z.string(), ...uses})),
  unbegun_since: z.string().nullable(),
});
export type FormUse = z.infer<typeof formUse>;

type Happened = {day: number; times: number};

/** Whether nothing has come for more than a day, after a busy week that ended within the last `daysLooked` days. */
export function fellSilent(days: readonly Happened[], lastAt: number, now: number): boolean {
  const week = days.filter(({day}) => day >= startOfDay(lastAt) - 7 * dayLength);
  const isBusy = week.reduce((sum, {times}) => sum + times, 0) >= busyPartner;
  return isBusy && now - lastAt > dayLength && lastAt >= midnight(now, -daysLooked);
}

/** @param views of one partner, in the days looked at and the seven before. @param leads of the same. @param lastLeadAt 0 if there is none */
export function formUseOf(
  views: readonly ViewDay[],
  leads: readonly Happened[],
  lastLeadAt: number,
  now: number,
): FormUse {
  const viewed = new Map(views.map(({day, stage, times}) => [`${stage} ${day}`, times]));
  const sent = new Map(leads.map(({day, times}) => [day, times]));
  const firstDay = Math.min(...views.map(({day}) => day));
  const days = Array.from({length: daysLooked}, (_, index) => {
    const day = startOfDay(now) - (daysLooked - 1 - index) * dayLength;
    const [shown, began] = viewStages.map((stage) => viewed.get(`${stage} ${day}`) ?? 0) as [number, number];
    return {day: utcDay(day), shown, began, sent: (day >= firstDay && sent.get(day)) || 0};
  });
  const total = (of: typeof days) => {
    const sumOf = (name: keyof typeof uses) => of.reduce((sum, each) => sum + each[name], 0);
    const {shown, began, sent} = tableOf(['shown', 'began', 'sent'], sumOf);
    return {shown, began, sent, rate: shown + began > 0 ? Math.round((100 * sent) / (shown + began)) : null};
  };
  const lastDay = Math.max(0, ...views.map(({day}) => day));
  // Whoever sent a form began it.
  const lastAt = Math.max(lastDay + dayLength - 1, lastLeadAt);
  return {
    ...total(days.slice(-newestDays)),
    usual_rate: total(days.slice(0, -newestDays)).rate,
    days,
    unbegun_since: fellSilent(views, lastAt, now) ? utcDay(lastAt) : null,
  };
}

/** Such as `412 began, 61 sent (15%), usual 17%`. Empty if no page view was counted. */
export function sayFormUse({shown, began, sent, rate, usual_rate}: FormUse): string {
  const many = (number: number, what: string) => `${number.toLocaleString('en-US')} ${what}`;
  const usual = usual_rate === null ? [] : [`usual ${usual_rate}%`];
  if (rate === null) return [...(usual.length > 0 ? ['none began'] : []), ...usual].join(', ');
  return [
    ...(shown > 0 ? [many(shown, 'shown')] : []),
    ...(began > 0 ? [many(began, 'began')] : []),
    `${many(sent, 'sent')} (${rate}%)`,
    ...usual,
  ].join(', ');
}
