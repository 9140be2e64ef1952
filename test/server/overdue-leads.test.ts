/** One dead endpoint keeps leads past their time: who hears of it, and what happens when their grace is over. */
import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import {inOneLine} from '../../server/admin/status.ts';
import {usualTimings} from '../../server/config/timings.ts';
import {createdAtOf} from '../../server/leads/lead-ids.ts';
import {emailSettings} from '../support/email-settings.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {startMailServer} from '../support/mail-server.ts';
import {openFor} from '../support/opened.ts';
import {statusOf} from '../support/operator.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {standardBody, without} from '../support/sample-leads.ts';
import {samplesNamed, scrape} from '../support/scrape.ts';
import {asOperator, forEachStore, type Store} from '../support/stores.ts';
import {otherOrigin, partners, type Prepare} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';
import {damaged} from '../support/encrypted-rows.ts';

const day = 24 * 3_600_000;
const timings = {
  ...quickTimings,
  ...{retentionEvery: 50, retentionPause: 1, purgeRetry: 1},
  alerts: {...usualTimings.alerts, check: 20, after: 2_000, every: 10_000},
};

/** A server with a paused webhook, and so many leads of acme for it, and others of another partner for nobody. */
async function start(t: TestContext, store: Store, leads: number, others: number) {
  const crm = await openFor(t, startWebhookReceiver(replyWith(204)));
  const mail = await openFor(t, startMailServer());
  const [acme, second] = partners;
  const prepared: Prepare = {
    metrics: {host: '127.0.0.1', port: 0},
    alerts: emailSettings(`smtp://127.0.0.1:${mail.port}`, {to: ['ops@example.com']}),
    destinations: new Map([['crm', crm.settings]]),
    partners: [{...acme, sendTo: ['crm']}, second!],
    retention: {retainDays: 30, keepConsentYears: 5, graceDays: 30},
  };
  const server = await openFor(t, store.startServer(prepared, timings));
  await server.execute(
    "INSERT INTO paused_destinations (destination, paused_at, reason) VALUES ('crm', 1, 'for the test')",
  );
  const named = async (name: RegExp) => samplesNamed(await scrape(server.metricsPort), name);
  await until(async () =>
    (await named(/destination_state$/)).some(({labels: {state}, value}) => state === 'paused' && value === 1),
  );
  const sent: string[] = [];
  while (sent.length < leads)
    sent.push(
      ...(await Promise.all(Array.from({length: 25}, () => sentLead(server, somebody())))).map(({id}) => id),
    );
  const contact = without(standardBody, 'cid');
  for (let index = 0; index < others; index += 1)
    await sentLead(
      server,
      {...contact, email: `${index}@example.com`},
      {partner: 'contact-only', origin: otherOrigin},
    );
  const execute = (sql: string, ids: readonly string[]) =>
    server.execute(`${sql} IN (${ids.map((id) => `'${id}'`).join()})`);
  const findings = async () =>
    (await asOperator(server, (operator) => statusOf({...server, store: operator}))).findings.map(inOneLine);
  const overdue = async () =>
    Object.fromEntries(
      (await named(/overdue_leads$/)).map(({labels, value}) => [Object.values(labels).join(' '), value]),
    );
  const erased = () => server.select('SELECT id FROM leads WHERE erased_at IS NOT NULL');
  return {crm, mail, server, sent, execute, findings, overdue, erased};
}

forEachStore((store) => {
  test('a dead endpoint keeps 575 of 600 leads, which operators hear, and after the grace none', async (t) => {
    const {crm, mail, server, sent, execute, findings, overdue, erased} = await start(t, store, 575, 25);
    const set = (state: string) => `UPDATE deliveries SET state = '${state}', leased_until = 0 WHERE lead_id`;
    await execute(set('failed'), sent.slice(0, 500));
    await execute(set('held'), sent.slice(500, 515));
    await execute(set('refused'), sent.slice(515, 525));
    const [lost = assert.fail()] = (
      await server.select("SELECT id FROM leads WHERE partner = 'contact-only'")
    ).map(({id}) => String(id));
    await execute(damaged('lead_id'), [lost]);
    const begun = createdAtOf(sent[0]!);
    t.mock.timers.enable({apis: ['Date'], now: begun + 31 * day});
    await until(async () => (await erased()).length === 24, 'what nothing keeps is erased');
    const kept = {'crm failed': 500, 'crm waiting': 50, 'crm held': 15, 'crm refused': 10, '- unreadable': 1};
    await until(async () => Object.keys(await overdue()).length === 5);
    assert.deepEqual(await overdue(), kept);

    // A reload reports at once what is reported every ten seconds.
    await server.reload({});
    const said = (await findings()).join('\n');
    assert.match(
      said,
      /^500 leads are kept past the time of retention, because crm has failed deliveries of them: .* --state failed"\. From \d{4}-\d\d-\d\d on, they are erased/m,
    );
    assert.match(said, new RegExp(`From ${new Date(begun + 60 * day).toISOString().slice(0, 10)} on`));
    assert.match(said, /^1 lead is kept past .* cannot be opened.*leads erase.*keys forget/m);
    assert.match(said, new RegExp(`^Lead .*${lost}.* cannot be read`, 'm'));
    const mails = () => mail.received.map(({parsed: {subject, text}}) => `${subject}\n${text}`).join('\n');
    await until(async () => {
      t.mock.timers.tick(1_000);
      await server.reload({});
      return (
        /^500 leads are kept past .* failed deliveries/m.test(mails()) && /cannot be opened/.test(mails())
      );
    });
    assert.match(mails(), /^crm is paused/m);
    assert.match(mails(), /^1 lead is kept past the time of retention$/m);

    t.mock.timers.setTime(begun + 61 * day);
    await until(
      async () => (await erased()).length === 599,
      'all but the one that cannot be opened are erased',
    );
    await until(async () => Object.keys(await overdue()).length === 1);
    assert.deepEqual(await overdue(), {'- unreadable': 1});
    await asOperator(server, async (operator) => {
      await operator.resumeDestination(Date.now(), 'crm');
      assert.equal(await operator.retryDeliveries(Date.now(), {state: 'dropped'}), 575);
    });
    const waiting = "SELECT 1 FROM deliveries WHERE state = 'waiting'";
    await until(async () => (await server.select(waiting)).length === 0);
    assert.equal(crm.received.length, 0, 'nothing is sent of a lead that is erased');
  });
});
