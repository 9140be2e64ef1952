/**
 * `npm run bench:operator [leads]`: the commands of an operator over a million leads, beside a server that gets 200
 * leads a second, over both databases. For each command: how long it takes in all (Node alone takes half a second to
 * start), how much memory its process uses at most, and what the creates take meanwhile.
 */
import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import {Pool} from 'undici';
import {referenceOf} from '../../contract/reference.ts';
import {clearText} from '../../server/store/sealing.ts';
import {openStore, openStoreBeside} from '../../server/store/open-store.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {baseConfig, listedOrigin} from '../support/test-server.ts';
import {freshStore} from './servers.ts';

const leads = Number(process.argv[2] ?? 1_000_000);
const perSecond = 200;
/** Milliseconds for which a command is run again and again. */
const shortest = 5_000;
const program = join(import.meta.dirname, '../../server/lead-prequal.cjs');

const personal = JSON.stringify({
  first_name: 'Jane',
  last_name: 'Doe',
  email: 'jane.doe@mail.example.com',
  phone: {typed: '202-555-0142', e164: '+12025550142'},
  credit_score: 'Above 720',
  bankruptcy: false,
  retirement: 100_000,
  cash: 50_000,
  investments: 20_001,
});
const attribution = JSON.stringify({utm_source: 'newsletter', gclid: 'EAIaIQobChMI4'.repeat(4)});
const year = 365 * 24 * 3_600_000;
const begin = Date.now() - year;

/** A year of leads of 20 partners and 50 campaigns; one in a hundred is pending, one in two hundred refused. */
const inserts = (hex: (n: string, digits: number) => string, numbers: string) => {
  const time = `(${begin} + n * ${Math.floor(year / leads)})`;
  const id = `substr(${hex(time, 12)}, 1, 8) || '-' || substr(${hex(time, 12)}, 9, 4) || '-7000-8000-' || ${hex('n * 7919', 12)}`;
  const status = `CASE WHEN n % 100 = 0 THEN 'pending' WHEN n % 200 = 1 THEN 'refused' ELSE 'done' END`;
  return [
    `INSERT INTO leads (id, created_at, cid, partner, lead_type, lead, status, rollover_amount, sba_qualified_amount,
        unsecured_amount, portfolio_loan_qualified_amount, total_qualified_amount, reasons, policy_version,
        attribution, utm_source, utm_campaign)
      SELECT ${id}, ${time}, '1001', CASE WHEN n % 20 = 0 THEN NULL ELSE 'partner-' || (n % 20) END,
        'prequalification', '${personal}', ${status}, 100000, 600000, 150000, 12000, 862000, '{}', 'default-1',
        '${attribution}', 'newsletter', CASE n % 3 WHEN 0 THEN NULL ELSE 'campaign-' || (n % 50) END
      FROM ${numbers}`,
    `INSERT INTO deliveries (lead_id, destination, content, gives_answer, state, attempts, ambiguous,
        ambiguous_counted, next_attempt_at, leased_until, settled_at, happened_at)
      SELECT ${id}, 'crm', 'created', 0, CASE WHEN n % 500 = 0 THEN 'failed' ELSE 'delivered' END, 1, 0, 0, ${time}, 0,
        CASE WHEN n % 500 = 0 THEN NULL ELSE ${time} END, ${time}
      FROM ${numbers}`,
  ];
};

async function fill(name: 'SQLite' | 'PostgreSQL', location: string, folder: string) {
  const config = {
    ...baseConfig(folder),
    ...(name === 'SQLite' ? {databasePath: location} : {databaseUrl: location}),
  };
  await (await openStore(config, clearText)).close();
  if (name === 'SQLite') {
    const database = new DatabaseSync(location);
    database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
    const numbers = `(WITH RECURSIVE numbers(n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${leads}) SELECT n FROM numbers)`;
    for (const sql of inserts((n, digits) => `printf('%0${digits}x', ${n})`, numbers)) database.exec(sql);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  } else {
    const client = new pg.Client(location);
    await client.connect();
    const hex = (n: string, digits: number) => `lpad(to_hex((${n})::bigint), ${digits}, '0')`;
    for (const sql of inserts(hex, `generate_series(1::bigint, ${leads}) AS n`)) await client.query(sql);
    await client.query('VACUUM ANALYZE');
    await client.end();
  }
  return config;
}

const quantile = (values: readonly number[], share: number) =>
  Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0);

/** Creates leads at a constant pace until it is stopped. */
function startCreates(url: string) {
  const pool = new Pool(url, {connections: 50});
  let [times, failures]: [number[], number] = [[], 0];
  let running = true;
  const began = performance.now();
  const done = (async () => {
    for (let count = 0; running; count += 1) {
      const early = began + (count / perSecond) * 1_000 - performance.now();
      if (early > 0) await sleep(early);
      const at = performance.now();
      const headers = {
        origin: listedOrigin,
        'idempotency-key': randomUUID(),
        'content-type': 'application/json',
      };
      const body = JSON.stringify({lead: without(prequalificationBody, 'cid')});
      const sent = pool.request({method: 'POST', path: '/embed/v1/leads?partner=acme', headers, body});
      void sent.then(async (response) => {
        await response.body.dump();
        times.push(performance.now() - at);
        if (response.statusCode !== 201) failures += 1;
      });
    }
  })();
  return {
    /** What was measured since the last call. */
    take() {
      const taken = {p50: quantile(times, 0.5), p99: quantile(times, 0.99), failures, creates: times.length};
      [times, failures] = [[], 0];
      return taken;
    },
    async stop() {
      running = false;
      await done;
      await pool.close();
    },
  };
}

/** The most memory that a process has used, in MB. */
function peakOf(pid: number): number {
  try {
    const [, kilobytes = 0] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
}

async function run(environment: Record<string, string>, words: readonly string[]) {
  const began = performance.now();
  const env = {PATH: process.env['PATH'], ...environment};
  const child = spawn(process.execPath, [program, ...words], {env, stdio: ['ignore', 'ignore', 'inherit']});
  let memory = 0;
  const timer = setInterval(() => (memory = Math.max(memory, peakOf(child.pid!))), 20);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(timer);
  return {code, milliseconds: Math.round(performance.now() - began), memory};
}

async function measure(name: 'SQLite' | 'PostgreSQL') {
  const folder = makeTemporaryFolder();
  const location = await freshStore(name);
  const config = await fill(name, location, folder.path);
  const environment = {
    ...serviceSettings(folder.path),
    ...(name === 'SQLite' ? {DATABASE_PATH: location} : {DATABASE_URL: location}),
  };
  console.log(`\n${name}, ${leads.toLocaleString('en-US')} leads`);

  // The queries alone, in this process.
  const store = await openStoreBeside(config, clearText, false);
  const [newest] = await store.listLeads({}, {limit: 1});
  const filters = {
    none: {},
    'a partner': {partner: 'partner-7'},
    'a rare state': {status: 'refused'},
    'no partner like this': {partner: 'nobody'},
    'a campaign': {campaign: 'campaign-7'},
    'a campaign that no lead of the partner has': {partner: 'partner-7', campaign: 'campaign-8'},
    'partner, state and campaign': {partner: 'partner-1', status: 'refused', campaign: 'campaign-1'},
    'a reference': {endOfId: newest!.id.slice(-10)},
    'a reference that no lead has': {endOfId: 'ffffffffff'},
    'the oldest day': {until: begin + 24 * 3_600_000},
  } as const;
  const time = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return Math.round(performance.now() - began);
  };
  for (const [what, filter] of Object.entries(filters)) {
    const list = await time(() => store.listLeads(filter, {limit: 50}));
    const count = await time(() => store.countLeads(filter));
    console.log(`  ${what}: list ${list} ms, count ${count} ms`);
  }
  const dayOf = (at: number) => new Date(new Date(at).toDateString()).getTime();
  for (const by of [
    ['partner'],
    ['day'],
    ['partner', 'day'],
    ['state'],
    ['campaign'],
    ['partner', 'state', 'campaign', 'day'],
  ] as const)
    console.log(`  count by ${by.join(', ')}: ${await time(() => store.countLeadsBy({}, by, dayOf))} ms`);
  await store.close();

  const service = await startService(environment, folder.path);
  const creates = startCreates(service.url);
  await sleep(5_000);
  creates.take();
  await sleep(15_000);
  const before = creates.take();
  console.log(
    `  creates alone: p50 ${before.p50} ms, p99 ${before.p99} ms, ${before.failures} failed of ${before.creates}`,
  );
  const file = join(folder.path, 'all');
  const commands = [
    ['leads', 'list'],
    ['leads', 'list', '--partner', 'nobody'],
    ['leads', 'show', referenceOf(newest!.id)],
    ['leads', 'count', '--partner', 'partner-7', '--since', 'yesterday', '--until', 'today'],
    ['leads', 'count', '--by', 'partner,day'],
    ['leads', 'export', `${file}.csv`],
    ['leads', 'export', `${file}.jsonl`],
    ['destinations', 'list'],
    ['deliveries', 'list', '--state', 'failed'],
    ['deliveries', 'retry', '--state', 'failed', '--since', '30d'],
  ];
  for (const words of commands) {
    creates.take();
    const began = performance.now();
    let {code, milliseconds, memory} = await run(environment, words);
    // A short command runs several times, so that the quantile of the creates means something.
    while (performance.now() - began < shortest) {
      const again = await run(environment, words);
      memory = Math.max(memory, again.memory);
      [code, milliseconds] = [again.code, Math.min(milliseconds, again.milliseconds)];
    }
    const {p50, p99, failures, creates: count} = creates.take();
    const ratio = (p99 / before.p99).toFixed(2);
    console.log(
      `  ${words.slice(0, 6).join(' ').replace(folder.path, '…')}: exit ${code}, ${milliseconds} ms, ${memory} MB; creates p50 ${p50} ms, p99 ${p99} ms (${ratio}), ${failures} failed of ${count}`,
    );
  }
  const megabytes = ['csv', 'jsonl'].map((kind) => Math.round(statSync(`${file}.${kind}`).size / 1e6));
  console.log(`  the exports have ${megabytes.join(' and ')} MB`);
  await creates.stop();
  await service.end('SIGTERM');
  folder.remove();
  if (name === 'SQLite') rmSync(join(location, '..'), {recursive: true});
  else {
    const admin = new pg.Client(process.env['TEST_DATABASE_URL']);
    await admin.connect();
    await admin.query(`DROP DATABASE ${new URL(location).pathname.slice(1)}`);
    await admin.end();
  }
}

const only = process.argv[3];
if (only !== 'PostgreSQL') await measure('SQLite');
if (only !== 'SQLite' && process.env['TEST_DATABASE_URL']) await measure('PostgreSQL');
