/** E-mails of which the mail server takes some recipients and refuses others: who gets them, and what operators see. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {onePartner} from '../../../../server/config/partners.ts';
import {emailSettings} from '../../../support/email-settings.ts';
import {sentLead} from '../../../support/embed-client.ts';
import {refusal, startMailServer} from '../../../support/mail-server.ts';
import {openFor} from '../../../support/opened.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {asOperator, sqlite} from '../../../support/stores.ts';
import {listedOrigin} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';

test('a recipient that is put off gets the e-mail later, and the others get it once', async (t) => {
  const replies = new Map([
    ['grey@example.com', 451],
    ['gone@example.com', 550],
  ]);
  const asked: string[] = [];
  const mail = await openFor(
    t,
    startMailServer({
      onRcptTo({address}, _session, callback) {
        asked.push(address);
        const status = replies.get(address);
        callback(status === undefined ? null : refusal(status));
      },
    }),
  );
  // Mail servers are told domains in lower case.
  const to = ['sales@example.com', 'grey@Example.COM', 'gone@example.com'];
  const destinations = new Map([['sales', emailSettings(`smtp://127.0.0.1:${mail.port}`, {to})]]);
  const partners = [
    onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', send_to: ['sales']}),
  ] as const;
  const server = await openFor(t, sqlite.startServer({destinations, partners}, quickTimings));
  const {id} = await sentLead(server);
  const deliveries = () =>
    asOperator(server, async (operator) => [
      ...(await operator.listDeliveries(10, {lead: id})),
      ...(await operator.listDeliveries(10, {lead: id, state: 'delivered'})),
    ]);
  await until(() => asked.filter((address) => address === 'grey@example.com').length > 2);
  assert.partialDeepStrictEqual(await deliveries(), [
    {state: 'waiting', recipients: {left: ['grey@example.com'], refused: ['gone@example.com (550)']}},
  ]);
  replies.delete('grey@example.com');
  await until(async () => (await deliveries())[0]?.state === 'delivered');
  assert.partialDeepStrictEqual(await deliveries(), [
    {recipients: {left: [], refused: ['gone@example.com (550)']}, lastError: null},
  ]);
  assert.deepEqual(
    mail.received.map((received) => received.to),
    [['sales@example.com'], ['grey@example.com']],
  );
  assert.equal(asked.filter((address) => address === 'gone@example.com').length, 1);
  const lines = server.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.partialDeepStrictEqual(
    lines.filter(({recipient}) => recipient !== undefined),
    [{lead: id, destination: 'sales', recipient: 'gone@example.com (550)'}],
  );
  assert.ok(lines.some(({reason}) => String(reason).includes('grey@example.com (451)')));
  assert.match(await (await server.fetch('/health')).text(), /"ok"/);
});
