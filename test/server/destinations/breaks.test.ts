/** What keeps deliveries from a destination that could take them, and what ends that: breaks, pauses, steps of the clock. */
import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import type {DestinationSettings} from '../../../server/config/destinations.ts';
import {onePartner} from '../../../server/config/partners.ts';
import type {Timings} from '../../../server/config/timings.ts';
import type {AttachedStore} from '../../../server/leads/ports.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {sentLead} from '../../support/embed-client.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {newDelivery, newEntry} from '../../support/sample-leads.ts';
import {asOperator, forEachStore, sqlite, type Store} from '../../support/stores.ts';
import {listedOrigin, startTestServer, type TestServer, testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {replyWith, startWebhookReceiver, type ReceiverReply} from '../../support/webhook-receiver.ts';

const [minute, hour, day] = [60_000, 3_600_000, 24 * 3_600_000];

type Setup = {reply?: ReceiverReply; settings?: Partial<DestinationSettings>; timings?: Partial<Timings>};

/** A webhook `crm`, and the servers that send to it: two where two may share a store. */
async function start(t: TestContext, store: Store, {reply, settings = {}, timings = {}}: Setup = {}) {
  const crm = await openFor(t, startWebhookReceiver(reply));
  const config = {
    destinations: new Map([['crm', {...crm.settings, ...settings} as DestinationSettings]]),
    partners: [onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', send_to: ['crm']})] as const,
  };
  const all = {...quickTimings, ...timings};
  const first = await openFor(t, store.startServer(config, all));
  const {databasePath, databaseUrl} = first.config;
  const servers: TestServer[] = [first];
  if (databaseUrl !== undefined)
    servers.push(await openFor(t, startTestServer({...config, databasePath, databaseUrl}, all)));
  const operate = <Result>(work: (store: AttachedStore) => Promise<Result>) => asOperator(first, work);
  return {
    crm,
    server: first,
    servers,
    asOperator: operate,
    /** Sends leads to each server in turn. */
    send: async (count: number) => {
      for (let index = 0; index < count; index += 1) await sentLead(servers[index % servers.length]!);
    },
    outbox: () => operate((operator) => operator.listDeliveries(1_000, {})),
    loggedByAll: (words: string) =>
      until(() => servers.every(({logLines}) => logLines.some((line) => line.includes(words)))),
    retry: () => operate((operator) => operator.retryDeliveries(Date.now(), {destination: 'crm'})),
  };
}

/** Replies once with this status and `Retry-After`, then takes everything. */
function onceAsking(seconds: number): ReceiverReply {
  let asked = false;
  return (response) => {
    const headers = asked ? {} : {'retry-after': String(seconds)};
    response.writeHead(asked ? 204 : 503, headers).end();
    asked = true;
  };
}

/** Moves the system clock of this process, but not `performance.now()`. */
function stepClock(t: TestContext) {
  let offset = 0;
  const now = Date.now.bind(Date);
  t.mock.method(Date, 'now', () => now() + offset);
  return (milliseconds: number) => void (offset += milliseconds);
}

test('a break that a destination asked for is in the log: since which lead, why, and until when', async (t) => {
  const {server, send} = await start(t, sqlite, {reply: replyWith(503, {'retry-after': '120'})});
  const before = Date.now();
  await send(1);
  const isLine = (line: string) => line.includes('the destination asks for a break');
  await until(() => server.logLines.some(isLine));
  const line = JSON.parse(server.logLines.find(isLine)!) as Record<string, string>;
  const left = Date.parse(line['until']!) - before;
  assert.ok(left > minute && left < 3 * minute, String(left));
  assert.equal(line['destination'], 'crm');
  assert.match(line['lead']!, /^[0-9a-f-]{36}$/);
  assert.match(line['reason']!, /503/);
});

test('a destination that failed gets its leads although the clock was set back by two hours', async (t) => {
  const {crm, send, outbox, loggedByAll} = await start(t, sqlite, {
    reply: replyWith(401),
    timings: {outboxCheck: 20, longestBreak: 300, firstBreak: 300},
  });
  const step = stepClock(t);
  await send(4);
  await loggedByAll('refuses our credentials or address');
  step(-2 * hour);
  crm.answerWith(replyWith(204));
  await send(2);
  await until(async () => (await outbox()).length === 0);
});

test('a failed destination gets its leads although the clock was four days ahead for a while', async (t) => {
  const {crm, server, send, outbox, loggedByAll} = await start(t, sqlite, {
    reply: replyWith(401),
    timings: {outboxCheck: 20, eventsGivenUpAfter: 3 * day},
  });
  const step = stepClock(t);
  await send(4);
  await loggedByAll('refuses our credentials or address');
  step(4 * day);
  const failures = () => server.logLines.filter((line) => line.includes('delivery postponed')).length;
  const before = failures();
  await until(() => failures() > before + 3);
  assert.ok((await outbox()).every(({state}) => state === 'waiting'));
  step(-4 * day);
  crm.answerWith(replyWith(204));
  await until(async () => (await outbox()).length === 0);
});

forEachStore((store) => {
  test('an operator who retries the deliveries of a destination ends its break in every process', async (t) => {
    const {crm, server, servers, send, retry, outbox, loggedByAll} = await start(t, store, {
      reply: onceAsking(315_360_000),
    });
    // Each process has its own break, because each gets the answer for a lead of its own.
    for (const each of servers) {
      crm.answerWith(onceAsking(315_360_000));
      await sentLead(each);
      await until(() => each.logLines.some((line) => line.includes('asks for a break')));
    }
    await send(10);
    const waiting = await outbox();
    assert.equal(waiting.length, 10 + servers.length);
    assert.equal(crm.received.length, servers.length);
    assert.equal(await retry(), waiting.length);
    await until(async () => (await outbox()).length === 0);
    await loggedByAll('an operator ended the break');
    await sentLead(server);
    await until(async () => (await outbox()).length === 0);
  });

  test('an operator who resumes a destination ends its break, and what waits is sent', async (t) => {
    const {crm, send, asOperator, outbox, loggedByAll} = await start(t, store, {
      reply: onceAsking(315_360_000),
    });
    await send(1);
    await crm.hasReceived(1);
    await send(10);
    await asOperator((operator) =>
      operator.pauseDestination({destination: 'crm', pausedAt: Date.now(), reason: 'a test'}),
    );
    await loggedByAll('the destination is paused');
    await asOperator((operator) => operator.resumeDestination(Date.now(), 'crm'));
    await until(async () => (await outbox()).length === 0);
  });

  test('a delivery that was claimed before a pause is not sent during the pause', async (t) => {
    const gate = Promise.withResolvers<void>();
    const reply: ReceiverReply = async (response) => {
      await gate.promise;
      response.writeHead(204).end();
    };
    const {crm, servers, send, asOperator, outbox, loggedByAll} = await start(t, store, {
      reply,
      settings: {parallel: 2},
      timings: {delivery: 30_000, lease: 60_000},
    });
    await send(20);
    const underWay = 2 * servers.length;
    await crm.hasReceived(underWay);
    await asOperator((operator) =>
      operator.pauseDestination({destination: 'crm', pausedAt: Date.now(), reason: 'a test'}),
    );
    await loggedByAll('the destination is paused');
    gate.resolve();
    // What was under way ends, and what waited for it in the queues of the processes is put back.
    await until(async () => (await outbox()).every(({leasedUntil}) => leasedUntil === 0));
    assert.equal(crm.received.length, underWay);
    assert.equal((await outbox()).length, 20 - underWay);
    await asOperator((operator) => operator.resumeDestination(Date.now(), 'crm'));
    await until(async () => (await outbox()).length === 0);
    assert.equal(crm.received.length, 20);
  });

  test('health is degraded while deliveries wait for a destination that is no longer configured', async (t) => {
    const {server, servers, asOperator, loggedByAll} = await start(t, store, {timings: {outboxCheck: 20}});
    const isDegraded = async (each: TestServer) =>
      (await (await each.fetch('/health')).text()).includes('degraded');
    assert.ok(!(await isDegraded(server)));
    await openWhile(openStore(server.config, testEncryptor), (store) =>
      store.accept(newEntry({deliveries: [newDelivery({destination: 'gone', content: 'created'})]})),
    );
    for (const each of servers) await until(() => isDegraded(each));
    await loggedByAll('deliveries wait for a destination that is not configured');
    const line = server.logLines.find((each) => each.includes('that is not configured'));
    assert.partialDeepStrictEqual(JSON.parse(line!), {destination: 'gone', deliveries: 1});
    await asOperator((operator) => operator.dropDeliveries(Date.now(), {destination: 'gone'}));
    for (const each of servers) await until(async () => !(await isDegraded(each)));
  });
});
