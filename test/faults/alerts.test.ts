/**
 * Each thing that an alert watches is broken, and the metrics of the real server are scraped before and after. Fed with
 * what was scraped, the rules of deploy/alerts.yml fire within a minute after their condition is met, and not before.
 */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {suite, test, type TestContext} from 'node:test';
import {Pool} from 'undici';
import type {Sample} from '../support/scrape.ts';
import {startFakeUpstream} from '../support/fake-upstream.ts';
import {freePort} from '../support/free-port.ts';
import {need} from '../support/installed.ts';
import {startMailServer} from '../support/mail-server.ts';
import {openFor} from '../support/opened.ts';
import {startRedis} from '../support/redis.ts';
import {samplesNamed, scrape, valueOf} from '../support/scrape.ts';
import type {RunningService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {otherOrigin} from '../support/test-server.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';
import {fillDisk, fromPage, smallDisk, startOver, until} from './load.ts';
import {sendingTo} from './operated.ts';
import {expectAlerts, promtool, rulesFile, waitOf, type Phase} from './promtool.ts';
import {writeConfig} from '../support/config-file.ts';

/** Seconds between two scrapes. */
const interval = 15;
/** Seconds within which a rule must fire. */
const promised = 60;

type Watched = RunningService & {
  samples(): Promise<Sample[]>;
  /** Resolves to the samples of the first scrape of which this is true. */
  samplesWhen(condition: (samples: Sample[]) => boolean): Promise<Sample[]>;
  send(count: number): Promise<void>;
};

async function start(
  t: TestContext,
  settings: (folder: string) => Record<string, string> = () => ({}),
): Promise<Watched> {
  const folder = temporaryFolder(t);
  const path = join(folder, 'data', 'leads.sqlite');
  const service = await startOver(folder, {DATABASE_PATH: path, METRICS_PORT: '0', ...settings(folder)});
  const ready = service.lines.find((line) => line.includes('"msg":"ready"')) ?? '';
  const {metrics} = JSON.parse(ready) as {metrics: number};
  const samples = () => scrape(metrics);
  return {
    ...service,
    samples,
    async samplesWhen(condition) {
      let last: Sample[] = [];
      await until(async () => condition((last = await samples())));
      return last;
    },
    async send(count) {
      const pool = new Pool(service.url, {connections: 5});
      const sendOne = async () => {
        const {statusCode, body} = await pool.request({method: 'POST', ...fromPage()});
        await body.dump();
        assert.ok([201, 503].includes(statusCode));
      };
      await Promise.all(Array.from({length: count}, sendOne));
      await pool.close();
    },
  };
}

/** Whether a destination is in a state. */
const isIn = (samples: readonly Sample[], destination: string, state: string) =>
  valueOf(samples, 'lead_prequal_destination_state', {destination, state}) === 1;

/** Ten minutes of the first scrape, and then the second one. The alert fires as soon as its wait is over. */
async function firesAfter(
  alert: string,
  healthy: readonly Sample[],
  broken: Omit<Phase, 'steps'>,
  labels: Record<string, string> = {},
) {
  const begin = 600;
  const wait = waitOf(alert);
  const steps = (wait + 300) / interval;
  const phases = [
    {steps: begin / interval, from: healthy},
    {steps, ...broken},
  ];
  await expectAlerts(interval, phases, [
    {at: begin - interval, alert, fires: false},
    {at: begin + wait - 30, alert, labels, fires: false},
    {at: begin + wait + promised, alert, labels, fires: true},
  ]);
}

suite('the rules and the dashboard', () => {
  const dashboard = readFileSync(join(rulesFile, '../grafana.json'), 'utf8');
  const rules = readFileSync(rulesFile, 'utf8');

  test('promtool finds nothing wrong, and each rule has a reason and something to do', async () => {
    assert.match(await promtool('check', 'rules', rulesFile), /SUCCESS: 8 rules found/);
    for (const rule of rules.split('- alert: ').slice(1))
      for (const annotation of ['summary', 'reason', 'action'])
        assert.match(rule, new RegExp(`^ +${annotation}: .{20}`, 'm'));
  });

  test('Prometheus can read each expression of the dashboard', async (t) => {
    const file = join(temporaryFolder(t), 'rules.json');
    const {panels} = JSON.parse(dashboard) as {panels: {targets?: {expr: string}[]}[]};
    const expressions = panels.flatMap(({targets = []}) => targets.map(({expr}) => expr));
    assert.ok(expressions.length > 20);
    const recorded = expressions.map((expr, index) => ({record: `panel_${index}`, expr}));
    writeFileSync(file, JSON.stringify({groups: [{name: 'dashboard', rules: recorded}]}));
    await promtool('check', 'rules', file);
  });

  test('they use only metrics that the server has', async (t) => {
    const crm = await openFor(t, startWebhookReceiver());
    const server = await start(t, (folder) => ({
      ...sendingTo(folder, {crm}),
      REDIS_URL: 'redis://127.0.0.1:1',
    }));
    await server.send(1);
    await fetch(`${server.url}/embed/v1/config?partner=acme`, {headers: {origin: otherOrigin}});
    const samples = await server.samplesWhen((some) => samplesNamed(some, /last_success/).length > 0);
    const known = new Set(samples.map(({name}) => name));
    for (const [name] of (dashboard + rules).matchAll(/(?:lead_prequal|nodejs|process)_\w+/g))
      assert.ok(known.has(name), name);
  });
});

test('an upstream that is away, and a webhook that refuses all, fail after five minutes', async (t) => {
  const crm = await openFor(t, startWebhookReceiver());
  const lender = await openFor(t, startFakeUpstream());
  const server = await start(t, (folder) => sendingTo(folder, {crm}, lender));
  await server.send(3);
  const healthy = await server.samplesWhen((some) => samplesNamed(some, /last_success/).length === 2);
  await lender.close();
  crm.answerWith(replyWith(400));
  await server.send(8);
  const broken = await server.samplesWhen(
    (some) => isIn(some, 'lender', 'failing') && isIn(some, 'crm', 'refusing'),
  );
  for (const destination of ['lender', 'crm'])
    await firesAfter('LeadPrequalDestinationFailing', healthy, {from: broken}, {destination});
});

test('a lead that waits for a mail server that is down is late after a quarter of an hour', async (t) => {
  const mail = await openFor(t, startMailServer());
  const server = await start(t, (folder) => {
    const destinations = {inbox: {type: 'email', to: ['sales@example.com']}};
    const from = {mail_from: 'leads@example.com'};
    return {
      CONFIG_FILE: writeConfig(folder, [{send_to: ['inbox']}], destinations, from),
      SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    };
  });
  await server.send(1);
  const healthy = await server.samplesWhen((some) => samplesNamed(some, /last_success/).length === 1);
  await mail.close();
  await server.send(1);
  const lateness = (some: Sample[]) => valueOf(some, 'lead_prequal_outbox_late_seconds');
  const first = await server.samplesWhen((some) => lateness(some) > 0.5);
  const begun = performance.now();
  const second = await server.samplesWhen((some) => lateness(some) > lateness(first) + 1);
  const perSecond = ((lateness(second) - lateness(first)) / (performance.now() - begun)) * 1_000;
  assert.ok(perSecond > 0.5 && perSecond < 2, `${perSecond}`);

  const [begin, lasts] = [600, 1_200];
  const later = first.map((sample) =>
    sample.name === 'lead_prequal_outbox_late_seconds' ? {...sample, value: sample.value + lasts} : sample,
  );
  const phases = [
    {steps: begin / interval, from: healthy},
    {steps: lasts / interval, from: first, to: later},
  ];
  const met = begin + 900 - lateness(first);
  const alert = 'LeadPrequalDeliveriesLate';
  const labels = {destination: 'inbox'};
  await expectAlerts(interval, phases, [
    {at: met - 2 * interval, alert, fires: false},
    {at: met + promised, alert, labels, fires: true},
  ]);
});

test('a full disk is told a minute after, and that no lead can be stored', async (t) => {
  const disk = smallDisk(t);
  const server = await start(t, () => ({DATABASE_PATH: join(disk, 'leads.sqlite')}));
  await server.send(5);
  const healthy = await server.samples();
  fillDisk(disk);
  await server.send(5);
  const broken = await server.samplesWhen((some) => valueOf(some, 'lead_prequal_store_up') === 0);
  for (const alert of ['LeadPrequalDiskFull', 'LeadPrequalDown'])
    await firesAfter(alert, healthy, {from: broken});
});

test('a store that takes a second for each commit is told after five minutes', async (t) => {
  const server = await start(t);
  await server.send(20);
  const healthy = await server.samples();
  const calls = 'fsync,fdatasync';
  const options = ['-f', '-p', String(server.pid), '-e', `trace=${calls}`];
  const tracer = spawn(
    need('strace'),
    [...options, '-e', `inject=${calls}:delay_exit=1s`, '-o', '/dev/null'],
    {stdio: ['ignore', 'ignore', 'pipe']},
  );
  t.after(() => tracer.kill());
  await once(createInterface({input: tracer.stderr}), 'line');
  const slow = (some: readonly Sample[]) =>
    valueOf(some, 'lead_prequal_commit_seconds_count') -
    valueOf(some, 'lead_prequal_commit_seconds_bucket', {le: '0.5'});
  // The server's own trial writes are slow, too, so no lead is needed to notice.
  const broken = await server.samplesWhen((some) => slow(some) - slow(healthy) >= 3);
  // As many slow commits in each further minute.
  const minutes = waitOf('LeadPrequalStoreSlow') / 60 + 5;
  const before = new Map(
    healthy.map((sample) => [JSON.stringify([sample.name, sample.labels]), sample.value]),
  );
  const later = broken.map((sample) => {
    const was = before.get(JSON.stringify([sample.name, sample.labels]));
    const isCount = sample.name.startsWith('lead_prequal_commit_seconds');
    return isCount && was !== undefined ? {...sample, value: was + (sample.value - was) * minutes} : sample;
  });
  await firesAfter('LeadPrequalStoreSlow', healthy, {from: healthy, to: later});
});

test('a Redis that is away is told after five minutes', async (t) => {
  const port = await freePort();
  const redis = await startRedis(t, port);
  const server = await start(t, () => ({REDIS_URL: `redis://127.0.0.1:${port}`}));
  await server.send(1);
  const healthy = await server.samplesWhen((some) => valueOf(some, 'lead_prequal_redis_up') === 1);
  redis.kill('SIGKILL');
  await once(redis, 'exit');
  const broken = await server.samplesWhen((some) => valueOf(some, 'lead_prequal_redis_up') === 0);
  await firesAfter('LeadPrequalRedisLost', healthy, {from: broken});
});

test('a partner with ten leads a day that falls silent is told after a day', async (t) => {
  const server = await start(t);
  // promtool takes only so many samples, so the other metrics are left out of this week.
  const counted = async () => samplesNamed(await server.samples(), /leads_total/);
  const none = await counted();
  await server.send(80);
  const all = await counted();
  assert.equal(
    all.reduce((sum, {value}) => sum + value, 0),
    80,
  );
  const [step, day] = [600, 86_400];
  // A little more than a week. With a power of two, the sums are exact, as counters are.
  const rises = 1_024;
  const phases = [
    {steps: rises + 1, from: none, to: all},
    {steps: (day + 1_800) / step, from: all},
  ];
  // A day after the last scrape that did not have the last lead.
  const met = (rises - 1) * step + day;
  const alert = 'LeadPrequalPartnerSilent';
  await expectAlerts(step, phases, [
    {at: met - 30, alert, fires: false},
    {at: met + promised, alert, labels: {partner: 'acme'}, fires: true},
  ]);
});

test('a form that is refused everywhere is told by its tenth refusal, unless a lead comes', async (t) => {
  const server = await start(t);
  const none = await server.samples();
  const refuse = async () => {
    const headers = {origin: otherOrigin};
    const {status} = await fetch(`${server.url}/embed/v1/config?partner=acme`, {headers});
    assert.equal(status, 403);
  };
  await refuse();
  const first = await server.samples();
  for (let more = 1; more < 12; more += 1) await refuse();
  const last = await server.samples();
  await server.send(1);
  const withLead = await server.samples();
  const alert = 'LeadPrequalFormRefused';
  const labels = {partner: 'acme', reason: 'origin-not-allowed'};
  const [begin, lasts] = [3_600, 1_800];
  const simulate = (to: readonly Sample[], fires: boolean) =>
    expectAlerts(
      interval,
      [
        {steps: begin / interval, from: none},
        {steps: lasts / interval, from: first, to},
        {steps: 20, from: to},
      ],
      [
        {at: begin - interval, alert, fires: false},
        // Six refusals.
        {at: begin + lasts / 2, alert, fires: false},
        {at: begin + lasts + promised, alert, labels, fires},
      ],
    );
  await simulate(last, true);
  await simulate(withLead, false);
});
