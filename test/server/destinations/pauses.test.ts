/** Which destinations are paused while the store fails. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {watchPauses} from '../../../server/destinations/pauses.ts';
import {StoreUnavailable} from '../../../server/leads/store-errors.ts';
import {ignoreObservations} from '../../support/observation-log.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {until} from '../../support/until.ts';

test('until the store has said which destinations are paused, nothing is sent to any of them', async (t) => {
  let isAway = true;
  const store = {
    pausedDestinations: () =>
      isAway
        ? Promise.reject(new StoreUnavailable('away'))
        : Promise.resolve([{destination: 'crm', pausedAt: 0, reason: 'their maintenance'}]),
    breakEnds: () => Promise.resolve([]),
    pauseDestination: () => Promise.resolve(),
  };
  const pauses = await watchPauses({store, emit: ignoreObservations, timings: quickTimings});
  t.after(() => pauses.stop());
  assert.ok(pauses.has('crm') && pauses.has('lender'));
  isAway = false;
  await until(() => Promise.resolve(!pauses.has('lender')));
  assert.ok(pauses.has('crm'));
  isAway = true;
  assert.ok(!pauses.has('lender'));
});
