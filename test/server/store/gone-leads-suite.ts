/** What every store must do with keys, digests and deliveries whose lead an operator deleted by hand. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {openForSuite} from '../../support/opened.ts';
import {claimAt, newDelivery, newEntry} from '../../support/sample-leads.ts';
import {leadIdsOf} from '../../support/rows.ts';

const hour = 3_600_000;
const newKey = () => ({owner: 'caller:acme', digest: randomUUID(), fingerprint: 'of this lead'});

/** @param deleteLead deletes the row of a lead and no other, past the store, whatever points to it */
export function describeGoneLeads(
  name: string,
  openStore: (data: string) => Promise<LeadStore>,
  deleteLead: (data: string, id: string) => Promise<void>,
) {
  suite(`${name}: a lead that was deleted by hand`, () => {
    const store = openForSuite(() => openStore('gone'));

    const delivery = () => {
      const leaseEnd = Date.now() + hour;
      return newDelivery({nextAttemptAt: leaseEnd, leaseEnd});
    };
    const create = async (changes: Partial<LeadEntry> = {}) => {
      const entry = newEntry({
        partner: 'acme',
        answer: {status: 'pending'},
        deliveries: [delivery()],
        ...changes,
      });
      const accepted = await store.accept(entry);
      assert.ok(accepted.outcome === 'created');
      return {id: entry.id, isLeased: accepted.leased.length > 0};
    };
    const createAndDelete = async (changes: Partial<LeadEntry>) => {
      const {id} = await create(changes);
      await deleteLead('gone', id);
      assert.equal(await store.find(id), undefined);
      return id;
    };

    test('a key whose lead was deleted stands for the new lead of the same request from then on', async () => {
      const idempotency = newKey();
      await createAndDelete({idempotency: [idempotency]});
      assert.equal(await store.findByKey(idempotency.owner, idempotency.digest), undefined);
      const {id, isLeased} = await create({idempotency: [idempotency]});
      assert.ok(isLeased);
      const replayed = await store.accept(newEntry({idempotency: [idempotency]}));
      assert.ok(replayed.outcome === 'replayed' && replayed.stored.id === id);
    });
    test('a lead that was deleted by hand frees its key for another lead, too', async () => {
      const idempotency = newKey();
      await createAndDelete({idempotency: [idempotency]});
      await create({idempotency: [{...idempotency, fingerprint: 'of another lead'}]});
      assert.deepEqual(await store.accept(newEntry({idempotency: [idempotency]})), {outcome: 'key-reused'});
    });
    test('a key whose lead was deleted becomes free once, however many requests come together', async () => {
      const idempotency = newKey();
      await createAndDelete({idempotency: [idempotency]});
      const requests = Array.from({length: 20}, () => store.accept(newEntry({idempotency: [idempotency]})));
      const outcomes = (await Promise.all(requests)).map(({outcome}) => outcome);
      assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === 'replayed').length, 19);
    });
    test('no lead is merged into a deleted one: the next is delivered, and later ones merge there', async () => {
      const leadDigest = randomUUID();
      await createAndDelete({leadDigests: [leadDigest]});
      assert.ok((await create({leadDigests: [leadDigest]})).isLeased);
      assert.equal((await create({leadDigests: [leadDigest]})).isLeased, false);
    });
    test('a deleted lead frees the keys of the leads that were merged into it', async () => {
      const [leadDigest, idempotency] = [randomUUID(), newKey()];
      const original = await create({leadDigests: [leadDigest]});
      assert.equal((await create({leadDigests: [leadDigest], idempotency: [idempotency]})).isLeased, false);
      await deleteLead('gone', original.id);
      assert.ok((await create({leadDigests: [leadDigest], idempotency: [idempotency]})).isLeased);
    });
    test('a deleted lead is not delivered, and its row of the outbox goes when it is due', async () => {
      const now = Date.now();
      const due = newDelivery({destination: 'other', nextAttemptAt: now});
      const gone = await createAndDelete({deliveries: [due]});
      const {id} = await create({deliveries: [due]});
      const claimed = await store.claimDue('other', claimAt(now));
      assert.deepEqual(leadIdsOf(claimed.due), [id]);
      const left = (await store.listDeliveries(100, {})).map(({lead}) => lead);
      assert.ok(left.includes(id) && !left.includes(gone));
    });
  });
}
