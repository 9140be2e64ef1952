/** Plants a canary in every secret of webhooks and e-mails and in every field of a lead, and looks for them after faults. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {DestinationSettings} from '../../../server/config/destinations.ts';
import {onePartner} from '../../../server/config/partners.ts';
import type {DeliveryRow} from '../../../server/leads/deliveries.ts';
import {startServer} from '../../../server/server.ts';
import type {AttachedStore} from '../../../server/leads/ports.ts';
import {openAttachedStore} from '../../../server/store/open-store.ts';
import {emailSettings} from '../../support/email-settings.ts';
import {sentLead} from '../../support/embed-client.ts';
import {logTo} from '../../support/observation-log.ts';
import {fetchFrom} from '../../support/http.ts';
import {refusal, startMailServer, startRawServer} from '../../support/mail-server.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {canaryLead as lead} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {baseConfig, listedOrigin, testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {startWebhookReceiver, type ReceiverReply} from '../../support/webhook-receiver.ts';

const attribution = {gclid: 'canary-click', referrer: 'https://canary-referrer.example/'};
const personal = [
  ...['Canaryfirst', 'Canarylast', 'canary.mail', '555-0199', '4155550199', '7654321', '1234567', '5432101'],
  ...['canary-notes', 'canary-click', 'canary-referrer'],
];
const recipient = 'canary.recipient@partner.example';
const smtpUser = 'canary-smtp-user';
const smtpPassword = 'canary-smtp-password';
/** The sender and the encoded forms in which SMTP sends the password. */
const smtpSecrets = [
  ...[recipient, smtpUser, smtpPassword, 'canary.sender'],
  ...[`\0${smtpUser}\0${smtpPassword}`, smtpPassword].map((text) => Buffer.from(text).toString('base64')),
];

/** Sends a lead to the destination, and reads what became of its delivery when `isOver`. */
async function drive(t: TestContext, settings: DestinationSettings, isOver: (row: DeliveryRow) => boolean) {
  const folder = temporaryFolder(t);
  const config = {
    ...baseConfig(folder),
    metrics: {host: '127.0.0.1', port: 0},
    destinations: new Map([['events', settings]]),
    partners: [onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', send_to: ['events']})] as const,
  };
  const events: string[] = [];
  const lines: string[] = [];
  const log = logTo(lines, 'debug');
  const server = await startServer(
    config,
    (event) => {
      events.push(JSON.stringify(event));
      log.emit(event);
    },
    undefined,
    {...quickTimings, delivery: 3_000},
  );
  const look = <Result>(work: (store: AttachedStore) => Promise<Result>) =>
    openWhile(openAttachedStore(config, testEncryptor, true), work);
  const rows = () => look((store) => store.listDeliveries(10, {destination: 'events'}));
  try {
    const fetch = fetchFrom(`http://127.0.0.1:${server.port}`);
    await sentLead({fetch}, lead, {body: {attribution}});
    await until(async () => (await rows()).every(isOver));
    const health = await (await fetch('/health')).text();
    const metrics = await (await fetchFrom(`http://127.0.0.1:${server.metricsPort}`)('/metrics')).text();
    assert.match(metrics, /destination="events"/);
    const [row] = await rows();
    const [reply = null] = row ? await look((store) => store.lastReplies(row.lead)) : [];
    return {
      row,
      reply: reply?.reply,
      seen: `${events.join('\n')}\n${health}\n${metrics}\n${row?.lastError}`,
      lines,
    };
  } finally {
    await server.close();
    log.flush();
  }
}

function assertSilent(seen: string, lines: readonly string[], secrets: readonly string[]) {
  assert.ok(lines.length >= 2);
  const text = `${seen}\n${lines.join('')}`;
  assert.deepEqual(
    [...personal, ...secrets].filter((canary) => text.includes(canary)),
    [],
  );
}

const failedOnce = ({attempts, lastError}: DeliveryRow) => attempts > 0 && lastError !== null;

/** Sends back all that it got, as careless receivers do, in the body, in a header and in the reason of the status. */
const echo =
  (status: number): ReceiverReply =>
  (response, {headers, body, path}) => {
    const everything = `${body} ${path} ${JSON.stringify(headers)}`;
    const header = Buffer.from(everything)
      .toString('latin1')
      .replaceAll(/[^ -~]/g, '');
    response.writeHead(status, header.slice(0, 500), {'x-echo': header, location: `http://${path}`});
    response.end(everything);
  };
const faults: Record<string, ReceiverReply> = {
  ...Object.fromEntries(
    [302, 400, 401, 404, 410, 422, 429, 500, 503].map((status) => [`answers ${status}`, echo(status)]),
  ),
  'cuts the connection': (response) => void response.socket?.destroy(),
  'does not answer': () => undefined,
  'answers no HTTP': (response, {body, path}) => void response.socket?.end(`${path} ${body}\r\n\r\n`),
  'answers with headers that are too large': (response, {body}) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\n${`x-echo: ${encodeURI(body)}\r\n`.repeat(50)}\r\n`);
  },
  'answers with a length that is wrong': (response, {body}) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body}\r\n\r\n`);
  },
};

suite('no secret of a webhook and nothing of a lead is in the log, a metric, /health or an error', () => {
  for (const [what, answer] of Object.entries(faults)) {
    test(`a webhook that ${what} brings no secret and nothing of a lead into log or errors`, async (t) => {
      const receiver = await openFor(t, startWebhookReceiver(answer));
      const settings = {
        ...receiver.settings,
        url: `http://127.0.0.1:${receiver.port}/canary-path?token=canary-token`,
      };
      const {row, reply, seen, lines} = await drive(t, settings, failedOnce);
      const digits = receiver.secret.slice('whsec_'.length);
      const [signature = ''] = String(receiver.received[0]?.headers['webhook-signature']).split(' ');
      const secrets = ['canary-path', 'canary-token', digits, signature, `:${receiver.port}`];
      assertSilent(seen, lines, secrets);
      assert.ok(row?.lastError);
      if (what.startsWith('answers ') && /\d/.test(what)) {
        // Operators see the beginning of the reply, which is that of the event.
        assert.match(reply ?? '', /^\{"type":"lead.created"/);
        assert.equal(reply?.length, 200);
      }
    });
  }
  test('a webhook where nothing listens brings no secret and nothing of a lead into log or errors', async (t) => {
    const receiver = await startWebhookReceiver();
    await receiver.close();
    const {reply, seen, lines} = await drive(t, receiver.settings, failedOnce);
    assertSilent(seen, lines, ['token=abc', receiver.secret, `:${receiver.port}`]);
    assert.equal(reply, undefined);
  });
  test('a webhook that works brings no secret and nothing of a lead into log or errors', async (t) => {
    const receiver = await openFor(t, startWebhookReceiver(echo(200)));
    const {row, seen, lines} = await drive(t, receiver.settings, () => false);
    assert.equal(row, undefined);
    assertSilent(seen, lines, ['token=abc', receiver.secret, `:${receiver.port}`]);
  });
});

suite('no part of the address of a chat room is in log, metrics, errors and replies', () => {
  const canaries = ['canary-path-of-a-room', 'canary-key-of-a-room', 'canary+token', 'canary%2Btoken'];
  const settings = ({settings: own, port}: Awaited<ReturnType<typeof startWebhookReceiver>>) => {
    const {isInternal, perSecond, parallel} = own;
    const url = `http://127.0.0.1:${port}/services/canary-path-of-a-room?key=canary-key-of-a-room&token=canary%2Btoken`;
    const pace = {perSecond, parallel, rounding: 1_000};
    return {type: 'chat', format: 'slack', details: 'none', url, isInternal, ...pace} as const;
  };
  for (const [what, answer] of Object.entries(faults)) {
    test(`a chat room that ${what} brings no part of its address into log, errors or replies`, async (t) => {
      const receiver = await openFor(t, startWebhookReceiver(answer));
      const {row, reply, seen, lines} = await drive(t, settings(receiver), failedOnce);
      assert.ok(row?.lastError);
      assert.match(receiver.received[0]?.path ?? '', /canary-path-of-a-room/);
      assertSilent(`${seen}\n${reply}`, lines, [...canaries, `:${receiver.port}`]);
    });
  }
  test('a chat room where nothing listens brings no part of its address into log or errors', async (t) => {
    const receiver = await startWebhookReceiver();
    await receiver.close();
    const {row, seen, lines} = await drive(t, settings(receiver), failedOnce);
    assert.match(row?.lastError ?? '', /^The chat room refused the connection/);
    assertSilent(seen, lines, [...canaries, `:${receiver.port}`]);
  });
});

suite('no secret of e-mails and nothing of a lead is in the log, an event, /health or an error', () => {
  const echo = (status: number) =>
    refusal(status, `${recipient} ${smtpUser} ${smtpPassword} Canarylast`.repeat(20));
  type Hooks = Parameters<typeof startMailServer>[0];
  const faults: Record<string, Hooks> = {
    'refuses the password': {onAuth: (_auth, _session, callback) => callback(echo(535))},
    'refuses the sender': {onMailFrom: (_address, _session, callback) => callback(echo(550))},
    'refuses the recipients': {onRcptTo: (_address, _session, callback) => callback(echo(550))},
    'refuses the recipients for now': {onRcptTo: (_address, _session, callback) => callback(echo(451))},
    'refuses the e-mail': {
      onData(stream, _session, callback) {
        stream.resume();
        stream.on('end', () => callback(echo(554)));
      },
    },
    'refuses connections': {onConnect: (_session, callback) => callback(echo(421))},
  };
  const settings = (port: number) =>
    emailSettings(`smtp://${smtpUser}:${smtpPassword}@127.0.0.1:${port}`, {
      to: [recipient],
      from: 'canary.sender@partner.example',
      details: 'contact',
    });
  const accepted: Hooks = {onAuth: ({username}, _session, callback) => callback(null, {user: username})};
  for (const [what, hooks] of Object.entries(faults)) {
    test(`a mail server that ${what} brings no secret and nothing of a lead into log or errors`, async (t) => {
      const mail = await openFor(t, startMailServer({...accepted, ...hooks}));
      const {reply, seen, lines} = await drive(t, settings(mail.port), failedOnce);
      assertSilent(seen, lines, [...smtpSecrets, `:${mail.port}`]);
      assert.ok((reply ?? '').length <= 200);
    });
  }
  test('a mail server that talks nonsense brings no secret and no lead into log or errors', async (t) => {
    const mail = await openFor(
      t,
      startRawServer((socket) => void socket.end(`${recipient} ${smtpPassword} Canarylast\r\n`)),
    );
    const {seen, lines} = await drive(t, settings(mail.port), failedOnce);
    assertSilent(seen, lines, smtpSecrets);
  });
  test('e-mails that arrive bring no secret and nothing of a lead into log or errors', async (t) => {
    const mail = await openFor(t, startMailServer(accepted));
    const {row, seen, lines} = await drive(t, settings(mail.port), () => false);
    assert.equal(row, undefined);
    assert.ok(mail.received[0]?.raw.includes('Canarylast'));
    assertSilent(seen, lines, smtpSecrets);
  });
});
