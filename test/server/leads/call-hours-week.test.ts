/** The hours of every state against figures that somebody else typed from the sources, and what holds at any moment. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {callerQuestions} from '../../../contract/questions.ts';
import {areaCodes} from '../../../server/leads/area-codes.ts';
import {hoursAt, placesOf} from '../../../server/leads/call-hours.ts';
import {weekOf, type Hours, type Week} from '../../../server/leads/state-call-hours.ts';
import fc from '../../support/properties.ts';
import {figures} from './call-hours-figures.ts';

const states = callerQuestions.state.choices;
const [quarter, day] = [15 * 60_000, 24 * 3_600_000];
const freePhone = {typed: '800-555-0132', e164: '+18005550132'};

const clocks = new Map<string, Intl.DateTimeFormat>();
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const made = new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    hour: 'numeric',
    hourCycle: 'h23',
    timeZone,
  });
  const clock = clocks.get(timeZone) ?? made;
  clocks.set(timeZone, clock);
  return clock;
}

/** Reads the clock of each zone, without any search for the start or the end of the hours. */
function isWithin([weekdays, saturday, sunday]: Week, zones: readonly string[], at: number): boolean {
  return zones.every((zone) => {
    const [weekday, hour] = clockOf(zone).format(at).split(', ');
    const hours = weekday === 'Sat' ? saturday : weekday === 'Sun' ? sunday : weekdays;
    return hours !== null && Number(hour) >= hours[0] && Number(hour) < hours[1];
  });
}

suite('over a week with a change of the clocks, in steps of 15 minutes', () => {
  test('there are figures for every state and territory', () =>
    assert.deepEqual(Object.keys(figures).toSorted(), states.toSorted()));

  for (const state of states)
    test(`the hours of ${state} are those of the figures`, () => {
      const {weekdays, saturday, sunday} = figures[state] ?? assert.fail(`${state} has no figures`);
      const places = placesOf({state, phone: freePhone});
      const start = Date.parse('2026-10-30T12:00Z');
      for (let at = start; at < start + 7 * day; at += quarter) {
        const expected = isWithin([weekdays, saturday, sunday], places.zones, at);
        assert.equal(hoursAt(places, at)?.isAllowed, expected, new Date(at).toISOString());
      }
    });

  test('the hours that fit every state are the narrowest of the figures', () => {
    for (const [index, name] of (['weekdays', 'saturday', 'sunday'] as const).entries()) {
      const all = Object.values(figures).map((week) => week[name]);
      const some = all.filter((hours) => hours !== null);
      const narrowest = [Math.max(...some.map(([from]) => from)), Math.min(...some.map(([, to]) => to))];
      assert.deepEqual(weekOf([])[index], all.includes(null) ? null : narrowest, name);
    }
  });
});

suite('of any lead at any moment', () => {
  const leads = fc.record(
    {
      state: fc.constantFrom(...states),
      phone: fc.constantFrom('800', ...areaCodes.keys()).map((code) => {
        const e164 = `+1${code}5550132`;
        return {typed: e164, e164};
      }),
    },
    {requiredKeys: ['phone']},
  );
  const moments = fc.integer({min: Date.UTC(2026, 0), max: Date.UTC(2029, 0)});

  test('what is said holds until the moment that is said, and changes then', () => {
    fc.assert(
      fc.property(leads, moments, fc.nat({max: 99}), (lead, at, percent) => {
        const places = placesOf(lead);
        const hours = hoursAt(places, at);
        if (places.zones.length === 0) return assert.equal(hours, undefined);
        assert.ok(hours);
        const {isAllowed, until} = hours;
        assert.ok(at < until && until < at + 2 * day);
        const week = weekOf(places.states);
        for (const moment of [at, at + Math.floor(((until - at) * percent) / 100), until - 1])
          assert.equal(isWithin(week, places.zones, moment), isAllowed, new Date(moment).toISOString());
        assert.equal(isWithin(week, places.zones, until), !isAllowed);
        assert.equal(hoursAt(places, until)?.isAllowed, !isAllowed);
        return undefined;
      }),
      {numRuns: 2_000},
    );
  });

  test('hours never get longer by a second state, and are between 8 and 20', () => {
    const isWithinHours = (inner: Hours | null, outer: Hours | null) =>
      inner === null || (outer !== null && inner[0] >= outer[0] && inner[1] <= outer[1]);
    for (const one of states)
      for (const other of states)
        for (const day of [0, 1, 2] as const) {
          const both = weekOf([one, other])[day];
          assert.ok(isWithinHours(both, weekOf([one])[day]), `${one} ${other}`);
          assert.ok(isWithinHours(weekOf([])[day], both), `${one} ${other}`);
          assert.ok(isWithinHours(both, [8, 20]), `${one} ${other}`);
        }
  });
});
