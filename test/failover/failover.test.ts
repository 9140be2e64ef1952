/**
 * The primary of two PostgreSQL fails, again and again, while three servers take leads: its machine loses its power, hangs,
 * or hands over on purpose. Afterwards no acknowledged lead is missing, and no idempotency key has made two leads.
 *
 * FAILOVER_KILLS is the number of kills. Ten take about ten minutes.
 */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import pg from 'pg';
import {startOver, stopped, until} from '../faults/load.ts';
import {sendingTo} from '../faults/operated.ts';
import {openFor} from '../support/opened.ts';
import {redisUrl, withoutRedis} from '../support/redis.ts';
import type {RunningService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';
import {
  haproxySettings,
  otherThan,
  patroniSettings,
  startFailoverCluster,
  type FailoverCluster,
  type NodeName,
} from './cluster.ts';
import {longestGap, sendKeyedLoad} from './keyed-load.ts';
import {openedLeads} from '../support/encrypted-rows.ts';

const kills = Number(process.env['FAILOVER_KILLS'] ?? 10);
const servers = 3;

/** Each resolves when the other one is the primary, and this one follows it again. */
const events = {
  async kill(cluster: FailoverCluster, node: NodeName) {
    cluster.kill(node);
    await until(() => cluster.isPrimary(otherThan(node)));
    cluster.start(node);
    await until(() => cluster.isSynchronousStandby(node));
  },
  async freeze(cluster: FailoverCluster, node: NodeName) {
    const letGoOn = cluster.freeze(node);
    await until(() => cluster.isPrimary(otherThan(node)));
    letGoOn();
    await until(() => cluster.isSynchronousStandby(node));
  },
  async switchover(cluster: FailoverCluster, node: NodeName) {
    await cluster.switchOver(node);
    await until(() => cluster.isPrimary(otherThan(node)));
    await until(() => cluster.isSynchronousStandby(node));
  },
};

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;
const describe = (gaps: readonly number[]) => {
  const sorted = gaps.toSorted((a, b) => a - b);
  return `median ${seconds(sorted[Math.floor(sorted.length / 2)]!)}, worst ${seconds(sorted.at(-1)!)}`;
};

suite('two PostgreSQL of which one takes over from the other', {skip: withoutRedis}, () => {
  test('lose no acknowledged lead, double none, and meanwhile clients get an answer in words', async (t) => {
    const folder = temporaryFolder(t);
    const cluster = await startFailoverCluster(t);
    console.log(`Patroni: ${JSON.stringify(patroniSettings)}; HAProxy: ${haproxySettings.join('; ')}`);
    const crm = await openFor(t, startWebhookReceiver(replyWith(204)));
    const environment = {
      ...sendingTo(folder, {crm}),
      DATABASE_URL: cluster.url,
      REDIS_URL: redisUrl!,
      TRUST_PROXY: '1',
    };
    const running: RunningService[] = [];
    for (let server = 0; server < servers; server += 1) running.push(await startOver(folder, environment));

    const load = sendKeyedLoad(
      t,
      running.map(({url}) => url),
    );
    /** Resolves when each server has acknowledged some leads from now on. */
    const goesOn = async () => {
      const before = load.acknowledged.length;
      const since = () => load.acknowledged.slice(before);
      await until(() =>
        running.every((_, index) => since().filter(({server}) => server === index).length >= 20),
      );
    };
    await goesOn();

    const plan = [...Array.from({length: kills}, () => 'kill' as const), 'freeze', 'switchover'] as const;
    const gaps = {kill: [] as number[], freeze: [] as number[], switchover: [] as number[]};
    for (const event of plan) {
      const node = await cluster.primary();
      const begun = performance.now();
      await events[event](cluster, node);
      await goesOn();
      const gap = longestGap(load, servers, begun);
      gaps[event].push(gap);
      console.log(
        `${event} of ${node}: no lead for ${seconds(gap)}, and all was as before after ${seconds(performance.now() - begun)}`,
      );
    }
    await load.stop();

    const client = new pg.Client({connectionString: cluster.url});
    await client.connect();
    const select = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows;
    const going = new Set((await select('SELECT lead_id FROM deliveries')).map(({lead_id}) => lead_id));
    const rows = (await openedLeads({select})).map(({id, lead}) => ({
      ...{id, email: (lead as {email: string}).email, goes: going.has(id)},
    }));
    const stored = new Map(rows.map(({id, email}) => [email, id]));
    const missing = [...load.leads].filter(([email, id]) => {
      const found = stored.get(email);
      return found === undefined || (id !== undefined && found !== id);
    });
    const second = rows.length - stored.size;
    const waiting = async () =>
      (await client.query(`SELECT FROM deliveries WHERE settled_at IS NULL`)).rowCount;
    await until(async () => (await waiting()) === 0);
    await client.end();
    const told = new Set(crm.received.map(({body}) => (JSON.parse(body) as {data: {id: string}}).data.id));
    const untold = rows.filter(({id, goes}) => goes && !told.has(id)).length;

    for (const [event, times] of Object.entries(gaps)) {
      if (times.length > 0) console.log(`${times.length} × ${event}: gap in writing ${describe(times)}`);
    }
    console.log(`acknowledged ${load.leads.size}, missing ${missing.length}, second leads ${second}`);
    console.log(`events ${crm.received.length}, leads that the webhook never got ${untold}`);
    console.log(`answers: ${JSON.stringify(load.statuses)}; the slowest took ${seconds(load.slowest())}`);
    console.log(`answers without words, or none: ${load.bad.length} ${load.bad.slice(0, 5).join('; ')}`);
    assert.deepEqual(missing, []);
    assert.equal(second, 0);
    assert.equal(untold, 0);
    assert.deepEqual(load.bad.slice(0, 5), []);
    for (const server of running) assert.deepEqual(await server.end('SIGTERM'), stopped);
  });
});
