/** In which time zones a visitor may be, and what time it is there. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {callerQuestions} from '../../../contract/questions.ts';
import {parseFormLead} from '../../../server/leads/lead-schema.ts';
import {timeThere, timeZonesOf} from '../../../server/leads/time-there.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';

const zonesOf = (phone: string, state?: string) => {
  const lead = parseFormLead({...prequalificationBody, phone, ...(state && {state})}).data;
  assert.ok(lead);
  return timeZonesOf(lead);
};
const [newYork, chicago, denver] = ['America/New_York', 'America/Chicago', 'America/Denver'] as const;

suite('the time zone of a visitor', () => {
  const visitors: [what: string, zones: readonly string[], expected: readonly string[]][] = [
    ['is that of the number', zonesOf('415-555-0132'), ['America/Los_Angeles']],
    ['is that of the state, if it is known', zonesOf('415-555-0132', 'NY'), [newYork]],
    ['in a state with two is that of the number', zonesOf('915-555-0132', 'TX'), [denver]],
    ['may be each of such a state', zonesOf('415-555-0132', 'TX'), [chicago, denver]],
    ['may be each of an area code', zonesOf('850-555-0132'), [chicago, newYork]],
    ['of a free number is not known', zonesOf('800-555-0132'), []],
    ['of another country is not known', zonesOf('+44 20 7946 0958'), []],
    ['of a free number is that of the state', zonesOf('800-555-0132', 'HI'), ['Pacific/Honolulu']],
  ];
  for (const [what, zones, expected] of visitors) test(what, () => assert.deepEqual(zones, expected));

  test('is known of every state that a lead may name', () => {
    for (const state of callerQuestions.state.choices) {
      const zones = zonesOf('800-555-0132', state);
      assert.notDeepEqual(zones, [], state);
      assert.match(String(timeThere(Date.now(), zones)), /^\d{1,2}:\d\d [AP]M in [A-Z]/);
    }
  });
});

test('the time there follows daylight saving time', () => {
  const noon = (month: number) => Date.UTC(2026, month, 15, 12);
  assert.equal(timeThere(noon(0), [newYork]), '7:00 AM in New York');
  assert.equal(timeThere(noon(6), [newYork]), '8:00 AM in New York');
  assert.equal(timeThere(noon(6), ['America/Phoenix', denver]), '5:00 AM in Phoenix, 6:00 AM in Denver');
  assert.equal(timeThere(noon(6), []), undefined);
});
