/** E-mails to the operator: when a destination begins to need one, once a day while it does, and when that is over. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {readStatus} from '../../server/admin/status.ts';
import {usualTimings} from '../../server/config/timings.ts';
import type {AlertPort} from '../../server/leads/ports.ts';
import {clearText} from '../../server/store/sealing.ts';
import {openSqliteStore} from '../../server/store/sqlite/store.ts';
import {emailSettings} from '../support/email-settings.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {refusal, startMailServer} from '../support/mail-server.ts';
import {openFor} from '../support/opened.ts';
import {openPostgresStores, withoutPostgres} from '../support/postgres.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {asOperator, forEachStore, type Store} from '../support/stores.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {partners, startTestServer, type TestServer} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';

/** A server whose partner sends leads to a webhook that refuses them all, and a mail server for alerts. */
async function start(
  t: TestContext,
  store: Store,
  alerts: Partial<typeof usualTimings.alerts> = {},
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
    alerts: {...usualTimings.alerts, check: 20, after: 150, ...alerts},
  };
  const [first] = partners;
  const changes = {
    partners: [{...first, sendTo: ['crm']}] as const,
    destinations: new Map([['crm', crm.settings]]),
    alerts: emailSettings(`smtp://127.0.0.1:${mail.port}`, {to}),
    admin: {url: 'https://admin.leads.example', port: 0},
  };
  const server = await openFor(t, store.startServer(changes, timings));
  const {databaseUrl} = server.config;
  const others = databaseUrl
    ? [await openFor(t, startTestServer({...changes, databaseUrl}, timings)), server]
    : [server];
  return {
    mail,
    crm,
    server,
    subjects: () => mail.received.map(({parsed}) => parsed.subject),
    refuseMails: (refuses: boolean) => void (isRefusing = refuses),
    close: () => Promise.all(others.map((other) => other.close())),
  };
}

/** What `status` says of alerts that could not be sent. */
async function unsentAlerts(server: TestServer) {
  const {findings} = await readStatus({
    config: server.config,
    server: 'ok',
    withStore: (work) => asOperator(server, work),
    checkStart: () => Promise.resolve([]),
  });
  return findings.flatMap(({text}) => (text.includes('ALERTS_TO') ? [text] : []));
}

forEachStore((store) => {
  test('one e-mail says what status says, none follows for further leads, and one says the end', async (t) => {
    const {mail, crm, server, subjects, close} = await start(t, store);
    await sentLead(server, somebody());
    await until(() => mail.received.length > 0);
    await sentLead(server, somebody());
    await sentLead(server, somebody());
    crm.answerWith(replyWith(204));
    await until(() => subjects().includes('crm is ok again'));
    await close();
    assert.deepEqual(subjects(), ['crm needs an operator', 'crm is ok again']);
    const [{parsed: {text = ''}, from, to} = assert.fail()] = mail.received;
    assert.match(
      text,
      /^crm is failing since \d{4}-.* answered 503.*\n\n"lead-prequal status" says how it is .*, and so does https:\/\/admin\.leads\.example\/\n$/,
    );
    assert.deepEqual([from, to], ['leads@partner.example', ['ops@example.com', 'you@example.com']]);
  });

  test('while the mail server refuses, status says so, and the e-mail comes once it works again', async (t) => {
    // The next attempt comes when the lease ends, and on a busy machine the first may take seconds.
    const {mail, server, refuseMails, close} = await start(t, store, {lease: 10_000});
    const unsent = () => unsentAlerts(server);
    refuseMails(true);
    await sentLead(server, somebody());
    await until(async () => (await unsent()).length > 0);
    assert.match((await unsent()).join(), /^An alert could not be sent to ALERTS_TO: .*\(451\)/);
    refuseMails(false);
    await until(async () => (await unsent()).length === 0);
    await close();
    assert.deepEqual(
      mail.received.map(({parsed}) => parsed.subject),
      ['crm needs an operator'],
    );
  });

  test('of two recipients of whom one is refused, the other gets it once, and status says so', async (t) => {
    const {mail, server, close} = await start(t, store, {}, ['ops@example.com', 'gone@example.com']);
    await sentLead(server, somebody());
    await until(async () => (await unsentAlerts(server)).length > 0);
    assert.match((await unsentAlerts(server)).join(), /refused gone@example\.com \(550\)/);
    const later = Date.now() + 2 * usualTimings.alerts.lease;
    const due = asOperator(server, (operator) => operator.claimAlerts(['crm'], later, usualTimings.alerts));
    assert.deepEqual(await due, [], 'nothing is told again before a day has passed');
    await close();
    assert.equal(mail.received.length, 1);
  });
});

forEachStore((store) => {
  test('a stop that a receiver does not hear has an e-mail of its own, at once', async (t) => {
    const {crm, server, mail, subjects, close} = await start(t, store, {after: 3_600_000});
    crm.answerWith(replyWith(204));
    const {id} = await sentLead(server, somebody());
    await until(
      async () => (await server.select("SELECT 1 FROM deliveries WHERE state = 'delivered'")).length > 0,
    );
    crm.answerWith(replyWith(410));
    await asOperator(server, (operator) =>
      operator.revoke(id, {now: Date.now(), scope: 'all', present: undefined}),
    );
    await until(() => mail.received.length > 0);
    await close();
    assert.deepEqual(subjects(), ['crm has not heard who said stop or was erased']);
    assert.match(
      mail.received[0]?.parsed.text ?? '',
      /^1 person said stop, and crm has not heard it for .* must\. The receiver answered 410/,
    );
  });
});

suite('of two processes, one tells each piece of news, and the other one if it dies', () => {
  const {after, every, lease} = usualTimings.alerts;

  async function takeTurns(one: AlertPort, other: AlertPort) {
    /** What they may tell of what both see. The clock of one is a bit behind. */
    const claimed = async (now: number, ...needing: string[]) =>
      (
        await Promise.all([
          one.claimAlerts(needing, now, usualTimings.alerts),
          other.claimAlerts(needing, now - 1, usualTimings.alerts),
        ])
      )
        .flat()
        .map(({destination, told}) => `${destination} ${told}`);
    assert.deepEqual(await claimed(1, 'crm', 'blip'), []);
    const urgent = await one.claimAlerts(['crm', 'crm: stops'], 2, usualTimings.alerts, ['crm: stops']);
    assert.deepEqual(urgent, [{destination: 'crm: stops', told: 0}], 'a stop that is not heard, at once');
    assert.deepEqual(await claimed(after + 2, 'crm'), ['crm 0'], 'what has lasted');
    assert.deepEqual(await claimed(after + lease, 'crm'), [], 'somebody may be telling it');
    assert.deepEqual(await claimed(after + lease + 3, 'crm'), ['crm 0'], 'whoever told it died');
    await one.settleAlert('crm', 1, every, null);
    assert.deepEqual(await claimed(every - 1, 'crm'), []);
    assert.deepEqual(await claimed(every + 1, 'crm'), ['crm 1'], 'a day later');
    await other.settleAlert('crm', 1, 2 * every, null);
    assert.deepEqual(await claimed(every + after - 1), [], 'it may begin again');
    assert.deepEqual(await claimed(every + after + 3), ['crm 2'], 'the end');
    await other.settleAlert('crm', 0, every + 2 * after, null);
    assert.deepEqual(await claimed(every + after + 4), []);
    assert.deepEqual(await claimed(every + 2 * after, 'crm'), [], 'it begins anew');
    assert.deepEqual(await claimed(every + 3 * after + 1, 'crm'), ['crm 0']);
  }

  test('over SQLite', async (t) => {
    const path = join(temporaryFolder(t), 'data', 'leads.sqlite');
    const store = await openFor(t, openSqliteStore(path, clearText));
    await takeTurns(store, store);
  });
  test('over PostgreSQL', {skip: withoutPostgres}, async (t) => {
    const [one, other] = (await openPostgresStores(t, 2)).stores;
    await takeTurns(one!, other!);
  });
});
