/**
 * Two servers behind a load balancer, blue and green: the one that runs is replaced by the other, again and again, while
 * clients create leads. Each lead is sent twice at the same time, so that both servers may get the same key. They do not have
 * the same data keys, from which those of tokens are derived: these are rotated meanwhile, as docs/operations.md says.
 *
 * FAULT_OLD_SERVER names the folder of another version, which then is the first server, for example
 * `git worktree add /tmp/1.4.0 <its commit>`.
 */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {usualParallel} from '../../server/destinations/terms.ts';
import {freePort} from '../support/free-port.ts';
import {openFor} from '../support/opened.ts';
import {databaseFor, withoutPostgres} from '../support/postgres.ts';
import {startProxy, type ProxyName} from '../support/proxies.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';
import {createLeads, startOver, stopped, until, type NewLead} from './load.ts';
import {openAttached, sendingTo} from './operated.ts';
import {recordHistory} from './recorded.ts';

const updates = Number(process.env['FAULT_RESTARTS'] ?? 4);
const {FAULT_OLD_SERVER: oldServer} = process.env;

/** The data keys after so many updates: another key comes behind the one in use, and takes its place with the next update. */
function dataKeysAfter(update: number): string {
  const inUse = Math.floor(update / 2);
  const keys = Array.from({length: inUse + 1}, (_, index) => inUse - index);
  if (update % 2 === 1) keys.splice(1, 0, inUse + 1);
  return keys.map((index) => `data-key-${index}-that-is-long-enough-for-the-check`).join(' ');
}

/** Every lead twice, one after the other, for two connections. */
function twice(newLead: () => NewLead): () => NewLead {
  let again: NewLead | undefined;
  return () => {
    const lead = again ?? newLead();
    again = again ? undefined : lead;
    return lead;
  };
}

/** Updates servers under load. Fails if a lead is lost or doubled. @returns how many requests failed */
async function updateUnderLoad(t: TestContext, name: ProxyName): Promise<number> {
  const folder = temporaryFolder(t);
  const database = await databaseFor(t);
  const recorder = recordHistory({crm: {gets: 'events', parallel: 2 * usualParallel, maxSends: Infinity}});
  const crm = await openFor(t, startWebhookReceiver(recorder.webhook('crm', replyWith(204))));
  const store = {DATABASE_URL: database.url};
  const environment = {...store, ...sendingTo(folder, {crm}), TRUST_PROXY: '1', DRAIN_SECONDS: '5'};
  const ports = [await freePort(), await freePort()];
  const start = (update: number, code?: string) => {
    const own = {PORT: String(ports[update % 2]), DATA_KEY: dataKeysAfter(update)};
    return startOver(folder, {...environment, ...own}, [], code);
  };

  let running = await start(0, oldServer);
  const port = await freePort();
  const {url, leave} = await startProxy(t, name, {folder: folder, port, servers: ports});
  const isUp = () =>
    fetch(`${url}/readyz`).then(
      ({ok}) => ok,
      () => false,
    );
  await until(isUp);

  const load = createLeads(url, 20, twice(recorder.newLead), 10, recorder);
  const creates = (lines: readonly string[]) =>
    lines.filter((line) => line.includes('"path":"/embed/v1/leads"')).length;
  await until(() => creates(running.lines) > 50);
  for (let update = 1; update <= updates; update += 1) {
    const next = await start(update);
    leave?.(ports[(update - 1) % 2]!);
    await until(() => creates(next.lines) > 50);
    assert.deepEqual(await running.end('SIGTERM'), stopped);
    running = next;
  }
  await load.stop();

  const attached = await openAttached(folder, {...store, DATA_KEY: dataKeysAfter(updates)});
  await until(async () => (await attached.listDeliveries(1, {})).length === 0);
  await recorder.check(attached, true);
  await attached.close();
  assert.deepEqual(await running.end('SIGTERM'), stopped);
  const leads = new Set(load.acknowledged);
  const eventIds = crm.received.map(({headers}) => headers['webhook-id']);
  assert.equal(new Set(eventIds).size, eventIds.length, 'each event is sent once');
  const failed = load.statuses.filter((status) => status !== 201);
  t.diagnostic(
    `${name}: ${updates} updates; ${failed.length} of ${load.statuses.length} requests failed: ${failed.join(' ')}; ` +
      `${leads.size} leads, ${eventIds.length} events`,
  );
  return failed.length;
}

suite('blue and green, of which one replaces the other under load', {skip: withoutPostgres}, () => {
  test('no request fails behind HAProxy, and no lead is lost or doubled', async (t) => {
    assert.equal(await updateUnderLoad(t, 'HAProxy'), 0);
  });
  test('no lead is lost or doubled behind nginx', async (t) => {
    await updateUnderLoad(t, 'nginx');
  });
});
