/** Where a lead may be, what time it is there, when it may be called, and how people are told. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {hoursAt, hoursWords, placesOf} from '../../../server/leads/call-hours.ts';
import {weekOf} from '../../../server/leads/state-call-hours.ts';
import {timeThere} from '../../../server/leads/time-there.ts';

/** @param lead such as `TX 214`, the state and the area code; `TX`, with a free number; or `214`, without a state */
function placesWith(lead: string) {
  const [state] = /[A-Z]{2}/.exec(lead) ?? [];
  const [areaCode] = /\d{3}/.exec(lead) ?? ['800'];
  const e164 = `+1${areaCode}5550132`;
  return placesOf({...(state && {state}), phone: {typed: e164, e164}});
}
const abroad = placesOf({phone: {typed: '', e164: '+442125550132'}});

suite('the places of a lead', () => {
  const rows: [what: string, places: ReturnType<typeof placesOf>, expected: string][] = [
    ['are the state that it names', placesWith('NY'), 'NY: America/New_York'],
    ['are that of its number if it names no state', placesWith('215'), 'PA?: America/New_York'],
    ['are in the zone of the number if that is of the state', placesWith('TX 915'), 'TX: America/Denver'],
    ['are both states if they differ', placesWith('CA 215'), 'CA,PA: America/Los_Angeles'],
    ['may be all zones of a state', placesWith('TN'), 'TN: America/Chicago,America/New_York'],
    [
      'may be all its zones if the number is elsewhere',
      placesWith('TX 415'),
      'TX,CA: America/Chicago,America/Denver',
    ],
    ['may be all zones of an area code', placesWith('364'), 'KY?: America/Chicago,America/New_York'],
    ['may be any if the number is free', placesWith('800'), ': '],
    ['may be any if the number is of Canada', placesWith('416'), ': '],
    ['may be any if the number is abroad', abroad, ': '],
    ['are the state that it names if the number is of Canada', placesWith('CT 416'), 'CT: America/New_York'],
    ['are that of the number if the state is not known here', placesWith('QQ 215'), 'PA?: America/New_York'],
  ];
  for (const [what, {states, zones, isPresumed}, expected] of rows)
    test(what, () => assert.equal(`${states.join()}${isPresumed ? '?' : ''}: ${zones.join()}`, expected));
});

suite('calls', () => {
  // The 29th of November 2026 is a Sunday.
  const rows: [what: string, lead: string, at: string, isAllowed: 'yes' | 'no', until: string][] = [
    ['start at 8', 'NY', 'Nov 25 2026 07:59 EST', 'no', 'Nov 25 2026 08:00 EST'],
    ['are allowed from 8', 'NY', 'Nov 25 2026 08:00 EST', 'yes', 'Nov 25 2026 20:00 EST'],
    ['end at 20', 'NY', 'Nov 25 2026 20:00 EST', 'no', 'Nov 26 2026 08:00 EST'],
    ['start at 8 of summer time in 2026', 'NY', 'Mar 7 2026 20:00 EST', 'no', 'Mar 8 2026 08:00 EDT'],
    ['end at 20 of summer time in 2026', 'NY', 'Mar 8 2026 08:00 EDT', 'yes', 'Mar 8 2026 20:00 EDT'],
    ['start at 8 of winter time in 2026', 'NY', 'Oct 31 2026 20:00 EDT', 'no', 'Nov 1 2026 08:00 EST'],
    ['start at 8 of summer time in 2027', 'NY', 'Mar 13 2027 20:00 EST', 'no', 'Mar 14 2027 08:00 EDT'],
    ['start at 8 of winter time in 2027', 'NY', 'Nov 6 2027 20:00 EDT', 'no', 'Nov 7 2027 08:00 EST'],
    ['wait from Sunday to Monday', 'AL', 'Nov 29 2026 12:00 CST', 'no', 'Nov 30 2026 08:00 CST'],
    ['wait while the clocks change', 'AL', 'Oct 31 2026 20:00 CDT', 'no', 'Nov 2 2026 08:00 CST'],
    ['in Texas wait for Sunday noon', 'TX 214', 'Nov 29 2026 11:59 CST', 'no', 'Nov 29 2026 12:00 CST'],
    ['in Texas start at Sunday noon', 'TX 214', 'Nov 29 2026 12:00 CST', 'yes', 'Nov 29 2026 20:00 CST'],
    ['in Rhode Island end at 18', 'RI', 'Nov 27 2026 17:00 EST', 'yes', 'Nov 27 2026 18:00 EST'],
    ['start at 10 on its Saturdays', 'RI', 'Nov 28 2026 09:30 EST', 'no', 'Nov 28 2026 10:00 EST'],
    ['end at 17 on its Saturdays', 'RI', 'Nov 28 2026 16:59 EST', 'yes', 'Nov 28 2026 17:00 EST'],
    ['then wait until Monday', 'RI', 'Nov 28 2026 17:00 EST', 'no', 'Nov 30 2026 09:00 EST'],
    ['in two zones start in the western one', 'TN', 'Nov 25 2026 08:30 EST', 'no', 'Nov 25 2026 08:00 CST'],
    ['in two zones end in the eastern one', 'TN', 'Nov 25 2026 08:00 CST', 'yes', 'Nov 25 2026 20:00 EST'],
    [
      'in two zones then wait for the western one',
      'TN',
      'Nov 25 2026 20:00 EST',
      'no',
      'Nov 26 2026 08:00 CST',
    ],
    ['wait while it is yesterday in the west', 'TN', 'Nov 25 2026 00:30 EST', 'no', 'Nov 25 2026 08:00 CST'],
    ['in Arizona have two clocks in summer', 'AZ', 'Jul 15 2026 08:30 MDT', 'no', 'Jul 15 2026 08:00 MST'],
    ['in Arizona end by the later clock', 'AZ', 'Jul 15 2026 08:00 MST', 'yes', 'Jul 15 2026 20:00 MDT'],
    ['in Arizona have one time in winter', 'AZ', 'Jan 15 2026 08:00 MST', 'yes', 'Jan 15 2026 20:00 MST'],
    ['in Phoenix have one clock', 'AZ 602', 'Jul 15 2026 19:30 MST', 'yes', 'Jul 15 2026 20:00 MST'],
    ['keep the hours of the number, too', 'CA 215', 'Nov 27 2026 18:59 PST', 'yes', 'Nov 27 2026 19:00 PST'],
    ['keep the Sunday of the number, too', 'CA 215', 'Nov 28 2026 19:00 PST', 'no', 'Nov 30 2026 09:00 PST'],
    ['keep the hours of the number alone', '203', 'Nov 27 2026 08:30 EST', 'no', 'Nov 27 2026 09:00 EST'],
    [
      'to a free number keep those of the state',
      'CT',
      'Nov 27 2026 08:30 EST',
      'no',
      'Nov 27 2026 09:00 EST',
    ],
  ];
  for (const [what, lead, at, isAllowed, until] of rows)
    test(what, () => {
      const hours = hoursAt(placesWith(lead), Date.parse(at));
      assert.equal(hours?.isAllowed, isAllowed === 'yes');
      assert.equal(hours.until, Date.parse(until));
    });

  test('have no known hours if nothing says where the person is', () => {
    for (const places of [placesWith('800'), placesWith('416'), abroad]) {
      assert.equal(hoursAt(places, Date.now()), undefined);
      assert.equal(hoursWords(places, Date.now()), undefined);
    }
  });

  test('that may go to any state keep the hours that fit every state', () => {
    assert.deepEqual(weekOf([]), [[10, 18], [10, 17], null]);
    const zone = 'America/New_York';
    const hours = hoursAt({states: [], zones: [zone]}, Date.parse('Nov 28 2026 17:00 EST'));
    assert.deepEqual(hours, {isAllowed: false, until: Date.parse('Nov 30 2026 10:00 EST'), zone});
  });

  test('have the same answer when an earlier moment is asked for again', () => {
    const [early, late] = [Date.parse('Nov 25 2026 07:00 EST'), Date.parse('Nov 25 2026 21:00 EST')];
    const first = hoursAt(placesWith('NY'), early);
    assert.notDeepEqual(hoursAt(placesWith('NY'), late), first);
    assert.deepEqual(hoursAt(placesWith('NY'), early), first);
  });
});

suite('the hours in words', () => {
  const rows: [lead: string, at: string, expected: string][] = [
    ['NY', 'Nov 28 2026 20:00 EST', 'from 8 AM on Sunday in New York'],
    ['NY', 'Nov 28 2026 08:00 EST', 'until 8 PM on Saturday in New York'],
    ['TN', 'Nov 27 2026 09:00 CST', 'until 8 PM on Friday in New York'],
    ['TN', 'Nov 27 2026 19:30 CST', 'from 8 AM on Saturday in Chicago'],
    ['TX 214', 'Nov 29 2026 08:00 CST', 'from noon on Sunday in Chicago'],
    ['PR', 'Nov 29 2026 08:00 GMT-0400', 'from 9 AM on Sunday in Puerto Rico'],
    ['PA', 'Nov 28 2026 19:00 EST', 'from 9 AM on Monday in New York, not on a holiday of Pennsylvania'],
    ['FL 205', 'Nov 27 2026 12:00 CST', 'until 8 PM on Friday in Chicago, not on a holiday of Alabama'],
    [
      'LA 215',
      'Nov 27 2026 20:00 CST',
      'from 9 AM on Saturday in Chicago, not on a holiday of Louisiana or Pennsylvania',
    ],
  ];
  for (const [lead, at, expected] of rows)
    test(`are "${expected}"`, () => assert.equal(hoursWords(placesWith(lead), Date.parse(at)), expected));
});

test('the time there follows daylight saving time', () => {
  const noon = (month: number) => Date.UTC(2026, month, 15, 12);
  assert.equal(timeThere(noon(0), ['America/New_York']), '7:00 AM in New York');
  assert.equal(timeThere(noon(6), ['America/New_York']), '8:00 AM in New York');
  const both = timeThere(noon(6), ['America/Phoenix', 'America/Denver']);
  assert.equal(both, '5:00 AM in Phoenix, 6:00 AM in Denver');
  assert.equal(timeThere(noon(6), []), undefined);
});
