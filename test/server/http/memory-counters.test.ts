/** Counters in memory: what a flood of networks pushes out, and what it costs. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {createMemoryCounters} from '../../../server/http/limits/memory-counters.ts';

const window = 60_000;
type Counters = ReturnType<typeof createMemoryCounters>;
const count = (counters: Counters, name: string) => counters.increment({name, window}).count;
const networks = (many: number, kind = 'leads') =>
  Array.from(
    {length: many},
    (_, index) => `${kind}:2001:db8:${(index >> 16).toString(16)}:${index & 65_535}::/64`,
  );

suite('a flood of networks', () => {
  test('of one kind pushes out no counter of another kind', () => {
    const counters = createMemoryCounters();
    count(counters, 'results:192.0.2.7');
    for (const name of networks(300_000)) count(counters, name);
    assert.equal(count(counters, 'results:192.0.2.7'), 2);
  });
  test('of 60,000 pushes out no counter of its kind', () => {
    const counters = createMemoryCounters();
    for (const first of networks(1_000)) count(counters, first);
    for (const name of networks(60_000, 'leads:other')) count(counters, name);
    for (const first of networks(1_000)) assert.equal(count(counters, first), 2);
  });
  test('does not push out a network that goes on, so it stays at its limit', () => {
    const counters = createMemoryCounters();
    let last = 0;
    for (const [index, name] of networks(300_000).entries()) {
      count(counters, name);
      if (index % 60_000 === 0) last = count(counters, 'leads:192.0.2.7');
    }
    assert.equal(last, 5);
  });
  test('does not stay in memory: what was not counted for long is forgotten', () => {
    const counters = createMemoryCounters();
    for (const name of networks(300_000)) count(counters, name);
    const known = networks(300_000).filter((name) => counters.find(name)).length;
    assert.ok(known > 60_000 && known <= 2 * 65_536, `${known} counters`);
  });
  test('costs about as much for each of 300,000 networks as for each of 30,000', (t) => {
    const cost = (names: readonly string[]) => {
      const counters = createMemoryCounters();
      for (const name of names) count(counters, name);
      const start = process.cpuUsage();
      for (const name of names) count(counters, name);
      const {user, system} = process.cpuUsage(start);
      return (user + system) / names.length;
    };
    const few = networks(30_000);
    cost(few);
    const costs = [cost(few), cost(networks(300_000))] as const;
    t.diagnostic(`${costs.map((micro) => micro.toFixed(2)).join(' and ')} µs an increment`);
    assert.ok(costs[1] < costs[0] * 8, costs.join());
  });
});

suite('a counter in memory', () => {
  test('lives for its window, however many generations begin meanwhile', (t) => {
    let now = 1_000;
    t.mock.method(performance, 'now', () => now);
    const counters = createMemoryCounters();
    assert.equal(count(counters, 'leads:a'), 1);
    now += window - 10;
    for (const name of networks(66_000)) count(counters, name);
    assert.deepEqual(counters.increment({name: 'leads:a', window}), {count: 2, left: 10});
    now += 5;
    assert.equal(counters.find('leads:a')?.left, 5);
    now += 5;
    assert.equal(counters.find('leads:a'), undefined);
    assert.equal(count(counters, 'leads:a'), 1);
  });
  test('that is renewed lives for a window after its last increment', (t) => {
    let now = 1_000;
    t.mock.method(performance, 'now', () => now);
    const counters = createMemoryCounters();
    for (let turn = 1; turn <= 10; turn += 1) {
      assert.equal(counters.increment({name: 'challenges:a', window, renew: true}).count, turn);
      count(counters, 'challenges:b');
      now += window - 1;
    }
  });
});
