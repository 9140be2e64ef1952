/** When an upstream is left alone, for how long, and what ends that. */
import assert from 'node:assert/strict';
import {afterEach, beforeEach, mock, suite, test} from 'node:test';
import {DeliveryError, type DeliveryFault} from '../../../server/destinations/destination.ts';
import {createBreaker, NeverTried, NotTried} from '../../../server/destinations/breaker.ts';
import {usualTimings} from '../../../server/config/timings.ts';
import {logTo} from '../../support/observation-log.ts';

const timings = {...usualTimings, firstBreak: 1_000, longestBreak: 4_000};

function start() {
  const lines: string[] = [];
  const breaker = createBreaker('default', 16, logTo(lines).emit, timings);
  const execute = <Result>(work: () => Promise<Result>) =>
    breaker.execute({lead: 'lead', latest: Infinity, work});
  const fail = (fault: DeliveryFault, retryAfter = 0) =>
    assert.rejects(
      execute(() => Promise.reject(new DeliveryError(fault, fault, {retryAfter}))),
      DeliveryError,
    );
  return {
    breaker,
    execute,
    lines,
    fail,
    stumble: (retryAfter = 0) =>
      assert.rejects(
        execute(() => Promise.reject(new DeliveryError('failed', 'one lead', {retryAfter, aboutLead: true}))),
        DeliveryError,
      ),
    failTimes: async (count: number, fault: DeliveryFault) => {
      for (let index = 0; index < count; index += 1) await fail(fault);
    },
    succeed: () => execute(() => Promise.resolve('done')),
    assertRests: async (state: 'failing' | 'misconfigured') => {
      assert.equal(breaker.state(), state);
      assert.equal(breaker.room(), 0);
      const untouched = () => assert.fail('the upstream was asked');
      await assert.rejects(execute(untouched), NotTried);
    },
  };
}

/** Both clocks stand still until a test moves them: the system clock, and that of `performance.now()`. */
let elapsed = 0;
const pass = (milliseconds: number) => {
  elapsed += milliseconds;
  mock.timers.setTime(Date.now() + milliseconds);
};

suite('an upstream', () => {
  beforeEach(() => {
    elapsed = 0;
    mock.timers.enable({apis: ['Date'], now: Date.UTC(2026, 0, 1)});
    mock.method(performance, 'now', () => elapsed);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  test('that works has room for many', async () => {
    const {breaker, succeed, failTimes} = start();
    assert.equal(await succeed(), 'done');
    await failTimes(4, 'failed');
    await succeed();
    await failTimes(4, 'ambiguous');
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
  });
  test('rests after five failures in a row, of whatever kind', async () => {
    const {fail, failTimes, assertRests} = start();
    await failTimes(3, 'failed');
    await fail('ambiguous');
    await fail('failed');
    await assertRests('failing');
  });
  test('does not rest for leads that it stumbles over, whatever it asks for them', async () => {
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
  test('rests after one wrong password, and the log says why', async () => {
    const {fail, assertRests, lines} = start();
    await fail('misconfigured');
    await assertRests('misconfigured');
    assert.match(lines.join(''), /refuses our credentials or address/);
  });
  test('after a rest one lead tries the upstream, and its success ends the rest', async () => {
    const {breaker, execute, fail, lines} = start();
    await fail('misconfigured');
    pass(1_000);
    assert.equal(breaker.room(), 1);
    const gate = Promise.withResolvers<string>();
    const trial = execute(() => gate.promise);
    await Promise.resolve();
    assert.equal(breaker.room(), 0);
    await assert.rejects(
      execute(() => assert.fail('two at once')),
      NotTried,
    );
    gate.resolve('done');
    assert.equal(await trial, 'done');
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
    assert.equal(lines.filter((line) => line.includes('works again')).length, 1);
  });
  test('a lead that is never sent tells nothing of the upstream, so the rest goes on', async () => {
    const {breaker, execute, fail} = start();
    await fail('misconfigured');
    pass(1_000);
    await assert.rejects(
      execute(() => Promise.reject(new NeverTried('It is a repeat', 'skipped'))),
      {state: 'skipped'},
    );
    assert.deepEqual([breaker.state(), breaker.room()], ['misconfigured', 1]);
  });
  for (const [first, then, state] of [
    ['misconfigured', 'failed', 'failing'],
    ['misconfigured', 'ambiguous', 'failing'],
    ['misconfigured', 'misconfigured', 'misconfigured'],
    ['failed', 'misconfigured', 'misconfigured'],
    ['failed', 'ambiguous', 'failing'],
  ] as const) {
    test(`that was ${first} and is ${then} when it is tried rests on, longer`, async () => {
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
  test('that could not be tried is neither blamed nor taken for working', async () => {
    const {breaker, execute, fail, failTimes, lines, succeed} = start();
    const notTried = () =>
      assert.rejects(
        execute(() => Promise.reject(new NotTried('no thread'))),
        NotTried,
      );
    for (let index = 0; index < 20; index += 1) await notTried();
    await failTimes(4, 'failed');
    await notTried();
    assert.equal(breaker.state(), 'ok');
    await fail('misconfigured');
    pass(1_000);
    await notTried();
    assert.deepEqual([breaker.state(), breaker.room(), lines.length], ['misconfigured', 1, 1]);
    await succeed();
    assert.equal(breaker.state(), 'ok');
  });
  test('that asks to be left alone is, for as long as it said', async () => {
    const {breaker, fail, assertRests} = start();
    await fail('failed', 60_000);
    await assertRests('failing');
    pass(59_999);
    await assertRests('failing');
    pass(1);
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
  });
  test('that asks for an hour for one lead is tried again after five minutes', async () => {
    const {breaker, fail, assertRests} = start();
    await fail('failed', 3_600_000);
    pass(299_999);
    await assertRests('failing');
    pass(1);
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
  });
  test('a system clock that is set back by hours does not prolong a break', async () => {
    const {breaker, failTimes, succeed} = start();
    await failTimes(5, 'failed');
    mock.timers.setTime(Date.now() - 7_200_000);
    pass(1_000);
    assert.equal(breaker.room(), 1);
    await succeed();
    assert.equal(breaker.state(), 'ok');
  });
  test('whose break an operator ends is tried by one lead at once', async () => {
    const {breaker, fail, succeed} = start();
    await fail('misconfigured', 3_600_000);
    breaker.endBreak();
    assert.deepEqual([breaker.state(), breaker.room()], ['misconfigured', 1]);
    await succeed();
    assert.deepEqual([breaker.state(), breaker.room()], ['ok', 16]);
  });
  test('a failure of our own store is no failure of the upstream', async () => {
    const {breaker, execute, fail} = start();
    await fail('misconfigured');
    pass(1_000);
    const store = () => Promise.reject(new Error('The store cannot work right now'));
    await assert.rejects(execute(store), /store/);
    assert.equal(breaker.state(), 'ok');
  });
  test('is not asked for a lead that had to wait too long', async () => {
    const {breaker} = start();
    const late = breaker.execute({
      lead: 'lead',
      latest: performance.now() - 1,
      work: () => assert.fail('asked'),
    });
    await assert.rejects(late, NotTried);
    assert.equal(breaker.state(), 'ok');
  });
});
