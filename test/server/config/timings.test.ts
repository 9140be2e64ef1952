/** What must hold between timings, for those of production and for the short ones of tests. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {databaseTimings, usualTimings, type Timings} from '../../../server/config/timings.ts';
import {connectionLimits} from '../../../server/http/connections.ts';
import {quickTimings} from '../../support/quick-timings.ts';

type Both = Timings & typeof databaseTimings;
const rules: Record<string, (timings: Both) => boolean> = {
  'a lease outlasts a delivery that begins at once and the writing of its outcome, so no other process sends the lead too':
    ({lease, delivery, settling}) => lease > delivery + settling,
  'a visitor waits no longer than the delivery may take': ({answerWait, delivery}) => answerWait < delivery,
  'a request that arrived just before the stop can still wait for its answer': ({answerWait, requestsEnd}) =>
    answerWait < requestsEnd,
  'requests are cut off before deliveries, because a request may start a delivery': ({
    requestsEnd,
    deliveriesEnd,
  }) => requestsEnd < deliveriesEnd,
  'the process ends after what came of the last deliveries was written down': ({
    deliveriesEnd,
    lastWrites,
    processEnd,
  }) => deliveriesEnd + lastWrites < processEnd,
  'a write that began before the stop succeeds or fails before the process ends': ({reply, processEnd}) =>
    reply < processEnd,
  'PostgreSQL gives up a lock before the statement that waits for it': ({lock, statement}) =>
    lock < statement,
  'PostgreSQL ends a slow statement before its connection is given up': ({statement, reply}) =>
    statement < reply,
  'a request waits for a database that does not reply, and then for its answer, before it gets a 503': ({
    reply,
    answerWait,
    requestWait,
  }) => reply + answerWait < requestWait,
  'a request gets a 503 before its connection is closed': ({requestWait}) =>
    requestWait < connectionLimits.silence,
  'pauses that grow begin below their limit': (timings) =>
    timings.firstRetry < timings.longestRetry &&
    timings.firstBreak < timings.longestBreak &&
    timings.firstWriteRetry < timings.longestWriteRetry,
  'an outbox with due deliveries is looked into more often': ({busyPoll, idlePoll}) => busyPoll < idlePoll,
};

for (const [name, timings] of Object.entries({usualTimings, quickTimings})) {
  suite(`in ${name}`, () => {
    for (const [rule, holds] of Object.entries(rules)) {
      test(`with ${name}, ${rule}`, () => assert.ok(holds({...databaseTimings, ...timings})));
    }
  });
}

test('a request that waits for another with its key is answered before the stop cuts it off', () => {
  assert.ok(databaseTimings.keyWait < usualTimings.requestsEnd);
});

test('the timings of production are those that the documentation promises', () => {
  assert.partialDeepStrictEqual(usualTimings, {
    answerWait: 2_500,
    requestWait: 12_000,
    delivery: 30_000,
    lease: 45_000,
    requestsEnd: 7_000,
    deliveriesEnd: 8_000,
    processEnd: 10_000,
  });
  assert.deepEqual(databaseTimings, {lock: 5_000, statement: 8_000, reply: 9_000, keyWait: 5_000});
});
