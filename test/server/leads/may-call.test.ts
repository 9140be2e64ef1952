/** Whether a lead may be called: each reason, which of two counts, whose number a consent names, and at which hours. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {CallReason} from '../../../server/leads/lead-words.ts';
import {callReasonNames, mayCall, type CallFacts} from '../../../server/leads/may-call.ts';
import {sampleId} from '../../support/sample-events.ts';

/** A Wednesday. It is noon in New York, 9 AM in Los Angeles and 7 AM in Honolulu. */
const now = Date.parse('Nov 25 2026 12:00 EST');
const saidAt = Date.parse('Nov 20 2026 12:00 EST');

/** @param number such as `202`, an area code, or a whole number. @param state of the lead */
function leadOf(number: string, state?: 'CA' | 'HI' | 'TN' | 'AK') {
  const e164 = number.startsWith('+') ? number : `+1${number}5550142`;
  return {phone: {typed: e164, e164}, ...(state && {state})};
}
const agreed = (words?: string) => ({agreed: true, words});
const washington = {lead: leadOf('202'), consent: agreed()};

/** In the order in which they count. */
const reasons: readonly [reason: CallReason, facts: CallFacts, text: string][] = [
  ['stopped', {stop: {why: 'stopped', at: saidAt}}, 'Do not call: somebody with this number said stop'],
  ['erased', {isErased: true}, 'Do not call: it was erased'],
  ['not_agreed', {consent: {agreed: false}}, 'Do not call: the box was not ticked'],
  ['may_be_bot', {isHeld: true}, 'Do not call yet: a bot may have sent it, and nobody has decided'],
  [
    'stop_undecided',
    {stop: {why: 'asked', at: saidAt}},
    'Do not call yet: somebody with another address asked to stop this number',
  ],
  ['corrected', {correctedBy: sampleId}, 'Call about another lead: it was corrected by K7QM-2XHD'],
  ['unreadable', {lead: undefined}, 'Not known whether you may call: it cannot be read'],
  [
    'stop_unknown',
    {stop: {why: 'unknown', at: null}},
    'Not known whether you may call: it cannot be found out whether somebody with this number said stop',
  ],
  [
    'address_stopped',
    {addressStoppedAt: saidAt},
    'Not known whether you may call: somebody with this e-mail address said stop for another number',
  ],
  ['no_consent', {consent: null}, 'Not known whether you may call: no consent is stored'],
  [
    'consent_for_other_number',
    {consent: agreed('Call me at (415) 555-0132.')},
    'Not known whether you may call: the consent names another number',
  ],
  [
    'no_time_zone',
    {lead: leadOf('800')},
    'Not known whether you may call: nothing says in which time zone the phone is',
  ],
  [
    'outside_hours',
    {lead: leadOf('202', 'HI')},
    'Not now: it is 7:00 AM in Honolulu; from 8 AM on Wednesday in Honolulu',
  ],
  ['within_hours', {}, 'May be called: until 8 PM on Wednesday in New York (by the area code)'],
];

suite('whether a lead may be called', () => {
  test('has an answer for each reason', () =>
    assert.deepEqual(
      reasons.map(([reason]) => reason),
      callReasonNames,
    ));

  for (const [reason, facts, text] of reasons)
    test(`is "${text}"`, () => {
      const call = mayCall({...washington, ...facts}, now);
      assert.deepEqual([call.reason, call.text], [reason, text]);
      const isSaid = ['stopped', 'stop_undecided', 'address_stopped'].includes(reason);
      assert.equal(call.at, isSaid ? saidAt : null);
    });

  for (const [index, [reason, facts]] of reasons.entries())
    test(`is decided by "${reason}", whatever holds of the reasons after it`, () => {
      for (const [later, others] of reasons.slice(index + 1)) {
        // A lead has one stop, one number and one consent, so such two reasons never hold at once.
        if (Object.keys(others).some((name) => name in facts)) continue;
        const call = mayCall({...washington, ...others, ...facts}, now);
        assert.equal(call.reason, reason, `and not by ${later}`);
      }
    });

  test('names the time of a stop only if the stop decides', () => {
    const stop = {why: 'asked', at: saidAt} as const;
    for (const facts of [{isHeld: true}, {consent: {agreed: false}}])
      assert.equal(mayCall({...washington, stop, ...facts}, now).at, null);
  });

  test('is not known of a lead of which nothing is known', () =>
    assert.equal(mayCall({}, now).reason, 'unreadable'));
});

suite('a consent', () => {
  const rows: [what: string, words: string | undefined, reason: CallReason][] = [
    ['of a form has no words of its own', undefined, 'within_hours'],
    ['may name no number', 'Acme may call me 3 times in 2026, also by machines.', 'within_hours'],
    ['may name the number of the lead', 'Call me at (202) 555-0142.', 'within_hours'],
    ['may write that number otherwise', 'Call +1.202.555.0142 x12', 'within_hours'],
    ['may name the number of the lead and others', '415-555-0132 or 202-555-0142', 'within_hours'],
    ['may name a toll-free number of the company', 'To stop, call 1-888-555-0100.', 'within_hours'],
    ['names another number', 'Call me at 415-555-0132.', 'consent_for_other_number'],
    ['names another number abroad', 'Call me at +44 20 7946 0958.', 'consent_for_other_number'],
    [
      'names another number beside a toll-free one',
      'Call me at 415-555-0132. To stop, call 1-800-555-0100.',
      'consent_for_other_number',
    ],
  ];
  for (const [what, words, reason] of rows)
    test(what, () => assert.equal(mayCall({...washington, consent: agreed(words)}, now).reason, reason));
});

suite('the hours of a call', () => {
  const rows: [what: string, lead: ReturnType<typeof leadOf>, at: string, text: string][] = [
    [
      'are those of the state that the lead names',
      leadOf('202', 'CA'),
      '12:00 EST',
      'May be called: until 8 PM on Wednesday in Los Angeles',
    ],
    [
      'are presumed from the area code if the lead names no state',
      leadOf('415'),
      '23:00 EST',
      'Not now: it is 8:00 PM in Los Angeles; from 8 AM on Thursday in Los Angeles (by the area code)',
    ],
  ];
  for (const [what, lead, at, text] of rows)
    test(what, () => {
      const call = mayCall({lead, consent: agreed()}, Date.parse(`Nov 25 2026 ${at}`));
      assert.equal(call.text, text);
      assert.equal(call.isPresumed, call.there !== null && !('state' in lead));
      assert.equal(call.until === null, call.answer === 'not_known');
    });

  test('change the answer by themselves, when the answer says so', () => {
    for (const lead of [leadOf('202'), leadOf('202', 'HI'), leadOf('800', 'AK')]) {
      const [facts, first] = [{lead, consent: agreed()}, mayCall({lead, consent: agreed()}, now)];
      assert.ok(first.until);
      assert.equal(mayCall(facts, first.until - 1).answer, first.answer);
      assert.notEqual(mayCall(facts, first.until).answer, first.answer);
    }
  });

  test('are not said of a lead that nobody may call, but the time there is', () => {
    const call = mayCall({...washington, isHeld: true}, now);
    assert.deepEqual([call.there, call.until, call.hours], ['12:00 PM in New York', null, null]);
  });
});
