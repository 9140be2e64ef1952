/**
 * Processes, disks and databases fail under load, again and again. What was acknowledged is stored and delivered, and
 * the servers work again by themselves. On PostgreSQL two processes share the work, and the first one is the victim.
 */
import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, suite, test, type TestContext} from 'node:test';
import pg from 'pg';
import {maxSends, usualParallel} from '../../server/destinations/terms.ts';
import {startFakeUpstream} from '../support/fake-upstream.ts';
import {openFor} from '../support/opened.ts';
import {stopWrites} from '../support/rows.ts';
import type {RunningService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {replyWith, startWebhookReceiver, type ReceiverReply} from '../support/webhook-receiver.ts';
import type {Trouble} from '../simulation/history.ts';
import {createLeads, fillDisk, missing, smallDisk, startOver, stopped, until, type Load} from './load.ts';
import {openAttached, sendingTo} from './operated.ts';
import {useCluster, withoutBinaries, type Cluster} from './postgres-cluster.ts';
import {recordHistory} from './recorded.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 100);
/** Milliseconds after which leads must be taken again, once the store is back. */
const patience = 5_000;

/** One round: servers that get leads, and the store that they share. */
type Round = {
  /** The first of the servers, which all faults of processes hit. */
  victim: RunningService;
  /** Stops sending, and starts a server in place of the first one, which has ended. */
  replaceVictim: () => Promise<void>;
  loads: readonly Load[];
  /** Leads that could be read when the round began. */
  readable: readonly string[];
  /** The file of SQLite, which is alone on a small disk. */
  path: string;
  cluster: Cluster;
};

type Fault = {
  stores: readonly ('SQLite' | 'PostgreSQL')[];
  mostRounds?: number;
  kind: Trouble['kind'];
  /** What requests may be answered besides 201. A broken connection is 0. */
  statuses: readonly number[];
  strike(round: Round): Promise<void>;
};

const count = (loads: readonly Load[]) => loads.reduce((sum, {acknowledged}) => sum + acknowledged.length, 0);

/** Ends the fault of a store when leads are refused. Meanwhile reads go on, unless the whole store is away. */
async function endWhenRefused({loads, victim, readable}: Round, end: () => unknown, reads = true) {
  await until(() => loads.every(({statuses}) => statuses.at(-1) === 503));
  if (reads) assert.deepEqual(await missing(victim.url, readable), []);
  await end();
  await areTakenAgain(loads);
}

async function areTakenAgain(loads: readonly Load[]) {
  const [begun, before] = [performance.now(), count(loads)];
  await until(() => count(loads) >= before + 10);
  const took = performance.now() - begun;
  assert.ok(took < patience, `leads were taken again after ${took} ms`);
}

async function stopDatabase(mode: 'fast' | 'immediate', round: Round) {
  await round.cluster.stopMeanwhile(mode);
  await endWhenRefused(round, () => round.cluster.startMeanwhile(), false);
}

const ofProcesses = {stores: ['SQLite', 'PostgreSQL'], kind: 'crash', statuses: [503, 0]} as const;
const ofFile = {stores: ['SQLite'], mostRounds: 3, kind: 'store', statuses: [503]} as const;
const ofDatabase = {stores: ['PostgreSQL'], mostRounds: 6, kind: 'store', statuses: [503]} as const;

const faults: Record<string, Fault> = {
  'kills with SIGKILL': {
    ...ofProcesses,
    async strike({victim, replaceVictim}) {
      await victim.end('SIGKILL');
      await replaceVictim();
    },
  },
  'stops with SIGTERM': {
    ...ofProcesses,
    mostRounds: 3,
    async strike({victim, replaceVictim}) {
      assert.deepEqual(await victim.end('SIGTERM'), stopped);
      await replaceVictim();
    },
  },
  'locks by another process': {
    ...ofFile,
    strike: (round) => endWhenRefused(round, stopWrites(round.path)),
  },
  'full disks': {
    ...ofFile,
    // This leaves room for a few hundred leads.
    strike: (round) => endWhenRefused(round, fillDisk(dirname(round.path), 512 * 1024)),
  },
  'cuts of all connections': {
    ...ofDatabase,
    mostRounds: 12,
    async strike({cluster, loads}) {
      const admin = new pg.Client({connectionString: cluster.url});
      await admin.connect();
      const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lead-prequal'`;
      await until(async () => ((await admin.query(cut)).rowCount ?? 0) > 0);
      await admin.end();
      await areTakenAgain(loads);
    },
  },
  'stops of the database': {...ofDatabase, strike: (round) => stopDatabase('fast', round)},
  'crashes of the database': {...ofDatabase, strike: (round) => stopDatabase('immediate', round)},
};

async function strikeRepeatedly(t: TestContext, folder: string, cluster: Cluster, on: string, fault: Fault) {
  const isSqlite = on === 'SQLite';
  const path = isSqlite ? join(smallDisk(t), 'leads.sqlite') : '';
  const store = isSqlite ? {DATABASE_PATH: path} : {DATABASE_URL: await cluster.createDatabase()};
  const processes = isSqlite ? 1 : 2;
  const events = {gets: 'events', parallel: usualParallel * processes, maxSends: Infinity} as const;
  const leads = {gets: 'leads', parallel: usualParallel * processes, maxSends: maxSends.send} as const;
  const recorder = recordHistory({lender: leads, crm: events, sheet: events}, 'lender');
  const soon: ReceiverReply = (response) => void setTimeout(() => response.writeHead(204).end(), 5);
  const crm = await openFor(t, startWebhookReceiver(recorder.webhook('crm', replyWith(204))));
  const sheet = await openFor(t, startWebhookReceiver(recorder.webhook('sheet', soon)));
  const lender = await openFor(t, startFakeUpstream(recorder.upstream('lender')));
  const environment = {...store, ...sendingTo(folder, {crm, sheet}, lender)};
  const start = () => startOver(folder, environment);
  let victim = await start();
  const others = isSqlite ? [] : [await start()];

  const allowed = [201, ...fault.statuses];
  let acknowledged = 0;
  const most = Math.min(rounds, fault.mostRounds ?? Infinity);
  for (let number = 1; number <= most; number += 1) {
    const loads = [victim, ...others].map(({url}) =>
      createLeads(url, 10, recorder.newLead, Infinity, recorder),
    );
    const stop = () => Promise.all(loads.map((load) => load.stop()));
    // Each round strikes at another moment: early, under full load, after a checkpoint.
    const enough = 20 + Math.floor(Math.random() * 400);
    await until(() => count(loads) >= enough);
    // A lead that has no answer yet cannot be read.
    const some = loads[0]!.acknowledged.slice(0, 50);
    const pending = await missing(victim.url, some);
    const readable = some.filter((id) => !pending.includes(id));
    const isOver = recorder.trouble(fault.kind);
    const replaceVictim = async () => {
      await stop();
      victim = await start();
    };
    await fault.strike({victim, replaceVictim, loads, readable, path, cluster});
    isOver();
    await stop();
    acknowledged += count(loads);
    const wrong = loads.flatMap(({statuses}) => statuses.filter((status) => !allowed.includes(status)));
    assert.deepEqual(wrong, []);
  }
  const attached = await openAttached(folder, store);
  await until(async () => (await attached.listDeliveries(1, {})).length === 0);
  const facts = await recorder.check(attached, true);
  await attached.close();
  for (const server of [victim, ...others]) assert.deepEqual(await server.end('SIGTERM'), stopped);
  t.diagnostic(`${most} times, ${acknowledged} acknowledged leads, ${facts} facts without a violation`);
}

// A killed server holds its leases for 45 s, so both stores wait for that at once.
suite('under load', {concurrency: 2}, () => {
  for (const on of ['SQLite', 'PostgreSQL'] as const) {
    suite(`on ${on}`, {concurrency: 1, skip: on === 'PostgreSQL' && withoutBinaries}, () => {
      const folder = temporaryFolder({after});
      const cluster = on === 'PostgreSQL' ? useCluster() : ({} as Cluster);
      for (const [name, fault] of Object.entries(faults).filter(([, {stores}]) => stores.includes(on))) {
        test(`${name} lose no acknowledged lead and no delivery on ${on}`, async (t) => {
          const own = join(folder, name.replaceAll(' ', '-'));
          mkdirSync(own);
          await strikeRepeatedly(t, own, cluster, on, fault);
        });
      }
    });
  }
});
