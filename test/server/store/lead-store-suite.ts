/** What every store must do, whatever it is made of. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {Settlement} from '../../../server/leads/deliveries.ts';
import type {FinalAnswer} from '../../../server/leads/stored-lead.ts';
import type {IdempotencyKey} from '../../../server/leads/idempotency.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import type {Encryptor} from '../../../server/store/encryption.ts';
import {openForSuite, openFor} from '../../support/opened.ts';
import {describeAccounts} from './accounts-suite.ts';
import {describeFigures} from './figures-suite.ts';
import {describeLeadQueries} from './lead-queries-suite.ts';
import {describeEvents} from './events-suite.ts';
import {describeOutbox} from './outbox-suite.ts';
import {describeRequestCounts} from './request-counts-suite.ts';
import {
  amounts,
  asLead,
  claimAt,
  doneAnswer,
  keyOf,
  leadWith,
  newDelivery,
  newEntry,
  prequalificationBody,
  standardBody,
  without,
} from '../../support/sample-leads.ts';

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
export function describeLeadStore(
  name: string,
  openStore: (data: string, encryptor?: Encryptor) => Promise<LeadStore>,
) {
  suite(`${name}: what is stored`, () => {
    const store = openForSuite(() => openStore('stored'));
    const storeAndFind = async (changes: Parameters<typeof newEntry>[0]) => {
      const entry = newEntry(changes);
      const accepted = await store.accept(entry);
      assert.ok(accepted.outcome === 'created');
      const found = await store.find(entry.id);
      assert.partialDeepStrictEqual(accepted.stored, found!);
      assert.deepEqual(found, entry);
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
        lead: leadWith({state: 'CA', time_frame: '2-6 months', notes: 'Two\nlines'}),
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
      'a lead that was refused because of its fields': {
        answer: {status: 'refused', fields: ['email', 'cash']},
      },
    } satisfies Record<string, Parameters<typeof newEntry>[0]>;
    for (const [what, changes] of Object.entries(leads)) {
      test(`a stored lead comes back as it was: ${what}`, async () => void (await storeAndFind(changes)));
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
      test(`a stored lead keeps the text ${JSON.stringify(text)}`, async () => {
        const words = {first_name: text, last_name: text, notes: `${text}\n${text}`};
        await storeAndFind({lead: leadWith(words)});
      });
    }
    test('a stored lead is found by its id alone', async () => {
      const id = await storeAndFind({});
      for (const other of [randomUUID(), '', id.toUpperCase(), `${id} `, '%', 'x'.repeat(10_000)]) {
        assert.equal(await store.find(other), undefined);
      }
    });
  });

  suite(`${name}: what becomes of a lead`, () => {
    const store = openForSuite(() => openStore('becoming'));

    for (const answer of [
      doneAnswer,
      {status: 'refused'},
      {status: 'refused', fields: ['email']},
    ] satisfies FinalAnswer[]) {
      test(`the answer of a lead is recorded: ${JSON.stringify(answer)}`, async () => {
        const leaseEnd = Date.now() + hour;
        const entry = newEntry({answer: {status: 'pending'}});
        await store.accept({...entry, deliveries: [newDelivery({nextAttemptAt: leaseEnd, leaseEnd})]});
        const recorded = await store.settle(
          keyOf(entry.id),
          leaseEnd,
          answer.status === 'done'
            ? {state: 'delivered', answer}
            : {...answer, state: 'refused', reason: '422'},
        );
        assert.deepEqual([await store.find(entry.id), recorded], [{...entry, answer}, answer]);
      });
    }
    const received: Settlement[] = [
      {state: 'delivered', answer: doneAnswer},
      {state: 'refused', reason: '410'},
    ];
    for (const settlement of received) {
      test(`a lead stays pending while a destination that only receives it ends: ${settlement.state}`, async () => {
        const leaseEnd = Date.now() + hour;
        const lease = {nextAttemptAt: leaseEnd, leaseEnd};
        const deliveries = [
          newDelivery(lease),
          newDelivery({...lease, destination: 'crm', givesAnswer: false}),
        ];
        const entry = newEntry({answer: {status: 'pending'}});
        await store.accept({...entry, deliveries});
        await store.settle(keyOf(entry.id, 'crm'), leaseEnd, settlement);
        assert.deepEqual(await store.find(entry.id), entry);
        await store.settle(keyOf(entry.id), leaseEnd, {state: 'delivered', answer: doneAnswer});
        assert.deepEqual(await store.find(entry.id), {...entry, answer: doneAnswer});
      });
    }
    test('any id that a destination gives to a lead is kept, and no other lead is touched', async () => {
      const now = Date.now();
      const deliveries = [newDelivery({destination: 'with-ids', nextAttemptAt: now})];
      const [entry, other] = [newEntry({deliveries}), newEntry({deliveries})];
      await store.accept(entry);
      await store.accept(other);
      await store.recordRemoteId(keyOf(entry.id, 'with-ids'), "ü/'1 %");
      const {due} = await store.claimDue('with-ids', claimAt(now));
      const ids = new Map(due.map(({lead, remoteId}) => [lead.id, remoteId]));
      assert.deepEqual([ids.get(entry.id), ids.get(other.id)], ["ü/'1 %", null]);
    });
  });

  suite(`${name}: idempotency`, () => {
    const store = openForSuite(() => openStore('idempotency'));

    test('the same key and lead gives the first lead, as it stands by then', async () => {
      const idempotency = newKey();
      const deliveries = [newDelivery()];
      const first = newEntry({idempotency: [idempotency], answer: {status: 'pending'}, deliveries});
      const again = newEntry({idempotency: [idempotency]});
      assert.equal((await store.accept(first)).outcome, 'created');
      await store.settle(keyOf(first.id), 0, {state: 'delivered', answer: doneAnswer});
      const replayed = await store.accept(again);
      assert.ok(replayed.outcome === 'replayed');
      assert.deepEqual(replayed.stored, await store.find(first.id));
      assert.deepEqual(replayed.stored.answer, doneAnswer);
      assert.equal(await store.find(again.id), undefined);
    });
    test('the same key and another lead stores nothing', async () => {
      const idempotency = newKey();
      const [first, other] = [
        newEntry({idempotency: [idempotency]}),
        newEntry({idempotency: [{...idempotency, fingerprint: 'of another lead'}]}),
      ];
      await store.accept(first);
      assert.deepEqual(await store.accept(other), {outcome: 'key-reused'});
      assert.equal(await store.find(other.id), undefined);
    });
    test('the same key of another owner is another key', async () => {
      const idempotency = newKey();
      const others = {...idempotency, owner: 'partner:acme', fingerprint: 'of another lead'};
      assert.equal((await store.accept(newEntry({idempotency: [idempotency]}))).outcome, 'created');
      assert.equal((await store.accept(newEntry({idempotency: [others]}))).outcome, 'created');
    });
    test('a key is forgotten after a day, and begins a new one', async () => {
      const [idempotency, createdAt] = [newKey(), Date.UTC(2026, 0, 1)];
      const later = (hours: number) =>
        newEntry({idempotency: [idempotency], createdAt: createdAt + hours * hour});
      assert.equal((await store.accept(later(0))).outcome, 'created');
      assert.equal((await store.accept(later(23.9))).outcome, 'replayed');
      const renewed = later(24);
      assert.equal((await store.accept(renewed)).outcome, 'created');
      const replayed = await store.accept(later(47.9));
      assert.ok(replayed.outcome === 'replayed' && replayed.stored.id === renewed.id);
    });
    test('an expired key is free for another lead', async () => {
      const [idempotency, createdAt] = [newKey(), Date.UTC(2026, 0, 1)];
      await store.accept(newEntry({idempotency: [idempotency], createdAt}));
      const other = {...idempotency, fingerprint: 'of another lead'};
      const accepted = await store.accept(newEntry({idempotency: [other], createdAt: createdAt + 25 * hour}));
      assert.equal(accepted.outcome, 'created');
    });
    test('what has expired is deleted, and nothing else', async () => {
      const [old, fresh] = [newKey(), newKey()];
      const now = Date.now();
      const proof = {nonce: randomUUID(), expiresAt: now - 1};
      const expired = newEntry({idempotency: [old], createdAt: now - 25 * hour, proof});
      await store.accept(expired);
      await store.accept(newEntry({idempotency: [fresh], createdAt: now}));
      while ((await store.deleteExpired(now)) > 0);
      assert.equal((await store.accept(newEntry({proof}))).outcome, 'created', 'the proof is forgotten');
      assert.equal(
        (await store.accept(newEntry({idempotency: [fresh], createdAt: now}))).outcome,
        'replayed',
      );
      assert.ok(await store.find(expired.id), 'the lead itself stays');
    });
    test('fifty at once under one key give one lead', async () => {
      const idempotency = newKey();
      const entries = Array.from({length: 50}, () => newEntry({idempotency: [idempotency]}));
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

  describeOutbox(name, openStore);
  describeLeadQueries(name, openStore);
  describeEvents(name, openStore);
  describeRequestCounts(name, openStore);
  describeAccounts(name, openStore);
  describeFigures(name, openStore);

  suite(`${name}: opened again`, () => {
    test('a store that is opened again has all it had', async (t) => {
      const [entry, idempotency] = [newEntry({partner: 'acme', answer: {status: 'pending'}}), newKey()];
      const first = await openFor(t, openStore('again'));
      await first.accept({...entry, idempotency: [idempotency]});
      await first.close();

      const second = await openFor(t, openStore('again'));
      assert.deepEqual(await second.find(entry.id), entry);
      const replayed = await second.accept({...newEntry(), idempotency: [idempotency]});
      assert.deepEqual(replayed, {outcome: 'replayed', stored: entry});
    });
  });
}
