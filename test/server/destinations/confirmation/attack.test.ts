/** `ATTACK_TRIES=10000` tries it at length. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {attackConfirmations} from '../../../support/confirmation-attack.ts';
import {forEachStore} from '../../../support/stores.ts';

const tries = Number(process.env['ATTACK_TRIES'] ?? 300);

forEachStore((store) => {
  test(`no attack makes confirmations a relay: ${tries} tries`, async (t) => {
    const outcome = await attackConfirmations(store, tries, 1);
    t.diagnostic(JSON.stringify(outcome));
    assert.ok(outcome.sent > 20, 'some are sent, so that there is something to check');
  });
});
