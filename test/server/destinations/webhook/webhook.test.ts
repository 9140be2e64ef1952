/** What a webhook sends, and what becomes of each answer. The receivers really listen. */
import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import type {Socket} from 'node:net';
import {suite, test, type TestContext} from 'node:test';
import tls from 'node:tls';
import {gzipSync} from 'node:zlib';
import {Webhook as Verifier} from 'standardwebhooks';
import type {WebhookSettings} from '../../../../server/config/destinations.ts';
import {remedyOf} from '../../../../server/observe/causes.ts';
import type {DeliveryError, DeliveryRequest} from '../../../../server/destinations/destination.ts';
import {withStatus} from '../../../../server/destinations/webhook/failures.ts';
import {createWebhook} from '../../../../server/destinations/webhook/webhook.ts';
import type {LeadEvent} from '../../../../server/leads/lead-event.ts';
import {failureOf} from '../../../support/delivery-failure.ts';
import {createAuthority, selfSigned} from '../../../support/certificates.ts';
import {freePort} from '../../../support/free-port.ts';
import {startRawServer} from '../../../support/mail-server.ts';
import {openFor, suiteOwner} from '../../../support/opened.ts';
import {erasedRequest, eventRequest, revokedRequest} from '../../../support/sample-events.ts';
import {
  keyOf,
  newSecret,
  replyWith,
  startWebhookReceiver,
  type Received,
  type ReceiverReply,
} from '../../../support/webhook-receiver.ts';

const usualTimeout = 10_000;

/** Delivers once, and closes the webhook. */
async function deliver(settings: WebhookSettings, request: DeliveryRequest, timeout = usualTimeout) {
  const webhook = createWebhook(settings, timeout);
  try {
    return await webhook.deliver(request);
  } finally {
    await webhook.close();
  }
}

/** Delivers once to a receiver that answers so, and returns the error. */
async function failureAfter(
  t: TestContext,
  reply: ReceiverReply,
  {attempts = 0, timeout = usualTimeout} = {},
): Promise<DeliveryError> {
  const {settings} = await openFor(t, startWebhookReceiver(reply));
  return failureAt(settings, {...eventRequest(), attempts}, timeout);
}

async function failureAt(settings: WebhookSettings, request = eventRequest(), timeout = usualTimeout) {
  const error = await failureOf(deliver(settings, request, timeout));
  assert.doesNotMatch(error.message, /127\.0\.0\.1|localhost|http:|abc|\bhook\b/);
  return error;
}

const eventOf = ({body}: Received) => JSON.parse(body) as LeadEvent;

suite('an event', () => {
  test('an event is a POST of JSON to the whole URL, with the headers of Standard Webhooks', async (t) => {
    const {settings, received} = await openFor(t, startWebhookReceiver());
    const request = eventRequest();
    const from = Math.floor(Date.now() / 1_000);
    await deliver(settings, request);
    const [{method, path, headers, body} = assert.fail()] = received;
    assert.deepEqual([method, path], ['POST', '/hook?token=abc']);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['user-agent'], 'lead-prequal');
    assert.equal(headers['webhook-id'], `evt_created_${request.lead.id}`);
    const timestamp = Number(headers['webhook-timestamp']);
    assert.ok(timestamp >= from && timestamp <= Date.now() / 1_000);
    assert.equal(Number(headers['content-length']), Buffer.byteLength(body));
  });

  test('an event is verified by the package standardwebhooks, and a changed one is not', async (t) => {
    const {settings, secret, received} = await openFor(t, startWebhookReceiver());
    const lead = {...eventRequest().lead};
    lead.lead = {...lead.lead, first_name: 'Zoë 😀', last_name: '" \\ \u2028'};
    await deliver(settings, {...eventRequest(), lead});
    const [{headers, body} = assert.fail()] = received;
    const verifier = new Verifier(secret);
    const verified = verifier.verify(body, headers as Record<string, string>) as LeadEvent;
    assert.equal(verified.data.lead.first_name, 'Zoë 😀');
    assert.throws(() => verifier.verify(body.replace('Zoë', 'Zoe'), headers as Record<string, string>));
    assert.throws(() => new Verifier(newSecret()).verify(body, headers as Record<string, string>));
  });

  test('an event is signed with both secrets while one replaces the other', async (t) => {
    const {settings, secret, received} = await openFor(t, startWebhookReceiver());
    const next = newSecret();
    await deliver({...settings, secrets: [keyOf(secret), keyOf(next)]}, eventRequest());
    const [{headers, body} = assert.fail()] = received;
    assert.match(String(headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    for (const one of [secret, next]) new Verifier(one).verify(body, headers as Record<string, string>);
  });

  const tellings = {
    created: ['lead.created', 'evt_created_', 'pending'],
    answered: ['lead.answered', 'evt_answered_', 'done'],
    refused: ['lead.answered', 'evt_refused_', 'refused'],
  } as const;
  for (const [content, [type, prefix, status]] of Object.entries(tellings)) {
    test(`an event of a lead that is answered later tells ${content} as ${type}, ${status}`, async (t) => {
      const {settings, received} = await openFor(t, startWebhookReceiver());
      const request = eventRequest({isAnsweredLater: true}, content as keyof typeof tellings);
      await deliver(settings, request);
      const [one = assert.fail()] = received;
      const {type: sent, data} = eventOf(one);
      assert.deepEqual([sent, data.answer?.status], [type, status]);
      assert.equal(one.headers['webhook-id'], prefix + request.lead.id);
    });
  }

  test('an event of an erased lead is signed as all are, and holds nothing but which lead it was', async (t) => {
    const {settings, secret, received} = await openFor(t, startWebhookReceiver());
    const request = erasedRequest({duplicateOf: '01934b2c-0000-7000-8000-00a1b2c3d4e5'});
    await deliver(settings, request);
    const [{headers, body} = assert.fail()] = received;
    assert.equal(headers['webhook-id'], `evt_erased_${request.lead.id}`);
    assert.deepEqual(new Verifier(secret).verify(body, headers as Record<string, string>), {
      type: 'lead.erased',
      timestamp: '2026-11-27T17:45:12.000Z',
      data: {
        id: request.lead.id,
        reference: 'K7QM-2XHD',
        created_at: '2026-11-20T17:45:12.000Z',
        partner: 'acme',
        duplicate_of: '01934b2c-0000-7000-8000-00a1b2c3d4e5',
        supersedes: null,
      },
    });
  });

  test('an event of a consent that was revoked names nobody', async (t) => {
    const {settings, received} = await openFor(t, startWebhookReceiver());
    await deliver(settings, revokedRequest());
    assert.match(received[0]?.body ?? '', /consent\.revoked/);
    assert.doesNotMatch(received[0]?.body ?? '', /Silva|0142|ana@/);
  });

  test('an event that tests the webhook says that it is a test, about a made-up lead', async (t) => {
    const {settings, secret, received} = await openFor(t, startWebhookReceiver());
    const webhook = await openFor(t, createWebhook(settings, usualTimeout));
    assert.deepEqual(await webhook.test(), {
      state: 'delivered',
      answer: null,
      note: 'The receiver answered 204',
    });
    await webhook.test();
    const [one = assert.fail(), two = assert.fail()] = received;
    new Verifier(secret).verify(one.body, one.headers as Record<string, string>);
    const {test: isTest, data} = eventOf(one);
    assert.equal(isTest, true);
    assert.equal(data.lead.first_name, 'Sample');
    assert.match(data.lead.email, /@example\.com$/);
    assert.equal(one.headers['webhook-id'], `evt_test_${data.id}`);
    assert.notEqual(one.headers['webhook-id'], two.headers['webhook-id']);
  });
});

suite('an event is delivered', () => {
  const replies: Record<string, ReceiverReply> = {
    'a 200 with a body': replyWith(200, {}, '{"ok": true}'),
    'a 202': replyWith(202),
    'a 204': replyWith(204),
    'a 299 that nobody knows': replyWith(299),
    'a 200 whose body never ends': (response) => void response.writeHead(200).write('{'),
    'a 200 whose body is cut off': (response) => {
      response.writeHead(200, {'content-length': '500'});
      response.write('{', () => response.socket?.destroy());
    },
    'a 200 with a huge body': (response) => void response.writeHead(200).end(Buffer.alloc(20_000_000, ' ')),
    'a 200 that asks to wait': replyWith(200, {'retry-after': '3600'}),
  };
  for (const [what, reply] of Object.entries(replies)) {
    test(`after ${what}`, async (t) => {
      const {settings, received} = await openFor(t, startWebhookReceiver(reply));
      const settlement = await deliver(settings, eventRequest());
      assert.partialDeepStrictEqual(settlement, {state: 'delivered', answer: null});
      assert.equal(received.length, 1);
    });
  }

  test('if the answer comes at the end of the time', async (t) => {
    const late: ReceiverReply = (response) => void setTimeout(() => response.writeHead(200).end(), 1_000);
    const {settings} = await openFor(t, startWebhookReceiver(late));
    assert.equal((await deliver(settings, eventRequest(), 5_000)).state, 'delivered');
  });

  test('over a connection of the events before', async (t) => {
    const receiver = await openFor(t, startWebhookReceiver(replyWith(200, {}, 'thanks')));
    const webhook = await openFor(t, createWebhook(receiver.settings, usualTimeout));
    for (let count = 0; count < 20; count += 1) await webhook.deliver(eventRequest());
    // An event that follows at once may find the connection busy, which makes a second one.
    assert.ok(receiver.connections() <= 2, String(receiver.connections()));
  });

  for (const [how, cut] of [
    ['resets', (socket: Socket) => void socket.resetAndDestroy()],
    ['ends', (socket: Socket) => void socket.end()],
  ] as const) {
    test(`an event is sent again at once if the receiver ${how} an earlier connection just then`, async (t) => {
      const used = new Set<Socket>();
      const settings = await listen(t, (socket) =>
        onEvent(socket, () => {
          if (used.has(socket)) return cut(socket);
          used.add(socket);
          socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        }),
      );
      const webhook = await openFor(t, createWebhook(settings, usualTimeout));
      for (let count = 0; count < 4; count += 1)
        assert.equal((await webhook.deliver(eventRequest())).state, 'delivered');
    });
    test(`an event is not sent again at once if the receiver ${how} a new connection`, async (t) => {
      let requests = 0;
      const settings = await listen(t, (socket) =>
        onEvent(socket, () => {
          requests += 1;
          cut(socket);
        }),
      );
      assert.match((await failureAt(settings)).message, /cut the connection/);
      assert.equal(requests, 1);
    });
  }

  test('over as many connections as the settings allow at once, and no more', async (t) => {
    const open: (() => void)[] = [];
    const hold: ReceiverReply = (response) => void open.push(() => response.writeHead(204).end());
    const receiver = await openFor(t, startWebhookReceiver(hold));
    const webhook = await openFor(t, createWebhook({...receiver.settings, parallel: 2}, usualTimeout));
    const deliveries = Array.from({length: 4}, () => webhook.deliver(eventRequest()));
    for (const count of [2, 3, 4]) {
      await receiver.hasReceived(count);
      open.shift()?.();
    }
    open.shift()?.();
    await Promise.all(deliveries);
    assert.equal(receiver.connections(), 2);
  });
});

suite('an event fails', () => {
  const misconfigured = {fault: 'misconfigured', aboutLead: false, isGone: false};
  const aboutLead = {fault: 'failed', aboutLead: true, isGone: false};
  const failed = {fault: 'failed', aboutLead: false, isGone: false};
  const rows: [status: number, expected: object, message: RegExp][] = [
    [301, misconfigured, /301 \(Moved Permanently\): redirects are not followed/],
    ...[300, 302, 303, 304, 307, 308].map(
      (status) => [status, misconfigured, /redirects are not followed/] as [number, object, RegExp],
    ),
    [400, aboutLead, /400 \(Bad Request\): it does not accept this event/],
    [401, misconfigured, /401 \(Unauthorized\): it does not accept the signature/],
    [403, misconfigured, /403 \(Forbidden\)/],
    [404, misconfigured, /404 \(Not Found\): the URL/],
    [405, misconfigured, /405 \(Method Not Allowed\)/],
    [408, failed, /in time/],
    [409, aboutLead, /409/],
    [410, {...misconfigured, isGone: true}, /410 \(Gone\): it wants no more events/],
    [413, aboutLead, /413/],
    [415, aboutLead, /415/],
    [422, aboutLead, /422/],
    [429, failed, /429 \(Too Many Requests\): it asks for fewer events at once/],
    [499, aboutLead, /499: it does not accept/],
    [500, failed, /500 \(Internal Server Error\): it failed itself/],
    [502, failed, /502/],
    [503, failed, /503 \(Service Unavailable\)/],
    [504, failed, /504/],
    [599, failed, /599/],
  ];
  for (const [status, expected, message] of rows) {
    test(`with words after a ${status}`, async (t) => {
      const location = {location: 'https://elsewhere.example/'};
      const error = await failureAfter(t, replyWith(status, status < 400 ? location : {}));
      assert.partialDeepStrictEqual({...error}, expected);
      assert.match(error.message, /^The receiver answered \d/);
      assert.match(error.message, message);
    });
  }

  test('with the status alone, if nothing is known of what such a receiver means by it', () => {
    const {message} = withStatus({receiver: 'topic', status: 500, retryAfter: 0, excerpt: undefined}, 0);
    assert.equal(message, 'The topic answered 500 (Internal Server Error)');
  });

  test('after a redirect, which is not followed', async (t) => {
    const elsewhere = await openFor(t, startWebhookReceiver());
    await failureAfter(t, replyWith(307, {location: elsewhere.settings.url}));
    assert.equal(elsewhere.connections(), 0);
  });

  for (const [status, expected] of [
    [500, true],
    [502, true],
    [408, true],
    [503, false],
    [429, false],
  ] as const) {
    test(`after three attempts ${status} is ${expected ? '' : 'not '}taken for the fault of the lead`, async (t) => {
      assert.equal((await failureAfter(t, replyWith(status), {attempts: 3})).aboutLead, expected);
      assert.equal((await failureAfter(t, replyWith(status), {attempts: 2})).aboutLead, false);
    });
  }

  const hour = 3_600_000;
  for (const [header, least, most] of [
    ['120', 120_000, 120_000],
    ['0', 0, 0],
    ['999999', hour, hour],
    ['99999999999999999999999', hour, hour],
    [() => new Date(Date.now() + 600_000).toUTCString(), 500_000, 600_000],
    [() => new Date(Date.now() - 600_000).toUTCString(), 0, 0],
    [() => new Date(Date.now() + 100 * hour).toUTCString(), hour, hour],
    ['soon', 0, 0],
    ['-5', 0, 0],
    // The parser leaves spaces behind a value, and a gateway may add a header of its own.
    ['120 ', 120_000, 120_000],
    [['60', '120'], 120_000, 120_000],
  ] as const) {
    const what = typeof header === 'function' ? 'a date' : JSON.stringify(header);
    test(`and the Retry-After is honoured within an hour: ${what}`, async (t) => {
      for (const status of [429, 503]) {
        const values = [typeof header === 'function' ? header() : header].flat();
        const {retryAfter} = await failureAfter(t, replyWith(status, {'retry-after': values}));
        assert.ok(retryAfter >= least && retryAfter <= most, String(retryAfter));
      }
    });
  }

  test('with the first 200 characters of the answer, which are not in the message', async (t) => {
    const body = `\u0000\u001b[31mNo\r\n\t<b>such\u202e lead</b> ${'é😀'.repeat(5_000)}`;
    const error = await failureAfter(t, replyWith(422, {}, body));
    assert.match(error.excerpt ?? '', /^\[31mNo <b>such lead<\/b> (?:é😀)+é?$/u);
    assert.equal(Array.from(error.excerpt ?? '').length, 200);
    assert.doesNotMatch(error.message, /No|such|é/);
  });
  test('without an excerpt if the answer is compressed or empty', async (t) => {
    const packed: ReceiverReply = (response) =>
      void response.writeHead(500, {'content-encoding': 'gzip'}).end(gzipSync('sorry'));
    assert.equal((await failureAfter(t, packed)).excerpt, null);
    assert.equal((await failureAfter(t, replyWith(500))).excerpt, null);
  });
  test('a failure keeps an excerpt also of a body that is huge, breaks off, drips or is no text', async (t) => {
    const huge: ReceiverReply = (response) => void response.writeHead(500).end(Buffer.alloc(50_000_000, 'x'));
    assert.equal((await failureAfter(t, huge)).excerpt, 'x'.repeat(200));
    const cut: ReceiverReply = (response) => {
      response.writeHead(500, {'content-length': '500'});
      response.write('sorry', () => response.socket?.destroy());
    };
    assert.partialDeepStrictEqual({...(await failureAfter(t, cut))}, {fault: 'failed'});
    const drip: ReceiverReply = (response) => {
      response.writeHead(500);
      const dripping = setInterval(() => response.write('x'), 5);
      response.once('close', () => clearInterval(dripping));
    };
    assert.match((await failureAfter(t, drip)).excerpt ?? '', /^x+$/);
    const bytes: ReceiverReply = (response) => void response.writeHead(500).end(randomBytes(3_000));
    assert.doesNotMatch((await failureAfter(t, bytes)).excerpt ?? '', /\p{Cc}/u);
  });
});

/** Listens for bare connections, to answer with something that is not HTTP, or with nothing. */
async function listen(t: TestContext, onConnection: (socket: Socket) => void): Promise<WebhookSettings> {
  const {port} = await openFor(t, startRawServer(onConnection));
  return at(`http://127.0.0.1:${port}/`);
}

/** Calls `work` for each event that has come whole. */
function onEvent(socket: Socket, work: () => void) {
  socket.on('data', (bytes) => {
    if (bytes.toString().endsWith('}')) work();
  });
}

const at = (url: string): WebhookSettings => ({
  type: 'webhook',
  url,
  secrets: [keyOf(newSecret())],
  isInternal: true,
});

suite('the network', () => {
  const cases: Record<string, [onConnection: (socket: Socket) => void, message: RegExp, timeout?: number]> = {
    'cuts the connection when it is made': [
      (socket) => socket.resetAndDestroy(),
      /^The receiver cut the connection before it had answered/,
    ],
    'cuts the connection after the request': [
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
      /^The receiver cut the connection before it had answered/,
    ],
    'ends the connection after the request': [
      (socket) => socket.once('data', () => socket.end()),
      /^The receiver cut the connection before it had answered/,
    ],
    'gives no answer': [() => undefined, /^The receiver gave no answer within 0\.3 seconds$/, 300],
    'drips its answer': [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
        const dripping = setInterval(() => socket.write('x'), 5);
        socket.once('close', () => clearInterval(dripping));
      },
      /^The receiver gave no answer within 0\.3 seconds$/,
      300,
    ],
    'answers in another protocol': [
      (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      /^The answer of the receiver cannot be read: it is not valid HTTP/,
    ],
    'answers with endless headers': [
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(200_000)}\r\n\r\n`),
      /^The answer of the receiver cannot be read: its headers are too large/,
    ],
  };
  for (const [what, [onConnection, message, timeout]] of Object.entries(cases)) {
    test(`${what}: the event failed, and the message says so`, async (t) => {
      const settings = await listen(t, onConnection);
      const error = await failureAt(settings, eventRequest(), timeout);
      assert.match(error.message, message);
      assert.deepEqual([error.fault, error.aboutLead], ['failed', false]);
      const later = await failureAt(settings, {...eventRequest(), attempts: 3}, timeout);
      assert.equal(later.aboutLead, timeout === undefined, 'Only a timeout says nothing about the lead');
    });
  }
  test('refuses the connection: the event failed, and never because of the lead', async () => {
    const settings = at(`http://127.0.0.1:${await freePort()}/`);
    const error = await failureAt(settings, {...eventRequest(), attempts: 9});
    assert.match(error.message, /^The receiver refused the connection: nothing listens/);
    assert.equal(error.aboutLead, false);
  });
  for (const [code, message] of [
    ['ENOTFOUND', /^The address of the receiver could not be found: the DNS knows no such name/],
    ['EAI_AGAIN', /^The address of the receiver could not be found: no DNS server answered/],
  ] as const) {
    test(`knows no such name (${code}): the event failed, and the message says so`, async (t) => {
      const failure = Object.assign(new Error(`getaddrinfo ${code} secret.example`), {code});
      const webhook = await openFor(
        t,
        createWebhook(at('https://secret.example/'), 5_000, {lookup: () => Promise.reject(failure)}),
      );
      const error = await failureOf(webhook.deliver({...eventRequest(), attempts: 9}));
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /secret/);
      assert.partialDeepStrictEqual({...error}, {fault: 'failed', aboutLead: false});
    });
  }
  test('is no longer used once the webhook is closed: deliveries under way are cut off', async (t) => {
    const receiver = await openFor(
      t,
      startWebhookReceiver(() => undefined),
    );
    const webhook = createWebhook(receiver.settings, usualTimeout);
    const delivery = webhook.deliver(eventRequest());
    await Promise.all([
      assert.rejects(delivery, /The service stopped|cut the connection/),
      receiver.hasReceived(1).then(() => webhook.close()),
    ]);
  });
});

suite('TLS', async () => {
  const owner = suiteOwner();
  const authority = await createAuthority();
  const known = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...known, authority.ca]);
  owner.after(() => tls.setDefaultCACertificates(known));

  test('TLS with a certificate of a known authority works', async (t) => {
    const receiver = await openFor(
      t,
      startWebhookReceiver(replyWith(204), {tls: await authority.issue('localhost')}),
    );
    assert.equal((await deliver(receiver.settings, eventRequest())).state, 'delivered');
  });

  const rows = {
    'has expired': [
      await authority.issue('localhost', '2020-01-01', '2021-01-01'),
      /: it ended on 2021-01-01 \(CERT_HAS_EXPIRED\)$/,
    ],
    'is not valid yet': [await authority.issue('localhost', '2048-01-01'), /: it begins on 2048-01-01 \(/],
    'is for another host': [await authority.issue('other.example'), /it is for another host/],
    'is self-signed': [await selfSigned('localhost'), /is self-signed/],
    'is of an unknown authority': [
      await (await createAuthority()).issue('localhost'),
      /authority.* not known here/,
    ],
  } as const;
  for (const [what, [certificate, words]] of Object.entries(rows)) {
    test(`TLS with a certificate that ${what} fails, and the message says so`, async (t) => {
      const receiver = await openFor(t, startWebhookReceiver(replyWith(204), {tls: certificate}));
      const error = await failureAt(receiver.settings, {...eventRequest(), attempts: 9});
      assert.match(error.message, /^The certificate of the receiver is not accepted: /);
      assert.ok(remedyOf(error.message));
      assert.match(error.message, words);
      assert.deepEqual([error.fault, error.aboutLead, receiver.received.length], ['failed', false, 0]);
    });
  }
  test('TLS to a port that speaks plain HTTP fails, and the message says so', async (t) => {
    const {port} = await openFor(t, startWebhookReceiver());
    const error = await failureAt(at(`https://localhost:${port}/`));
    assert.match(
      error.message,
      /^The TLS handshake with the receiver failed: perhaps its port does not speak TLS/,
    );
  });
});
