/** What waits for an upstream: why, for how long, who takes it up, and what operators do with it. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {LeadApiSettings} from '../../../server/config/destinations.ts';
import type {Timings} from '../../../server/config/timings.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {
  json,
  startFakeUpstream,
  upstreamAccess,
  type Reply,
  type Script,
} from '../../support/fake-upstream.ts';
import {readJson} from '../../support/http.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {sentLead} from '../../support/embed-client.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {
  amounts,
  asLead,
  keyOf,
  newDelivery,
  newEntry,
  prequalificationBody,
} from '../../support/sample-leads.ts';
import {asOperator, sqlite, type StoredServer} from '../../support/stores.ts';
import {startTestServer, through, testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

type Changes = {script?: Script; upstream?: Partial<LeadApiSettings>; timings?: Partial<Timings>};

async function startBoth(t: TestContext, {script = {}, upstream: changes, timings = {}}: Changes) {
  const upstream = await openFor(t, startFakeUpstream(script));
  const config = through({...upstream.settings, ...changes});
  return {upstream, server: await openFor(t, sqlite.startServer(config, {...quickTimings, ...timings}))};
}

const outbox = (server: StoredServer) =>
  server.select('SELECT * FROM deliveries WHERE settled_at IS NULL ORDER BY lead_id');
const nothingWaits = (server: StoredServer) => until(async () => (await outbox(server)).length === 0);
const health = async (server: StoredServer) => readJson<{status: string}>(await server.fetch('/health'), 200);
const logged = (server: StoredServer, words: string) =>
  server.logLines.filter((line) => line.includes(words)).length;

/** As many leads as there would be after a long outage, put there past the service. */
const fill = (server: StoredServer, count: number, nextAttemptAt: number, remoteId?: string) =>
  openWhile(openStore(server.config, testEncryptor), async (store) => {
    const entries = Array.from({length: count}, () =>
      newEntry({
        lead: asLead(prequalificationBody),
        answer: {status: 'pending'},
        deliveries: [newDelivery({nextAttemptAt})],
      }),
    );
    await Promise.all(entries.map((entry) => store.accept(entry)));
    if (remoteId) {
      await Promise.all(entries.map(({id}) => store.recordRemoteId(keyOf(id), remoteId)));
    }
    return entries.map(({id}) => id);
  });

suite('a fault of configuration', () => {
  for (const status of [401, 403, 404]) {
    test(`stops all deliveries, and says so: ${status}`, async (t) => {
      const script: Script = {create: json(status, {})};
      const {upstream, server} = await startBoth(t, {
        script,
        timings: {firstBreak: 60_000, longestBreak: 60_000},
      });
      for (let count = 0; count < 5; count += 1) {
        assert.equal((await sentLead(server)).status, 'pending');
      }
      assert.equal(upstream.sent().length, 1);
      assert.equal((await outbox(server)).length, 5);
      assert.deepEqual(await health(server), {status: 'degraded'});
      assert.equal(logged(server, 'refuses our credentials or address'), 1);
    });
  }
  test('ends where it is mended at the upstream, and the log says so', async (t) => {
    const script: Script = {access: {...upstreamAccess, password: 'rotated'}};
    const {upstream, server} = await startBoth(t, {script, upstream: upstreamAccess});
    const answers = await Promise.all(Array.from({length: 5}, () => sentLead(server)));
    assert.deepEqual(upstream.sent(), []);
    delete script.access;
    await nothingWaits(server);
    assert.deepEqual(upstream.taken().toSorted(), answers.map(({id}) => id).toSorted());
    assert.deepEqual(await health(server), {status: 'ok'});
    assert.ok(logged(server, 'the destination works again') > 0);
  });
});

suite('an upstream that fails', () => {
  test('and asks to wait is asked nothing by anybody until then', async (t) => {
    const create: Reply = (response) => void response.writeHead(429, {'retry-after': '3600'}).end();
    const {upstream, server} = await startBoth(t, {script: {create}});
    for (let count = 0; count < 3; count += 1) assert.equal((await sentLead(server)).status, 'pending');
    assert.equal(upstream.sent().length, 1);
    const waits = (await outbox(server)).map((row) => Number(row['next_attempt_at']) - Date.now());
    // The lead with which it asked waits for an hour. For the others, an hour after one reply would be too long.
    assert.ok(waits[0]! > 3_500_000, String(waits));
    assert.ok(
      waits.slice(1).every((wait) => wait > 290_000 && wait < 310_000),
      String(waits),
    );
  });
});

suite('a lead whose reply was lost', () => {
  const statuses = {500: 'held', 502: 'held', 504: 'held', 408: 'held', 429: 'waiting', 503: 'waiting'};
  for (const [status, state] of Object.entries(statuses)) {
    test(`an unclear reply leaves the lead to the operator: ${status} is ${state}`, async (t) => {
      const script: Script = {create: json(Number(status), {})};
      const {upstream, server} = await startBoth(t, {script, upstream: {onLostReply: 'hold'}});
      const {id} = await sentLead(server);
      const [row] = await asOperator(server, (operator) => operator.listDeliveries(10, {}));
      assert.partialDeepStrictEqual(row, {lead: id, state, ambiguous: state === 'held' ? 1 : 0});
      delete script.create;
      if (state === 'waiting') await nothingWaits(server);
      else assert.deepEqual(upstream.sent(), [id]);
    });
  }
});

test('a suspect lead that is held leaves a line in the log, with its partner and why', async (t) => {
  const upstream = await openFor(t, startFakeUpstream());
  const [first, ...others] = through(upstream.settings).partners!;
  const changes = {
    ...through(upstream.settings),
    partners: [{...first, suspect: 'hold'}, ...others] as const,
  };
  const server = await openFor(t, sqlite.startServer(changes, quickTimings));
  const {id} = await sentLead(server, undefined, {body: {trap: 'x', elapsed_ms: 10}});
  const lines = server.logLines.filter((line) => line.includes('a suspect lead is held for the operator'));
  assert.equal(lines.length, 1);
  assert.partialDeepStrictEqual(JSON.parse(lines[0]!), {lead: id, partner: 'acme', reason: 'trap fast'});
  assert.ok(!lines[0]!.includes('@'));
});

suite('the worker', () => {
  test('asks only for the amounts of a lead that was taken before the process died', async (t) => {
    const {upstream, server} = await startBoth(t, {script: {read: json(404, {})}});
    // Due only when the store has the id, however long that takes.
    const [id = ''] = await fill(server, 1, Date.now() + 3_600_000, 'u-1');
    await asOperator(server, (store) => store.retryDeliveries(Date.now(), {lead: id}));
    await until(() => upstream.exchanges.length > 1);
    assert.ok(upstream.exchanges.every(({method, path}) => method === 'GET' && path.endsWith('/u-1')));
  });
  test('delivers a few at once and leaves room for new leads', async (t) => {
    let [atOnce, most] = [0, 0];
    const gate = Promise.withResolvers<void>();
    const backlog = new Set<string>();
    const create: Reply = async (response, exchange) => {
      const id = String(exchange.headers['idempotency-key']);
      if (backlog.has(id)) {
        most = Math.max(most, (atOnce += 1));
        await gate.promise;
        atOnce -= 1;
      }
      return json(201, {id})(response, exchange);
    };
    const script = {create, read: json(200, amounts)};
    const slow = {answerWait: 2_500, delivery: 30_000, lease: 60_000};
    const {upstream, server} = await startBoth(t, {script, timings: slow});
    for (const id of await fill(server, 40, Date.now() + 300)) backlog.add(id);
    await until(() => atOnce >= 8);
    // The backlog stands still, and a new lead has its amounts at once.
    assert.equal((await sentLead(server)).status, 'done');
    assert.equal(most, 8);
    gate.resolve();
    await nothingWaits(server);
    assert.equal(upstream.sent().length, 41);
    assert.ok(most <= 8);
  });
  test('keeps to its rate', async (t) => {
    const {upstream, server} = await startBoth(t, {upstream: {perSecond: 1}});
    const began = performance.now();
    await fill(server, 3, Date.now());
    await nothingWaits(server);
    assert.equal(upstream.taken().length, 3);
    // The first goes at once, each other after its second.
    assert.ok(performance.now() - began > 1_500);
  });
  test('lets what is under way end when the service stops', async (t) => {
    const slowly: Reply = async (response, exchange) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return json(201, {id: exchange.headers['idempotency-key']})(response, exchange);
    };
    const upstream = await openFor(t, startFakeUpstream({create: slowly, read: json(200, amounts)}));
    const timings = {...quickTimings, answerWait: 10, delivery: 5_000, lease: 9_000};
    const server = await openFor(t, sqlite.startServer(through(upstream.settings), timings));
    const {databasePath, databaseUrl} = server.config;
    const config = {...through(upstream.settings), databasePath, databaseUrl};
    const first = await openFor(t, startTestServer(config, timings));
    await sentLead(first);
    await first.close();
    await nothingWaits(server);
    assert.equal(upstream.sent().length, 1);
  });
});
