/** What every store must do, whatever it is made of. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, suite, test} from 'node:test';
import type {Answer} from '../../server/answer.ts';
import type {IdempotencyKey, LeadStore} from '../../server/store/lead-store.ts';
import {
  amounts,
  asLead,
  doneAnswer,
  newEntry,
  prequalificationBody,
  standardBody,
  without,
} from './sample-leads.ts';

const hour = 3_600_000;
const newKey = (changes: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  owner: 'caller:acme',
  digest: randomUUID(),
  fingerprint: 'of this lead',
  ...changes,
});

/**
 * @param openStore opens the data of that name: new for a new name, and for one used before what was stored
 * under it. One process has it open at a time.
 */
export function describeLeadStore(name: string, openStore: (data: string) => Promise<LeadStore>) {
  suite(`${name}: what is stored`, async () => {
    const store = await openStore('stored');
    after(() => store.close());
    const storeAndFind = async (changes: Parameters<typeof newEntry>[0]) => {
      const entry = newEntry(changes);
      const accepted = await store.accept(entry);
      assert.ok(accepted.outcome === 'created');
      const found = await store.find(entry.id);
      assert.deepEqual(found, accepted.stored);
      assert.deepEqual(found, {...entry, upstreamId: null});
      return entry.id;
    };

    const leads = {
      'a pre-qualification lead': {lead: asLead(prequalificationBody)},
      'a lead that says nothing of a bankruptcy': {lead: asLead(without(prequalificationBody, 'bankruptcy'))},
      'a standard lead, which has no amounts': {
        lead: asLead(standardBody),
        answer: {status: 'done', amounts: null, reasons: {}, policyVersion: null},
      },
      'a lead of a partner': {partner: 'acme'},
      'a lead with every extra': {
        lead: asLead({...prequalificationBody, state: 'CA', time_frame: '2-6 months', notes: 'Two\nlines'}),
      },
      'amounts of zero and the reasons for them': {
        answer: {
          status: 'done',
          amounts: {...amounts, rollover_amount: 0, total_qualified_amount: 0},
          reasons: {rollover_amount: 'below_minimum'},
          policyVersion: null,
        },
      },
      'the largest amounts there can be': {
        answer: {
          status: 'done',
          amounts: {...amounts, total_qualified_amount: Number.MAX_SAFE_INTEGER},
          reasons: {},
          policyVersion: 'test-1',
        },
      },
      'a lead that waits for its answer': {answer: {status: 'pending'}},
      'a lead that was refused': {answer: {status: 'refused'}},
    } satisfies Record<string, Parameters<typeof newEntry>[0]>;
    for (const [what, changes] of Object.entries(leads)) {
      test(`comes back as it was: ${what}`, async () => void (await storeAndFind(changes)));
    }

    const texts = [
      '🎉👩‍🚀',
      'محمد بن علي',
      '𝒜𠜎',
      "'; DROP TABLE leads; --",
      '\\0 %s ${x}',
      '\\u0000 \\ud800',
      '李小龍',
      '\u202eabc',
      'null',
      '"',
    ];
    for (const text of texts) {
      test(`keeps the text ${JSON.stringify(text)}`, async () => {
        const words = {first_name: text, last_name: text, notes: `${text}\n${text}`};
        await storeAndFind({lead: asLead({...prequalificationBody, ...words})});
      });
    }
    test('is found by its id alone', async () => {
      const id = await storeAndFind({});
      for (const other of [randomUUID(), '', id.toUpperCase(), `${id} `, '%', 'x'.repeat(10_000)]) {
        assert.equal(await store.find(other), undefined);
      }
    });
  });

  suite(`${name}: what becomes of a lead`, async () => {
    const store = await openStore('becoming');
    after(() => store.close());

    for (const answer of [doneAnswer, {status: 'refused'}, {status: 'pending'}] satisfies Answer[]) {
      test(`is recorded: ${answer.status}`, async () => {
        const entry = newEntry({answer: {status: 'pending'}});
        await store.accept(entry);
        await store.recordAnswer(entry.id, answer);
        assert.deepEqual(await store.find(entry.id), {...entry, answer, upstreamId: null});
      });
    }
    test("keeps the upstream's id, whatever it looks like, and touches no other lead", async () => {
      const [entry, other] = [newEntry(), newEntry()];
      await store.accept(entry);
      await store.accept(other);
      await store.recordUpstreamId(entry.id, "ü/'1 %");
      assert.equal((await store.find(entry.id))?.upstreamId, "ü/'1 %");
      assert.equal((await store.find(other.id))?.upstreamId, null);
    });
  });

  suite(`${name}: idempotency`, async () => {
    const store = await openStore('idempotency');
    after(() => store.close());

    test('the same key and lead gives the first lead, as it stands by then', async () => {
      const idempotency = newKey();
      const first = newEntry({idempotency, answer: {status: 'pending'}});
      const again = newEntry({idempotency});
      assert.equal((await store.accept(first)).outcome, 'created');
      await store.recordAnswer(first.id, doneAnswer);
      const replayed = await store.accept(again);
      assert.ok(replayed.outcome === 'replayed');
      assert.deepEqual(replayed.stored, await store.find(first.id));
      assert.deepEqual(replayed.stored.answer, doneAnswer);
      assert.equal(await store.find(again.id), undefined);
    });
    test('the same key and another lead stores nothing', async () => {
      const idempotency = newKey();
      const [first, other] = [
        newEntry({idempotency}),
        newEntry({idempotency: {...idempotency, fingerprint: 'of another lead'}}),
      ];
      await store.accept(first);
      assert.deepEqual(await store.accept(other), {outcome: 'key-reused'});
      assert.equal(await store.find(other.id), undefined);
    });
    test('the same key of another owner is another key', async () => {
      const idempotency = newKey();
      const others = {...idempotency, owner: 'partner:acme', fingerprint: 'of another lead'};
      assert.equal((await store.accept(newEntry({idempotency}))).outcome, 'created');
      assert.equal((await store.accept(newEntry({idempotency: others}))).outcome, 'created');
    });
    test('a key is forgotten after a day, and begins a new one', async () => {
      const [idempotency, createdAt] = [newKey(), Date.UTC(2026, 0, 1)];
      const later = (hours: number) => newEntry({idempotency, createdAt: createdAt + hours * hour});
      assert.equal((await store.accept(later(0))).outcome, 'created');
      assert.equal((await store.accept(later(23.9))).outcome, 'replayed');
      const renewed = later(24);
      assert.equal((await store.accept(renewed)).outcome, 'created');
      const replayed = await store.accept(later(47.9));
      assert.ok(replayed.outcome === 'replayed' && replayed.stored.id === renewed.id);
    });
    test('an expired key is free for another lead', async () => {
      const [idempotency, createdAt] = [newKey(), Date.UTC(2026, 0, 1)];
      await store.accept(newEntry({idempotency, createdAt}));
      const other = {...idempotency, fingerprint: 'of another lead'};
      const accepted = await store.accept(newEntry({idempotency: other, createdAt: createdAt + 25 * hour}));
      assert.equal(accepted.outcome, 'created');
    });
    test('what has expired is deleted, and nothing else', async () => {
      const [old, fresh] = [newKey(), newKey()];
      const now = Date.now();
      const proof = {nonce: randomUUID(), expiresAt: now - 1};
      const expired = newEntry({idempotency: old, createdAt: now - 25 * hour, proof});
      await store.accept(expired);
      await store.accept(newEntry({idempotency: fresh, createdAt: now}));
      while ((await store.forgetExpired(now)) > 0);
      assert.equal((await store.accept(newEntry({proof}))).outcome, 'created', 'the proof is forgotten');
      assert.equal((await store.accept(newEntry({idempotency: fresh, createdAt: now}))).outcome, 'replayed');
      assert.ok(await store.find(expired.id), 'the lead itself stays');
    });
    test('fifty at once under one key give one lead', async () => {
      const idempotency = newKey();
      const entries = Array.from({length: 50}, () => newEntry({idempotency}));
      const outcomes = await Promise.all(entries.map((entry) => store.accept(entry)));
      assert.equal(outcomes.filter(({outcome}) => outcome === 'created').length, 1);
      assert.equal(outcomes.filter(({outcome}) => outcome === 'replayed').length, 49);
      assert.equal(new Set(outcomes.map((result) => 'stored' in result && result.stored.id)).size, 1);
    });
    test('of many at once, one that conflicts fails alone', async () => {
      const taken = newEntry();
      await store.accept(taken);
      const entries = Array.from({length: 20}, (_, index) =>
        index === 7 ? newEntry({id: taken.id}) : newEntry(),
      );
      const results = await Promise.allSettled(entries.map((entry) => store.accept(entry)));
      assert.deepEqual(
        results.map(({status}) => status),
        entries.map(({id}) => (id === taken.id ? 'rejected' : 'fulfilled')),
      );
    });
  });

  suite(`${name}: what is to be delivered`, async () => {
    const store = await openStore('outbox');
    after(() => store.close());
    const due = Date.UTC(2026, 0, 1);
    const accept = async (nextAttemptAt: number, count = 1) => {
      const delivery = {upstream: 'default', state: 'waiting', nextAttemptAt} as const;
      const entries = Array.from({length: count}, () => newEntry({delivery, answer: {status: 'pending'}}));
      for (const entry of entries) await store.accept(entry);
      return entries.map(({id}) => id);
    };
    const claim = async (now: number, limit = 100) =>
      (await store.claimDue(now, now + hour, limit)).map(({lead}) => lead.id);
    const settle = (ids: string[]) => Promise.all(ids.map((id) => store.recordAnswer(id, doneAnswer)));

    test('is given out when it is due, the longest due first, as many as asked for', async () => {
      const [[second], [first], [third]] = [await accept(due), await accept(due - 1), await accept(due + 1)];
      assert.deepEqual(await claim(due - 2), []);
      assert.deepEqual(await claim(due + 1, 1), [first]);
      assert.deepEqual((await claim(due + 1, 2)).toSorted(), [second, third].toSorted());
      await settle([first!, second!, third!]);
    });
    test('has its lead, where it goes, how often it was tried and until when it is taken', async () => {
      const [id] = await accept(due);
      await store.recordUpstreamId(id!, 'u-1');
      const [delivery] = await store.claimDue(due, due + hour, 1);
      assert.deepEqual(delivery, {
        lead: await store.find(id!),
        upstream: 'default',
        attempts: 2,
        leaseEnd: due + hour,
      });
      await settle([id!]);
    });
    test('belongs to its taker until the lease ends', async () => {
      const ids = await accept(due);
      assert.deepEqual(await claim(due), ids);
      assert.deepEqual(await claim(due + hour - 1), []);
      assert.deepEqual(await claim(due + hour), ids);
      await settle(ids);
      assert.deepEqual(await claim(due + 10 * hour), []);
    });
    test('goes to one of those who ask at the same time', async () => {
      const ids = await accept(due, 60);
      const claims = await Promise.all(Array.from({length: 20}, () => claim(due, 3)));
      assert.ok(claims.every(({length}) => length <= 3));
      const rest = await claim(due);
      assert.deepEqual([...claims.flat(), ...rest].toSorted(), ids.toSorted());
      await settle(ids);
    });
    test('waits as long as it is postponed, and is counted where its reply was lost', async () => {
      const [id] = await accept(due);
      await claim(due);
      const reason = {error: 'lost', ambiguous: true, state: 'waiting'} as const;
      await store.postpone(id!, due + 5, reason);
      assert.deepEqual(await claim(due + 4), []);
      const [row] = await store.listOutbox(10);
      assert.deepEqual(
        {...row},
        {
          lead: id,
          upstream: 'default',
          state: 'waiting',
          attempts: 2,
          ambiguous: 1,
          nextAttemptAt: due + 5,
          lastError: 'lost',
        },
      );
      assert.deepEqual(await claim(due + 5), [id]);
      await settle([id!]);
      assert.deepEqual(await store.listOutbox(10), []);
    });
    test('is out of reach while it is held or refused, until an operator says so', async () => {
      const [held, refused] = await accept(due, 2);
      await store.postpone(held!, due, {error: 'lost', ambiguous: true, state: 'held'});
      await store.recordAnswer(refused!, {status: 'refused'});
      assert.deepEqual(await claim(due + 99 * hour), []);
      assert.deepEqual((await store.listOutbox(10)).map(({state}) => state).toSorted(), ['held', 'refused']);
      assert.equal(await store.retryOutbox(due, refused), 1);
      assert.deepEqual((await store.find(refused!))?.answer, {status: 'pending'});
      assert.deepEqual(await claim(due), [refused]);
      assert.equal(await store.retryOutbox(due), 1, 'none that is under way');
      assert.deepEqual(await claim(due), [held]);
      assert.equal(await store.retryOutbox(due, randomUUID()), 0);
      await settle([held!, refused!]);
    });
  });

  suite(`${name}: opened again`, () => {
    test('has all it had', async () => {
      const [entry, idempotency] = [newEntry({partner: 'acme', answer: {status: 'pending'}}), newKey()];
      const first = await openStore('again');
      await first.accept({...entry, idempotency});
      await first.recordUpstreamId(entry.id, 'u-1');
      await first.close();

      const second = await openStore('again');
      const kept = {...entry, upstreamId: 'u-1'};
      assert.deepEqual(await second.find(entry.id), kept);
      const replayed = await second.accept({...newEntry(), idempotency});
      assert.deepEqual(replayed, {outcome: 'replayed', stored: kept, deliver: false});
      await second.close();
    });
  });
}
