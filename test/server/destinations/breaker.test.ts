/** When an upstream is left alone, for how long, and what ends that. */
import assert from 'node:assert/strict';
import {afterEach, beforeEach, mock, suite, test} from 'node:test';
import {DeliveryError, type DeliveryFault} from '../../../server/destinations/destination.ts';
import {createBreaker, NotTried} from '../../../server/destinations/breaker.ts';
import {usualTimings} from '../../../server/config/timings.ts';
import {logTo} from '../../support/event-log.ts';

const timings = {...usualTimings, firstBreak: 1_000, longestBreak: 4_000};
const latest = Infinity;

function start() {
  const lines: string[] = [];
  const breaker = createBreaker('default', 16, logTo(lines).emit, timings);
  const fail = (fault: DeliveryFault, retryAfter = 0) =>
    assert.rejects(
      breaker.execute(() => Promise.reject(new DeliveryError(fault, fault, {retryAfter})), latest),
      DeliveryError,
    );
  return {
    breaker,
    lines,
    fail,
    stumble: (retryAfter = 0) =>
      assert.rejects(
        breaker.execute(
          () => Promise.reject(new DeliveryError('failed', 'one lead', {retryAfter, aboutLead: true})),
          latest,
        ),
        DeliveryError,
      ),
    failTimes: async (count: number, fault: DeliveryFault) => {
      for (let index = 0; index < count; index += 1) await fail(fault);
    },
    succeed: () => breaker.execute(() => Promise.resolve('done'), latest),
    assertRests: async (state: 'failing' | 'misconfigured') => {
      assert.equal(breaker.state(), state);
      assert.equal(breaker.room(), 0);
      const untouched = () => assert.fail('the upstream was asked');
      await assert.rejects(breaker.execute(untouched, latest), NotTried);
    },
  };
}

suite('an upstream', () => {
  beforeEach(() => mock.timers.enable({apis: ['Date'], now: Date.UTC(2026, 0, 1)}));
  afterEach(() => mock.timers.reset());
  const pass = (milliseconds: number) => mock.timers.setTime(Date.now() + milliseconds);

  test('an upstream that works has room for many', async () => {
    const {breaker, succeed, failTimes} = start();
    assert.equal(await succeed(), 'done');
    await failTimes(4, 'failed');
    await succeed();
    await failTimes(4, 'ambiguous');
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
  });
  test('an upstream rests after five failures in a row, of whatever kind', async () => {
    const {fail, failTimes, assertRests} = start();
    await failTimes(3, 'failed');
    await fail('ambiguous');
    await fail('failed');
    await assertRests('failing');
  });
  test('an upstream does not rest for leads that it stumbles over, whatever it asks for them', async () => {
    const {breaker, stumble, failTimes} = start();
    for (let index = 0; index < 20; index += 1) await stumble(60_000);
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
    await failTimes(5, 'failed');
    pass(1_000);
    await stumble();
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
    await failTimes(4, 'failed');
    assert.equal(breaker.state(), 'ok');
  });
  test('an upstream rests after one wrong password, and the log says why', async () => {
    const {fail, assertRests, lines} = start();
    await fail('misconfigured');
    await assertRests('misconfigured');
    assert.match(lines.join(''), /refuses our credentials or address/);
  });
  test('an upstream that has rested is tried by one lead, and gets all again when that one succeeds', async () => {
    const {breaker, fail, lines} = start();
    await fail('misconfigured');
    pass(1_000);
    assert.equal(breaker.room(), 1);
    const gate = Promise.withResolvers<string>();
    const trial = breaker.execute(() => gate.promise, latest);
    await Promise.resolve();
    assert.equal(breaker.room(), 0);
    await assert.rejects(
      breaker.execute(() => assert.fail('two at once'), latest),
      NotTried,
    );
    gate.resolve('done');
    assert.equal(await trial, 'done');
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
    assert.equal(lines.filter((line) => line.includes('works again')).length, 1);
  });
  for (const [first, then, state] of [
    ['misconfigured', 'failed', 'failing'],
    ['misconfigured', 'ambiguous', 'failing'],
    ['misconfigured', 'misconfigured', 'misconfigured'],
    ['failed', 'misconfigured', 'misconfigured'],
    ['failed', 'ambiguous', 'failing'],
  ] as const) {
    test(`an upstream that was ${first} and is ${then} when it is tried rests on, longer`, async () => {
      const {fail, failTimes, assertRests, lines, succeed} = start();
      await failTimes(first === 'misconfigured' ? 1 : 5, first);
      pass(1_000);
      await fail(then);
      await assertRests(state);
      pass(999);
      await assertRests(state);
      pass(1_001);
      await fail(then);
      await assertRests(state);
      assert.ok(!lines.join('').includes('works again'));
      pass(4_000);
      await succeed();
    });
  }
  test('an upstream that asks to be left alone is, for as long as it said', async () => {
    const {breaker, fail, assertRests} = start();
    await fail('failed', 60_000);
    await assertRests('failing');
    pass(59_999);
    await assertRests('failing');
    pass(1);
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
  });
  test('an upstream that took a lead which the store could not write keeps working, for that is no fault of its own', async () => {
    const {breaker, fail} = start();
    await fail('misconfigured');
    pass(1_000);
    const store = () => Promise.reject(new Error('The store cannot work right now'));
    await assert.rejects(breaker.execute(store, latest), /store/);
    assert.equal(breaker.state(), 'ok');
  });
  test('an upstream is not asked for a lead that had to wait too long', async () => {
    const {breaker} = start();
    const late = breaker.execute(() => assert.fail('asked'), Date.now() - 1);
    await assert.rejects(late, NotTried);
    assert.equal(breaker.state(), 'ok');
  });
});
