/** Which destinations hear of a lead, what they hear, and in which cases they hear nothing. */
import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import {Webhook} from 'standardwebhooks';
import type {DestinationSettings} from '../../../server/config/destinations.ts';
import {onePartner} from '../../../server/config/partners.ts';
import type {DeliveryFilter, DeliveryRow} from '../../../server/leads/deliveries.ts';
import type {LeadEvent} from '../../../server/leads/lead-event.ts';
import type {AttachedStore} from '../../../server/leads/ports.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {sentLead, somebody} from '../../support/embed-client.ts';
import {json, startFakeUpstream, type Script} from '../../support/fake-upstream.ts';
import {basic, postJson, readJson} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {amounts, newDelivery, newEntry, prequalificationBody, without} from '../../support/sample-leads.ts';
import {asOperator, forEachStore, sqlite} from '../../support/stores.ts';
import {acme, listedOrigin, type TestServer, testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {replyWith, startWebhookReceiver, type WebhookReceiver} from '../../support/webhook-receiver.ts';

type Heard = {id: string; event: LeadEvent};

/** The events that a receiver got, with verified signatures. */
const heard = ({received, secret}: WebhookReceiver): Heard[] =>
  received.map(({headers, body}) => ({
    id: String(headers['webhook-id']),
    event: new Webhook(secret).verify(body, headers as Record<string, string>) as LeadEvent,
  }));

const receiver = (t: TestContext, ...given: Parameters<typeof startWebhookReceiver>) =>
  openFor(t, startWebhookReceiver(...given));

const upstream = (t: TestContext, script?: Script) => openFor(t, startFakeUpstream(script));

/** The answer of an upstream is waited for, however busy the machine is. */
const timings = {...quickTimings, answerWait: 60_000};

function server(
  t: TestContext,
  destinations: Record<string, DestinationSettings>,
  partner: object = {},
  given = timings,
  store = sqlite,
): Promise<TestServer> {
  const config = {
    destinations: new Map(Object.entries(destinations)),
    partners: [onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', ...partner})] as const,
    callers: [{...acme, send_to: Object.keys(destinations)}],
  };
  return openFor(t, store.startServer(config, given));
}

/** A server whose leads a lender answers, and a CRM that is told of them. */
async function withLender(t: TestContext, script?: Script) {
  const [crm, lender] = [await receiver(t), await upstream(t, script)];
  const destinations = {crm: crm.settings, lender: lender.settings};
  return {crm, lender, own: await server(t, destinations, {answer_from: 'lender', send_to: ['crm']})};
}

const deliveries = (own: TestServer, filter: DeliveryFilter = {}): Promise<DeliveryRow[]> =>
  asOperator(own, (store) => store.listDeliveries(100, filter));

test('every webhook of the partner is told at once of a lead that the calculator answers', async (t) => {
  const [one, two, other] = [await receiver(t), await receiver(t), await receiver(t)];
  const destinations = {one: one.settings, two: two.settings, other: other.settings};
  const own = await server(t, destinations, {send_to: ['one', 'two']});
  const lead = somebody();
  const {id, prequalification} = await sentLead(own, lead, {
    body: {attribution: {utm_source: 'google', gclid: 'abc'}},
  });
  await Promise.all([one.hasReceived(1), two.hasReceived(1)]);
  for (const each of [one, two]) {
    const [{id: eventId, event} = assert.fail()] = heard(each);
    assert.equal(eventId, `evt_created_${id}`);
    assert.partialDeepStrictEqual(event, {
      type: 'lead.created',
      data: {id, partner: 'acme', attribution: {utm_source: 'google', gclid: 'abc'}, duplicate_of: null},
    });
    assert.equal(event.data.lead.email, lead.email);
    assert.deepEqual(event.data.answer?.prequalification, withoutName(prequalification));
    assert.equal(event.test, undefined);
  }
  assert.deepEqual(other.received, []);
});

test('a lead of a caller is told to the destinations of that caller', async (t) => {
  const crm = await receiver(t);
  const own = await server(t, {crm: crm.settings});
  const sent = await own.fetch('/json/leads', postJson(prequalificationBody, basic(acme)));
  const {id} = await readJson<{id: string}>(sent, 201);
  await crm.hasReceived(1);
  assert.partialDeepStrictEqual(heard(crm)[0]?.event.data, {id, partner: null, consent: null});
});

test('webhooks are told of a lead when it is stored, and again when the upstream has answered', async (t) => {
  const {crm, own} = await withLender(t);
  const {id, status} = await sentLead(own);
  assert.equal(status, 'done');
  await crm.hasReceived(2);
  const events = heard(crm).toSorted((a, b) => (a.event.type < b.event.type ? 1 : -1));
  assert.deepEqual(
    events.map((each) => [each.id, each.event.type, each.event.data.answer?.status]),
    [
      [`evt_created_${id}`, 'lead.created', 'pending'],
      [`evt_answered_${id}`, 'lead.answered', 'done'],
    ],
  );
  assert.deepEqual(events[1]?.event.data.answer?.prequalification, withoutName(amounts));
});

test('webhooks are told that an upstream refuses a lead, and that it takes it after all', async (t) => {
  const script: Script = {create: json(422, {})};
  const {crm, own} = await withLender(t, script);
  const {id, status} = await sentLead(own);
  assert.equal(status, 'refused');
  await crm.hasReceived(2);
  assert.ok(heard(crm).some((each) => each.id === `evt_refused_${id}`));
  delete script.create;
  assert.equal(await asOperator(own, (store) => store.retryDeliveries(Date.now(), {lead: id})), 1);
  await crm.hasReceived(3);
  const last = heard(crm).at(-1);
  assert.deepEqual([last?.id, last?.event.data.answer?.status], [`evt_answered_${id}`, 'done']);
});

test('a merged duplicate goes to no upstream, and webhooks hear which lead it repeats', async (t) => {
  const {crm, lender, own} = await withLender(t);
  const lead = somebody();
  const first = await sentLead(own, lead);
  const again = await sentLead(own, lead);
  assert.notEqual(again.id, first.id);
  await crm.hasReceived(3);
  const event = heard(crm).find((each) => each.event.data.id === again.id);
  assert.partialDeepStrictEqual(event?.event, {
    type: 'lead.created',
    data: {duplicate_of: first.id, answer: null},
  });
  assert.equal(lender.sent().length, 1);
});

test('a correction says which lead it supersedes', async (t) => {
  const crm = await receiver(t);
  const own = await server(t, {crm: crm.settings}, {send_to: ['crm']});
  const {id, token} = await sentLead(own);
  const corrected = await sentLead(own, somebody(), {body: {supersedes: {id, token}}});
  await crm.hasReceived(2);
  const event = heard(crm).find((each) => each.event.data.id === corrected.id);
  assert.equal(event?.event.data.supersedes, id);
});

test('a held suspect is told to nobody until an operator releases it', async (t) => {
  const crm = await receiver(t);
  const own = await server(t, {crm: crm.settings}, {send_to: ['crm'], suspect: 'hold'});
  const held = await sentLead(own, somebody(), {body: {trap: 'x'}});
  const {id} = await sentLead(own);
  await crm.hasReceived(1);
  assert.equal(heard(crm)[0]?.event.data.id, id);
  await until(async () => (await deliveries(own)).length === 1);
  assert.partialDeepStrictEqual(await deliveries(own), [{lead: held.id, state: 'held'}]);
  assert.equal(await asOperator(own, (store) => store.retryDeliveries(Date.now(), {lead: held.id})), 1);
  await crm.hasReceived(2);
  assert.equal(heard(crm)[1]?.event.data.suspect, 'trap');
});

test('a failed delivery is tried again with the same id and body until it succeeds', async (t) => {
  const crm = await receiver(t, replyWith(500, {}, 'out of paper'));
  const own = await server(t, {crm: crm.settings}, {send_to: ['crm']});
  const {id} = await sentLead(own);
  await crm.hasReceived(3);
  const [row] = await deliveries(own);
  assert.partialDeepStrictEqual(row, {lead: id, content: 'created', state: 'waiting'});
  assert.match(row?.lastError ?? '', /answered 500/);
  assert.ok(row?.failingSince);
  const [reply] = await asOperator(own, (store) => store.lastReplies(id));
  assert.equal(reply?.reply, 'out of paper');
  crm.answerWith(replyWith(204));
  await until(async () => (await deliveries(own)).length === 0);
  assert.equal(new Set(crm.received.map(({body}) => body)).size, 1);
  assert.equal(new Set(heard(crm).map((each) => each.id)).size, 1);
  const count = crm.received.length;
  assert.equal((await deliveries(own, {state: 'delivered'})).length, 1);
  // An operator sends it once more.
  const again = (store: AttachedStore) =>
    store.retryDeliveries(Date.now(), {destination: 'crm', state: 'delivered', since: Date.now() - 60_000});
  assert.equal(await asOperator(own, again), 1);
  await crm.hasReceived(count + 1);
});

test('a delivery that fails for days is given up, and sent again when an operator says so', async (t) => {
  const crm = await receiver(t, replyWith(500));
  const partner = {send_to: ['crm']};
  const own = await server(t, {crm: crm.settings}, partner, {...timings, eventsGivenUpAfter: 100});
  const {id} = await sentLead(own);
  await until(async () => (await deliveries(own, {state: 'failed'})).length === 1);
  await until(() => own.logLines.some((line) => line.includes('delivery given up after days of failing')));
  crm.answerWith(replyWith(204));
  const count = crm.received.length;
  assert.equal(await asOperator(own, (store) => store.retryDeliveries(Date.now(), {state: 'failed'})), 1);
  await until(async () => (await deliveries(own, {lead: id, state: 'delivered'})).length === 1);
  assert.equal(crm.received.length, count + 1);
});

test('a receiver that says 410 is paused, also after a restart, until an operator resumes it', async (t) => {
  const crm = await receiver(t, replyWith(410));
  const own = await server(t, {crm: crm.settings}, {send_to: ['crm']});
  await sentLead(own);
  const paused = () => asOperator(own, (store) => store.pausedDestinations());
  await until(async () => (await paused()).length === 1);
  assert.match((await paused())[0]?.reason ?? '', /410/);
  await sentLead(own);
  assert.equal((await readJson<{status: string}>(await own.fetch('/health'), 200)).status, 'degraded');
  assert.equal((await deliveries(own)).length, 2);
  assert.equal(crm.received.length, 1);
  crm.answerWith(replyWith(204));
  assert.ok(await asOperator(own, (store) => store.resumeDestination(Date.now(), 'crm')));
  await crm.hasReceived(3);
  await until(async () => (await deliveries(own)).length === 0);
});

test('no lead is answered by a paused destination until it is resumed', async (t) => {
  const lender = await upstream(t);
  const own = await server(t, {lender: lender.settings}, {answer_from: 'lender'});
  const paused = {destination: 'lender', pausedAt: Date.now(), reason: 'their maintenance'};
  await asOperator(own, (store) => store.pauseDestination(paused));
  await until(() => Promise.resolve(own.logLines.some((line) => line.includes('their maintenance'))));
  assert.equal((await sentLead(own)).status, 'pending');
  assert.deepEqual(lender.exchanges, []);
  await asOperator(own, (store) => store.resumeDestination(Date.now(), 'lender'));
  await until(() => Promise.resolve(lender.sent().length === 1));
});

test('a delivery that waited while its destination became one of another kind is not made', async (t) => {
  const [crm, lender] = [await receiver(t), await upstream(t)];
  const own = await server(t, {crm: crm.settings, lender: lender.settings});
  const [told, lead] = [newEntry(), newEntry()];
  const deliveries = {
    told: [newDelivery({destination: 'lender', content: 'created', givesAnswer: false})],
    lead: [newDelivery({destination: 'crm', content: 'lead', givesAnswer: false})],
  };
  const store = await openFor(t, openStore(own.config, testEncryptor));
  await store.accept({...told, deliveries: deliveries.told});
  await store.accept({...lead, deliveries: deliveries.lead});
  const rowOf = async (id: string) =>
    (await asOperator(own, (open) => open.listDeliveries(1, {lead: id})))[0];
  for (const {id} of [told, lead]) {
    await until(async () => /another kind/.test((await rowOf(id))?.lastError ?? ''));
    assert.equal((await rowOf(id))?.state, 'waiting');
  }
  assert.deepEqual(lender.exchanges, []);
  assert.deepEqual(crm.received, []);
});

test('a destination that is slow, or fails, delays no other', async (t) => {
  const [slow, failing, good] = [
    await receiver(t, () => new Promise(() => undefined)),
    await receiver(t, (response) => void response.socket?.destroy()),
    await receiver(t),
  ];
  const own = await server(
    t,
    {slow: slow.settings, failing: failing.settings, good: good.settings},
    {send_to: ['slow', 'failing', 'good']},
  );
  for (let count = 0; count < 40; count += 1) await sentLead(own);
  await good.hasReceived(40);
  assert.equal(new Set(heard(good).map((each) => each.id)).size, 40);
});

const withoutName = (prequalification: object | null): object =>
  without(prequalification ?? {}, 'first_name');

forEachStore((store) => {
  for (const [chosen, prefix] of [
    ['lead.created', 'evt_created_'],
    ['lead.answered', 'evt_answered_'],
  ] as const) {
    test(`a webhook that chose ${chosen} gets no other event of a lead that is answered later`, async (t) => {
      const [crm, all, lender] = [await receiver(t), await receiver(t), await upstream(t)];
      const own = await server(
        t,
        {crm: {...crm.settings, events: [chosen]}, all: all.settings, lender: lender.settings},
        {answer_from: 'lender', send_to: ['crm', 'all']},
        timings,
        store,
      );
      const {id} = await sentLead(own);
      await all.hasReceived(2);
      const inState = async (state: 'delivered' | 'skipped') =>
        (await deliveries(own, {destination: 'crm', state})).map(({content, attempts, lastError}) => ({
          content,
          attempts,
          lastError,
        }));
      await until(async () => (await inState('delivered')).length + (await inState('skipped')).length === 2);
      const [sent, skipped] =
        chosen === 'lead.created' ? ['created', 'answered'] : (['answered', 'created'] as const);
      assert.deepEqual(await inState('delivered'), [{content: sent, attempts: 1, lastError: null}]);
      const lastError = 'Not sent: it is not among the "events" of the destination';
      assert.deepEqual(await inState('skipped'), [{content: skipped, attempts: 0, lastError}]);
      assert.deepEqual(
        heard(crm).map((each) => each.id),
        [prefix + id],
      );
      assert.deepEqual(await deliveries(own, {destination: 'crm'}), []);
    });
  }
});
