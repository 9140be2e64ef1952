/**
 * Server processes that keep leads from a destination that would take them, or send them too often: breaks, pauses, and
 * processes and databases that fail at the wrong moment. On PostgreSQL two processes share the work.
 */
import assert from 'node:assert/strict';
import {DatabaseSync} from 'node:sqlite';
import {suite, test, type TestContext} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {json, startFakeUpstream, upstreamSettings, type Script} from '../support/fake-upstream.ts';
import {basic, postJson} from '../support/http.ts';
import {openFor} from '../support/opened.ts';
import {runProcess} from '../support/operator.ts';
import {withoutPostgres} from '../support/postgres.ts';
import {amounts, prequalificationBody} from '../support/sample-leads.ts';
import {serviceSettings, type RunningService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {startWebhookReceiver, type ReceiverReply} from '../support/webhook-receiver.ts';
import {createLeads, fromPage, startOver, stopped, until} from './load.ts';
import {openBeside, sendingTo, stores, type Environment} from './operated.ts';
import {startCluster} from './postgres-cluster.ts';
import {recordHistory} from './recorded.ts';

type StoreName = keyof typeof stores;

/** One process on SQLite, two on PostgreSQL. */
async function startServers(folder: string, environment: Environment): Promise<RunningService[]> {
  const first = await startOver(folder, environment);
  return environment['DATABASE_URL'] ? [first, await startOver(folder, environment)] : [first];
}

async function setUp(t: TestContext, name: StoreName) {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const store: Environment = await stores[name](folder.path, t);
  const operate = async (environment: Environment, ...words: string[]) => {
    const ran = await runProcess({...serviceSettings(folder.path), ...environment}, ...words);
    assert.equal(ran.code, 0, ran.stderr);
    return ran.stderr.trim();
  };
  const outbox = async () => {
    const beside = await openBeside(folder.path, store);
    const rows = await beside.listDeliveries(1_000, {});
    await beside.close();
    return rows;
  };
  return {folder: folder.path, store, operate, outbox};
}

async function createLead({url}: RunningService): Promise<string> {
  const response = await fetch(`${url}/json/leads`, postJson(prequalificationBody, basic(acme)));
  assert.equal(response.status, 201);
  return ((await response.json()) as {id: string}).id;
}

for (const name of ['SQLite', 'PostgreSQL'] as const) {
  suite(`over ${name}`, {concurrency: true, skip: name === 'PostgreSQL' && withoutPostgres}, () => {
    for (const command of ['retry', 'resume'] as const) {
      test(`a break of years that a webhook asked for ends with ${command}, over ${name}`, async (t) => {
        const {folder, store, operate, outbox} = await setUp(t, name);
        const crm = await openFor(t, startWebhookReceiver());
        const environment = {...store, ...sendingTo(folder, {crm})};
        const servers = await startServers(folder, environment);
        crm.answerWith((response) => void response.writeHead(503, {'retry-after': '315360000'}).end());
        // Each process asks once, and gets a break of its own.
        for (const {url, lines} of servers) {
          const load = createLeads(url, 1, fromPage, 20);
          await until(() => lines.some((line) => line.includes('the destination asks for a break')));
          await load.stop();
        }
        crm.answerWith((response) => void response.writeHead(204).end());
        const waiting = (await outbox()).length;
        const askedBefore = crm.received.length;
        await sleep(2_000);
        assert.equal(crm.received.length, askedBefore, 'asked during the break');
        const begun = performance.now();
        if (command === 'resume') await operate(environment, 'destinations', 'pause', 'crm');
        const said =
          command === 'resume'
            ? await operate(environment, 'destinations', 'resume', 'crm')
            : await operate(environment, 'deliveries', 'retry', '--destination', 'crm');
        await until(async () => (await outbox()).length === 0);
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
        t.diagnostic(
          `${name}, ${servers.length} processes: ${waiting} waited, all sent ${seconds} s after ${command}`,
        );
        t.diagnostic(said);
      });
    }

    test(`nothing is sent to a paused destination that is slow, over ${name}`, async (t) => {
      const {folder, store, operate, outbox} = await setUp(t, name);
      const parallel = 2;
      const recorder = recordHistory({crm: {gets: 'news', parallel: 2 * parallel, mostSends: Infinity}});
      const reply: ReceiverReply = async (response) => {
        await sleep(3_000);
        response.writeHead(204).end();
      };
      const crm = await openFor(t, startWebhookReceiver(recorder.webhook('crm', reply)));
      const environment = {...store, ...sendingTo(folder, {crm: {...crm, parallel}})};
      const servers = await startServers(folder, environment);
      const load = createLeads(servers[0]!.url, 2, recorder.newLead, 20, recorder);
      await until(() => load.acknowledged.length >= 40 && crm.received.length > 0);
      await load.stop();
      await recorder.command('pause', 'crm', () => operate(environment, 'destinations', 'pause', 'crm'));
      const before = crm.received.length;
      for (const {lines} of servers)
        await until(() => lines.some((line) => line.includes('the destination is paused')));
      await until(async () => (await outbox()).every(({leasedUntil}) => leasedUntil < Date.now()));
      const beside = await openBeside(folder, store);
      await recorder.check(beside);
      await beside.close();
      for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
      t.diagnostic(
        `${name}: ${load.acknowledged.length} leads, ${before} sent when the pause was ordered, ${crm.received.length - before} until it was noticed`,
      );
    });

    test(`a lead whose process dies after each sending is sent three times, over ${name}`, async (t) => {
      const {folder, store, outbox} = await setUp(t, name);
      const upstream = await openFor(t, startFakeUpstream({create: () => undefined}));
      const environment = {...store, ...upstreamSettings(upstream)};
      const first = await startOver(folder, environment);
      const id = await createLead(first);
      await until(() => upstream.sent().length === 1);
      await first.end('SIGKILL');
      for (let crashes = 1; crashes < 8; crashes += 1) {
        await endLeases(folder, store);
        const before = upstream.sent().length;
        const next = await startOver(folder, environment);
        await until(async () => upstream.sent().length > before || (await outbox())[0]!.state === 'held');
        await next.end('SIGKILL');
      }
      assert.deepEqual(upstream.sent(), [id, id, id]);
      assert.partialDeepStrictEqual(await outbox(), [{lead: id, state: 'held', attempts: 3}]);
      t.diagnostic(`${name}: 8 crashes after the effect, ${upstream.sent().length} POSTs, then held`);
    });
  });
}

/** Lets the 45 seconds of a killed process pass at once. */
async function endLeases(folder: string, store: Environment) {
  const beside = await openBeside(folder, store);
  await beside.close();
  const text =
    "UPDATE deliveries SET leased_until = 1, next_attempt_at = 1 WHERE leased_until > 0 AND state = 'waiting'";
  if (store['DATABASE_PATH']) {
    const database = new DatabaseSync(store['DATABASE_PATH'], {timeout: 5_000});
    database.exec(text);
    database.close();
  } else {
    const {default: pg} = await import('pg');
    const client = new pg.Client(store['DATABASE_URL']);
    await client.connect();
    await client.query(text);
    await client.end();
  }
}

suite('a store that is away for 35 s while an upstream answers', {concurrency: true}, () => {
  const outages = {
    SQLite: (folder: string) => {
      const path = stores.SQLite(folder).DATABASE_PATH;
      return {
        store: {DATABASE_PATH: path} as Environment,
        begin: () => {
          const other = new DatabaseSync(path, {timeout: 5_000});
          other.exec('BEGIN IMMEDIATE');
          return Promise.resolve(() => {
            other.exec('COMMIT');
            other.close();
            return Promise.resolve();
          });
        },
      };
    },
    PostgreSQL: async (_folder: string, t: TestContext) => {
      const cluster = await startCluster();
      t.after(() => cluster.remove());
      return {
        store: {DATABASE_URL: cluster.url} as Environment,
        begin: async () => {
          await cluster.stopMeanwhile('fast');
          return async () => void (await cluster.startMeanwhile());
        },
      };
    },
  };
  for (const [name, outageOf] of Object.entries(outages)) {
    test(`the upstream is not blamed, and each lead is sent once, over ${name}`, async (t) => {
      const folder = makeTemporaryFolder();
      t.after(() => folder.remove());
      const {store, begin} = await outageOf(folder.path, t);
      const gate = Promise.withResolvers<void>();
      const script: Script = {
        create: async (response, exchange) => {
          await gate.promise;
          return json(201, {id: exchange.headers['idempotency-key']})(response, exchange);
        },
        read: json(200, amounts),
      };
      const upstream = await openFor(t, startFakeUpstream(script));
      const servers = await startServers(folder.path, {...store, ...upstreamSettings(upstream)});
      const ids = await Promise.all(
        Array.from({length: 8}, (_, index) => createLead(servers[index % servers.length]!)),
      );
      await until(() => upstream.sent().length === ids.length);
      const end = await begin();
      gate.resolve();
      await sleep(35_000);
      await end();
      const beside = await openBeside(folder.path, store);
      await until(async () => (await beside.listDeliveries(10, {})).length === 0);
      for (const id of ids) assert.equal((await beside.find(id))?.answer.status, 'done');
      await beside.close();
      const lines = servers.flatMap((server) => server.lines);
      assert.deepEqual(
        lines.filter((line) => line.includes('the destination fails')),
        [],
      );
      assert.deepEqual(upstream.sent().toSorted(), ids.toSorted());
      for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
      t.diagnostic(
        `${name}, ${servers.length} processes: ${ids.length} leads in flight, each sent once, no circuit opened`,
      );
    });
  }
});
