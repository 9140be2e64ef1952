/** A lead that goes to several destinations: one that gives it its answer, and others that only take it. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {usualTimings} from '../../../server/config/timings.ts';
import {createLeadDesk, type Submission} from '../../../server/leads/lead-desk.ts';
import type {DueDelivery} from '../../../server/leads/deliveries.ts';
import type {LeadStore} from '../../../server/leads/lead-store.ts';
import type {ServerEvent} from '../../../server/observe/events.ts';
import {clearText} from '../../../server/store/codec.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {openFor} from '../../support/opened.ts';
import {asLead, doneAnswer, prequalificationBody} from '../../support/sample-leads.ts';
import {forEachStore, type Store} from '../../support/stores.ts';

const hour = 3_600_000;
const failed = {error: 'failed', tried: true, ambiguous: false, isCounted: false, state: 'waiting'} as const;

/** A desk over a store, whose courier only notes what it is asked to deliver. */
async function openDesk(t: TestContext, over: Store) {
  const server = await over.startServer();
  t.after(() => server.close());
  const store = await openFor(t, openStore(server.config, clearText));
  const asked: DueDelivery[] = [];
  const courier = {
    deliver(due: DueDelivery) {
      asked.push(due);
      return Promise.resolve({status: 'pending'} as const);
    },
    full: () => false,
    close: () => Promise.resolve(),
  };
  const held: string[] = [];
  const emit = (event: ServerEvent) => {
    if (event.type === 'suspect-held') held.push(event.destination);
  };
  const desk = createLeadDesk({store, courier, calculate: () => doneAnswer, emit, timings: usualTimings});
  const take = async (changes: Partial<Submission> = {}) => {
    const lead = asLead(prequalificationBody);
    const accepted = await desk.submit({lead, partner: 'acme', answerFrom: undefined, ...changes});
    assert.ok(accepted.outcome === 'created');
    return accepted.stored;
  };
  const rows = async (id: string) => {
    const columns = 'destination, state, remote_id, attempts, gives_answer';
    const where = `lead_id = '${id}' ORDER BY destination`;
    const found = await server.select(`SELECT ${columns} FROM deliveries WHERE ${where}`);
    // PostgreSQL gives its BIGINT as text to those who do not ask otherwise.
    return found.map(({attempts, gives_answer, ...row}) => ({
      ...row,
      attempts: Number(attempts),
      gives_answer: Number(gives_answer),
    }));
  };
  return {store, asked, held, take, rows};
}

const claim = async (store: LeadStore, destination: string, now: number) => {
  const {due} = await store.claimDue(destination, now, now + hour, 10, 'send');
  const [only, ...others] = due;
  assert.deepEqual(others, []);
  assert.ok(only);
  return only;
};

forEachStore((over) => {
  suite('a lead with two destinations', () => {
    test('a lead with two destinations is delivered at once to the one that answers, and left to the workers for the other', async (t) => {
      const {store, asked, take} = await openDesk(t, over);
      const {id, answer} = await take({answerFrom: 'lender', sendTo: ['crm']});
      assert.deepEqual(answer, {status: 'pending'});
      assert.deepEqual(
        asked.map(({lead, destination}) => [lead.id, destination]),
        [[id, 'lender']],
      );
      const now = Date.now();
      assert.deepEqual((await store.claimDue('lender', now, now + hour, 10, 'send')).due, []);
      assert.equal((await claim(store, 'crm', now)).lead.id, id);
    });

    test('a lead with two destinations has two deliveries, each of which is claimed, postponed and settled on its own', async (t) => {
      const {store, asked, take, rows} = await openDesk(t, over);
      const {id} = await take({answerFrom: 'lender', sendTo: ['crm']});
      const now = Date.now();
      const [lender, crm] = [
        {lead: id, destination: 'lender'},
        {lead: id, destination: 'crm'},
      ];

      const first = await claim(store, 'crm', now);
      await store.postpone(crm, first.leaseEnd, {...failed, until: now + 10});
      await store.recordRemoteId(lender, 'u-1');
      const common = {state: 'waiting', gives_answer: 0};
      assert.partialDeepStrictEqual(await rows(id), [
        {destination: 'crm', ...common, remote_id: null, attempts: 1},
        {destination: 'lender', ...common, gives_answer: 1, remote_id: 'u-1', attempts: 0},
      ]);

      const second = await claim(store, 'crm', now + 10);
      await store.settle(crm, second.leaseEnd, {state: 'delivered', answer: null});
      assert.deepEqual(
        (await store.find(id))?.answer,
        {status: 'pending'},
        'a mere receiver gives no answer',
      );
      await store.settle(lender, asked[0]!.leaseEnd, {state: 'delivered', answer: doneAnswer});
      assert.deepEqual((await store.find(id))?.answer, doneAnswer);
      assert.partialDeepStrictEqual(await rows(id), [
        {destination: 'crm', state: 'delivered', attempts: 2},
        {destination: 'lender', state: 'delivered', remote_id: 'u-1', attempts: 1},
      ]);
      assert.deepEqual(await store.listOutbox(10), []);
    });

    test('a lead with two destinations gets its answer from one of them alone: what the other refuses or an operator drops changes nothing', async (t) => {
      const {store, take} = await openDesk(t, over);
      const {id} = await take({answerFrom: 'lender', sendTo: ['crm']});
      const now = Date.now();
      const crm = {lead: id, destination: 'crm'};
      const {leaseEnd} = await claim(store, 'crm', now);
      await store.settle(crm, leaseEnd, {state: 'refused', reason: 'gone'});
      assert.partialDeepStrictEqual(await store.listOutbox(10, {state: 'refused'}), [
        {...crm, lastError: 'gone'},
      ]);
      assert.equal(await store.settleOutbox(now, crm, 'never-send'), 'settled');
      assert.deepEqual((await store.find(id))?.answer, {status: 'pending'});
    });

    test('a lead with two destinations is settled by an operator only by the name of one, while both are open', async (t) => {
      const {store, take} = await openDesk(t, over);
      const {id} = await take({answerFrom: 'lender', sendTo: ['crm'], hold: true});
      const now = Date.now();
      assert.equal(await store.settleOutbox(now, {lead: id}, 'never-send'), 'several');
      assert.equal((await store.listOutbox(10, {state: 'held'})).length, 2);
      assert.equal(await store.settleOutbox(now, {lead: id, destination: 'lender'}, 'never-send'), 'settled');
      assert.deepEqual((await store.find(id))?.answer, {status: 'refused'});
      assert.equal(await store.retryOutbox(now, {id}), 1);
      assert.deepEqual((await store.find(id))?.answer, {status: 'refused'}, 'the dropped delivery stays so');
      assert.equal(await store.settleOutbox(now, {lead: id}, {remoteId: 'c-1'}), 'settled');
      assert.equal((await claim(store, 'crm', now)).remoteId, 'c-1');
    });

    test('a lead with two destinations is made due at both of them by one word of the operator', async (t) => {
      const {store, take} = await openDesk(t, over);
      const {id} = await take({answerFrom: 'lender', sendTo: ['crm'], hold: true});
      const now = Date.now();
      assert.equal(await store.retryOutbox(now, {id}, 'crm'), 1);
      assert.equal(await store.retryOutbox(now, {id}), 2);
      for (const destination of ['crm', 'lender']) {
        assert.equal((await claim(store, destination, now)).lead.id, id);
      }
    });
  });

  suite('a lead that the calculator answers', () => {
    test('a lead that the calculator answers goes to its destinations all the same', async (t) => {
      const {store, asked, take} = await openDesk(t, over);
      const {id, answer} = await take({sendTo: ['crm', 'mail']});
      assert.deepEqual(answer, doneAnswer);
      assert.deepEqual(asked, []);
      for (const destination of ['crm', 'mail']) {
        assert.equal((await claim(store, destination, Date.now())).lead.id, id);
      }
    });
  });

  suite('a lead that looks like that of a robot', () => {
    test('a suspect lead is held for each of its destinations, and each time an event says so', async (t) => {
      const {asked, held, take, rows} = await openDesk(t, over);
      const calculated = await take({sendTo: ['crm', 'mail'], hold: true, suspect: 'trap'});
      assert.deepEqual(held.splice(0), ['crm', 'mail']);
      const states = (await rows(calculated.id)).map((row) => ('state' in row ? row.state : undefined));
      assert.deepEqual(states, ['held', 'held']);
      await take({answerFrom: 'lender', sendTo: ['crm'], hold: true, suspect: 'trap'});
      assert.deepEqual(held.toSorted(), ['crm', 'lender']);
      assert.deepEqual(asked, []);
    });
  });

  suite('a lead that is merged into another', () => {
    test('a lead that is merged into another has no deliveries of its own', async (t) => {
      const {take, rows} = await openDesk(t, over);
      const same = {answerFrom: 'lender', sendTo: ['crm'], leadDigests: ['digest']};
      const [first, again] = [await take(same), await take(same)];
      assert.equal((await rows(first.id)).length, 2);
      assert.deepEqual(await rows(again.id), []);
    });
  });
});
