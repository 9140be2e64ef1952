/**
 * A destination that reports leads by e-mail, over SMTP: each piece of news at once, or all of some minutes as one digest.
 * Towards a public mail server the connection is always encrypted, and the server's certificate is checked.
 */
import {randomUUID} from 'node:crypto';
import {isIP} from 'node:net';
import {domainToASCII} from 'node:url';
import {
  createTransport,
  type SendMailOptions,
  type SMTPPoolOptions,
  type SMTPPoolSentMessageInfo,
} from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import {isPrivateHost, type EmailSettings} from '../../config/destinations.ts';
import type {Settlement} from '../../leads/deliveries.ts';
import type {DeliveryRequest, Destination} from '../destination.ts';
import {createCollector} from './collector.ts';
import {digestEmail} from './digest-email.ts';
import {failureOf, statusesOf} from './failures.ts';
import {leadEmail} from './lead-email.ts';
import type {Email} from './wording.ts';

/** Connections that are open at once. Exchange Online, for example, allows a mailbox three. */
const maxConnections = 2;
/** Milliseconds. An idle connection is closed after this time. */
const idleTime = 10_000;
/** Milliseconds, for finding the address of the server and connecting to it. */
const connectionTime = 10_000;
/** Milliseconds. Some servers greet late on purpose, because senders of spam do not wait. */
const greetingTime = 20_000;

/**
 * @param timeout milliseconds for one attempt to send an e-mail
 * @param connection tests connect to a server of their own, which has the name and the certificate of another host
 */
export function createEmail(
  settings: EmailSettings,
  timeout: number,
  connection: Pick<SMTPPoolOptions, 'host' | 'tls'> = {},
): Destination {
  const {to, details, everyMinutes, from} = settings;
  const options: SMTPPoolOptions & {pool: true} = {
    ...serverOf(settings.smtpUrl),
    ...connection,
    pool: true,
    maxConnections,
    // An e-mail is sent over another connection if the server closed an idle one just before it was used.
    maxRequeues: 1,
    dnsTimeout: Math.min(timeout, connectionTime),
    connectionTimeout: Math.min(timeout, connectionTime),
    greetingTimeout: Math.min(timeout, greetingTime),
    socketTimeout: timeout,
    idleTimeout: idleTime,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const transport = createTransport(options);
  const domain = domainOf(from);

  async function send(email: Email): Promise<Settlement> {
    const message: SendMailOptions = {
      from,
      to,
      subject: email.subject,
      text: email.text,
      messageId: `<${email.id}@${domain}>`,
      ...(email.follows && {
        inReplyTo: `<${email.follows}@${domain}>`,
        references: `<${email.follows}@${domain}>`,
      }),
      // Programs that answer e-mails, for example during a holiday, leave such e-mails alone (RFC 3834).
      headers: {'Auto-Submitted': 'auto-generated'},
      xMailer: false,
      signal: AbortSignal.timeout(timeout),
    };
    const sent = await transport.sendMail(message).catch((error: unknown) => {
      throw failureOf(error);
    });
    return {state: 'delivered', answer: null, ...noteOn(sent)};
  }

  const deliver =
    everyMinutes === undefined
      ? (request: DeliveryRequest) => send(leadEmail(request, details))
      : createCollector((requests) => send(digestEmail(requests, details)));
  return {
    deliver,
    async test() {
      const settled = await send({
        subject: 'A test: leads will be reported here',
        text: 'The operator of the lead service sent this e-mail to see whether it arrives. There is no lead behind it.\n',
        id: `test_${randomUUID()}`,
        follows: undefined,
      });
      return {note: 'The mail server accepted the e-mail', ...settled};
    },
    close() {
      transport.close({force: true});
      return Promise.resolve();
    },
  };
}

/**
 * nodemailer could read the URL, too, but then parameters in it could switch the encryption off. A private host is
 * reached without encryption, as the mail server of the same machine usually is: its certificate names no address, and
 * nobody could check it. `smtps://` encrypts the connection to such a host, too.
 */
function serverOf(smtpUrl: string) {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const name = decode(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const host = isIP(name) ? name : domainToASCII(name);
  const isPrivate = isPrivateHost(host);
  return {
    host,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isPrivate,
    ignoreTLS: !secure && isPrivate,
    ...(url.username && {auth: {user: decode(url.username), pass: decode(url.password)}}),
    ...(isIP(host) ? {} : {servername: host}),
  };
}

/** A password with a percent sign that encodes nothing is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The domain of `SMTP_FROM`, for the Message-ID. If it has none, the server refuses the sender anyway. */
function domainOf(from: string): string {
  const [{address} = {address: ''}] = addressparser(from, {flatten: true});
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || 'localhost';
}

/** The e-mail is delivered if one recipient gets it, because another attempt would send it twice to that one. */
function noteOn({rejected = [], rejectedErrors = []}: SMTPPoolSentMessageInfo): {note?: string} {
  if (rejected.length === 0) return {};
  return {note: `The mail server refused ${rejected.join(', ')}${statusesOf(rejectedErrors)}`};
}
