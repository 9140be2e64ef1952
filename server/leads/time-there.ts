/** In which time zones the visitor may be, and what time it is there. */
import {areaCodeOf, type Zones} from './area-codes.ts';
import type {Lead} from './lead-schema.ts';

/** The states and territories by their zones, as the law has them (49 CFR 71). */
const rows: readonly (readonly [Zones, string])[] = [
  [['America/New_York'], 'CT DC DE GA MA MD ME NC NH NJ NY OH PA RI SC VA VT WV'],
  [['America/Chicago'], 'AL AR IA IL LA MN MO MS OK WI'],
  [['America/Chicago', 'America/New_York'], 'FL IN KY MI TN'],
  [['America/Chicago', 'America/Denver'], 'KS ND NE SD TX'],
  [['America/Denver'], 'CO MT NM UT WY'],
  [['America/Denver', 'America/Los_Angeles'], 'ID NV OR'],
  [['America/Denver', 'America/Phoenix'], 'AZ'],
  [['America/Los_Angeles'], 'CA WA'],
  [['America/Adak', 'America/Anchorage'], 'AK'],
  [['Pacific/Honolulu'], 'HI'],
  [['America/Puerto_Rico'], 'PR VI'],
  [['Pacific/Guam'], 'GU MP'],
  [['Pacific/Pago_Pago'], 'AS'],
];

/** By the postal code. */
export const zonesOfState: ReadonlyMap<string, Zones> = new Map(
  rows.flatMap(([zones, states]) => states.split(' ').map((state) => [state, zones])),
);

/**
 * The names of the zones in the IANA database, none if nothing is known. The state counts, because numbers move along with
 * people; in a state with two zones, the number says which.
 */
export function timeZonesOf({state, phone}: Pick<Lead, 'state' | 'phone'>): Zones {
  const ofNumber = areaCodeOf(phone.e164)?.zones ?? [];
  const ofState = zonesOfState.get(state ?? '') ?? [];
  if (ofState.length === 0) return ofNumber;
  const both = ofState.filter((zone) => ofNumber.includes(zone));
  return both.length > 0 ? both : ofState;
}

/** Such as `New York`: the city after which the zone is named. */
export const cityOf = (zone: string): string => zone.replace(/^.*\//, '').replaceAll('_', ' ');

/** By the zone, because making one takes longer than all else about a lead. */
const clocks = new Map<string, Intl.DateTimeFormat>();
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-US', {timeStyle: 'short', timeZone});
  clocks.set(timeZone, clock);
  return clock;
}

/** Such as `2:05 PM in New York`, a time for each zone. Undefined if no zone is known. @param at milliseconds since 1970 */
export function timeThere(at: number, zones: Zones): string | undefined {
  const times = zones.map((zone) => `${clockOf(zone).format(at).replace('\u202f', ' ')} in ${cityOf(zone)}`);
  return times.length === 0 ? undefined : times.join(', ');
}
