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
import {NeverTried, NotTried} from '../breaker.ts';
import {DeliveryError, withRecord, type Destination} from '../destination.ts';
import {addressOf, domainOf, openTransport} from '../email/email.ts';
import {failureOf} from '../email/failures.ts';
import {plainAddress} from '../email/their-words.ts';
import type {Network} from '../network.ts';
import {sampleRecord} from '../sample.ts';
import {confirmationEmail} from './confirmation-email.ts';

/**
 * The maximum number of confirmations to one network within an hour. The wider networks around it may get as many times
 * more as with any other limit.
 */
export const maxOfNetwork = 5;
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
  'UND_ERR_CONNECT_TIMEOUT',
  'ETLS',
]);

/** @param timeout milliseconds for one attempt to send an e-mail */
export function createConfirmation(
  settings: ConfirmationsSettings,
  timeout: number,
  network: Partial<Network> = {},
): Destination {
  // Nothing is sent over a connection that was used before: if it broke, nobody would know whether the e-mail has arrived.
  const {transport, who} = openTransport(settings.smtpUrl, timeout, network, {
    maxRequeues: 0,
    maxMessages: 1,
  });
  const [sender, domain] = [addressOf(settings.from), domainOf(settings.from)];
  const digestsOf = addressDigests(settings.tokenKeys);

  /** The part of the message that is the same in all confirmations. */
  const envelopeOf = (name: string, to: readonly string[]): SendMailOptions => ({
    from: {name, address: sender},
    to: to.map((address) => ({name: '', address})),
    envelope: {from: sender, to: [...to]},
    // Neither programs that answer e-mails (RFC 3834) nor Exchange should answer these.
    headers: {'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All'},
    xMailer: false,
    signal: AbortSignal.timeout(timeout),
  });

  return {
    async deliver(request): Promise<Settlement> {
      const {lead, happenedAt, decide} = withRecord(request);
      const ofPartner = settings.partners.get(lead.partner ?? '');
      if (!settings.isOn) throw new NeverTried('Confirmations are switched off (CONFIRMATIONS)');
      if (!ofPartner) throw new NeverTried('The partner has no confirmations any more');
      if (Date.now() - happenedAt >= confirmationLifetime)
        throw new NeverTried('It was not sent within an hour');
      const {email: to} = lead.lead;
      if (!plainAddress.test(to)) throw new NeverTried('The address is an unusual one');
      const {perHour} = ofPartner;
      const limits = {ofNetworks, ofPartner: perHour, kept: Math.floor(perHour / 4)};
      const decided = await decide(digestsOf(to), limits);
      if (!decided) throw new NeverTried('It was not sent within a day');
      if (decided.decision !== 'granted') throw new NeverTried(denied[decided.decision]);
      const email = confirmationEmail(lead, decided.language, ofPartner);
      return send({
        ...envelopeOf(ofPartner.name, [to]),
        ...email,
        messageId: `<confirmation_${lead.id}@${domain}>`,
      });
    },

    async test() {
      const lead = sampleRecord();
      for (const ofPartner of settings.partners.values()) {
        const [language = unknownLanguage] = Object.keys(ofPartner.nextStep ?? {});
        const settled = await send({
          ...envelopeOf(ofPartner.name, settings.testedBy),
          ...confirmationEmail(lead, language, ofPartner, true),
        });
        if (settled.state !== 'delivered') return settled;
      }
      const count = settings.partners.size;
      return {
        state: 'delivered',
        answer: null,
        note: `The mail server accepted ${count === 1 ? 'a sample' : `${count} samples, one of each partner,`} of what visitors read, to the operators. No visitor got one`,
      };
    },

    close() {
      transport.close({force: true});
      return Promise.resolve();
    },
  };

  async function send(message: SendMailOptions): Promise<Settlement> {
    try {
      await transport.sendMail(message);
      return {state: 'delivered', answer: null};
    } catch (error) {
      const failure = failureOf(error, who);
      if (failure instanceof NotTried) throw failure;
      const {responseCode: status, command, code, originalCode} = error as NodemailerError;
      // The server knows no such address, or does not want this e-mail, for good.
      if (status !== undefined && status >= 500 && ['RCPT TO', 'DATA'].includes(command ?? ''))
        return {state: 'dropped', reason: failure.message};
      // With a reply it is known that the server did not take the e-mail.
      if (status !== undefined || beforeSending.has(originalCode ?? code ?? '')) throw failure;
      throw new DeliveryError('ambiguous', failure.message);
    }
  }
}
