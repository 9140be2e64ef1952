/** The times that operators give for --since and --until. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {readTime} from '../../../server/cli/options.ts';

suite('times of --since and --until', () => {
  const local = (...parts: [number, number, number, number?, number?]) => new Date(...parts).getTime();
  const read = {
    '2026-11-22': local(2026, 10, 22),
    '2028-02-29': local(2028, 1, 29),
    '2026-11-22T14:30': local(2026, 10, 22, 14, 30),
    '2026-11-22T14:30Z': Date.UTC(2026, 10, 22, 14, 30),
    '2026-11-22T23:30:00-08:00': Date.UTC(2026, 10, 23, 7, 30),
    '2026-11-22 14:30': local(2026, 10, 22, 14, 30),
    '2026-11-22 14:30+00': Date.UTC(2026, 10, 22, 14, 30),
    '2026-11-22T14:30:00.000+0530': Date.UTC(2026, 10, 22, 9, 0),
  };
  for (const [text, time] of Object.entries(read))
    test(`${text} is read`, () => assert.equal(readTime(text), time));

  for (const text of [
    '2026-02-31',
    '2026-02-31T14:30',
    '2027-02-29T00:00Z',
    '2026-13-01',
    '2026-11-22 14:30+24',
    '7',
    '7w',
    'soon',
    '',
  ])
    test(`"${text}" is refused`, () => assert.throws(() => readTime(text), /It must be a day such as/));

  test('a time without a zone, and how long ago, are relative to this machine', (t) => {
    t.mock.timers.enable({apis: ['Date'], now: local(2026, 10, 22, 14, 30)});
    assert.equal(readTime('today'), local(2026, 10, 22));
    assert.equal(readTime('yesterday'), local(2026, 10, 21));
    assert.equal(readTime('90m'), local(2026, 10, 22, 13, 0));
    assert.equal(readTime('2d'), Date.now() - 2 * 86_400_000);
  });
});
