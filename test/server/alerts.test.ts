/** E-mails to the operator: what is wrong, once a day while it is, and when that is over, one thread for each trouble. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import type {DestinationSettings} from '../../server/config/destinations.ts';
import type {Partner} from '../../server/config/partners.ts';
import {usualTimings} from '../../server/config/timings.ts';
import type {AlertPort, Trouble} from '../../server/leads/ports.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {emailSettings} from '../support/email-settings.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {refusal, startMailServer} from '../support/mail-server.ts';
import {openFor} from '../support/opened.ts';
import {statusOf} from '../support/operator.ts';
import {openPostgresStores, withoutPostgres} from '../support/postgres.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {asOperator, forEachStore, type Store} from '../support/stores.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {
  partners,
  startTestServer,
  type Prepare,
  type TestServer,
  testEncryptor,
} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';
import {damaged} from '../support/encrypted-rows.ts';

/** A server whose partner sends leads to a webhook that refuses them all, and a mail server for alerts. */
async function start(
  t: TestContext,
  store: Store,
  times: Partial<typeof usualTimings.alerts> = {},
  to = ['ops@example.com', 'you@example.com'],
) {
  let isRefusing = false;
  const mail = await openFor(
    t,
    startMailServer({
      onMailFrom: (_from, _session, done) => done(isRefusing ? refusal(451) : null),
      onRcptTo: ({address}, _session, done) => done(/^gone/.test(address) ? refusal(550) : null),
    }),
  );
  const crm = await openFor(t, startWebhookReceiver(replyWith(503)));
  const timings = {
    ...quickTimings,
    // An e-mail whose reply comes late counts as failed, and is sent again after a quarter of an hour.
    delivery: usualTimings.delivery,
    lease: usualTimings.lease,
    alerts: {...usualTimings.alerts, check: 20, after: 150, ...times},
  };
  const [first] = partners;
  const changes = {
    partners: [{...first, sendTo: ['crm', 'sales'], suspect: 'hold' as const}] as [Partner],
    destinations: new Map<string, DestinationSettings>([
      ['crm', crm.settings],
      ['sales', emailSettings(`smtp://127.0.0.1:${mail.port}`, {to: ['sales@example.com']})],
    ]),
    alerts: emailSettings(`smtp://127.0.0.1:${mail.port}`, {to}),
    admin: {url: 'https://admin.leads.example', port: 0},
  } satisfies Prepare;
  const server = await openFor(t, store.startServer(changes, timings));
  const {databaseUrl} = server.config;
  const others = databaseUrl
    ? [await openFor(t, startTestServer({...changes, databaseUrl}, timings)), server]
    : [server];
  /** What operators got, oldest first. Salespeople get e-mails, too. */
  const alerts = () => mail.received.filter(({to: [first]}) => first !== 'sales@example.com');
  const subjects = () => alerts().map(({parsed}) => (parsed.subject ?? '').replace(/ [\d:]+ [AP]M$/, ' …'));
  return {
    mail,
    alerts,
    crm,
    server,
    subjects,
    refuseMails: (refuses: boolean) => void (isRefusing = refuses),
    close: () => Promise.all(others.map((other) => other.close())),
  };
}

const crmFails: Trouble = {name: 'destination crm', title: 'is away'};

/** What `status` says of alerts that could not be sent. */
async function unsentAlerts(server: TestServer) {
  const {findings} = await asOperator(server, (store) => statusOf({...server, store}));
  return findings.flatMap(({text}) => (text.includes('alerts_to') ? [text] : []));
}

forEachStore((store) => {
  test('a thread says what status says, nothing of further leads, and then the end', async (t) => {
    const {alerts, crm, server, subjects, close} = await start(t, store);
    await sentLead(server, somebody());
    await until(() => alerts().length > 0);
    await sentLead(server, somebody());
    await sentLead(server, somebody());
    crm.answerWith(replyWith(204));
    await until(() => alerts().length > 1);
    await close();
    assert.deepEqual(subjects(), ['crm is failing since …', '[over] crm is failing since …']);
    const [first = assert.fail(), over = assert.fail()] = alerts();
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    assert.match(
      first.parsed.text ?? '',
      /^crm is failing since \d+:\d\d [AP]M \(\d+ s\), and 1 delivery is waiting: .* answered 503.*\n\nLook: https:\/\/admin\.leads\.example\/destinations#crm\n\n"lead-prequal status" says how it is .*, and so does https:\/\/admin\.leads\.example\/\n/,
    );
    assert.ok(first.parsed.text?.includes(`\nTimes are those of ${zone}.\n`));
    assert.deepEqual(
      [first.from, first.to],
      ['leads@partner.example', ['ops@example.com', 'you@example.com']],
    );
    assert.match(
      over.parsed.text ?? '',
      /^crm is ok again\.\nIt lasted \d+ s, until .* [AP]M\.\nNothing is lost: /,
    );
    assert.equal(over.parsed.references, first.parsed.messageId);
  });

  test('a lead that stays held silences no second outage of its receiver', async (t) => {
    const {alerts, crm, server, subjects, close} = await start(t, store);
    await sentLead(server, somebody(), {body: {trap: 'x'}});
    const held = "Leads are held as a bot's";
    await until(() => subjects().includes(held));
    await sentLead(server, somebody());
    await until(() => alerts().length === 2);
    crm.answerWith(replyWith(204));
    await until(() => alerts().length === 3);
    crm.answerWith(replyWith(503));
    await sentLead(server, somebody());
    await until(() => alerts().length === 4);
    await close();
    const [failing, over] = ['crm is failing since …', '[over] crm is failing since …'];
    assert.deepEqual(subjects(), [held, failing, over, failing]);
    const [, first, , second] = alerts().map(({parsed}) => parsed);
    assert.ok(second && !second.references && second.messageId !== first?.messageId, 'a thread of its own');
  });

  test('of 200 bots, salespeople hear of those alone that look like people, and operators twice', async (t) => {
    const {after, every} = usualTimings.alerts;
    const {mail, alerts, crm, server, subjects, close} = await start(t, store, {after});
    crm.answerWith(replyWith(204));
    const send = (index: number) => sentLead(server, somebody(), {body: index % 4 > 0 ? {trap: 'x'} : {}});
    for (let index = 0; index < 200; index += 20)
      await Promise.all(Array.from({length: 20}, (_, more) => send(index + more)));
    const toSales = () => mail.received.length - alerts().length;
    await until(() => toSales() === 50);
    // A delivery under way would lose its lease to the clock.
    const waiting = "SELECT 1 FROM deliveries WHERE settled_at IS NULL AND state = 'waiting'";
    await until(async () => (await server.select(waiting)).length === 0);
    t.mock.timers.enable({apis: ['Date'], now: Date.now() + after});
    await until(() => alerts().length === 2);
    const titles = ["Leads are held as a bot's", 'acme sent many leads'];
    assert.deepEqual(subjects().toSorted(), titles);
    const [held] = alerts().filter(({parsed}) => parsed.subject === titles[0]);
    assert.match(
      held?.parsed.text ?? '',
      /^Leads are held as a bot's \(150 since .*, for 5 min\)\.\n\nLook: https:\/\/admin\.leads\.example\/leads\?open=held\n/,
    );
    t.mock.timers.tick(every);
    await until(() => alerts().length === 4);
    assert.deepEqual(subjects().slice(2).toSorted(), [`Re: ${titles[0]}`, `[over] ${titles[1]}`]);
    await close();
    assert.equal(toSales(), 50);
  });

  test('what waits for a decision has an e-mail, however many leads it is about', async (t) => {
    // Long enough for the servers to have tried to open both of the leads that cannot be read.
    const {alerts, crm, server, subjects, close} = await start(t, store, {after: 3_000});
    const leads = await Promise.all([1, 2, 3].map(() => sentLead(server, somebody())));
    const [wanted, ...lost] = leads.map(({id}) => `'${id}'`);
    await server.execute(
      `INSERT INTO privacy_requests (lead_id, kind, asked_at, entered_at, way) VALUES (${wanted}, 'erase', 1, 1, 'link')`,
    );
    await server.execute(damaged(`lead_id IN (${lost.join()})`));
    crm.answerWith(replyWith(204));
    const ofLeads = () => subjects().filter((subject) => !/crm/.test(subject));
    await until(() => ofLeads().length === 2);
    await close();
    const [asked = '', unreadable = ''] = ofLeads().toSorted();
    assert.match(asked, /^1 request of a person waits, the first since 1970-01-01, to erase \S+$/);
    assert.match(unreadable, /^Lead .* cannot be read, and 1 more$/);
    assert.match(
      alerts()
        .map(({parsed}) => parsed.text)
        .join(),
      new RegExp(`Decide: .*/leads/${leads[0]?.id}`),
    );
  });

  test('while the mail server refuses, status says so, and the e-mail comes once it works again', async (t) => {
    // The next attempt comes when the lease ends, and on a busy machine the first may take seconds.
    const {server, subjects, refuseMails, close} = await start(t, store, {lease: 10_000});
    const unsent = () => unsentAlerts(server);
    refuseMails(true);
    await sentLead(server, somebody());
    await until(async () => (await unsent()).length > 0);
    assert.match((await unsent()).join(), /^An alert could not be sent to alerts_to: .*\(451\)/);
    refuseMails(false);
    await until(async () => (await unsent()).length === 0);
    await close();
    // The e-mail to salespeople waits for the server, too.
    assert.ok(subjects().includes('crm is failing since …'));
    assert.equal(subjects().filter((subject) => subject.includes('crm')).length, 1);
  });

  test('a mail server that is away is asked once in a look, and the rest comes later', async (t) => {
    const {after, lease} = usualTimings.alerts;
    const {mail, alerts, server, refuseMails, close} = await start(t, store, {after});
    refuseMails(true);
    const {id} = await sentLead(server, somebody(), {body: {trap: 'x'}});
    await server.execute(
      `INSERT INTO privacy_requests (lead_id, kind, asked_at, entered_at, way) VALUES ('${id}', 'erase', 1, 1, 'link')`,
    );
    const seen = async (since: number) =>
      (await server.select(`SELECT 1 FROM troubles WHERE seen_at >= ${since}`)).length === 2;
    await until(() => seen(0));
    t.mock.timers.enable({apis: ['Date'], now: Date.now() + after});
    await until(async () => (await unsentAlerts(server)).length > 0);
    t.mock.timers.tick(1);
    await until(() => seen(Date.now()));
    refuseMails(false);
    t.mock.timers.tick(lease);
    await until(() => alerts().length === 2);
    await close();
    assert.equal(mail.connections(), 3);
  });

  test('what is wrong within the store is logged, as nothing else says it', async (t) => {
    const {server, close} = await start(t, store);
    await server.execute(
      `INSERT INTO processes (id, seen_at, report) VALUES ('x', ${Date.now()}, 'no JSON')`,
    );
    await until(() => server.logLines.some((line) => line.includes('no alert could be sent')));
    await close();
  });

  test('of two recipients of whom one is refused, the other gets it once, and status says so', async (t) => {
    const {alerts, server, close} = await start(t, store, {}, ['ops@example.com', 'gone@example.com']);
    await sentLead(server, somebody());
    await until(async () => (await unsentAlerts(server)).length > 0);
    assert.match((await unsentAlerts(server)).join(), /refused gone@example\.com \(550\)/);
    const later = Date.now() + 2 * usualTimings.alerts.lease;
    const due = asOperator(server, (operator) =>
      operator.claimAlerts([crmFails], later, usualTimings.alerts),
    );
    assert.deepEqual(await due, [], 'nothing is told again before a day has passed');
    await close();
    assert.equal(alerts().length, 1);
  });
});

forEachStore((store) => {
  test('a stop that a receiver does not hear has an e-mail of its own, at once', async (t) => {
    const {crm, server, alerts, subjects, close} = await start(t, store, {after: 3_600_000});
    crm.answerWith(replyWith(204));
    const {id} = await sentLead(server, somebody());
    await until(
      async () => (await server.select("SELECT 1 FROM deliveries WHERE state = 'delivered'")).length === 2,
    );
    crm.answerWith(replyWith(410));
    await asOperator(server, (operator) =>
      operator.revoke(id, {now: Date.now(), scope: 'all', present: undefined}),
    );
    await until(() => alerts().length > 0);
    await close();
    assert.deepEqual(subjects(), ['1 person said stop, and crm has not heard it']);
    assert.match(
      alerts()[0]?.parsed.text ?? '',
      /^1 person said stop, and crm has not heard it for .* must\. The receiver answered 410/,
    );
  });
});

suite('of two processes, one tells each trouble, and the other one if it dies', () => {
  const {after, every, lease} = usualTimings.alerts;

  async function takeTurns(one: AlertPort, other: AlertPort) {
    /** What they may tell of what both see. The clock of one is a bit behind. */
    const claimed = async (now: number, ...troubles: Trouble[]) =>
      (
        await Promise.all([
          one.claimAlerts(troubles, now, usualTimings.alerts),
          other.claimAlerts(troubles, now - 1, usualTimings.alerts),
        ])
      )
        .flat()
        .map(({name, title, told}) => `${name} ${title} ${told}`);
    const later = {...crmFails, title: 'is still away'};
    assert.deepEqual(await claimed(1, crmFails, {name: 'late crm', title: 'a blip'}), []);
    const urgent = {name: 'stop crm', title: 'a stop', isUrgent: true};
    const [stop] = await one.claimAlerts([crmFails, urgent], 2, usualTimings.alerts);
    assert.partialDeepStrictEqual(stop, {name: 'stop crm', told: 0, beganAt: 2}, 'at once');
    await one.endAlert('stop crm');
    assert.deepEqual(await claimed(after + 2, crmFails), ['destination crm is away 0'], 'what has lasted');
    assert.deepEqual(await claimed(after + lease, crmFails), [], 'somebody may be telling it');
    assert.deepEqual(await claimed(after + lease + 3, later), ['destination crm is still away 0'], 'it died');
    await one.settleAlert({...crmFails, told: 1}, every, null);
    assert.deepEqual(await claimed(every - 1, crmFails), []);
    const daily = await claimed(every + 1, crmFails);
    assert.deepEqual(daily, ['destination crm is still away 1'], 'a day later, with the title of the thread');
    await other.settleAlert({...crmFails, told: 1}, 2 * every, null);
    assert.deepEqual(await claimed(every + after - 1), [], 'it may begin again');
    const [over] = await one.claimAlerts([], every + after + 3, usualTimings.alerts);
    assert.partialDeepStrictEqual(over, {told: 2, title: 'is still away'});
    assert.ok(over && over.beganAt <= 1 && over.seenAt <= every + 1, 'from when to when it was there');
    await other.endAlert('destination crm');
    assert.deepEqual(await claimed(every + after + 4), []);
    assert.deepEqual(await claimed(every + 2 * after, crmFails), [], 'it begins anew');
    const [again] = await one.claimAlerts([crmFails], every + 3 * after + 1, usualTimings.alerts);
    assert.partialDeepStrictEqual(again, {told: 0, title: 'is away'});
    assert.ok(again && again.beganAt > every, 'in a thread of its own');
  }

  test('over SQLite', async (t) => {
    const path = join(temporaryFolder(t), 'data', 'leads.sqlite');
    const store = await openFor(t, openSqliteStore(path, testEncryptor));
    await takeTurns(store, store);
  });
  test('over PostgreSQL', {skip: withoutPostgres}, async (t) => {
    const [one, other] = (await openPostgresStores(t, 2)).stores;
    await takeTurns(one!, other!);
  });
});
