/** A short form of test/faults/attack-confirm.ts. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {attackConfirmations} from '../../../support/confirmation-attack.ts';
import {forEachStore} from '../../../support/stores.ts';

forEachStore((store) => {
  test('no attack makes confirmations a relay: 300 tries', async (t) => {
    const outcome = await attackConfirmations(store, 300, 1);
    t.diagnostic(JSON.stringify(outcome));
    assert.ok(outcome.sent > 20, 'some are sent, so that there is something to check');
  });
});
