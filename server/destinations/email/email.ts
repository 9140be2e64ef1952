/**
 * A destination that reports leads by e-mail, over SMTP: each event in an e-mail of its own.
 * Towards a public mail server the connection is always encrypted, and the server's certificate is checked.
 */
import {randomUUID} from 'node:crypto';
import {isIP} from 'node:net';
import {domainToASCII} from 'node:url';
import type {SendMailOptions, NodemailerError, SMTPPoolOptions} from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import {buildConnector} from 'undici';
import {isPrivateHost, type EmailSettings} from '../../config/destinations.ts';
import {onlyForReceivers, type Recipients, type Settlement} from '../../leads/deliveries.ts';
import type {DeliveryRequest, Destination} from '../destination.ts';
import {forSockets, type Lookup} from '../lookups.ts';
import {usualNetwork, type Network} from '../network.ts';
import {failureOf, putOff, recipientsAfter} from './failures.ts';
import {correctedFor, leadEmail} from './lead-email.ts';
import {mailConnections} from '../terms.ts';
import {emailOf, isRepeat, toldBefore, type Email} from './wording.ts';

/** Milliseconds. An idle connection is closed after this time. */
const idleTime = 10_000;
/** Milliseconds, for finding the address of the server and connecting to it. */
const connectionTime = 10_000;
/** Milliseconds. Some servers greet late on purpose, because senders of spam do not wait. */
const greetingTime = 20_000;

type Mailbox = ReturnType<typeof openTransport> & {settings: EmailSettings; timeout: number};

/** @param timeout milliseconds for one attempt to send an e-mail */
export function createEmail(
  settings: EmailSettings,
  timeout: number,
  network: Partial<Network> = {},
): Destination {
  // An e-mail is sent over another connection if the server closed an idle one just before it was used.
  const opened = openTransport(settings.smtpUrl, timeout, network, {maxRequeues: 1});
  const mailbox: Mailbox = {...opened, settings, timeout};
  return {
    async deliver(request) {
      if (isRepeat(request)) throw toldBefore();
      const email = leadEmail(request, settings, await correctedFor(request, settings));
      return outcomeOf(await send(mailbox, email, request.recipients), request);
    },
    async test() {
      const subject = 'A test: leads will be reported here';
      const text =
        'The operator of the lead service sent this e-mail to see whether it arrives. There is no lead behind it.';
      const errors = await send(mailbox, emailOf(subject, [[text]], `test_${randomUUID()}`));
      const settled = outcomeOf(errors, {content: 'created', recipients: null});
      return {note: 'The mail server accepted the e-mail', ...settled};
    },
    close() {
      opened.transport.close({force: true});
      return Promise.resolve();
    },
  };
}

/**
 * @param before which recipients do not have the e-mail yet, if some have it from an earlier attempt
 * @returns what the server said about each recipient that it refused
 */
async function send(mailbox: Mailbox, email: Email, before: Recipients | null = null) {
  const {from, to, replyTo} = mailbox.settings;
  const left = before
    ? to.filter((address) => before.left.some((other) => isSameAddress(address, other)))
    : to;
  const message: SendMailOptions = {
    ...messageOf(email, from),
    to,
    envelope: {from, to: left},
    ...(email.replyTo !== undefined && replyTo === 'visitor' && {replyTo: email.replyTo}),
    signal: AbortSignal.timeout(mailbox.timeout),
  };
  // Those who are left may be no recipients any more, because the configuration has changed.
  return left.length === 0 ? [] : sendTo(mailbox, message, before !== null);
}

/** What is the same for all recipients of an e-mail to people who work with leads. */
export function messageOf({subject, text, html, id, follows}: Email, from: string): SendMailOptions {
  const named = (name: string) => `<${name}@${domainOf(from)}>`;
  return {
    from,
    subject,
    text,
    html,
    messageId: named(id),
    ...(follows && {inReplyTo: named(follows), references: named(follows)}),
    // Programs that answer e-mails, for example during a holiday, leave such e-mails alone (RFC 3834; the second is for Exchange).
    headers: {'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All'},
    xMailer: false,
  };
}

/** How the delivery ended that the e-mail told of. @throws DeliveryError if recipients are left for another attempt */
function outcomeOf(
  errors: readonly NodemailerError[],
  {content, recipients: before}: Pick<DeliveryRequest, 'content' | 'recipients'>,
): Settlement {
  if (errors.length === 0 && before === null) return {state: 'delivered', answer: null};
  const recipients = recipientsAfter(errors, before, onlyForReceivers.includes(content));
  const {refused} = recipients;
  if (recipients.left.length > 0) throw putOff(errors, recipients);
  const note = refused.length > 0 && {note: `The mail server refused ${refused.join(', ')}`};
  return {state: 'delivered', answer: null, ...note, recipients};
}

/**
 * @param isRest true if other recipients have the e-mail. Then it says nothing about the server if it refuses all of these
 * @returns what the server said about each recipient that it refused
 */
async function sendTo(
  {transport, who}: Mailbox,
  message: SendMailOptions,
  isRest: boolean,
): Promise<readonly NodemailerError[]> {
  try {
    const {rejectedErrors = []} = await transport.sendMail(message);
    return rejectedErrors;
  } catch (error) {
    const {rejectedErrors = []} = error as NodemailerError;
    if (isRest && rejectedErrors.length > 0) return rejectedErrors;
    throw failureOf(error, who);
  }
}

/**
 * @param changes what may be another for each kind of e-mail
 * @returns what sends e-mails, and the words for the mail server
 */
export function openTransport(
  smtpUrl: string,
  timeout: number,
  network: Partial<Network>,
  changes: Pick<SMTPPoolOptions, 'maxRequeues' | 'maxMessages'>,
) {
  const {lookup, createTransport} = {...usualNetwork, ...network};
  const server = serverOf(smtpUrl);
  const options: SMTPPoolOptions & {pool: true} = {
    ...server,
    pool: true,
    // As many as the dispatcher begins at once. An e-mail that waited here for a connection could go out during a pause.
    maxConnections: mailConnections,
    connectionTimeout: Math.min(timeout, connectionTime),
    getSocket: createSocketSource(Math.min(timeout, connectionTime), lookup),
    greetingTimeout: Math.min(timeout, greetingTime),
    socketTimeout: timeout,
    idleTimeout: idleTime,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...changes,
  };
  return {transport: createTransport(options), who: `the mail server ${server.host}`};
}

/**
 * Makes the connections, because nodemailer would ask DNS servers itself, which knows no hosts file and no search domains.
 * nodemailer encrypts a connection after that, and checks the certificate by the name of the host.
 */
function createSocketSource(timeout: number, lookup: Lookup): NonNullable<SMTPPoolOptions['getSocket']> {
  const connect = buildConnector({timeout, lookup: forSockets(lookup)});
  return ({host = '', port}, callback) =>
    connect({protocol: 'smtp:', hostname: host, port: String(port)}, (error, connection) =>
      callback(error, connection ? {connection} : false),
    );
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

/** Decodes a part of the URL. A percent sign that encodes nothing stays unchanged, because a password may have one. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A mail server is asked for, and reports, an address whose domain is in lower case, and ASCII. */
function isSameAddress(one: string, other: string): boolean {
  const normalized = (address: string) => {
    const at = address.lastIndexOf('@') + 1;
    return address.slice(0, at) + domainToASCII(address.slice(at));
  };
  return normalized(one) === normalized(other);
}

/** The address of the sender. */
export const addressOf = (from: string): string => addressparser(from, {flatten: true})[0]?.address ?? '';

/** The domain of the sender, for the Message-ID. If it has none, the server refuses the sender anyway. */
export function domainOf(from: string): string {
  const address = addressOf(from);
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || 'localhost';
}
