/** Whatever ails the upstream, every lead that was answered 2xx reaches it once it is well again. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {
  failures,
  json,
  startFakeUpstream,
  upstreamAccess,
  type Reply,
  type Script,
} from '../../support/fake-upstream.ts';
import {basic, postJson, readJson} from '../../support/http.ts';
import {readLead, sendLead, sentLead, somebody} from '../../support/embed-client.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {amounts, prequalificationBody} from '../../support/sample-leads.ts';
import {forEachStore, sqlite, type Store, type StoredServer} from '../../support/stores.ts';
import {acme, through} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {openFor} from '../../support/opened.ts';

const leadCount = 6;

/** As many from pages as from callers; all of them are acknowledged, whatever the upstream does. */
async function acknowledge(server: StoredServer): Promise<EmbedAnswer[]> {
  const responses = Array.from({length: leadCount}, (_, index) =>
    index % 2 === 0
      ? sendLead(server)
      : server.fetch('/json/leads', postJson({...prequalificationBody, ...somebody()}, basic(acme))),
  );
  return Promise.all((await Promise.all(responses)).map((response) => readJson<EmbedAnswer>(response, 201)));
}

const nothingWaits = (server: StoredServer) =>
  until(
    async () => (await server.select('SELECT lead_id FROM deliveries WHERE settled_at IS NULL')).length === 0,
  );
const storedIds = async (server: StoredServer) =>
  (await server.select('SELECT id FROM leads ORDER BY id')).map(({id}) => id);

type Fault = {
  script: Script;
  /** The lead was sent and the reply lost: it may have been taken, so the upstream may get it again. */
  replyLost?: boolean;
};

const create = (reply: Reply, replyLost = false): Fault => ({script: {create: reply}, replyLost});
const faults: Record<string, Fault> = {
  'answers 500': create(failures['an error of its own']),
  'answers 429': create(failures['too many requests']),
  'answers 503 and asks to wait': create((response) => {
    response.writeHead(503, {'retry-after': new Date(Date.now() + 1_000).toUTCString()}).end();
  }),
  'asks to wait for no time': create((response) => void response.writeHead(429, {'retry-after': '0'}).end()),
  'redirects to another host': create((response) => {
    response.writeHead(307, {location: 'http://other.example/json/leads'}).end();
  }),
  resets: create(failures['a reset'], true),
  hangs: create(() => {}, true),
  'answers HTML': create(failures['a page of HTML'], true),
  'answers half a JSON': create(failures['half of its JSON'], true),
  'answers 10 MB': create(failures['a body of 10 MB'], true),
  'answers wrong types': create(failures['wrong types'], true),
  'answers nothing': create(failures['an empty body'], true),
  'has another password by now': {script: {access: {user: 'other', password: 'other', cid: 'other'}}},
  'is not at that address': create(failures['nothing found']),
  'takes the lead but has no amounts': {script: {read: failures['an error of its own']}},
  'takes the lead but resets when asked for amounts': {script: {read: failures['a reset']}},
  'takes the lead but hangs when asked for amounts': {script: {read: () => {}}},
  'takes the lead and answers 401 for the amounts': {script: {read: json(401, {})}},
};

async function startBoth(t: TestContext, store: Store, script: Script) {
  const upstream = await openFor(t, startFakeUpstream(script));
  const settings = {...upstream.settings, ...upstreamAccess};
  // A lead is sent three times at most while its replies are lost: the upstream is well again before the last time.
  const timings = {...quickTimings, longestRetry: 1_000};
  return {upstream, settings, server: await openFor(t, store.startServer(through(settings), timings))};
}

suite('an upstream that', () => {
  for (const [what, {script, replyLost = false}] of Object.entries(faults)) {
    test(`${what} gets every lead once it is well`, async (t) => {
      const changing = {...script};
      const {upstream, server} = await startBoth(t, sqlite, changing);
      const acknowledged = await acknowledge(server);
      for (const part of ['create', 'read', 'access'] as const) delete changing[part];
      await nothingWaits(server);

      const ids = acknowledged.map(({id}) => id).toSorted();
      // Who gave no clear answer may have taken it each time; who said no did not.
      const received = replyLost ? upstream.sent() : upstream.taken();
      const twice = received.length - new Set(received).size;
      assert.deepEqual(await storedIds(server), ids);
      assert.deepEqual([...new Set(received)].toSorted(), ids);
      if (!replyLost) assert.equal(twice, 0);
      const log = server.logLines.join('');
      const secrets = [...Object.values(upstreamAccess), 'Jane', '202-555-0142', '@example.com'];
      for (const secret of secrets) assert.ok(!log.includes(secret), secret);
      t.diagnostic(
        `acknowledged ${ids.length} = stored ${ids.length} ≤ received ${received.length}, twice ${twice}`,
      );
      for (const answer of acknowledged.filter(({token}) => token)) {
        const now = await readJson<EmbedAnswer>(await readLead(server, answer), 200);
        assert.partialDeepStrictEqual(now, {status: 'done', prequalification: amounts});
      }
    });
  }

  test('redirects is not followed', async (t) => {
    const elsewhere = await openFor(t, startFakeUpstream());
    const location = `${elsewhere.settings.url}/json/leads`;
    const redirect: Reply = (response) => void response.writeHead(307, {location}).end();
    const {server} = await startBoth(t, sqlite, {create: redirect});
    await acknowledge(server);
    assert.deepEqual(elsewhere.exchanges, []);
  });

  test('is slow gets each lead once, and visitors get the amounts later', async (t) => {
    const slowly = (reply: Reply): Reply =>
      async function (response, exchange) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        await reply(response, exchange);
      };
    const script = {
      create: slowly((response, exchange) =>
        json(201, {id: exchange.headers['idempotency-key']})(response, exchange),
      ),
      read: slowly(json(200, amounts)),
    };
    const upstream = await openFor(t, startFakeUpstream(script));
    // More than there is room for at once: those that cannot begin in time are left to the worker.
    const timings = {...quickTimings, answerWait: 20, delivery: 5_000, settling: 0, lease: 5_150};
    const server = await openFor(t, sqlite.startServer(through(upstream.settings), timings));
    const answers = await Promise.all(Array.from({length: 60}, () => sentLead(server)));
    for (const {status, prequalification} of answers) {
      assert.deepEqual({status, prequalification}, {status: 'pending', prequalification: null});
    }
    await nothingWaits(server);
    assert.deepEqual(upstream.sent().toSorted(), answers.map(({id}) => id).toSorted());
    for (const answer of answers) {
      const {status} = await readJson<EmbedAnswer>(await readLead(server, answer), 200);
      assert.equal(status, 'done');
    }
    t.diagnostic(`acknowledged 60 = stored 60 = sent ${upstream.sent().length}`);
  });
});

forEachStore((store) => {
  test('an upstream that is down gets every lead once when it is up', async (t) => {
    const {upstream, server, settings} = await startBoth(t, store, {});
    await upstream.close();
    const acknowledged = await acknowledge(server);
    const later = await openFor(t, startFakeUpstream({}, Number(new URL(settings.url).port)));
    await nothingWaits(server);
    const ids = acknowledged.map(({id}) => id).toSorted();
    assert.deepEqual(await storedIds(server), ids);
    assert.deepEqual(later.sent().toSorted(), ids);
    t.diagnostic(`acknowledged ${ids.length} = stored ${ids.length} = sent ${ids.length}`);
  });
});
