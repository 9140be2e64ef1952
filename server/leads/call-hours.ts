/**
 * When a lead may be called: where the person may be, whether calls are allowed there at a moment, and words for whoever calls.
 * The hours of the states are in `state-call-hours.ts`. Holidays are named and not computed, because each state has its own.
 */
import {DateTime} from 'luxon';
import {areaCodeOf, type Zones} from './area-codes.ts';
import type {Lead} from './lead-schema.ts';
import {holidaysOf, weekOf} from './state-call-hours.ts';
import {cityOf, timeZonesOf, zonesOfState} from './time-there.ts';

/**
 * @property states whose hours count, by postal code. Empty if it may be any.
 * @property zones in which the person may be. Empty if nothing is known.
 * @property isPresumed true if the lead names no state, so that all of this follows from the number
 */
export type Places = {states: readonly string[]; zones: Zones; isPresumed: boolean};

/**
 * Both the state that the lead names and the state of its number count for the hours: in Connecticut, Florida, Oklahoma and
 * Oregon an area code of the state may be enough for its law to hold.
 */
export function placesOf(lead: Pick<Lead, 'state' | 'phone'>): Places {
  const named = lead.state && zonesOfState.has(lead.state) ? lead.state : undefined;
  const ofNumber = areaCodeOf(lead.phone.e164)?.state;
  const states = new Set([named, ofNumber].filter((state) => state !== undefined));
  const isPresumed = named === undefined && ofNumber !== undefined;
  return {states: [...states], zones: timeZonesOf(lead), isPresumed};
}

/**
 * @property until when `isAllowed` changes: the end of the hours if calls are allowed, else their next start. Milliseconds
 * since 1970.
 * @property zone on whose clock it changes then
 */
export type CallHours = Readonly<{isAllowed: boolean; until: number; zone: string}>;

/** The last answer for some places. A list asks for thousands of leads in a few places, at the same moment. */
const lastAnswers = new Map<string, {since: number; hours: CallHours}>();

/**
 * Calls are allowed when the clock of every zone shows a time within the hours of every state. Undefined if no zone is known.
 * @param at milliseconds since 1970
 */
export function hoursAt(places: Pick<Places, 'states' | 'zones'>, at: number): CallHours | undefined {
  const key = [...places.states, ...places.zones].join();
  const last = lastAnswers.get(key);
  if (last && last.since <= at && at < last.hours.until) return last.hours;
  const hours = findHours(places, at);
  if (hours) lastAnswers.set(key, {since: at, hours});
  return hours;
}

function findHours({states, zones}: Pick<Places, 'states' | 'zones'>, at: number): CallHours | undefined {
  const [someZone] = zones;
  if (someZone === undefined) return undefined;
  const week = weekOf(states);
  const today = DateTime.fromMillis(at, {zone: someZone});
  // The zones of a state are at most two hours apart, so the hours of a day are over in all of them before the next day starts
  // in one.
  for (let days = 0; days <= 7; days += 1) {
    const {weekday, year, month, day} = today.plus({days});
    const hours = week[Math.max(0, weekday - 5)];
    if (!hours) continue;
    const onEachClock = (hour: number) =>
      zones.map((zone) => ({until: DateTime.fromObject({year, month, day, hour}, {zone}).toMillis(), zone}));
    // Calls start when the last clock shows the start of the hours, and end when the first one shows their end.
    const start = onEachClock(hours[0]).reduce((last, one) => (one.until > last.until ? one : last));
    const closing = onEachClock(hours[1]).reduce((first, one) => (one.until < first.until ? one : first));
    if (at < start.until) return {isAllowed: false, ...start};
    if (at < closing.until) return {isAllowed: true, ...closing};
  }
  return undefined;
}

const oneOf = new Intl.ListFormat('en-US', {type: 'disjunction'});

/**
 * Such as `from 8 AM on Sunday in New York`, or `until 7 PM on Friday in New York, not on a holiday of Pennsylvania`. It may be
 * read days later, so it says neither "now" nor "today". Undefined if no zone is known. @param at milliseconds since 1970
 */
export function hoursWords(places: Pick<Places, 'states' | 'zones'>, at: number): string | undefined {
  const hours = hoursAt(places, at);
  if (!hours) return undefined;
  const change = DateTime.fromMillis(hours.until, {zone: hours.zone, locale: 'en-US'});
  const hour = change.hour === 12 ? 'noon' : change.toFormat('h a');
  const holidays = holidaysOf(places.states);
  const exception = holidays.length > 0 ? `, not on a holiday of ${oneOf.format(holidays)}` : '';
  return `${hours.isAllowed ? 'until' : 'from'} ${hour} on ${change.weekdayLong} in ${cityOf(hours.zone)}${exception}`;
}
