/** The dispatcher and the workers over a store that fails at the wrong moment, and over more than one upstream. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {OnLostReply} from '../../../server/config/destinations.ts';
import type {Timings} from '../../../server/config/timings.ts';
import {createDispatcher, type Dispatcher} from '../../../server/destinations/dispatcher.ts';
import type {Destination} from '../../../server/destinations/destination.ts';
import {termsOf} from '../../../server/destinations/kinds.ts';
import {termsOfEvents, type Terms} from '../../../server/destinations/terms.ts';
import {startWorkers} from '../../../server/destinations/worker.ts';
import type {DueDelivery} from '../../../server/leads/deliveries.ts';
import {StoreUnavailable} from '../../../server/leads/store-errors.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import type {Answer, StoredLead} from '../../../server/leads/stored-lead.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {ignoreObservations, logTo} from '../../support/observation-log.ts';
import {
  json,
  leadApi,
  startFakeUpstream,
  upstreamAccess,
  type Exchange,
  type Reply,
  type Script,
} from '../../support/fake-upstream.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {amounts, newDelivery, newEntry, toRecord} from '../../support/sample-leads.ts';
import {noPauses, servedLeadApi} from '../../support/served.ts';
import {sqlite} from '../../support/stores.ts';
import {until} from '../../support/until.ts';
import {testEncryptor} from '../../support/test-server.ts';

type Parts = {
  scripts: Record<string, Script>;
  /** What is wrong with the store. */
  spoil?: (store: LeadStore) => Partial<LeadStore>;
  onLostReply?: OnLostReply;
  timings?: Partial<Timings>;
};

/** Workers and what they need, over a database of their own. */
async function startDelivery(
  t: TestContext,
  {scripts, spoil, onLostReply = 'send', timings: changes = {}}: Parts,
) {
  const timings = {...quickTimings, ...changes};
  const server = await sqlite.startServer();
  const sound = await openStore(server.config, testEncryptor);
  const store = {...sound, ...spoil?.(sound)};
  const named = Object.entries(scripts).map(
    async ([name, script]) => [name, await startFakeUpstream(script)] as const,
  );
  const fakes = new Map(await Promise.all(named));
  const destinations = new Map(
    [...fakes].map(([name, {settings}]) => [name, servedLeadApi(settings, timings.delivery, onLostReply)]),
  );
  const lines: string[] = [];
  const {emit} = logTo(lines);
  const dispatcher = createDispatcher({store, destinations, pauses: noPauses, emit, timings});
  const parts = {store, dispatcher, emit, timings};
  let workers = {stop: () => Promise.resolve()};
  t.after(async () => {
    await workers.stop();
    await dispatcher.close(0);
    for (const fake of fakes.values()) await fake.close();
    await sound.close();
    await server.close();
  });
  return {
    lines,
    store,
    dispatcher,
    find: (id: string) => sound.find(id),
    outbox: () => sound.listDeliveries(1_000, {}),
    sent: (name: string) => fakes.get(name)!.sent(),
    away: (name: string) => fakes.get(name)!.close(),
    exchanges: (name: string) => fakes.get(name)!.exchanges,
    start: () => void (workers = startWorkers(destinations, parts)),
    claim: async (upstream: string, now: number, leaseEnd: number) =>
      (await sound.claimDue(upstream, {now, leaseEnd, limit: 1, maxSends: 3})).due,
    async accept(destination: string, count: number, leaseEnd?: number) {
      const delivery = newDelivery({destination, nextAttemptAt: leaseEnd ?? Date.now(), leaseEnd});
      const entries = Array.from({length: count}, () =>
        newEntry({answer: {status: 'pending'}, deliveries: [delivery]}),
      );
      await Promise.all(entries.map((entry) => sound.accept(entry)));
      return entries.map(({id}) => id);
    },
  };
}

/** The first delivery of a lead, which this process has leased. */
const first = (stored: StoredLead, leaseEnd: number): DueDelivery => ({
  lead: toRecord(stored),
  destination: 'default',
  content: 'lead',
  happenedAt: stored.createdAt,
  failingSince: null,
  remoteId: null,
  attempts: 0,
  ambiguousCounted: 0,
  recipients: null,
  address: null,
  leaseEnd,
});

/** Fails so many times; by then leases have ended and the delivery has been claimed again. */
function failing<Parameters extends unknown[], Result>(
  times: number,
  work: (...given: Parameters) => Promise<Result>,
) {
  let left = times;
  return (...given: Parameters) =>
    (left -= 1) >= 0 ? Promise.reject(new StoreUnavailable('away')) : work(...given);
}

suite('a lead whose delivery cannot be written down for longer than its lease', () => {
  const hitches = {
    "the upstream's id": (store: LeadStore) => ({
      recordRemoteId: failing(150, (...given: Parameters<LeadStore['recordRemoteId']>) =>
        store.recordRemoteId(...given),
      ),
    }),
    'the amounts': (store: LeadStore) => ({
      settle: failing(150, (...given: Parameters<LeadStore['settle']>) => store.settle(...given)),
    }),
  };
  for (const [what, spoil] of Object.entries(hitches)) {
    test(`a lead is sent once although longer than its lease this cannot be written: ${what}`, async (t) => {
      const delivery = await startDelivery(t, {scripts: {default: {}}, spoil});
      const [id] = await delivery.accept('default', 1);
      delivery.start();
      await until(async () => (await delivery.find(id!))?.answer.status === 'done');
      assert.deepEqual(delivery.sent('default'), [id]);
      assert.deepEqual(await delivery.outbox(), []);
    });
  }
  test('a delivery that was not written before the stop is left to its lease', async (t) => {
    const spoil = () => ({recordRemoteId: () => Promise.reject(new StoreUnavailable('away'))});
    const delivery = await startDelivery(t, {scripts: {default: {}}, spoil});
    const leaseEnd = Date.now() + 60_000;
    const [id] = await delivery.accept('default', 1, leaseEnd);
    const lead = (await delivery.find(id!))!;
    const answer = delivery.dispatcher.deliver(first(lead, leaseEnd));
    await until(() => delivery.sent('default').length === 1);
    await delivery.dispatcher.close(0);
    assert.deepEqual(await answer, {status: 'pending'});
    assert.partialDeepStrictEqual(await delivery.outbox(), [{lead: id, leasedUntil: leaseEnd}]);
    assert.match(delivery.lines.join(''), /what became of a delivery could not be written/);
  });
});

test('an upstream is not blamed for a store that cannot write down the ids which it gave', async (t) => {
  let isAway = true;
  const spoil = (store: LeadStore): Partial<LeadStore> => ({
    recordRemoteId: (...given) =>
      isAway ? Promise.reject(new StoreUnavailable('away')) : store.recordRemoteId(...given),
  });
  const timings = {delivery: 500};
  const delivery = await startDelivery(t, {scripts: {default: {}}, spoil, timings});
  await delivery.accept('default', 6);
  delivery.start();
  await until(() => delivery.sent('default').length === 6);
  // The store comes back only when the time for an attempt has passed.
  const begun = performance.now();
  await until(() => performance.now() - begun > timings.delivery);
  isAway = false;
  await until(async () => (await delivery.outbox()).length === 0);
  assert.partialDeepStrictEqual(delivery.dispatcher.states(), [{destination: 'default', state: 'ok'}]);
  assert.deepEqual(delivery.lines, []);
  assert.equal(delivery.sent('default').length, 6);
});

test('a lead that this process claims twice, for its clock jumped, is sent once', async (t) => {
  const gate = Promise.withResolvers<void>();
  const create: Reply = async (response, exchange) => {
    await gate.promise;
    return json(422, {})(response, exchange);
  };
  const delivery = await startDelivery(t, {scripts: {default: {create}}});
  const leaseEnd = Date.now() + 60_000;
  const [id] = await delivery.accept('default', 1, leaseEnd);
  const lead = (await delivery.find(id!))!;
  const once = delivery.dispatcher.deliver(first(lead, leaseEnd));
  await until(() => delivery.sent('default').length === 1);
  const [again] = await delivery.claim('default', leaseEnd + 1, leaseEnd + 60_000);
  const second = delivery.dispatcher.deliver(again!);
  gate.resolve();
  assert.deepEqual([await once, await second], [{status: 'refused'}, {status: 'refused'}]);
  assert.deepEqual(delivery.sent('default'), [id]);
  assert.partialDeepStrictEqual(await delivery.outbox(), [{lead: id, state: 'refused', leasedUntil: 0}]);
});

test('a lead that is claimed while it is postponed is tried again, and its lease ends', async (t) => {
  const script: Script = {create: json(503, {})};
  const again: Promise<unknown>[] = [];
  const leaseEnd = Date.now() + 60_000;
  const spoil = (store: LeadStore): Partial<LeadStore> => ({
    async postpone(...given) {
      await store.postpone(...given);
      if (again.length > 0) return;
      // Here the row is free, but the dispatcher does not know yet that this was written.
      delete script.create;
      const {due} = await store.claimDue('default', {
        now: Date.now() + 1_000,
        leaseEnd: leaseEnd + 1,
        limit: 1,
        maxSends: 3,
      });
      again.push(delivery.dispatcher.deliver(due[0]!));
    },
  });
  const delivery = await startDelivery(t, {scripts: {default: script}, spoil});
  const [id] = await delivery.accept('default', 1, leaseEnd);
  const lead = (await delivery.find(id!))!;
  assert.deepEqual(await delivery.dispatcher.deliver(first(lead, leaseEnd)), {status: 'pending'});
  await Promise.all(again);
  assert.deepEqual(delivery.sent('default'), [id, id]);
  assert.deepEqual(await delivery.outbox(), []);
});

suite('a lead that a dead process may have sent', () => {
  test('is sent again and counted', async (t) => {
    const script: Script = {create: json(503, {})};
    const delivery = await startDelivery(t, {scripts: {default: script}});
    const [id] = await delivery.accept('default', 1, Date.now() + 20);
    delivery.start();
    await until(() => delivery.sent('default').length > 0);
    assert.partialDeepStrictEqual(await delivery.outbox(), [{lead: id, ambiguous: 1}]);
    delete script.create;
    await until(async () => (await delivery.outbox()).length === 0);
  });
  test('is held and logged where operators want that', async (t) => {
    const delivery = await startDelivery(t, {scripts: {default: {}}, onLostReply: 'hold'});
    const [lost] = await delivery.accept('default', 1, Date.now() + 20);
    const fresh = await delivery.accept('default', 1);
    delivery.start();
    await until(async () => (await delivery.outbox()).every(({state}) => state === 'held'));
    await until(async () => (await delivery.outbox()).length === 1);
    assert.partialDeepStrictEqual(await delivery.outbox(), [{lead: lost, ambiguous: 1, attempts: 1}]);
    assert.deepEqual(delivery.sent('default'), fresh);
    await until(() => delivery.lines.join('').includes('may have been sent before a process ended'));
  });
});

suite('leads that the upstream stumbles over', () => {
  const poison = new Set<string>();
  const keyOf = ({headers}: Exchange) => String(headers['idempotency-key']);
  const onPoison =
    (failure: Reply, usual: (key: string) => Reply, leadOf: (exchange: Exchange) => string): Reply =>
    (response, exchange) => {
      const key = leadOf(exchange);
      return (poison.has(key) ? failure : usual(key))(response, exchange);
    };
  const take = (id: string) => json(201, {id});
  const idOf = ({path}: Exchange) => path.split('/').at(-1)!;
  const scripts: Record<string, Script> = {
    'with an error for the lead': {create: onPoison(json(500, {}), take, keyOf), read: json(200, amounts)},
    'by breaking the connection': {
      create: onPoison((response) => void response.socket?.destroy(), take, keyOf),
      read: json(200, amounts),
    },
    'with amounts that make no sense': {
      create: (response, exchange) => take(keyOf(exchange))(response, exchange),
      read: onPoison(json(200, {...amounts, unsecured_amount: -1}), () => json(200, amounts), idOf),
    },
  };
  for (const [how, script] of Object.entries(scripts)) {
    test(`keep no other waiting: ${how}`, async (t) => {
      const delivery = await startDelivery(t, {scripts: {default: script}});
      for (const id of await delivery.accept('default', 10)) poison.add(id);
      delivery.start();
      const failedOften = async () => (await delivery.outbox()).every(({attempts}) => attempts >= 3);
      await until(failedOften);
      await until(() => delivery.dispatcher.room('default') > 1);
      const leaseEnd = Date.now() + 60_000;
      for (const id of await delivery.accept('default', 10, leaseEnd)) {
        const lead = (await delivery.find(id))!;
        const answer = await delivery.dispatcher.deliver(first(lead, leaseEnd));
        assert.equal(answer.status, 'done');
      }
      assert.equal((await delivery.outbox()).length, 10);
    });
  }
  test('an upstream that fails for old leads as well is taken for one that is away, and rests', async (t) => {
    const delivery = await startDelivery(t, {scripts: {default: {}}});
    const leaseEnd = Date.now() + 60_000;
    const ids = await delivery.accept('default', 5, leaseEnd);
    await delivery.away('default');
    for (const id of ids) {
      const lead = (await delivery.find(id))!;
      await delivery.dispatcher.deliver({...first(lead, leaseEnd), attempts: 9});
    }
    assert.partialDeepStrictEqual(delivery.dispatcher.states(), [{destination: 'default', state: 'failing'}]);
  });
});

test('an outbox that cannot be read is logged with its cause, and not once for every look', async (t) => {
  let looks = 0;
  const hasDue = () => {
    looks += 1;
    return Promise.reject(new StoreUnavailable(new Error('disk I/O error')));
  };
  const delivery = await startDelivery(t, {scripts: {default: {}}, spoil: () => ({hasDue})});
  delivery.start();
  await until(() => looks > 20);
  const lines = delivery.lines.filter((line) => line.includes('the outbox cannot be read'));
  assert.equal(lines.length, 1);
  assert.partialDeepStrictEqual(JSON.parse(lines[0]!), {destination: 'default', reason: 'disk I/O error'});
});

test('more deliveries than may wait in memory are left to the outbox, and all arrive', async (t) => {
  const gate = Promise.withResolvers<void>();
  let atOnce = 0;
  const create: Reply = async (response, exchange) => {
    atOnce += 1;
    await gate.promise;
    return json(201, {id: exchange.headers['idempotency-key']})(response, exchange);
  };
  const script = {create, read: json(200, amounts)};
  const delivery = await startDelivery(t, {scripts: {default: script}});
  const leaseEnd = Date.now() + 60_000;
  const ids = await delivery.accept('default', 200, leaseEnd);
  const leads = await Promise.all(ids.map((id) => delivery.find(id)));
  const deliveries = leads.map((lead) => delivery.dispatcher.deliver(first(lead!, leaseEnd)));
  await until(() => atOnce === 16);
  assert.equal(delivery.dispatcher.deliverer().reserve('default', 'lead'), false);
  assert.equal(delivery.dispatcher.room('default'), 0);
  // Of 200, 16 are under way and 100 wait: the others are in the outbox, without a lease and without an attempt.
  const released = async () => (await delivery.outbox()).filter(({leasedUntil}) => leasedUntil === 0);
  await until(async () => (await released()).length === 84);
  assert.ok((await released()).every(({attempts, state}) => attempts === 0 && state === 'waiting'));
  gate.resolve();
  await Promise.all(deliveries);
  assert.equal(delivery.dispatcher.deliverer().reserve('default', 'lead'), true);
  delivery.start();
  await until(async () => (await delivery.outbox()).length === 0);
  assert.deepEqual(delivery.sent('default').toSorted(), ids.toSorted());
});

test('events that a destination has not chosen take no turn of its pace', () => {
  const created = {content: 'created', address: null} as const;
  const terms: Terms = {
    ...termsOfEvents({leadsPerSecond: 1, eventsGivenUpAfter: Infinity}),
    events: ['lead.answered'],
    perSecond: 0.001,
    parallel: 16,
    parallelClaimed: 16,
  };
  const dispatcher = createDispatcher({
    store: {} as LeadStore,
    destinations: new Map([
      ['crm', {destination: {close: () => Promise.resolve()} as Destination, terms, address: '', place: ''}],
    ]),
    pauses: {...noPauses, has: () => isPaused},
    emit: ignoreObservations,
    timings: quickTimings,
  });
  const deliverer = dispatcher.deliverer();
  let isPaused = false;
  for (let lead = 0; lead < 100; lead += 1) {
    assert.equal(deliverer.reserve('crm', 'created'), true);
    dispatcher.claimed('crm', [created, created]);
  }
  assert.equal(dispatcher.room('crm'), 1);
  isPaused = true;
  assert.deepEqual(
    [deliverer.reserve('crm', 'created'), deliverer.reserve('crm', 'answered')],
    [true, false],
  );
  isPaused = false;
  assert.equal(deliverer.reserve('crm', 'answered'), true);
  assert.deepEqual([deliverer.reserve('crm', 'answered'), dispatcher.room('crm')], [false, 0]);
  assert.equal(deliverer.reserve('crm', 'created'), true);
  dispatcher.claimed('crm', [created]);
  assert.equal(dispatcher.room('crm'), 0);
});

test('a worker adds nothing to a delivery in progress each time it looks into the outbox', async (t) => {
  /** How often anything began to wait for the delivery. */
  let waits = 0;
  class Watched extends Promise<Answer> {
    override then<Result, Other>(...given: Parameters<Promise<Answer>['then']>) {
      waits += 1;
      return super.then(...given) as Promise<Result | Other>;
    }
  }
  const ended = Promise.withResolvers<Answer>();
  const inProgress = new Watched((resolve) => void ended.promise.then(resolve));
  let looks = 0;
  const store = {
    hasDue: () => Promise.resolve(true),
    claimDue: () => Promise.resolve({due: (looks += 1) === 1 ? [{}] : [], held: [], unreadable: []}),
  } as unknown as LeadStore;
  const dispatcher = {
    deliver: () => inProgress,
    room: () => 10,
    claimed: () => undefined,
    isGone: () => false,
    unusedLeases: () => [],
  } as unknown as Dispatcher;
  const terms = termsOf(
    {...leadApi, ...upstreamAccess, url: 'http://127.0.0.1'},
    {leadsPerSecond: 1, eventsGivenUpAfter: Infinity},
  );
  const destinations = new Map([['default', {terms}]]);
  const workers = startWorkers(destinations, {
    store,
    dispatcher,
    emit: ignoreObservations,
    timings: quickTimings,
  });
  t.after(() => workers.stop());
  await until(() => looks > 2);
  const [waitsBefore, looksBefore] = [waits, looks];
  await until(() => looks > looksBefore + 20);
  assert.equal(waits, waitsBefore);
  ended.resolve({status: 'refused'});
});
