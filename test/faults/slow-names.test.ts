/** Names of destinations that take very long to look up, with the resolver of the system and a real DNS server. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {usualTimings} from '../../server/config/timings.ts';
import {createdAtOf} from '../../server/leads/lead-ids.ts';
import {createAuthority} from '../support/certificates.ts';
import {json, startFakeUpstream} from '../support/fake-upstream.ts';
import {startMailServer} from '../support/mail-server.ts';
import {openFor} from '../support/opened.ts';
import {amounts} from '../support/sample-leads.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';
import {startWebhookReceiver, type WebhookReceiver} from '../support/webhook-receiver.ts';
import {createLeads, fromPage, startOver, stopped, until} from './load.ts';
import {startNameServer} from './name-server.ts';
import {useCluster} from './postgres-cluster.ts';

/** Milliseconds. */
const [slowness, duration, mostLate] = [20_000, 20_000, 1_000];
const leadsPerSecond = 10;

type Environment = Record<string, string>;

const folderFor = (t: TestContext) => {
  const folder = temporaryFolder(t);
  return folder;
};

/** Settings of a server whose only partner sends its leads to these destinations. */
function sendingTo(folder: string, destinations: Record<string, object>): Environment {
  const file = join(folder, 'partners.json');
  const partner = {
    key: 'acme',
    origins: [listedOrigin],
    cid: '1001',
    send_to: Object.keys(destinations),
    merge_duplicates: false,
  };
  writeFileSync(file, JSON.stringify({destinations, partners: [partner]}));
  return {PARTNERS_FILE: file, OUTBOX_PER_SECOND: '500'};
}

/** Webhooks at hosts of these names, which are all the same receiver. */
function webhooks(names: readonly string[], {port, secret}: WebhookReceiver) {
  const destinations = names.map((name) => [
    name,
    {type: 'webhook', url: `http://${name}.test:${port}/`, credentials: 'HOOK'},
  ]);
  return {
    destinations: Object.fromEntries(destinations) as Record<string, object>,
    environment: {
      CREDENTIALS_HOOK_SECRET: secret,
      WEBHOOK_INTERNAL_HOSTS: names.map((name) => `${name}.test`).join(' '),
    },
  };
}

const numbered = (name: string, count: number) =>
  Array.from({length: count}, (_, index) => `${name}-${index + 1}`);
/** The id of the lead in the id of its news. */
const idIn = (newsId: string) => /evt_created_([\da-f-]{36})/.exec(newsId)?.[1] ?? '';
const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;

suite('names of destinations that are slow to look up', () => {
  const cluster = useCluster();

  test('four of twelve destinations, slow by 20 s, delay no other and get everything later', async (t) => {
    const folder = folderFor(t);
    const names = await openFor(
      t,
      startNameServer(folder, (name) => (name.startsWith('slow-') ? slowness : 0)),
    );
    /** By the name of the destination: its leads, and how many milliseconds after their creation they came. */
    const arrived = new Map<string, Map<string, number>>();
    const note = (host: string | undefined, id: string) => {
      const [name = ''] = (host ?? '').split('.');
      const own = arrived.get(name) ?? new Map<string, number>();
      arrived.set(name, own.set(id, Date.now() - createdAtOf(id)));
    };
    const receiver = await openFor(
      t,
      startWebhookReceiver((response, {headers}) => {
        note(headers.host, idIn(String(headers['webhook-id'])));
        // Many receivers close each connection, so that a name is needed for each delivery.
        response.writeHead(204, {connection: 'close'}).end();
      }),
    );
    const upstream = await openFor(
      t,
      startFakeUpstream({
        create(response, exchange) {
          const id = String(exchange.headers['idempotency-key']);
          note(exchange.headers.host, id);
          return json(201, {id})(response, exchange);
        },
        read: json(200, amounts),
      }),
    );
    const authority = await createAuthority();
    writeFileSync(join(folder, 'ca.pem'), authority.ca);
    const mail = await openFor(
      t,
      startMailServer({...(await authority.issue('slow-mail.test')), secure: true}),
    );
    const {url, user, password, cid} = upstream.settings;
    const lenderAt = (name: string) => ({
      [name]: {type: 'lead-api', url: url.replace('127.0.0.1', `${name}.test`), cid, credentials: 'LENDER'},
    });
    const hooks = webhooks([...numbered('good', 7), ...numbered('slow', 2)], receiver);
    const server = await startOver(
      folder,
      {
        DATABASE_PATH: join(folder, 'data', 'leads.sqlite'),
        ...sendingTo(folder, {
          ...hooks.destinations,
          ...lenderAt('good-lender'),
          ...lenderAt('slow-lender'),
          'slow-mail': {type: 'email', to: ['sales@example.com']},
        }),
        ...hooks.environment,
        CREDENTIALS_LENDER_USER: user,
        CREDENTIALS_LENDER_PASSWORD: password,
        SMTP_URL: `smtps://slow-mail.test:${mail.port}`,
        SMTP_FROM: 'leads@example.com',
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      },
      names.command,
    );
    const load = createLeads(server.url, 1, fromPage, leadsPerSecond);
    const began = performance.now();
    await until(() => performance.now() - began > duration);
    await load.stop();
    const sent = load.acknowledged;
    const good = [...numbered('good', 7), 'good-lender'].map((name) => {
      const times = [...(arrived.get(name)?.values() ?? [])];
      return {name, inTime: times.length, late: quantile(times, 0.99)};
    });
    t.diagnostic(
      `${sent.length} leads in ${duration / 1_000} s, of which the healthy destinations had ${good.map(({inTime}) => inTime).join(', ')}, late by p99 ${good.map(({late}) => late).join(', ')} ms`,
    );
    for (const {name, inTime, late} of good) {
      assert.ok(inTime >= sent.length - leadsPerSecond, `${name} had ${inTime} of ${sent.length}`);
      assert.ok(late < mostLate, `${name} heard ${late} ms late`);
    }
    const isBlamed = ({name}: {name: string}) =>
      server.lines.some((line) => line.includes('the destination fails') && line.includes(`"${name}"`));
    assert.deepEqual(good.filter(isBlamed), []);

    await until(() => {
      for (const {parsed} of mail.received) note('slow-mail', idIn(parsed.messageId ?? ''));
      return arrived.size === 12 && [...arrived.values()].every((own) => sent.every((id) => own.has(id)));
    });
    assert.deepEqual(await server.end('SIGTERM'), stopped);
  });

  test('a server connects to PostgreSQL by its name while six names of destinations hang', async (t) => {
    const folder = folderFor(t);
    const names = await openFor(
      t,
      startNameServer(folder, (name) => (name.startsWith('slow-') ? Infinity : 0)),
    );
    const receiver = await openFor(t, startWebhookReceiver());
    const {destinations, environment} = webhooks(numbered('slow', 6), receiver);
    const url = new URL(cluster.url);
    url.hostname = 'database.test';
    const server = await startOver(
      folder,
      {DATABASE_URL: url.href, ...sendingTo(folder, destinations), ...environment},
      names.command,
    );
    const load = createLeads(server.url, 4, fromPage, leadsPerSecond);
    await until(() => load.acknowledged.length > 0 && names.unanswered().length > 0);
    cluster.stop('fast');
    await until(() => load.statuses.at(-1) === 503);
    cluster.start();
    const [began, refused, before] = [performance.now(), load.statuses.length, load.acknowledged.length];
    await until(() => load.acknowledged.length >= before + 20 || load.statuses.length >= refused + 40);
    const statuses = load.statuses.slice(refused);
    t.diagnostic(
      `${statuses.filter((status) => status === 503).length} of ${statuses.length} attempts were refused in the ${Math.round(performance.now() - began)} ms after PostgreSQL was back; ${names.unanswered().length} names hung`,
    );
    assert.ok(load.acknowledged.length >= before + 20, 'PostgreSQL was not reached');
    assert.equal(names.unanswered().length, 6);
    await load.stop();

    // When the names are known at last, the receiver gets all leads.
    names.answerAll();
    await until(() => {
      const events = new Set(
        receiver.received.map(({headers}) => [headers.host, headers['webhook-id']].join(' ')),
      );
      return events.size >= 6 * load.acknowledged.length;
    });
    assert.deepEqual(await server.end('SIGTERM'), stopped);
  });
  test('a server stops while names of destinations still hang', async (t) => {
    const folder = folderFor(t);
    const names = await openFor(
      t,
      startNameServer(folder, () => Infinity),
    );
    const receiver = await openFor(t, startWebhookReceiver());
    const {destinations, environment} = webhooks(numbered('slow', 2), receiver);
    const store = {DATABASE_PATH: join(folder, 'data', 'leads.sqlite')};
    const server = await startOver(
      folder,
      {...store, ...sendingTo(folder, destinations), ...environment},
      names.command,
    );
    const load = createLeads(server.url, 1, fromPage, leadsPerSecond);
    await until(() => names.unanswered().length === 2);
    await load.stop();
    const began = performance.now();
    assert.deepEqual(await server.end('SIGTERM'), stopped);
    const took = performance.now() - began;
    t.diagnostic(`the server stopped in ${(took / 1_000).toFixed(1)} s`);
    assert.ok(took < usualTimings.processEnd, `${took} ms`);
  });
});
