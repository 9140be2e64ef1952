/** An upstream accepts connections and never replies, while leads keep coming. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {Pool} from 'undici';
import {clearText} from '../../server/store/sealing.ts';
import {openStore} from '../../server/store/open-store.ts';
import {json, startFakeUpstream, upstreamSettings} from '../support/fake-upstream.ts';
import {basic} from '../support/http.ts';
import {amounts, prequalificationBody} from '../support/sample-leads.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme, baseConfig} from '../support/test-server.ts';
import {startOver, stopped, until} from './load.ts';

const leads = Number(process.env['FAULT_SILENT_LEADS'] ?? 6_000);
const callers = 500;
/** Megabytes that the process may grow by. Its heap is limited to 128 MB, so that garbage does not hide a leak. */
const mostGrowth = 150;

/** In megabytes. */
const residentMemory = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;

/** Milliseconds until each response. */
async function createAll(url: string): Promise<number[]> {
  const pool = new Pool(url, {connections: callers});
  const headers = {...basic(acme), 'content-type': 'application/json'};
  const body = JSON.stringify(prequalificationBody);
  const times: number[] = [];
  let left = leads;
  const caller = async () => {
    while ((left -= 1) >= 0) {
      const began = performance.now();
      const response = await pool.request({method: 'POST', path: '/json/leads', headers, body});
      await response.body.dump();
      assert.equal(response.statusCode, 201);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({length: callers}, caller));
  await pool.close();
  return times.toSorted((a, b) => a - b);
}

suite('an upstream that never answers', () => {
  test('costs the server no memory for each lead, and callers no time once the queue is full', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const script: Parameters<typeof startFakeUpstream>[0] = {create: () => undefined};
    const upstream = await startFakeUpstream(script);
    t.after(() => upstream.close());
    const store = {DATABASE_PATH: join(folder.path, 'data', 'leads.sqlite')};
    const service = await startOver(folder.path, {
      ...store,
      ...upstreamSettings(upstream),
      OUTBOX_PER_SECOND: '1000',
      NODE_OPTIONS: '--max-old-space-size=128',
    });
    const before = residentMemory(service.pid);
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, residentMemory(service.pid))), 50);
    const times = await createAll(service.url);
    clearInterval(watch);
    const [p50, p99] = [times[Math.floor(leads / 2)]!, times[Math.floor(leads * 0.99)]!];
    t.diagnostic(
      `${leads} leads, ${upstream.sent().length} sent: memory ${before.toFixed()} MB before, ${most.toFixed()} MB at most; ` +
        `answers p50 ${p50.toFixed()} ms, p99 ${p99.toFixed()} ms`,
    );
    assert.ok(most - before < mostGrowth, `${most - before} MB`);
    assert.ok(p50 < 2_000, `${p50} ms: callers wait for an upstream that has no room`);
    assert.ok(upstream.sent().length <= 32);

    // The upstream works again, and the waiting leads are still there.
    script.create = (response, exchange) =>
      json(201, {id: exchange.headers['idempotency-key']})(response, exchange);
    script.read = json(200, amounts);
    const beside = await openStore(
      {...baseConfig(folder.path), databasePath: store.DATABASE_PATH},
      clearText,
    );
    t.after(() => beside.close());
    await until(async () => (await beside.waitingDestinations()).length === 0);
    assert.equal(new Set(upstream.sent()).size, leads);
    assert.deepEqual(await service.end('SIGTERM'), stopped);
  });
});
