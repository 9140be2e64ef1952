/** A lead that goes to several destinations: one that gives it its answer, and others that only take it. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {usualTimings} from '../../../server/config/timings.ts';
import {createLeadService, type Deliverer} from '../../../server/leads/lead-service.ts';
import type {NewLead} from '../../../server/leads/new-lead.ts';
import type {DueDelivery} from '../../../server/leads/deliveries.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import type {Answer} from '../../../server/leads/stored-lead.ts';
import type {Observation} from '../../../server/observe/observations.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {openFor} from '../../support/opened.ts';
import {columnOf} from '../../support/rows.ts';
import {asLead, claimAt, doneAnswer, prequalificationBody} from '../../support/sample-leads.ts';
import {forEachStore, type Store} from '../../support/stores.ts';
import {testEncryptor} from '../../support/test-server.ts';

const hasRoom = (destination: string) => destination === 'lender';
const asLeads = () => 'lead' as const;

type Given = Partial<Pick<Deliverer, 'reserve' | 'contentFor'>> & {answer?: (due: DueDelivery) => Answer};

/** A service over a store, whose dispatcher only notes what it is asked to deliver. It has room for the lender alone. */
async function openService(
  t: TestContext,
  over: Store,
  {reserve = hasRoom, contentFor = asLeads, answer = () => ({status: 'pending'})}: Given = {},
) {
  const server = await openFor(t, over.startServer());
  const store = await openFor(t, openStore(server.config, testEncryptor));
  const asked: DueDelivery[] = [];
  const dispatcher = {
    deliver(due: DueDelivery) {
      asked.push(due);
      return Promise.resolve(answer(due));
    },
    contentFor,
    addressOf: () => null,
    reserve,
    abandon: () => undefined,
    close: () => Promise.resolve(),
  };
  const held: string[] = [];
  const emit = (event: Observation) => {
    if (event.type === 'suspect-held') held.push(event.destination);
  };
  const service = createLeadService({
    store,
    dispatcher,
    calculate: () => doneAnswer,
    emit,
    timings: usualTimings,
  });
  const take = async (changes: Partial<NewLead> = {}) => {
    const lead = asLead(prequalificationBody);
    const accepted = await service.submit({lead, partner: 'acme', answerFrom: undefined, ...changes});
    assert.ok(accepted.outcome === 'created');
    return accepted.stored;
  };
  const rows = async (id: string) => {
    const columns = 'destination, state, remote_id, attempts, gives_answer';
    const where = `lead_id = '${id}' ORDER BY destination`;
    const found = await server.select(`SELECT ${columns} FROM deliveries WHERE ${where}`);
    // PostgreSQL gives its BIGINT as text to those who do not ask otherwise.
    return found.map(({destination, attempts, gives_answer, ...row}) => ({
      ...row,
      destination,
      attempts: Number(attempts),
      gives_answer: Number(gives_answer),
    }));
  };
  return {server, store, service, asked, held, take, rows};
}

const claim = async (store: LeadStore, destination: string, now: number) => {
  const {due} = await store.claimDue(destination, claimAt(now));
  const [only, ...others] = due;
  assert.deepEqual(others, []);
  assert.ok(only);
  return only;
};

forEachStore((over) => {
  suite('an idempotency key', () => {
    test("gets nothing of somebody else's lead that its row was made to name", async (t) => {
      const {server, service, take} = await openService(t, over);
      const key = {owner: 'partner:acme', digest: 'digest', fingerprint: 'f'};
      const own = asLead(prequalificationBody);
      const {id} = await take({lead: own, idempotency: [key]});
      assert.partialDeepStrictEqual(await service.replay([key], own), {id});
      const victim = await take({lead: asLead({...prequalificationBody, email: 'victim@example.com'})});
      await server.execute(`UPDATE idempotency_keys SET lead_id = '${victim.id}'`);
      assert.equal(await service.replay([key], own), 'key-reused');
    });
  });

  suite('a lead with two destinations', () => {
    test('a lead goes at once to the destination with room, and to the other by the workers', async (t) => {
      const {store, asked, take} = await openService(t, over);
      const {id, answer} = await take({answerFrom: 'lender', sendTo: ['crm']});
      assert.deepEqual(answer, {status: 'pending'});
      assert.deepEqual(
        asked.map(({lead, destination}) => [lead.id, destination]),
        [[id, 'lender']],
      );
      const now = Date.now();
      assert.deepEqual((await store.claimDue('lender', claimAt(now))).due, []);
      assert.equal((await claim(store, 'crm', now)).lead.id, id);
    });

    test('a lead goes at once to both if there is room, and waits for the one that answers', async (t) => {
      const {asked, take, rows} = await openService(t, over, {
        reserve: () => true,
        answer: ({destination}) => (destination === 'lender' ? doneAnswer : {status: 'pending'}),
      });
      const {id, answer} = await take({answerFrom: 'lender', sendTo: ['crm', 'mail']});
      assert.deepEqual(answer, doneAnswer);
      assert.deepEqual(
        asked.map(({lead, destination}) => [lead.id, destination]),
        [
          [id, 'lender'],
          [id, 'crm'],
          [id, 'mail'],
        ],
      );
      assert.deepEqual(columnOf(await rows(id), 'destination'), ['crm', 'lender', 'mail']);
    });

    test('an operator settles a lead with two open deliveries only by the name of a destination', async (t) => {
      const {store, take} = await openService(t, over);
      const {id} = await take({answerFrom: 'lender', sendTo: ['crm'], hold: true});
      const now = Date.now();
      assert.equal(await store.settleAs(now, {lead: id}, 'c-1'), 'several');
      assert.equal((await store.listDeliveries(10, {state: 'held'})).length, 2);
      assert.equal(await store.dropDeliveries(now, {lead: id, destination: 'lender'}), 1);
      assert.deepEqual((await store.find(id))?.answer, {status: 'refused'});
      assert.equal(await store.retryDeliveries(now, {lead: id}), 1);
      assert.deepEqual((await store.find(id))?.answer, {status: 'refused'}, 'the dropped delivery stays so');
      assert.equal(await store.settleAs(now, {lead: id}, 'c-1'), 'settled');
      assert.equal((await claim(store, 'crm', now)).remoteId, 'c-1');
    });
  });

  suite('a lead of which a destination gets events', () => {
    const contentFor = (destination: string) => (destination === 'lender' ? 'lead' : 'created');
    const contentsOf = (asked: DueDelivery[]) =>
      asked.map(({destination, content}) => `${destination} ${content}`);

    test('is told with all that was stored with it', async (t) => {
      const {asked, store, take} = await openService(t, over, {contentFor, reserve: () => true});
      const attribution = {utm_source: 'newsletter', utm_campaign: 'autumn'};
      const {id, createdAt} = await take({sendTo: ['crm'], attribution, suspect: 'fast'});
      assert.deepEqual(contentsOf(asked), ['crm created']);
      const [told] = asked;
      assert.partialDeepStrictEqual(told, {happenedAt: createdAt, remoteId: null, attempts: 0});
      assert.partialDeepStrictEqual(told?.lead, {attribution, suspect: 'fast', isAnsweredLater: false});
      // A worker that claims the delivery later reads the same.
      const claimed = await claim(store, 'crm', told!.leaseEnd);
      assert.deepEqual({...claimed.lead}, told?.lead);
      assert.equal(claimed.lead.id, id);
    });
    test('all events of a held lead are held with it', async (t) => {
      const {asked, held, take} = await openService(t, over, {contentFor, reserve: () => true});
      const hold = {answerFrom: 'lender', sendTo: ['crm', 'mail'], hold: true, suspect: 'trap'};
      await take(hold);
      assert.deepEqual(contentsOf(asked), []);
      assert.deepEqual(held.toSorted(), ['crm', 'lender', 'mail']);
    });
  });

  suite('a lead that is merged into another', () => {
    test('a merged suspect is not said to be held, because it has no delivery', async (t) => {
      const {held, take} = await openService(t, over);
      const same = {sendTo: ['crm'], leadDigests: ['digest'], suspect: 'trap'};
      await take(same);
      await take({...same, hold: true});
      assert.deepEqual(held, []);
    });
  });
});
