/** When deliveries to a destination may begin. The clock of these tests stands still until a test moves it. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {createPace, createRounds} from '../../../server/destinations/pace.ts';

const [second, minute] = [1_000, 60_000];
/** The end of a period of 1, 5, 10 and 60 minutes. */
const noon = Date.UTC(2026, 10, 20, 12);

const clockAt = (t: TestContext, now: number) => t.mock.timers.enable({apis: ['Date'], now});
const isOpen = (pace: {available(): number}) => pace.available() > 0;

/** Rounds whose first one, at the start, found nothing that was due. */
function roundsAfterStart(period: number) {
  const rounds = createRounds(period);
  rounds.take(0, true);
  return rounds;
}

/** `performance.now()`, which the test moves. Unlike the time of day it never jumps. */
function stopwatch(t: TestContext) {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  return (milliseconds: number) => void (now += milliseconds);
}

suite('rounds', () => {
  test('the first round begins at the start, because a process may have been away when one was due', (t) => {
    clockAt(t, noon - minute);
    const rounds = createRounds(10 * minute);
    assert.equal(rounds.available(), Infinity);
    rounds.take(3, true);
    assert.equal(rounds.available(), 0);
  });
  test('rounds begin at the end of each period, and everything that is due goes together', (t) => {
    clockAt(t, noon - minute);
    const rounds = roundsAfterStart(10 * minute);
    assert.equal(rounds.available(), 0);
    t.mock.timers.setTime(noon - 1);
    assert.equal(rounds.available(), 0);
    t.mock.timers.setTime(noon);
    assert.equal(rounds.available(), Infinity);
    rounds.take(500, false);
    rounds.take(300, false);
    assert.equal(rounds.available(), Infinity);
    // A worker that finds nothing more to claim ends the round.
    rounds.take(0, true);
    assert.equal(rounds.available(), 0);
    t.mock.timers.setTime(noon + 10 * minute - 1);
    assert.equal(rounds.available(), 0);
    t.mock.timers.setTime(noon + 10 * minute);
    assert.equal(rounds.available(), Infinity);
  });
  test('a round ends although leads come all the time', (t) => {
    clockAt(t, noon - 1);
    const rounds = roundsAfterStart(10 * minute);
    t.mock.timers.setTime(noon);
    rounds.take(20, true);
    // Leads that have come since then belong to the next digest.
    assert.equal(rounds.available(), 0);
  });
  test('rounds are at the same times in all processes, whenever these were started', (t) => {
    clockAt(t, noon - 4 * minute);
    const early = roundsAfterStart(5 * minute);
    t.mock.timers.setTime(noon - second);
    const late = roundsAfterStart(5 * minute);
    assert.deepEqual([early, late].map(isOpen), [false, false]);
    t.mock.timers.setTime(noon);
    assert.deepEqual([early, late].map(isOpen), [true, true]);
  });
  test('a round that failed comes again after a minute', (t) => {
    clockAt(t, noon - 1);
    const rounds = roundsAfterStart(10 * minute);
    t.mock.timers.setTime(noon + 2 * second);
    rounds.take(3, false);
    rounds.take(0, true);
    rounds.failed();
    t.mock.timers.setTime(noon + 2 * second + minute - 1);
    assert.equal(rounds.available(), 0);
    t.mock.timers.setTime(noon + 2 * second + minute);
    assert.equal(rounds.available(), Infinity);
    rounds.take(3, false);
    rounds.take(0, true);
    t.mock.timers.setTime(noon + 10 * minute - 1);
    assert.equal(rounds.available(), 0);
  });
  test('a round that failed comes again with the next round, if that comes sooner', (t) => {
    clockAt(t, noon - 1);
    const rounds = roundsAfterStart(10 * minute);
    t.mock.timers.setTime(noon + 9.5 * minute);
    rounds.failed();
    t.mock.timers.setTime(noon + 10 * minute);
    assert.equal(rounds.available(), Infinity);
  });
  test('a round begins on time although the clock was set back by four days', (t) => {
    clockAt(t, noon);
    const pass = stopwatch(t);
    const rounds = roundsAfterStart(10 * minute);
    t.mock.timers.setTime(noon - 4 * 24 * 60 * minute);
    pass(9 * minute);
    assert.equal(rounds.available(), 0);
    pass(1.5 * minute);
    assert.equal(rounds.available(), Infinity);
  });
});

suite('a pace', () => {
  test('a pace saves up no more than begins between two looks into the outbox', (t) => {
    const pass = stopwatch(t);
    const pace = createPace(300, 100);
    pass(3_600 * second);
    assert.equal(pace.available(), 30);
    pace.take(30, false);
    assert.equal(pace.available(), 0);
  });
});
