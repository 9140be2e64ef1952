/** When deliveries to a destination may begin. The clock of the test stands still until the test moves it. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {createPace} from '../../../server/destinations/pace.ts';

test('a pace saves up no more than begins between two looks into the outbox', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const pace = createPace(300, 100);
  now = 3_600_000;
  assert.equal(pace.available(), 30);
  pace.take(30);
  assert.equal(pace.available(), 0);
});
