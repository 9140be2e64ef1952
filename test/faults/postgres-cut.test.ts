/** Connections to PostgreSQL break in the middle of transactions, while pages send leads with idempotency keys. */
import assert from 'node:assert/strict';
import {after, suite, test, type TestContext} from 'node:test';
import pg from 'pg';
import {usualParallel} from '../../server/destinations/terms.ts';
import {openFor} from '../support/opened.ts';
import type {RunningService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';
import {createLeads, fromPage, missing, startOver, stopped, until, type Load} from './load.ts';
import {openBeside, sendingTo} from './operated.ts';
import {useCluster} from './postgres-cluster.ts';
import {recordHistory} from './recorded.ts';

const rounds = 12;
const connections = 40;
/** Milliseconds after which the health endpoints and leads must work again. */
const patience = 5_000;

async function isHealthy({url}: RunningService): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}

/** Resolves to the milliseconds until the condition holds. @throws Error when that takes much too long */
async function timeUntil(condition: () => boolean | Promise<boolean>): Promise<number> {
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  await until(async () => elapsed() > 4 * patience || (await condition()));
  assert.ok(elapsed() <= 4 * patience, `not so after ${elapsed()} ms`);
  return elapsed();
}

const cutAll = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lead-prequal'`;

/** Resolves to the milliseconds until `/health` is 200 and ten more leads have been acknowledged. */
function timeToRecover(server: RunningService, load: Load): Promise<number> {
  const before = load.acknowledged.length;
  return timeUntil(async () => load.acknowledged.length >= before + 10 && (await isHealthy(server)));
}

function assertPrompt(t: TestContext, what: string, times: readonly number[]) {
  t.diagnostic(`${what}, ms: ${times.join(' ')}`);
  assert.ok(Math.max(...times) < patience, `${what} took ${Math.max(...times)} ms`);
}

async function assertNothingLost(t: TestContext, server: RunningService, load: Load) {
  await load.stop();
  const lost = await missing(server.url, load.acknowledged);
  const refused = load.statuses.filter((status) => status === 503).length;
  t.diagnostic(`acknowledged ${load.acknowledged.length}, missing ${lost.length}, answered 503 ${refused}`);
  assert.deepEqual(lost, []);
  assert.deepEqual(new Set(load.statuses), new Set([201, 503]));
  assert.deepEqual(await server.end('SIGTERM'), stopped);
}

suite('PostgreSQL connections that die under keyed leads of pages', () => {
  const folder = makeTemporaryFolder();
  const cluster = useCluster();
  after(() => folder.remove());

  test('twelve cuts of all connections end no process and lose no acknowledged lead', async (t) => {
    const recorder = recordHistory({crm: {gets: 'news', parallel: usualParallel, mostSends: Infinity}});
    const crm = await openFor(t, startWebhookReceiver(recorder.webhook('crm', replyWith(204))));
    const store = {DATABASE_URL: cluster.url};
    const server = await startOver(folder.path, {...store, ...sendingTo(folder.path, {crm})});
    const admin = new pg.Client({connectionString: cluster.url});
    await admin.connect();
    t.after(() => admin.end());
    const load = createLeads(server.url, connections, recorder.newLead, Infinity, recorder);
    const [cuts, times]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      await timeUntil(() => load.acknowledged.length >= (round + 1) * 200);
      let cut = 0;
      const recovered = recorder.trouble('store');
      await timeUntil(async () => {
        cut = (await admin.query(cutAll)).rowCount ?? 0;
        return cut > 0;
      });
      cuts.push(cut);
      times.push(await timeToRecover(server, load));
      recovered();
    }
    t.diagnostic(`connections cut: ${cuts.join(' ')}`);
    assertPrompt(t, 'leads and health after each cut', times);
    await load.stop();
    const beside = await openBeside(folder.path, store);
    await until(async () => (await beside.listDeliveries(1, {})).length === 0);
    t.diagnostic(`${await recorder.check(beside, true)} facts, no violation`);
    await beside.close();
    await assertNothingLost(t, server, load);
  });

  test('twelve restarts of PostgreSQL show in health, end no process and lose no lead', async (t) => {
    const server = await startOver(folder.path, {DATABASE_URL: cluster.url});
    const load = createLeads(server.url, connections, fromPage);
    const [downs, ups]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      await timeUntil(() => load.acknowledged.length >= (round + 1) * 200);
      await cluster.stopMeanwhile(round % 2 === 0 ? 'fast' : 'immediate');
      downs.push(await timeUntil(async () => !(await isHealthy(server))));
      await cluster.startMeanwhile();
      ups.push(await timeToRecover(server, load));
    }
    assertPrompt(t, 'health says so after each stop', downs);
    assertPrompt(t, 'leads and health after each start', ups);
    await assertNothingLost(t, server, load);
  });
});
