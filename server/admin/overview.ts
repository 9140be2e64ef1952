/** Compares today with the usual, for the first page that an operator sees. */
import type {DateTime} from 'luxon';
import type {LeadStatus} from '../../contract/embed.ts';
import {problems} from '../../contract/problems.ts';
import {lookUp} from '../../form/words/look-up.ts';
import type {Span, FigureStore} from '../leads/figures.ts';
import type {LeadReader} from '../leads/lead-filter.ts';
import {createdAtOf} from '../leads/lead-ids.ts';
import type {With} from './admin.ts';
import type {FormUse} from './form-use.ts';
import type {PartnerRow, Status} from './status.ts';
import {midnight} from './words.ts';

/** How many weeks back the same weekday is compared with today. */
const weeks = 4;
const hoursADay = 24;
/** A lead may be stored up to this long after the time in its id, in milliseconds. Before that, counts are not cached. */
const settling = 60_000;
/** The maximum number of time spans whose counts are cached for a store. Operators in the same time zone share them. */
const maxSpans = 5_000;

/**
 * `usual`: the mean of the same weekday in the last four weeks: up to this time of the day, or for the whole hour in `hours`.
 * Times are milliseconds since 1970.
 * - `answers`: how many of today's leads have each status
 * - `partners`: the one with the most leads today first; `partner` is null for the callers
 * - `why`: why a partner sends no leads
 * - `form`: null for the callers
 */
export type Overview = {
  today: number;
  usual: number;
  lastLeadAt: number | null;
  answers: Record<LeadStatus, number>;
  hours: {today: number; usual: number}[];
  partners: {
    partner: string | null;
    today: number;
    usual: number;
    lastLeadAt: number | null;
    silent: boolean;
    why: string | null;
    form: FormUse | null;
  }[];
  held: number;
  oldestHeldAt: number | null;
  stopped: number;
};

/** @param input `now`: in the operator's time zone */
export async function readOverview(
  {store}: With<LeadReader & FigureStore>,
  {now, status}: {now: DateTime; status: Status},
): Promise<Overview> {
  const days = Array.from({length: weeks + 1}, (_, week) => hoursOf(now.minus({weeks: week})));
  const counts = await countSpans(store, days.flat(), now.toMillis());
  const inAll = counts.map((each) => sumOf(each.map(({leads}) => leads)));
  const byPartner = counts.map((each) => new Map(each.map(({partner, leads}) => [partner, leads])));
  /** The number of leads in an hour of this weekday, `week` weeks ago. */
  const inHour = (week: number, hour: number, partner?: string | null) => {
    const span = week * hoursADay + hour;
    return (partner === undefined ? inAll[span] : byPartner[span]?.get(partner)) ?? 0;
  };
  const hours = Array.from({length: hoursADay}, (_, hour) => hour);
  const meanOf = (hour: number, partner?: string | null) =>
    sumOf(days.slice(1).map((_, index) => inHour(index + 1, hour, partner))) / weeks;
  const gone = (now.minute * 60 + now.second) / 3_600;
  const figures = (partner?: string | null) => ({
    today: sumOf(hours.map((hour) => inHour(0, hour, partner))),
    // The present hour counts by the part of it that has passed.
    usual: Math.round(
      sumOf(hours.slice(0, now.hour).map((hour) => meanOf(hour, partner))) + gone * meanOf(now.hour, partner),
    ),
  });
  const [newest] = await store.listOutlines({}, {limit: 1});
  const {held, oldestHeld, stopped} = await store.countStopped();
  const day = now.startOf('day');
  const today = {since: day.toMillis(), until: day.plus({days: 1}).toMillis()};
  const answered = await store.countLeadsBy(today, ['state'], midnight);
  const withAnswer = (state: LeadStatus) =>
    sumOf(answered.flatMap((each) => (each.status === state ? each.leads : [])));
  return {
    ...figures(),
    lastLeadAt: newest?.createdAt ?? null,
    answers: {done: withAnswer('done'), pending: withAnswer('pending'), refused: withAnswer('refused')},
    hours: hours.map((hour) => ({today: inHour(0, hour), usual: meanOf(hour)})),
    partners: status.partners
      .map(({partner, silent, form, ...row}) => ({
        partner,
        form,
        ...figures(partner),
        silent,
        lastLeadAt: row.last_lead_at === null ? null : Date.parse(row.last_lead_at),
        why: silent || row.leads_today === 0 ? whyRefused(row) : null,
      }))
      .toSorted((one, other) => other.today - one.today || other.usual - one.usual),
    held,
    stopped,
    oldestHeldAt: oldestHeld === null ? null : createdAtOf(oldestHeld),
  };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

/** The 24 hours of a day by its local clock. When the clock changes, one is empty or lasts two hours. */
const hoursOf = (time: DateTime): Span[] =>
  Array.from({length: hoursADay}, (_, hour) => {
    const day = time.startOf('day');
    const next = hour + 1 < hoursADay ? day.set({hour: hour + 1}) : day.plus({days: 1}).startOf('day');
    return {since: day.set({hour}).toMillis(), until: next.toMillis()};
  });

type Counts = Awaited<ReturnType<FigureStore['countSpans']>>[number];
const kept = new WeakMap<object, Map<string, Counts>>();

/** Counts leads by time span. Counts of past spans are cached, because they no longer change. */
async function countSpans(store: FigureStore, spans: readonly Span[], now: number): Promise<Counts[]> {
  const known = kept.get(store) ?? new Map<string, Counts>();
  if (known.size > maxSpans) known.clear();
  kept.set(store, known);
  const nameOf = ({since, until}: Span) => `${since} ${until}`;
  const isFuture = ({since, until}: Span) => since > now || since === until;
  const missing = spans.filter((span) => !isFuture(span) && !known.has(nameOf(span)));
  const counts = missing.length === 0 ? [] : await store.countSpans(missing);
  const found = new Map(missing.map((span, index) => [nameOf(span), counts[index] ?? []]));
  for (const span of missing)
    if (span.until + settling <= now) known.set(nameOf(span), found.get(nameOf(span)) ?? []);
  return spans.map((span) => found.get(nameOf(span)) ?? known.get(nameOf(span)) ?? []);
}

/** Such as `31 refused: the page is not allowed to use this partner`. Programs get the code of the problem instead. */
function whyRefused(row: Pick<PartnerRow, 'refusals' | 'refused_for'>): string | null {
  const {refusals, refused_for: code} = row;
  if (!refusals || code === null) return null;
  const [, title = code] = lookUp(problems, code) ?? [];
  return `${refusals.toLocaleString('en-US')} refused: ${title.replace(/^./, (letter) => letter.toLowerCase())}`;
}
