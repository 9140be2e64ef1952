/** The event of a stop or an erasure ends in two ways alone: it arrives, or an operator drops it by name. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {Admin} from '../../server/admin/admin.ts';
import {planChange, changeNamed} from '../../server/admin/operations/changes.ts';
import {listDeliveries, type Changed} from '../../server/admin/deliveries.ts';
import {pauseDestination} from '../../server/admin/destinations.ts';
import {inOneLine} from '../../server/admin/status.ts';
import type {DestinationSettings} from '../../server/config/destinations.ts';
import type {usualTimings} from '../../server/config/timings.ts';
import {retentionOf} from '../../server/leads/retention.ts';
import {openAttachedStore} from '../../server/store/open-store.ts';
import {emailSettings} from '../support/email-settings.ts';
import {sentLead, somebody} from '../support/embed-client.ts';
import {refusal, startMailServer} from '../support/mail-server.ts';
import {openFor} from '../support/opened.ts';
import {allOf, planAndErase, statusOf, unnoted, carryOut} from '../support/operator.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {columnOf} from '../support/rows.ts';
import {forEachStore} from '../support/stores.ts';
import {partners, testEncryptor} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {replyWith, startWebhookReceiver, type WebhookReceiver} from '../support/webhook-receiver.ts';

const [acme] = partners;
const day = 24 * 3_600_000;
/** What was given up after three days is given up at once here, and what is refused for good is tried again soon. */
const timings = {...quickTimings, eventsGivenUpAfter: 1, refusedRetry: 300};
let people = 200;
const person = (phone = `415-${(people += 1)}-1234`) => somebody({phone});
const typesAt = ({received}: WebhookReceiver) =>
  received.map(({body}) => (JSON.parse(body) as {type: string}).type);

forEachStore((store) => {
  suite('the event of a stop', () => {
    /** A server whose partner sends leads to `crm`. */
    async function start(t: TestContext, crm: DestinationSettings, given: Partial<typeof usualTimings> = {}) {
      const destinations = new Map([['crm', crm]]);
      const prepared = {partners: [{...acme, sendTo: ['crm']}], destinations} as const;
      const server = await openFor(t, store.startServer(prepared, {...timings, ...given}));
      const attached = await openFor(t, openAttachedStore(server.config, testEncryptor, true));
      const admin: Admin = {store: attached, noteAccess: unnoted, actor: 'ana', config: server.config};
      /** Such as `revoked waiting`. */
      const events = async (lead?: string) => {
        const rows = await allOf(listDeliveries(admin, {lead, destination: 'crm'}));
        return rows
          .filter(({content}) => content === 'revoked' || content === 'erased')
          .map(({content, state}) => `${content} ${state}`);
      };
      /** A lead that crm has. */
      const leadOfCrm = async (who = person()) => {
        const {id} = await sentLead(server, who);
        const isThere = async () =>
          (await attached.listDeliveries(1, {lead: id, state: 'delivered'})).length === 1;
        await until(isThere);
        return id;
      };
      const saysStop = (id: string, at = Date.now()) =>
        attached.revoke(id, {now: at, scope: 'all', present: undefined});
      const findings = async (config = server.config) =>
        (await statusOf({config, store: attached})).findings.filter(({kind}) => kind === 'stop');
      const said = async (config = server.config) => (await findings(config)).map(inOneLine).join('\n');
      return {server, store: attached, admin, events, leadOfCrm, saysStop, findings, said};
    }

    test('arrives after a receiver that failed for longer than other events are tried', async (t) => {
      const crm = await openFor(t, startWebhookReceiver());
      const {server, events, leadOfCrm, saysStop, admin} = await start(t, crm.settings);
      const [stopped, erased] = [await leadOfCrm(), await leadOfCrm()];
      crm.answerWith(replyWith(500));
      const {id} = await sentLead(server, person());
      await saysStop(stopped);
      await planAndErase(admin, [erased]);
      await until(async () => (await admin.store.listDeliveries(1, {lead: id, state: 'failed'})).length > 0);
      await crm.hasReceived(crm.received.length + 6);
      assert.deepEqual((await events()).toSorted(), ['erased waiting', 'revoked waiting']);
      crm.answerWith(replyWith(204));
      await until(async () => (await events()).length === 0);
      assert.deepEqual(await events(stopped), ['revoked delivered']);
    });

    test('outlives what the retention job does to its lead, and its erasure', async (t) => {
      const crm = await openFor(t, startWebhookReceiver());
      const {events, leadOfCrm, saysStop, store, admin} = await start(t, crm.settings);
      const [expired, erased] = [await leadOfCrm(), await leadOfCrm()];
      crm.answerWith(replyWith(500));
      for (const id of [expired, erased]) await saysStop(id);
      await planAndErase(admin, [erased]);
      const rules = retentionOf({
        retention: {retainDays: 1, keepConsentYears: 0, graceDays: 0},
        partners: [],
      });
      const {leads} = await store.applyRetention(Date.now() + 400 * day, rules);
      assert.equal(leads, 1);
      await store.applyRetention(Date.now() + 800 * day, rules);
      crm.answerWith(replyWith(204));
      await until(async () => (await events()).length === 0);
      assert.deepEqual(
        [await events(expired), (await events(erased)).toSorted()],
        [['revoked delivered'], ['erased delivered', 'revoked delivered']],
      );
    });

    test('is left out of every drop, which names it, but one that asks for it', async (t) => {
      const crm = await openFor(t, startWebhookReceiver());
      const {server, events, leadOfCrm, saysStop, admin} = await start(t, crm.settings);
      const id = await leadOfCrm();
      crm.answerWith(replyWith(500));
      const drop = (selection: object) => carryOut<Changed>(admin, 'deliveries drop', selection);
      const other = await sentLead(server, person());
      await saysStop(id);
      await planAndErase(admin, [id]);
      await until(async () => (await drop({lead: other.id})).deliveries === 1);
      const dropped = await drop({destination: 'crm'});
      assert.match(dropped.why_none ?? '', /Only events of stops and erasures/);
      assert.deepEqual(
        dropped.stops.map(({lead, destination, content}) => `${lead} ${destination} ${content}`),
        [`${id} crm erased`, `${id} crm revoked`],
      );
      await assert.rejects(drop({lead: id}), /Only events of stops and erasures/);
      await assert.rejects(planChange(admin, changeNamed('drop')!, id), /who said stop or was erased/);
      assert.deepEqual((await events()).toSorted(), ['erased waiting', 'revoked waiting']);
      await until(async () => {
        await drop({destination: 'crm', stops: true});
        return (await events()).length === 0;
      });
      assert.deepEqual((await events(id)).toSorted(), ['erased dropped', 'revoked dropped']);
    });

    test('that a change of one lead leaves out is named before', async (t) => {
      const crm = await openFor(t, startWebhookReceiver());
      const {server, events, leadOfCrm, saysStop, admin} = await start(t, crm.settings);
      const id = await leadOfCrm();
      crm.answerWith(replyWith(500));
      await saysStop(id);
      await server.execute(
        `UPDATE deliveries SET state = 'held', settled_at = NULL WHERE lead_id = '${id}' AND content = 'created'`,
      );
      const {plan} = await planChange(admin, changeNamed('drop')!, id);
      assert.deepEqual(plan.does, [
        'crm never gets the lead.',
        'crm still gets the news that the consent was taken back.',
      ]);
      await carryOut(admin, 'deliveries drop', {lead: id});
      assert.deepEqual(await events(id), ['revoked waiting']);
    });

    test('waits for a destination that left the file or moved, and goes when it is back', async (t) => {
      const [crm, other] = [
        await openFor(t, startWebhookReceiver()),
        await openFor(t, startWebhookReceiver()),
      ];
      const {server, admin, events, leadOfCrm, saysStop, said} = await start(t, crm.settings);
      const [first, second] = [await leadOfCrm(), await leadOfCrm()];
      crm.answerWith(replyWith(500));
      await server.reload({destinations: new Map(), partners: [acme]});
      await saysStop(first);
      const without = {...server.config, destinations: new Map()};
      assert.match(
        await said(without),
        /^1 person said stop, and crm has not heard it for \d s; by \w+ \d+ it must: crm is not configured any more\. Tell 127\.0\.0\.1:\d+ by hand, then "lead-prequal deliveries drop --destination crm --stops"$/,
      );
      await server.reload({destinations: new Map([['crm', other.settings]])});
      await saysStop(second);
      const elsewhere = {...server.config, destinations: new Map([['crm', other.settings]])};
      await until(async () =>
        (await admin.store.listDeliveries(9, {destination: 'crm'})).every(({lastError}) =>
          lastError?.startsWith('The destination had the lead at another address'),
        ),
      );
      assert.match(await said(elsewhere), /^2 people said stop, .*: crm has another address now\. Tell 127/);
      crm.answerWith(replyWith(204));
      await server.reload({destinations: new Map([['crm', crm.settings]])});
      await until(async () => (await events()).length === 0);
      assert.deepEqual(typesAt(other), []);
    });

    test('is tried again after a 410, which pauses all else; an operator who pauses holds it, too', async (t) => {
      const crm = await openFor(t, startWebhookReceiver());
      const {server, admin, events, leadOfCrm, saysStop, said} = await start(t, crm.settings);
      const [id, next, last] = [await leadOfCrm(), await leadOfCrm(), await leadOfCrm()];
      crm.answerWith(replyWith(410));
      await sentLead(server, person());
      await until(async () => (await admin.store.pausedDestinations()).length === 1);
      const before = typesAt(crm).length;
      await saysStop(id);
      await until(() => typesAt(crm).length >= before + 2);
      assert.ok(
        typesAt(crm)
          .slice(before)
          .every((type) => type === 'consent.revoked'),
      );
      assert.match(
        await said(),
        /^1 person said stop, .* The receiver answered 410 .*: it wants no more events/,
      );
      crm.answerWith(replyWith(204));
      await until(async () => (await events()).length === 0);
      assert.deepEqual(columnOf(await admin.store.pausedDestinations(), 'destination'), ['crm']);
      await pauseDestination(admin, 'crm', 'their maintenance');
      await until(() => server.logLines.some((line) => line.includes('their maintenance')));
      const then = typesAt(crm).length;
      await saysStop(next);
      assert.match(await said(), /^1 person said stop, .*: crm is paused: their maintenance\. Tell 127/);
      await saysStop(last);
      assert.match(await said(), /^2 people/);
      assert.equal(typesAt(crm).length, then);
      await admin.store.resumeDestination(Date.now(), 'crm');
      await until(async () => (await events()).length === 0);
      assert.equal(typesAt(crm).filter((type) => type === 'lead.created').length, 5);
    });

    test('is tried again for each mailbox that refuses it for good, and is a finding at once', async (t) => {
      let refused: string[] = [];
      const asked: string[] = [];
      const mail = await openFor(
        t,
        startMailServer({
          onRcptTo({address}, _session, callback) {
            asked.push(address);
            callback(refused.includes(address) ? refusal(550) : null);
          },
        }),
      );
      const to = ['sales@example.com', 'gone@example.com'];
      const inbox = emailSettings(`smtp://127.0.0.1:${mail.port}`, {to});
      const {events, leadOfCrm, saysStop, said, admin} = await start(t, inbox, {refusedRetry: 2 * 3_600_000});
      const [id, other] = [await leadOfCrm(), await leadOfCrm()];
      refused = ['gone@example.com'];
      await saysStop(id);
      await until(async () => (await said()) !== '');
      assert.match(
        await said(),
        /^1 person said stop, .* gone@example\.com \(550\) yet; the other recipients have it\. Tell gone@example\.com by hand/,
      );
      const [row] = await admin.store.listDeliveries(1, {lead: id});
      assert.partialDeepStrictEqual(row, {state: 'waiting', recipients: {left: ['gone@example.com']}});
      assert.ok(row!.nextAttemptAt > Date.now() + 3_600_000, 'once a day, in production');
      refused = to;
      await saysStop(other);
      await until(async () => /^2 people/.test(await said()));
      await until(async () =>
        (await admin.store.listDeliveries(9, {stops: true})).every(
          ({leasedUntil, attempts}) => leasedUntil === 0 && attempts === 1,
        ),
      );
      assert.equal(asked.length, 8);
      refused = [];
      await admin.store.retryDeliveries(Date.now(), {destination: 'crm'});
      await until(async () => (await events()).length === 0);
      assert.deepEqual(columnOf(mail.received.slice(2), 'to').toSorted(), [
        ['gone@example.com'],
        ['sales@example.com'],
        to,
      ]);
    });

    test('is no finding for a quarter of an hour, and counts people, not leads', async (t) => {
      const crm = await openFor(t, startWebhookReceiver());
      const {leadOfCrm, saysStop, findings, said, server, admin} = await start(t, crm.settings);
      const phone = '415-999-1234';
      const ids = [await leadOfCrm(person(phone)), await leadOfCrm(person(phone)), await leadOfCrm()];
      const erased = await leadOfCrm();
      crm.answerWith(replyWith(500));
      for (const id of ids) await saysStop(id);
      await planAndErase(admin, [erased]);
      assert.deepEqual(await findings(), []);
      await until(async () =>
        (await admin.store.listDeliveries(9, {stops: true})).every(({lastError}) => lastError !== null),
      );
      await server.execute(
        `UPDATE deliveries SET happened_at = happened_at - ${4 * day} WHERE content IN ('revoked', 'erased')`,
      );
      assert.match(
        await said(),
        /^2 people said stop, and crm has not heard it for 4 days; by \w+ \d+ it must\. .*500.*\n1 person was erased, and crm has not heard it for 4 days\. /,
      );
      assert.equal((await findings())[0]?.level, 'degraded');
    });
  });
});
