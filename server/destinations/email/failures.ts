/**
 * Decides what it means that an e-mail could not be sent. The codes are those of nodemailer (`errors.d.ts`), the replies
 * those of RFC 5321: 4xx may succeed later, 5xx will not.
 */
import type {NodemailerError} from 'nodemailer';
import type {Recipients} from '../../leads/deliveries.ts';
import {mailCauses, networkMessage} from '../../observe/causes.ts';
import type {NotTried} from '../breaker.ts';
import {DeliveryError, type DeliveryFault} from '../destination.ts';
import {excerptOf} from '../excerpt.ts';
import {ownFailure} from '../network-errors.ts';

/**
 * The message has the status of the reply but not its text, because servers repeat addresses in it. nodemailer adds
 * that text to the messages of its errors, so these are not used.
 */
export function failureOf(error: unknown, who = 'the mail server'): DeliveryError | NotTried {
  const own = ownFailure(error, networkCodeOf(error as NodemailerError));
  if (own) return own;
  const {response} = error as NodemailerError;
  const [fault, message, aboutLead = false] = judge(error as NodemailerError, who);
  const isForGood = isRefusal(error as NodemailerError);
  return new DeliveryError(fault, message, {aboutLead, isForGood, excerpt: response && excerptOf(response)});
}

/** Whether the server will never take this e-mail, or none for these recipients. */
const isRefusal = ({code, command, responseCode = 0, rejectedErrors = []}: NodemailerError) =>
  code === 'EENVELOPE' && command === 'RCPT TO'
    ? rejectedErrors.length > 0 && rejectedErrors.every(isForGood)
    : (code === 'EMESSAGE' || command === 'DATA') && responseCode >= 500;

/** After a status below 500, the next attempt may succeed. */
const isForGood = ({responseCode = 0}: NodemailerError) => responseCode >= 500;

type Judgement = [fault: DeliveryFault, message: string, aboutLead?: boolean];

function judge(error: NodemailerError, who: string): Judgement {
  const {code, command = '', responseCode: status, rejectedErrors = []} = error;
  /** A reply below 500 may be another one later. 503 says that the commands came in a wrong order. */
  const fault = error.permanent === false ? 'failed' : 'misconfigured';
  const reply = status === undefined ? '' : ` (${status})`;
  // Before it closes a connection, a server may answer any command with 421.
  if (status === 421) return ['failed', 'The mail server is closing its connections (421)'];
  if (status === 530) return ['misconfigured', `${mailCauses.wantsPassword.message} (530)`];
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return [fault, `${mailCauses.wrongPassword.message}${reply}`];
    case 'ETLS':
      // Without a reply, the connection was cut while it was being encrypted.
      if (status === undefined) return ['failed', 'The connection to the mail server could not be encrypted'];
      return [fault, `${mailCauses.noTls.message}${reply}`];
    case 'EENVELOPE':
      if (command === 'RCPT TO' && rejectedErrors.length > 0)
        return [fault, `${mailCauses.noRecipient.message}${statusesOf(rejectedErrors)}`];
      if (command === 'MAIL FROM') return [fault, `${mailCauses.wrongSender.message}${reply}`];
      if (command === 'DATA') return ['failed', `${mailCauses.refused.message}${reply}`, true];
      return ['misconfigured', 'mail_from or a recipient is no e-mail address'];
    case 'EMESSAGE':
      // Only this e-mail was refused, for example as spam or as too large.
      return ['failed', `${mailCauses.refused.message}${reply}`, true];
    case 'EABORT':
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return ['failed', mailCauses.tooSlow.message];
    case undefined:
    default:
      if (status !== undefined) return ['failed', `The mail server refused the connection${reply}`];
      return [
        'failed',
        networkMessage(networkCodeOf(error), who) ??
          `The mail server could not be reached (${networkCodeOf(error)})`,
      ];
  }
}

/** The code of the system or of TLS, such as ECONNREFUSED or CERT_HAS_EXPIRED, which says more than nodemailer's. */
const networkCodeOf = ({originalCode, code}: NodemailerError) => originalCode ?? code ?? 'unknown';

/**
 * Decides about recipients that the mail server refused while others got the e-mail.
 * @param before who did not have the e-mail before this attempt
 * @param neverEnds all are tried again, also those that are refused for good
 */
export function recipientsAfter(
  errors: readonly NodemailerError[],
  before: Recipients | null,
  neverEnds: boolean,
): Recipients {
  const isOver = (error: NodemailerError) => !neverEnds && isForGood(error);
  return {
    left: errors.filter((error) => !isOver(error)).map(({recipient}) => recipient ?? ''),
    refused: [...(before?.refused ?? []), ...errors.filter(isOver).map(withStatus)],
  };
}

/** Null if it refused none. */
export const refusedBy = (errors: readonly NodemailerError[]): string | null =>
  errors.length === 0 ? null : `The mail server refused ${errors.map(withStatus).join(', ')}`;

/** The error for an e-mail that some recipients have, and that the mail server does not take for others yet. */
export function putOff(errors: readonly NodemailerError[], recipients: Recipients): DeliveryError {
  const left = errors.filter(({recipient}) => recipients.left.includes(recipient ?? ''));
  const message = `The mail server does not take the e-mail for ${left.map(withStatus).join(', ')} yet; the other recipients have it`;
  return new DeliveryError('failed', message, {
    aboutLead: true,
    isForGood: left.every(isForGood),
    recipients,
  });
}

const withStatus = (error: NodemailerError): string => `${error.recipient}${statusesOf([error])}`;

/** Such as ` (550, 552)`. */
function statusesOf(errors: readonly NodemailerError[]): string {
  const statuses = new Set(errors.flatMap(({responseCode}) => responseCode ?? []));
  return statuses.size === 0 ? '' : ` (${[...statuses].join(', ')})`;
}
