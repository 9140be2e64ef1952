/** How e-mails reach a mail server, and what happens when it refuses them. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import type {Socket} from 'node:net';
import {suite, test} from 'node:test';
import {createTransport} from 'nodemailer';
import type {SMTPServerOptions} from 'smtp-server';
import type {EmailSettings} from '../../../../server/config/destinations.ts';
import {createEmail} from '../../../../server/destinations/email/email.ts';
import type {DeliveryError} from '../../../../server/destinations/destination.ts';
import type {Network} from '../../../../server/destinations/network.ts';
import {selfSigned} from '../../../support/certificates.ts';
import {failureOf as failureOfDelivery} from '../../../support/delivery-failure.ts';
import {emailSettings} from '../../../support/email-settings.ts';
import {
  mailAccess,
  refusal,
  startMailServer,
  startRawServer,
  type MailServer,
} from '../../../support/mail-server.ts';
import {openFor, type Owner} from '../../../support/opened.ts';
import {columnOf} from '../../../support/rows.ts';
import {eventRequest} from '../../../support/sample-events.ts';

const timeout = 20_000;
const host = 'mail.partner.example';
const certificate = await selfSigned(host);
/** Connects to this machine, but expects the certificate of the host in SMTP_URL. */
const under = (servername: string): Partial<Network> => ({
  createTransport: (options) =>
    createTransport({...options, host: '127.0.0.1', tls: {ca: certificate.cert, servername}}),
});
const user = `${encodeURIComponent(mailAccess.user)}:${encodeURIComponent(mailAccess.password)}`;
const [visitor, reply] = ['jane@example.com', 'We do not like jane@example.com'];

type Place = {scheme?: string; name?: string; access?: string; changes?: Partial<EmailSettings>};

/** A destination that sends to the server: by its address, or as if it were the public host `mail.partner.example`. */
function destinationFor(owner: Owner, {port}: Pick<MailServer, 'port'>, place: Place = {}, limit = timeout) {
  const {scheme = 'smtp', name = '127.0.0.1', access = '', changes} = place;
  const settings = emailSettings(`${scheme}://${access && `${access}@`}${name}:${port}`, changes);
  const email = createEmail(settings, limit, name.endsWith('.example') ? under(name) : {});
  owner.after(() => email.close());
  return email;
}

async function start(owner: Owner, options: SMTPServerOptions = {}, place: Place = {}) {
  const server = await openFor(owner, startMailServer(options));
  return {server, email: destinationFor(owner, server, place)};
}

/** The error of an e-mail that must fail. Nothing of the visitor, of the reply and of the password is in its message. */
async function failureOf(delivery: Promise<unknown>): Promise<DeliveryError> {
  const error = await failureOfDelivery(delivery);
  for (const secret of [visitor, reply, mailAccess.password, user])
    assert.ok(!error.message.includes(secret));
  return error;
}

const authWithoutTls = {allowInsecureAuth: true, authOptional: false};

suite('sending an e-mail', () => {
  test('a mail server on loopback gets the e-mail without encryption', async (t) => {
    const {server, email} = await start(t);
    assert.deepEqual(await email.deliver(eventRequest()), {state: 'delivered', answer: null});
    const [received] = server.received;
    assert.partialDeepStrictEqual(received, {
      from: 'leads@partner.example',
      to: ['sales@example.com'],
      encrypted: false,
    });
    assert.equal(
      received?.parsed.messageId,
      '<evt_created_01934b2c-0000-7000-8000-0099ef41762d@partner.example>',
    );
    assert.deepEqual(received.parsed.from, {name: 'Leads', address: 'leads@partner.example'});
    const headers = new Map(received.parsed.headers.map(({key, value}) => [key, value]));
    assert.equal(headers.get('auto-submitted'), 'auto-generated');
    assert.equal(headers.get('x-mailer'), undefined);
    assert.match(headers.get('content-type') ?? '', /^multipart\/alternative/);
  });

  for (const name of ['127.0.0.1', 'LOCALHOST'])
    test(`a mail server on ${name} with an unknown certificate gets the e-mail unencrypted`, async (t) => {
      const {server, email} = await start(t, certificate, {name});
      await email.deliver(eventRequest());
      assert.equal(server.received[0]?.encrypted, false);
    });

  test('a public mail server gets the e-mail encrypted, with user and password', async (t) => {
    const {server, email} = await start(t, {...certificate, authOptional: false}, {name: host, access: user});
    await email.deliver(eventRequest());
    assert.partialDeepStrictEqual(server.received, [{encrypted: true, user: mailAccess.user}]);
  });

  test('smtps:// encrypts the connection from its first byte', async (t) => {
    const {server, email} = await start(t, {...certificate, secure: true}, {scheme: 'smtps', name: host});
    await email.deliver(eventRequest());
    assert.equal(server.received[0]?.encrypted, true);
  });

  test('all recipients get one e-mail', async (t) => {
    const to = ['sales@example.com', 'boss@example.com'];
    const {server, email} = await start(t, {}, {changes: {to}});
    await email.deliver(eventRequest());
    assert.deepEqual(columnOf(server.received, 'to'), [to]);
  });

  test('e-mails use the connections that are open', async (t) => {
    const {server, email} = await start(t);
    await Promise.all(Array.from({length: 20}, () => email.deliver(eventRequest())));
    await email.deliver(eventRequest());
    assert.equal(server.received.length, 21);
    assert.ok(server.connections() <= 2, `${server.connections()} connections`);
  });

  test('an e-mail is sent again over a new connection if the server closed the one that was open', async (t) => {
    const sockets: Socket[] = [];
    const {server, email} = await start(t, {socketTimeout: 300_000});
    server.onConnection((socket) => sockets.push(socket));
    await email.deliver(eventRequest());
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
    for (const socket of sockets) socket.destroy();
    await closed;
    await email.deliver(eventRequest());
    assert.equal(server.received.length, 2);
  });

  for (const scheme of ['smtp', 'smtps']) {
    test(`${scheme}:// has its host looked up by lookups.ts and its certificate checked by name`, async (t) => {
      const server = await openFor(t, startMailServer({...certificate, secure: scheme === 'smtps'}));
      const asked: string[] = [];
      const lookup = (name: string) => {
        asked.push(name);
        return Promise.resolve([{address: '127.0.0.1', family: 4}]);
      };
      const sendTo = (name: string) => {
        const settings = emailSettings(`${scheme}://${name}:${server.port}`);
        const email = createEmail(settings, timeout, {
          lookup,
          createTransport: (options) => createTransport({...options, tls: {ca: certificate.cert}}),
        });
        t.after(() => email.close());
        return email.deliver(eventRequest());
      };
      await sendTo(host);
      assert.match(
        (await failureOf(sendTo('other.partner.example'))).message,
        /certificate of the mail server other\.partner\.example is not accepted: .* \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
      );
      assert.deepEqual(asked, [host, 'other.partner.example']);
      assert.deepEqual(columnOf(server.received, 'encrypted'), [true]);
    });
  }

  test('parameters in SMTP_URL do not switch the encryption off', async (t) => {
    const server = await openFor(t, startMailServer());
    const settings = emailSettings(`smtp://${host}:${server.port}/?requireTLS=false&ignoreTLS=true`);
    const email = await openFor(t, createEmail(settings, timeout, under(host)));
    assert.equal((await failureOf(email.deliver(eventRequest()))).fault, 'misconfigured');
    assert.deepEqual(server.received, []);
  });
});

/** Refuses recipients with the status of each, if it has one. */
const refuse = (statusOf: (address: string) => number | undefined, text = reply): SMTPServerOptions => ({
  onRcptTo({address}, _session, callback) {
    const status = statusOf(address);
    callback(status === undefined ? null : refusal(status, text));
  },
});
const refuseIn = (status: number) => refuse(() => status);
const refuseSender = (status: number): SMTPServerOptions => ({
  onMailFrom: (_address, _session, callback) => callback(refusal(status, reply)),
});
const refuseMessage = (status: number): SMTPServerOptions => ({
  onData(stream, _session, callback) {
    stream.resume().on('end', () => callback(refusal(status, reply)));
  },
});
const publicly = {name: host};

const refused = 'The mail server refused';
const notAccepted = (name: string) => `The certificate of the mail server ${name} is not accepted`;
type Row = [message: string, fault: DeliveryError['fault'], options: SMTPServerOptions, place?: Place];
const rows: readonly Row[] = [
  ['The mail server offers no STARTTLS (500)', 'misconfigured', {}, publicly],
  [
    `${notAccepted(host)}: it is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    'failed',
    await selfSigned(host),
    publicly,
  ],
  [
    `${notAccepted('other.partner.example')}: it is for another host (ERR_TLS_CERT_ALTNAME_INVALID)`,
    'failed',
    certificate,
    {name: 'other.partner.example'},
  ],
  [
    `${refused} the user or the password of SMTP_URL (535)`,
    'misconfigured',
    authWithoutTls,
    {access: 'mail%20user:wrong'},
  ],
  ['The mail server asks for a user and a password in SMTP_URL (530)', 'misconfigured', authWithoutTls],
  [
    `${refused} the user or the password of SMTP_URL (454)`,
    'failed',
    {...authWithoutTls, onAuth: (_auth, _session, callback) => callback(refusal(454, reply))},
    {access: user},
  ],
  [`${refused} the sender, mail_from (550)`, 'misconfigured', refuseSender(550)],
  [`${refused} the sender, mail_from (451)`, 'failed', refuseSender(451)],
  [`${refused} all recipients (550)`, 'misconfigured', refuseIn(550)],
  [`${refused} all recipients (450)`, 'failed', refuseIn(450)],
  ['The mail server is closing its connections (421)', 'failed', refuseIn(421)],
  [`${refused} the e-mail (554)`, 'failed', refuseMessage(554)],
];

suite('a mail server that refuses', () => {
  for (const [message, fault, options, place] of rows) {
    test(`what makes a delivery end as ${fault}: ${message.slice(0, 60)}`, async (t) => {
      const {server, email} = await start(t, options, place);
      const error = await failureOf(email.deliver(eventRequest()));
      // Only what is refused for its text says nothing about other e-mails.
      const aboutLead = options.onData !== undefined;
      assert.partialDeepStrictEqual({...error}, {fault, aboutLead, isGone: false});
      assert.equal(error.message.slice(0, message.length), message);
      assert.deepEqual(server.received, []);
    });
  }

  test('the text of the reply is kept for operators, but not more than 200 characters of it', async (t) => {
    const long = `${reply} ${'x'.repeat(400)}`;
    const options = refuse(() => 550, long);
    const {email} = await start(t, options);
    const {excerpt} = await failureOf(email.deliver(eventRequest()));
    assert.equal(excerpt, `550 ${long}`.slice(0, 200));
  });

  test('control characters of the reply do not reach the terminal of an operator', async (t) => {
    const options = refuse(() => 550, 'no\u001b[2J such\u202e user');
    const {email} = await start(t, options);
    const {excerpt} = await failureOf(email.deliver(eventRequest()));
    assert.equal(excerpt, '550 no [2J such user');
  });

  test('the server greets with 554: it is tried again', async (t) => {
    const {email} = await start(t, {onConnect: (_session, callback) => callback(refusal(554, reply))});
    const error = await failureOf(email.deliver(eventRequest()));
    assert.partialDeepStrictEqual({...error}, {fault: 'failed'});
    assert.equal(error.message, 'The mail server refused the connection (554)');
  });

  test('if one recipient is refused, the others have the e-mail, and a note names who has it not', async (t) => {
    const to = ['a@example.com', 'gone@example.com', 'c@example.com'];
    const options = refuse((address) => (address.startsWith('gone') ? 550 : undefined));
    const {server, email} = await start(t, options, {changes: {to}});
    assert.deepEqual(await email.deliver(eventRequest()), {
      state: 'delivered',
      answer: null,
      note: 'The mail server refused gone@example.com (550)',
      recipients: {left: [], refused: ['gone@example.com (550)']},
    });
    assert.deepEqual(server.received[0]?.to, ['a@example.com', 'c@example.com']);
  });

  test('a recipient that is refused for now is tried again alone, until it is taken or refused', async (t) => {
    const to = ['a@example.com', 'grey@example.com', 'gone@example.com'];
    const replies = new Map([
      ['grey@example.com', 451],
      ['gone@example.com', 550],
    ]);
    const options = refuse((address) => replies.get(address));
    const {server, email} = await start(t, options, {changes: {to}});
    const first = await failureOf(email.deliver(eventRequest()));
    const recipients = {left: ['grey@example.com'], refused: ['gone@example.com (550)']};
    assert.partialDeepStrictEqual({...first}, {fault: 'failed', aboutLead: true, recipients});
    assert.equal(
      first.message,
      'The mail server does not take the e-mail for grey@example.com (451) yet; the other recipients have it',
    );

    // That one is still put off, and this says nothing about the server.
    const second = await failureOf(email.deliver({...eventRequest(), recipients}));
    assert.partialDeepStrictEqual({...second}, {fault: 'failed', aboutLead: true, recipients});

    replies.delete('grey@example.com');
    assert.deepEqual(await email.deliver({...eventRequest(), recipients}), {
      state: 'delivered',
      answer: null,
      note: 'The mail server refused gone@example.com (550)',
      recipients: {left: [], refused: ['gone@example.com (550)']},
    });
    assert.deepEqual(columnOf(server.received, 'to'), [['a@example.com'], ['grey@example.com']]);
    // Everybody can see to whom it went.
    assert.deepEqual(
      server.received.map(({parsed}) => parsed.to?.map(({address}) => address)),
      [to, to],
    );
    assert.equal(server.received[0]?.parsed.messageId, server.received[1]?.parsed.messageId);

    replies.set('grey@example.com', 552);
    const ended = await email.deliver({...eventRequest(), recipients});
    const refused = ['gone@example.com (550)', 'grey@example.com (552)'];
    assert.partialDeepStrictEqual(ended, {state: 'delivered', recipients: {left: [], refused}});
  });

  test('if the recipient that is left was taken out of the configuration, the e-mail is delivered', async (t) => {
    const {server, email} = await start(t);
    const recipients = {left: ['old@example.com'], refused: []};
    assert.partialDeepStrictEqual(await email.deliver({...eventRequest(), recipients}), {state: 'delivered'});
    assert.deepEqual(server.received, []);
  });

  test('if some recipients are refused for good and others for now, all are tried again', async (t) => {
    const options = refuse((address) => (address.startsWith('gone') ? 550 : 450));
    const {email} = await start(t, options, {changes: {to: ['busy@example.com', 'gone@example.com']}});
    const error = await failureOf(email.deliver(eventRequest()));
    assert.equal(error.fault, 'failed');
    assert.equal(error.message, 'The mail server refused all recipients (450, 550)');
  });
});

/** Accepts every command until the one that begins with `last`. */
const untilCommand = (last: string, then: (socket: Socket) => void) => (socket: Socket) => {
  socket.write('220 mail.partner.example ESMTP\r\n');
  socket.on('data', (chunk) => {
    for (const line of String(chunk).split('\r\n').filter(Boolean)) {
      if (line.startsWith(last)) return then(socket);
      socket.write('250 ok\r\n');
    }
  });
};
const drip = (text: string) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on('close', () => clearInterval(timer));
};

suite('a mail server that is away', () => {
  test('a port on which nobody listens is tried again', async (t) => {
    const server = await startRawServer(() => undefined);
    await server.close();
    const error = await failureOf(destinationFor(t, server).deliver(eventRequest()));
    assert.equal(error.fault, 'failed');
    assert.equal(
      error.message,
      'The mail server 127.0.0.1 refused the connection: nothing listens at its address and port (ECONNREFUSED)',
    );
  });

  test('a name that does not exist is tried again', async (t) => {
    const email = await openFor(t, createEmail(emailSettings('smtp://mail.invalid'), timeout));
    const error = await failureOf(email.deliver(eventRequest()));
    assert.equal(error.fault, 'failed');
    assert.match(error.message, /^The address of the mail server mail\.invalid could not be found: /);
  });

  const silent: [title: string, talk: (socket: Socket) => void][] = [
    ['says nothing', () => undefined],
    ['greets and then says nothing', (socket) => void socket.write('220 mail.partner.example ESMTP\r\n')],
    ['drips its greeting', drip('220-')],
    ['never ends its reply to the first command', untilCommand('EHLO', drip('250-PIPELINING\r\n'))],
    ['says nothing when the e-mail has begun', untilCommand('MAIL FROM', () => undefined)],
    ['never ends its reply when the e-mail has begun', untilCommand('MAIL FROM', drip('250-wait\r\n'))],
  ];
  for (const [title, talk] of silent) {
    test(`an e-mail is given up in time when the server ${title}`, async (t) => {
      const server = await openFor(t, startRawServer(talk));
      const email = destinationFor(t, server, {}, 300);
      const error = await failureOf(email.deliver(eventRequest()));
      assert.equal(error.fault, 'failed');
      assert.equal(error.message, 'The mail server took too long to reply');
    });
  }

  test('an e-mail is tried again when the server hangs up', async (t) => {
    const server = await openFor(
      t,
      startRawServer((socket) => void socket.destroy()),
    );
    const error = await failureOf(destinationFor(t, server).deliver(eventRequest()));
    assert.equal(error.fault, 'failed');
    assert.match(error.message, /^The mail server could not be reached \([A-Z_]+\)$/);
  });

  test('closing the destination ends the deliveries in progress', async (t) => {
    const sent = Promise.withResolvers<void>();
    const server = await openFor(t, startRawServer(untilCommand('DATA', () => sent.resolve())));
    const email = destinationFor(t, server, {}, 600_000);
    const failures = Array.from({length: 5}, () => failureOf(email.deliver(eventRequest())));
    await sent.promise;
    await email.close();
    for (const {fault} of await Promise.all(failures)) assert.equal(fault, 'failed');
  });
});
