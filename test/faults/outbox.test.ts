/** A large outbox, and server processes that die while they work on it, or share it. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {
  json,
  startFakeUpstream,
  upstreamSettings,
  type FakeUpstream,
  type Reply,
} from '../support/fake-upstream.ts';
import {basic, postJson} from '../support/http.ts';
import {createDatabase, withoutPostgres} from '../support/postgres.ts';
import {amounts, asLead, newDelivery, newEntry, prequalificationBody} from '../support/sample-leads.ts';
import type {RunningService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {createLeads, startOver, stopped, until} from './load.ts';
import {openBeside, stores, type Environment} from './operated.ts';

const rows = Number(process.env['FAULT_OUTBOX_ROWS'] ?? 10_000);

const through = (upstream: FakeUpstream): Environment => ({
  ...upstreamSettings(upstream),
  OUTBOX_PER_SECOND: '500',
});

/** Creates as many leads as would wait after a long outage. Resolves to their ids. */
async function fill(folder: string, store: Environment): Promise<string[]> {
  const beside = await openBeside(folder, store);
  const now = Date.now();
  const entries = Array.from({length: rows}, () =>
    newEntry({
      lead: asLead(prequalificationBody),
      answer: {status: 'pending'},
      deliveries: [newDelivery({nextAttemptAt: now})],
    }),
  );
  await Promise.all(entries.map((entry) => beside.accept(entry)));
  await beside.close();
  return entries.map(({id}) => id);
}

async function nothingWaits(folder: string, store: Environment) {
  const beside = await openBeside(folder, store);
  await until(async () => (await beside.listDeliveries(1, {})).length === 0);
  await beside.close();
}

/** An upstream that replies after a short time, like a real one. */
const answersSoon = {
  create: (async (response, exchange) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return json(201, {id: exchange.headers['idempotency-key']})(response, exchange);
  }) satisfies Reply,
  read: json(200, amounts),
};

async function startUpstream(t: TestContext, script: Parameters<typeof startFakeUpstream>[0]) {
  const upstream = await startFakeUpstream(script);
  t.after(() => upstream.close());
  return upstream;
}

/** Creates a lead. Resolves to its id, and whether the response had its amounts. */
async function create({url}: RunningService) {
  const response = await fetch(`${url}/json/leads`, postJson(prequalificationBody, basic(acme)));
  assert.equal(response.status, 201);
  const {id} = (await response.json()) as {id: string};
  const read = await fetch(`${url}/json/leads/${id}`, {headers: basic(acme)});
  return {id, done: read.status === 200};
}

async function killAmidDeliveries(t: TestContext, folder: string, store: Environment) {
  const upstream = await startUpstream(t, answersSoon);
  const environment = {...store, ...through(upstream)};
  const backlog = await fill(folder, store);
  const first = await startOver(folder, environment);
  await until(() => upstream.sent().length > rows / 4);
  await first.end('SIGKILL');

  const second = await startOver(folder, environment);
  const before = upstream.sent().length;
  await until(() => upstream.sent().length > before);
  const fresh = await create(second);
  assert.ok(fresh.done, 'a new lead has its amounts while the backlog waits');
  assert.ok(upstream.sent().length < rows);
  await nothingWaits(folder, store);
  assert.deepEqual(await second.end('SIGTERM'), stopped);

  const sent = upstream.sent();
  const received = new Set(sent);
  assert.deepEqual([...received].toSorted(), [...backlog, fresh.id].toSorted());
  // Deliveries that were in progress at the kill may have arrived or not, so as many leads may arrive twice.
  assert.ok(sent.length - received.size <= 16);
  t.diagnostic(
    `${rows} waiting, killed after ${before}: received ${received.size}, twice ${sent.length - received.size}`,
  );
}

// A killed server holds its leases for 45 s, so two tests wait for that at once.
suite('an outbox of many leads', {concurrency: 2}, () => {
  test('arrives whole after a kill -9 of its server, on SQLite', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    await killAmidDeliveries(t, folder.path, {DATABASE_PATH: join(folder.path, 'data', 'leads.sqlite')});
  });

  test('arrives whole after a kill -9 of its server, on PostgreSQL', {skip: withoutPostgres}, async (t) => {
    const [folder, database] = [makeTemporaryFolder(), await createDatabase()];
    t.after(async () => {
      await database.drop();
      folder.remove();
    });
    await killAmidDeliveries(t, folder.path, {DATABASE_URL: database.url});
  });

  test('is delivered once by two processes that share it', {skip: withoutPostgres}, async (t) => {
    const [folder, database] = [makeTemporaryFolder(), await createDatabase()];
    t.after(async () => {
      await database.drop();
      folder.remove();
    });
    const upstream = await startUpstream(t, answersSoon);
    const store = {DATABASE_URL: database.url};
    const backlog = await fill(folder.path, store);
    const environment = {...store, ...through(upstream)};
    const servers = await Promise.all([
      startOver(folder.path, environment),
      startOver(folder.path, environment),
    ]);
    const created = await Promise.all(servers.flatMap((server) => [create(server), create(server)]));
    await nothingWaits(folder.path, store);
    for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
    const sent = upstream.sent();
    assert.deepEqual(sent.toSorted(), [...backlog, ...created.map(({id}) => id)].toSorted());
    t.diagnostic(`${backlog.length + created.length} leads, ${sent.length} received, 2 processes`);
  });
});

suite('an upstream that comes back', () => {
  test(
    'gets each lead once of two processes, and all of them when one is killed',
    {skip: withoutPostgres},
    async (t) => {
      const folder = makeTemporaryFolder();
      t.after(() => folder.remove());
      const store = await stores.PostgreSQL(folder.path, t);
      const down = await startUpstream(t, {});
      const environment = {...store, ...through(down)};
      const port = Number(new URL(down.settings.url).port);
      await down.close();

      const servers = [await startOver(folder.path, environment), await startOver(folder.path, environment)];
      const created = await Promise.all(
        servers.flatMap((server) => Array.from({length: 20}, () => create(server))),
      );
      assert.ok(created.every(({done}) => !done));
      const waiting = [...(await fill(folder.path, store)), ...created.map(({id}) => id)];

      const back = await startFakeUpstream(answersSoon, port);
      t.after(() => back.close());
      await until(() => back.sent().length > waiting.length / 3);
      await servers[0]!.end('SIGKILL');
      const before = back.sent().length;
      assert.ok(before < waiting.length, 'the kill came too late');
      await nothingWaits(folder.path, store);
      assert.deepEqual(await servers[1]!.end('SIGTERM'), stopped);

      const sent = back.sent();
      const received = new Set(sent);
      assert.deepEqual([...received].toSorted(), waiting.toSorted());
      // As many as the killed process had in progress.
      const twice = sent.length - received.size;
      assert.ok(twice <= 16, `${twice} came twice`);
      t.diagnostic(
        `acknowledged and stored ${waiting.length} = received ${received.size}, killed after ${before}, twice ${twice}`,
      );
    },
  );
});

suite('a password that is rotated at the upstream', () => {
  for (const [name, storeOf] of Object.entries(stores)) {
    test(`strands nothing, over ${name}`, {skip: name === 'PostgreSQL' && withoutPostgres}, async (t) => {
      const folder = makeTemporaryFolder();
      t.after(() => folder.remove());
      const store = await storeOf(folder.path, t);
      const script: Parameters<typeof startFakeUpstream>[0] = {};
      const upstream = await startUpstream(t, script);
      const environment = {...store, ...through(upstream)};
      const first = await startOver(folder.path, environment);
      const before = await create(first);
      assert.ok(before.done);
      script.access = {...upstream.settings, password: 'the-new-password'};
      const after = await Promise.all(Array.from({length: 10}, () => create(first)));
      assert.ok(after.every(({done}) => !done));
      await until(() => first.lines.some((line) => line.includes('refuses our credentials')));
      assert.deepEqual(await first.end('SIGTERM'), stopped);

      const second = await startOver(folder.path, {
        ...environment,
        UPSTREAM_PASSWORD: script.access.password,
      });
      await nothingWaits(folder.path, store);
      assert.deepEqual(await second.end('SIGTERM'), stopped);
      const acknowledged = [before, ...after].map(({id}) => id);
      assert.deepEqual(upstream.taken().toSorted(), acknowledged.toSorted());
      t.diagnostic(`acknowledged ${acknowledged.length} = stored = received ${upstream.taken().length}`);
    });
  }
});

// Each of these tests waits for the end of a lease.
suite('a kill between the sending of a lead and the reply', {concurrency: true}, () => {
  for (const [name, storeOf] of Object.entries(stores)) {
    for (const onAmbiguous of ['send', 'hold']) {
      test(
        `is ambiguous: ${onAmbiguous}, over ${name}`,
        {skip: name === 'PostgreSQL' && withoutPostgres},
        async (t) => {
          const folder = makeTemporaryFolder();
          t.after(() => folder.remove());
          const store = await storeOf(folder.path, t);
          const script: Parameters<typeof startFakeUpstream>[0] = {create: () => undefined};
          const upstream = await startUpstream(t, script);
          const environment = {...store, ...through(upstream), ON_AMBIGUOUS: onAmbiguous};
          const first = await startOver(folder.path, environment);
          const {id} = await create(first);
          await first.end('SIGKILL');
          assert.deepEqual(upstream.sent(), [id]);
          delete script.create;

          // The lease of the killed process must end first.
          const second = await startOver(folder.path, environment);
          if (onAmbiguous === 'send') {
            await nothingWaits(folder.path, store);
            assert.deepEqual(upstream.sent(), [id, id]);
          } else {
            const beside = await openBeside(folder.path, store);
            const row = async () => (await beside.listDeliveries(1, {}))[0]!;
            await until(async () => (await row()).state === 'held');
            assert.partialDeepStrictEqual(await row(), {lead: id, ambiguous: 1, attempts: 1});
            assert.deepEqual(upstream.sent(), [id]);
            await beside.close();
          }
          assert.deepEqual(await second.end('SIGTERM'), stopped);
        },
      );
    }
  }
});

suite('an upstream that takes 3 s', () => {
  test('gets each lead once, while visitors wait 2.5 s at most, and over a stop and a start', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const create: Reply = async (response, exchange) => {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      return json(201, {id: exchange.headers['idempotency-key']})(response, exchange);
    };
    const upstream = await startUpstream(t, {create, read: json(200, amounts)});
    const store = {DATABASE_PATH: join(folder.path, 'data', 'leads.sqlite')};
    const environment = {...store, ...through(upstream)};
    const first = await startOver(folder.path, environment);
    const load = createLeads(first.url, 60);
    await until(() => load.acknowledged.length >= 60);
    assert.ok(upstream.sent().length < 60);
    assert.deepEqual(await first.end('SIGTERM'), stopped);
    await load.stop();
    const second = await startOver(folder.path, environment);
    await nothingWaits(folder.path, store);
    assert.deepEqual(await second.end('SIGTERM'), stopped);
    assert.deepEqual(upstream.sent().toSorted(), load.acknowledged.toSorted());
    t.diagnostic(`acknowledged ${load.acknowledged.length} = received ${upstream.sent().length}`);
  });
});
