/** What every store must do with keys, digests and deliveries whose lead an operator deleted by hand. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, suite, test} from 'node:test';
import type {LeadEntry, LeadStore} from '../../server/store/lead-store.ts';
import {newEntry} from './sample-leads.ts';

const hour = 3_600_000;
const newKey = () => ({owner: 'caller:acme', digest: randomUUID(), fingerprint: 'of this lead'});

/** @param deleteLead deletes the row of a lead and no other, past the store, whatever points to it */
export function describeGoneLeads(
  name: string,
  openStore: (data: string) => Promise<LeadStore>,
  deleteLead: (data: string, id: string) => Promise<void>,
) {
  suite(`${name}: a lead that was deleted by hand`, async () => {
    const store = await openStore('gone');
    after(() => store.close());

    const delivery = () => {
      const leaseEnd = Date.now() + hour;
      return {upstream: 'default', state: 'waiting', nextAttemptAt: leaseEnd, leaseEnd} as const;
    };
    const create = async (changes: Partial<LeadEntry> = {}) => {
      const entry = newEntry({
        partner: 'acme',
        answer: {status: 'pending'},
        delivery: delivery(),
        ...changes,
      });
      const accepted = await store.accept(entry);
      assert.equal(accepted.outcome, 'created');
      return {id: entry.id, deliver: 'deliver' in accepted && accepted.deliver};
    };
    const createAndDelete = async (changes: Partial<LeadEntry>) => {
      const {id} = await create(changes);
      await deleteLead('gone', id);
      assert.equal(await store.find(id), undefined);
      return id;
    };

    test('frees its key: the same request makes a new lead, which the key stands for from then on', async () => {
      const idempotency = newKey();
      await createAndDelete({idempotency});
      assert.equal(await store.findByKey(idempotency.owner, idempotency.digest), undefined);
      const {id, deliver} = await create({idempotency});
      assert.ok(deliver);
      const replayed = await store.accept(newEntry({idempotency}));
      assert.ok(replayed.outcome === 'replayed' && replayed.stored.id === id);
    });
    test('frees its key for another lead, too', async () => {
      const idempotency = newKey();
      await createAndDelete({idempotency});
      await create({idempotency: {...idempotency, fingerprint: 'of another lead'}});
      assert.deepEqual(await store.accept(newEntry({idempotency})), {outcome: 'key-reused'});
    });
    test('frees its key once, however many requests come at the same time', async () => {
      const idempotency = newKey();
      await createAndDelete({idempotency});
      const requests = Array.from({length: 20}, () => store.accept(newEntry({idempotency})));
      const outcomes = (await Promise.all(requests)).map(({outcome}) => outcome);
      assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === 'replayed').length, 19);
    });
    test('takes in no more leads of the same person: the next one is delivered, and later ones merge into that', async () => {
      const sameLead = randomUUID();
      await createAndDelete({sameLead});
      assert.equal(await store.findSameLead('acme', sameLead), undefined);
      const next = await create({sameLead});
      assert.ok(next.deliver);
      assert.equal(await store.findSameLead('acme', sameLead), next.id);
      assert.equal((await create({sameLead})).deliver, false);
    });
    test('frees the keys of the leads that were merged into it, which would never be delivered', async () => {
      const [sameLead, idempotency] = [randomUUID(), newKey()];
      const original = await create({sameLead});
      assert.equal((await create({sameLead, idempotency})).deliver, false);
      await deleteLead('gone', original.id);
      assert.ok((await create({sameLead, idempotency})).deliver);
    });
    test('is not delivered, and its row of the outbox goes when it is due', async () => {
      const now = Date.now();
      const due = {upstream: 'other', state: 'waiting', nextAttemptAt: now} as const;
      const gone = await createAndDelete({delivery: due});
      const {id} = await create({delivery: due});
      const claimed = await store.claimDue('other', now, now + hour, 10, 'send');
      assert.deepEqual(
        claimed.due.map(({lead}) => lead.id),
        [id],
      );
      const left = (await store.listOutbox(100)).map(({lead}) => lead);
      assert.ok(left.includes(id) && !left.includes(gone));
    });
  });
}
