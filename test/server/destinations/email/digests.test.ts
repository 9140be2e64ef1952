/** Digests from the server to the mail server: each lead is in one of them, and those of a round are in the same. */
import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import type {EmailSettings} from '../../../../server/config/destinations.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {referenceOf} from '../../../../contract/reference.ts';
import type {DeliveryRow} from '../../../../server/leads/deliveries.ts';
import {emailSettings} from '../../../support/email-settings.ts';
import {sentLead, somebody} from '../../../support/embed-client.ts';
import {refusal, startMailServer, type MailServer} from '../../../support/mail-server.ts';
import {openFor} from '../../../support/opened.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {asOperator, sqlite, type StoredServer} from '../../../support/stores.ts';
import {listedOrigin, type TestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';

/** Milliseconds. The settings count in minutes, which no test should wait for. */
const round = 200;

const startOver = (
  t: TestContext,
  {port}: MailServer,
  everyMinutes = round / 60_000,
  details: EmailSettings['details'] = 'none',
): Promise<StoredServer> =>
  openFor(
    t,
    sqlite.startServer(
      {
        destinations: new Map([['mail', emailSettings(`smtp://127.0.0.1:${port}`, {everyMinutes, details})]]),
        partners: [onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', send_to: ['mail']})],
      },
      quickTimings,
    ),
  );

const outbox = (server: TestServer): Promise<DeliveryRow[]> =>
  asOperator(server, (store) => store.listDeliveries(100, {}));

/** The references in the list of leads of each e-mail. */
const listed = ({received}: MailServer): string[][] =>
  received.map(({parsed}) =>
    [...(parsed.text ?? '').matchAll(/^([0-9A-Z]{4}-[0-9A-Z]{4}), /gm)].map((found) => found[1]!),
  );

const send = async (server: TestServer) => referenceOf((await sentLead(server)).id);

test('each lead is in one digest, whichever round it comes in', async (t) => {
  const mail = await openFor(t, startMailServer());
  const server = await startOver(t, mail);
  const sent: string[] = [];
  while (mail.received.length < 3) sent.push(await send(server));
  await until(() => listed(mail).flat().length >= sent.length);
  await until(async () => (await outbox(server)).length === 0);
  assert.deepEqual(listed(mail).flat().toSorted(), sent.toSorted());
});

test('after an outage of the mail server, one digest has all leads that came meanwhile', async (t) => {
  let isAway = true;
  const mail = await openFor(
    t,
    startMailServer({
      onMailFrom: (_address, _session, callback) => callback(isAway ? refusal(451) : null),
    }),
  );
  const server = await startOver(t, mail);
  const sent: string[] = [];
  while (sent.length < 12) sent.push(await send(server));
  await until(async () => (await outbox(server)).every(({attempts}) => attempts > 1));
  isAway = false;
  await until(async () => (await outbox(server)).length === 0);
  assert.deepEqual(
    listed(mail).map((references) => references.toSorted()),
    [sent.toSorted()],
  );
});

test('that a consent was taken back does not wait for the next digest', async (t) => {
  const mail = await openFor(t, startMailServer());
  const server = await startOver(t, mail, 1_440);
  const {id} = await sentLead(server);
  await server.execute("UPDATE deliveries SET state = 'delivered', settled_at = happened_at");
  await sentLead(server);
  await asOperator(server, (store) => store.revoke(id, {now: Date.now(), scope: 'all', present: undefined}));
  await until(() => mail.received.length === 1);
  assert.equal(mail.received[0]?.parsed.subject, '1 lead to stop');
  assert.deepEqual(listed(mail)[0], [referenceOf(id)]);
});

test('a stop names who as long as the lead is there, and comes without a name once it was erased', async (t) => {
  const mail = await openFor(t, startMailServer());
  const server = await startOver(t, mail, 1_440, 'contact');
  const [{id}, {id: erased}] = [await sentLead(server, somebody()), await sentLead(server, somebody())];
  await server.execute("UPDATE deliveries SET state = 'delivered', settled_at = happened_at");
  const revoke = (lead: string) =>
    asOperator(server, (store) => store.revoke(lead, {now: Date.now(), scope: 'all', present: undefined}));
  await revoke(id);
  await until(() => mail.received.length === 1);
  assert.match(mail.received[0]?.parsed.subject ?? '', /^Stop: .+, \+1 \d{3}-\d{3}-\d{4}$/);
  await asOperator(server, (store) => store.erase(erased, Date.now(), () => false));
  await revoke(erased);
  await until(() => mail.received.length === 2);
  const {subject, text = ''} = mail.received[1]?.parsed ?? {};
  assert.equal(subject, '1 lead to stop');
  assert.doesNotMatch(text, /\+1 \d/);
});
