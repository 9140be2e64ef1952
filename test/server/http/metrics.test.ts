/** `GET /metrics`: what it counts and reads, and that it is on an address of its own. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {onePartner} from '../../../server/config/partners.ts';
import {usualTimings} from '../../../server/config/timings.ts';
import {openConnection, requestText} from '../../support/connection.ts';
import {sendLead, somebody} from '../../support/embed-client.ts';
import {basic, postJson} from '../../support/http.ts';
import {freePort} from '../../support/free-port.ts';
import {openFor} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {scrape, valueOf} from '../../support/scrape.ts';
import {forEachStore, sqlite, type Store} from '../../support/stores.ts';
import {acme, listedOrigin, otherOrigin} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

const metrics = {host: '127.0.0.1', port: 0};

async function start(t: TestContext, store: Store, storeReadings = 0) {
  const crm = await openFor(t, startWebhookReceiver());
  const partner = onePartner({key: 'acme', origins: [listedOrigin], cid: '1001'});
  const destinations = new Map([['crm', crm.settings]]);
  const prepared = {metrics, destinations, partners: [{...partner, sendTo: ['crm']}]} as const;
  const server = await openFor(t, store.startServer(prepared, {...quickTimings, storeReadings}));
  const send = (origin: string, partner = 'acme') => sendLead(server, somebody(), {origin, partner});
  const samples = () => scrape(server.metricsPort);
  const becomes = (value: number, ...of: [name: string, labels?: Record<string, string>]) =>
    until(async () => valueOf(await samples(), ...of) === value);
  return {crm, server, send, samples, becomes};
}

forEachStore((store) => {
  test('leads, refusals, answers and deliveries are counted', async (t) => {
    const {server, send, samples, becomes} = await start(t, store);
    const before = await samples();
    const counted = {partner: 'acme', type: 'prequalification', answer: 'done'};
    assert.equal(valueOf(before, 'lead_prequal_leads_total', counted), 0);

    assert.equal((await send(listedOrigin)).status, 201);
    assert.equal((await send(listedOrigin)).status, 201);
    assert.equal((await send(otherOrigin)).status, 403);
    assert.equal((await send(listedOrigin, 'nobody-we-know')).status, 403);
    const call = async (changes: object) =>
      (await server.fetch('/json/leads', postJson({...prequalificationBody, ...changes}, basic(acme))))
        .status;
    assert.equal(await call({cid: undefined}), 422);
    assert.equal(await call({lead_type: 'standard'}), 201);

    await becomes(2, 'lead_prequal_deliveries_total', {destination: 'crm', outcome: 'delivered'});
    const after = await samples();
    assert.equal(valueOf(after, 'lead_prequal_leads_total', counted), 2);
    const ofCallers = {partner: '-', type: 'standard', answer: 'done'};
    assert.equal(valueOf(after, 'lead_prequal_leads_total', ofCallers), 1);
    const refused = (partner: string, reason: string) =>
      valueOf(after, 'lead_prequal_refusals_total', {partner, reason});
    assert.equal(refused('acme', 'origin-not-allowed'), 1);
    assert.equal(refused('other', 'unknown-partner'), 1);
    assert.equal(refused('-', 'invalid-lead'), 1);
    assert.equal(valueOf(after, 'lead_prequal_answer_seconds_count', {api: 'form'}), 2);
    assert.equal(valueOf(after, 'lead_prequal_answer_seconds_count', {api: 'callers'}), 1);
    assert.ok(valueOf(after, 'lead_prequal_commit_seconds_count') >= 3);
    assert.ok(!JSON.stringify(after).includes('nobody-we-know'));
  });

  test('the state of a destination, since when, and what waits for it are read', async (t) => {
    const {crm, server, send, samples, becomes} = await start(t, store);
    const ofCrm = {destination: 'crm'};
    const begun = Date.now() / 1_000;
    await send(listedOrigin);
    await until(async () => (await samples()).some(({name}) => name.includes('last_success')));
    const working = await samples();
    assert.equal(valueOf(working, 'lead_prequal_destination_state', {...ofCrm, state: 'ok'}), 1);
    assert.ok(valueOf(working, 'lead_prequal_destination_last_success_timestamp_seconds', ofCrm) >= begun);
    assert.equal(valueOf(working, 'lead_prequal_outbox_oldest_age_seconds', ofCrm), 0);

    crm.answerWith(replyWith(401));
    await send(listedOrigin);
    await becomes(1, 'lead_prequal_destination_state', {...ofCrm, state: 'misconfigured'});
    const failing = await samples();
    assert.equal(valueOf(failing, 'lead_prequal_destination_state', {...ofCrm, state: 'ok'}), 0);
    const since = valueOf(failing, 'lead_prequal_destination_state_since_timestamp_seconds', ofCrm);
    assert.ok(since >= begun && since <= Date.now() / 1_000);
    assert.equal(valueOf(failing, 'lead_prequal_outbox_deliveries', {...ofCrm, state: 'waiting'}), 1);
    assert.ok(valueOf(failing, 'lead_prequal_outbox_oldest_age_seconds', ofCrm) > 0);

    await server.execute(
      "INSERT INTO paused_destinations (destination, paused_at, reason) VALUES ('crm', 1, 'for the test')",
    );
    await becomes(1, 'lead_prequal_destination_state', {...ofCrm, state: 'paused'});
  });

  test('the store is read once in fifteen seconds, however often somebody asks', async (t) => {
    const {crm, send, samples, becomes} = await start(t, store, usualTimings.storeReadings);
    const waiting = {destination: 'crm', state: 'waiting'};
    assert.equal(valueOf(await samples(), 'lead_prequal_outbox_deliveries', waiting), 0);
    crm.answerWith(replyWith(401));
    await send(listedOrigin);
    await becomes(1, 'lead_prequal_destination_state', {destination: 'crm', state: 'misconfigured'});
    assert.equal(valueOf(await samples(), 'lead_prequal_outbox_deliveries', waiting), 0);
  });

  test('the last success of before a restart is known', async (t) => {
    const {crm, server, send, samples} = await start(t, store);
    await send(listedOrigin);
    const last = 'lead_prequal_destination_last_success_timestamp_seconds';
    await until(async () => (await samples()).some(({name}) => name === last));
    const {databasePath, databaseUrl} = server.config;
    // A second server on the store knows only what is in it.
    const destinations = new Map([['crm', crm.settings]]);
    const other = await openFor(t, sqlite.startServer({metrics, databasePath, databaseUrl, destinations}));
    const [stored] = await server.select("SELECT settled_at FROM deliveries WHERE state = 'delivered'");
    assert.equal(valueOf(await scrape(other.metricsPort), last) * 1_000, Number(stored?.['settled_at']));
  });
});

suite('the address of the metrics', () => {
  test('has sixteen connections, and a new one takes the place of the longest idle one', async (t) => {
    const {server, samples} = await start(t, sqlite);
    const port = server.metricsPort!;
    const open = await Promise.all(Array.from({length: 16}, () => openConnection(port)));
    t.after(() => open.forEach((connection) => connection.close()));
    assert.equal(valueOf(await samples(), 'lead_prequal_store_up'), 1);
    assert.deepEqual(await open[0]!.ended(), []);
    open[1]!.send(requestText('GET', '/nothing', {}));
    assert.equal((await open[1]!.answer()).status, 404);
  });

  test('has nothing but GET /metrics, which the public port does not have', async (t) => {
    const {server, samples} = await start(t, sqlite);
    const own = `http://127.0.0.1:${server.metricsPort}`;
    assert.equal((await fetch(`${own}/`)).status, 404);
    assert.equal((await fetch(`${own}/json/leads`)).status, 404);
    const posted = await fetch(`${own}/metrics`, {method: 'POST', body: 'x'});
    assert.equal(posted.status, 405);
    assert.equal(posted.headers.get('allow'), 'GET');
    assert.equal((await fetch(`${server.url}/metrics`)).status, 404);
    const names = new Set((await samples()).map(({name}) => name));
    for (const name of ['process_open_fds', 'nodejs_eventloop_lag_p99_seconds'])
      assert.ok(names.has(name), name);
    assert.ok(valueOf(await samples(), 'lead_prequal_disk_free_bytes') > 0);
    assert.equal(valueOf(await samples(), 'lead_prequal_store_up'), 1);
  });

  test('does not exist without METRICS_PORT', async (t) => {
    const server = await openFor(t, sqlite.startServer());
    assert.equal(server.metricsPort, undefined);
  });

  test('is closed with the server', async (t) => {
    const server = await openFor(t, sqlite.startServer({metrics}));
    await server.close();
    await assert.rejects(fetch(`http://127.0.0.1:${server.metricsPort}/metrics`));
  });

  test('that another program has stops the start, and names the settings', async (t) => {
    const port = await freePort();
    const first = await openFor(t, sqlite.startServer({metrics: {host: '127.0.0.1', port}}));
    assert.equal(first.metricsPort, port);
    await assert.rejects(
      sqlite.startServer({metrics: {host: '127.0.0.1', port}}),
      /METRICS_HOST and METRICS_PORT: .*EADDRINUSE/,
    );
  });
});
