/**
 * The destination that confirms to visitors by e-mail that their answers have arrived. The address may belong to
 * somebody else than the person who typed it. So each confirmation is sent once at most, and only within limits.
 */
import type {NodemailerError, SendMailOptions} from 'nodemailer';
import {unknownLanguage} from '../../../form/words/text-in-language.ts';
import {timesAround} from '../../config/addresses.ts';
import type {ConfirmationsSettings} from '../../config/confirmations.ts';
import {confirmationLifetime, type ConfirmationDecision, type Settlement} from '../../leads/deliveries.ts';
import {addressDigests} from '../../leads/confirmation-digests.ts';
import {NeverTried, NotTried, orNotTried} from '../breaker.ts';
import {DeliveryError, withRecord, type Added, type Destination, type RecordRequest} from '../destination.ts';
import {addressOf, domainOf, openTransport} from '../email/email.ts';
import {failureOf} from '../email/failures.ts';
import {plainAddress} from '../email/their-words.ts';
import type {Network} from '../network.ts';
import {sampleRecord} from '../sample.ts';
import {confirmationEmail, type ConfirmationEmail} from './confirmation-email.ts';

/**
 * The maximum number of confirmations to one network within an hour. The wider networks around it may get as many times
 * more as with any other limit.
 */
const maxOfNetwork = 5;
const ofNetworks = timesAround.map((times) => maxOfNetwork * times);

const denied: Readonly<Record<Exclude<ConfirmationDecision, 'granted'>, string>> = {
  address: 'The address has had a confirmation within the last day',
  network: `The network has had ${maxOfNetwork} confirmations within the last hour, or a wider network around it has had all of its own`,
  partner:
    'The partner has had as many confirmations within the last hour as its per_hour allows. A quarter of them is kept for networks that have had none',
};

/** Errors that can only come before anything was sent. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'LOOKUP_TOO_SLOW',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETLS',
]);
/** The certificate of the mail server is checked before anything is sent, too. */
const isBeforeSending = (code: string) => beforeSending.has(code) || /CERT|VERIFY/.test(code);

/** What sends confirmations. `sender`: the address in `mail_from`. */
type Mailbox = Pick<ReturnType<typeof openTransport>, 'transport' | 'who'> & {
  timeout: number;
  sender: string;
};

/** @param timeout milliseconds for one attempt to send an e-mail */
export function createConfirmation(
  settings: ConfirmationsSettings,
  timeout: number,
  network: Partial<Network> = {},
  added?: Added,
): Destination {
  // Nothing is sent over a connection that was used before: if it broke, nobody would know whether the e-mail has arrived.
  const {transport, who} = openTransport(settings.smtpUrl, timeout, network, {
    maxRequeues: 0,
    maxMessages: 1,
  });
  const mailbox: Mailbox = {transport, who, timeout, sender: addressOf(settings.from)};
  const digestsOf = addressDigests(settings.tokenKeys);
  return {
    async deliver(given): Promise<Settlement> {
      const request = withRecord(given);
      const {lead} = request;
      const link = await added?.revokeLink(lead.id).catch(orNotTried);
      const {ofPartner, language} = await permit(request, settings, digestsOf);
      return send(mailbox, ofPartner.name, [lead.lead.email], {
        ...confirmationEmail(lead, language, ofPartner, {link}),
        messageId: `<confirmation_${lead.id}@${domainOf(settings.from)}>`,
      });
    },
    test: () => test(mailbox, settings),
    close() {
      transport.close({force: true});
      return Promise.resolve();
    },
  };
}

/** @throws NeverTried if the confirmation must not be sent */
async function permit(
  {lead, happenedAt, decide}: RecordRequest,
  {isOn, partners}: ConfirmationsSettings,
  digestsOf: ReturnType<typeof addressDigests>,
) {
  const ofPartner = partners.get(lead.partner ?? '');
  if (!isOn) throw new NeverTried('Confirmations are switched off (confirmations)');
  if (!ofPartner) throw new NeverTried('The partner has no confirmations any more');
  if (Date.now() - happenedAt >= confirmationLifetime) throw new NeverTried('It was not sent within an hour');
  const {email: to} = lead.lead;
  if (!plainAddress.test(to)) throw new NeverTried('The address is an unusual one');
  const {perHour} = ofPartner;
  const limits = {ofNetworks, ofPartner: perHour, kept: Math.floor(perHour / 4)};
  const decided = await decide(digestsOf(to), limits);
  if (!decided) throw new NeverTried('It was not sent within a day');
  if (decided.decision !== 'granted') throw new NeverTried(denied[decided.decision]);
  return {ofPartner, language: decided.language};
}

/** Sends a sample of each partner to the operators. */
async function test(mailbox: Mailbox, {partners, testedBy}: ConfirmationsSettings): Promise<Settlement> {
  const lead = sampleRecord();
  for (const ofPartner of partners.values()) {
    const [language = unknownLanguage] = Object.keys(ofPartner.nextStep ?? {});
    const email = confirmationEmail(lead, language, ofPartner, {isTest: true});
    const settled = await send(mailbox, ofPartner.name, testedBy, email);
    if (settled.state !== 'delivered') return settled;
  }
  const samples = partners.size === 1 ? 'a sample' : `${partners.size} samples, one of each partner,`;
  return {
    state: 'delivered',
    answer: null,
    note: `The mail server accepted ${samples} of what visitors read, to the operators. No visitor got one`,
  };
}

async function send(
  {transport, who, timeout, sender}: Mailbox,
  name: string,
  to: readonly string[],
  {headers, ...email}: ConfirmationEmail & Pick<SendMailOptions, 'messageId'>,
): Promise<Settlement> {
  try {
    await transport.sendMail({
      from: {name, address: sender},
      to: to.map((address) => ({name: '', address})),
      envelope: {from: sender, to: [...to]},
      // Neither programs that answer e-mails (RFC 3834) nor Exchange should answer these.
      headers: {'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...headers},
      xMailer: false,
      signal: AbortSignal.timeout(timeout),
      ...email,
    });
    return {state: 'delivered', answer: null};
  } catch (error) {
    const failure = failureOf(error, who);
    if (failure instanceof NotTried) throw failure;
    const {responseCode: status, command, code, originalCode} = error as NodemailerError;
    // The server knows no such address, or does not want this e-mail, for good.
    if (status !== undefined && status >= 500 && ['RCPT TO', 'DATA'].includes(command ?? ''))
      return {state: 'dropped', reason: failure.message};
    // A server that puts one address off, such as one whose domain it cannot find, may take all others.
    if (status !== undefined && status !== 421 && command === 'RCPT TO')
      throw new DeliveryError('failed', failure.message, {
        aboutLead: true,
        excerpt: failure.excerpt ?? undefined,
      });
    // With a reply it is known that the server did not take the e-mail.
    if (status !== undefined || isBeforeSending(originalCode ?? code ?? '')) throw failure;
    throw new DeliveryError('ambiguous', failure.message);
  }
}
