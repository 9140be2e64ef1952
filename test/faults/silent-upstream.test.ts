/** An upstream accepts connections and never replies, while leads keep coming. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {openStore} from '../../server/store/open-store.ts';
import {json, startFakeUpstream, upstreamSettings} from '../support/fake-upstream.ts';
import {amounts} from '../support/sample-leads.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {baseConfig, testEncryptor} from '../support/test-server.ts';
import {createLeads, startOver, stopped, until} from './load.ts';
import {memoryOf} from './under-attack.ts';
import {openFor} from '../support/opened.ts';

const leads = Number(process.env['FAULT_SILENT_LEADS'] ?? 6_000);
const callers = 500;
/** Megabytes that the process may grow by. Its heap is limited to 128 MB, so that garbage does not hide a leak. */
const mostGrowth = 150;

suite('an upstream that never answers', () => {
  test('costs the server no memory for each lead, and callers no time once the queue is full', async (t) => {
    const folder = temporaryFolder(t);
    const script: Parameters<typeof startFakeUpstream>[0] = {create: () => undefined};
    const upstream = await openFor(t, startFakeUpstream(script));
    const store = {DATABASE_PATH: join(folder, 'data', 'leads.sqlite')};
    const service = await startOver(folder, {
      ...store,
      ...upstreamSettings(folder, upstream, {per_second: 1_000}),
      NODE_OPTIONS: '--max-old-space-size=128',
    });
    const before = memoryOf(service.pid);
    let most = before;
    const load = createLeads(service.url, callers);
    await until(() => {
      most = Math.max(most, memoryOf(service.pid));
      return load.statuses.length >= leads;
    });
    await load.stop();
    assert.deepEqual(new Set(load.statuses), new Set([201]));
    const created = load.acknowledged.length;
    const times = load.times.toSorted((a, b) => a - b);
    const [p50, p99] = [times[Math.floor(created / 2)]!, times[Math.floor(created * 0.99)]!];
    t.diagnostic(
      `${created} leads, ${upstream.sent().length} sent: memory ${before} MB before, ${most} MB at most; ` +
        `answers p50 ${p50.toFixed()} ms, p99 ${p99.toFixed()} ms`,
    );
    assert.ok(most - before < mostGrowth, `${most - before} MB`);
    assert.ok(p50 < 2_000, `${p50} ms: callers wait for an upstream that has no room`);
    assert.ok(upstream.sent().length <= 32);

    // The upstream works again, and the waiting leads are still there.
    script.create = (response, exchange) =>
      json(201, {id: exchange.headers['idempotency-key']})(response, exchange);
    script.read = json(200, amounts);
    const attached = await openFor(
      t,
      openStore({...baseConfig(folder), databasePath: store.DATABASE_PATH}, testEncryptor),
    );
    await until(async () => (await attached.waitingDestinations()).length === 0);
    assert.equal(new Set(upstream.sent()).size, created);
    assert.deepEqual(await service.end('SIGTERM'), stopped);
  });
});
