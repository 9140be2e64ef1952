/** What a network error says about a destination, told by the error's code. It is the same for all kinds that use HTTP. */
import {isOutOfDescriptors, isShortage, noDescriptors} from '../observe/file-descriptors.ts';
import {NotTried} from './breaker.ts';
import {codeOf} from './destination.ts';

/** After this many earlier attempts, the lead itself is assumed to be the cause, unless the destination is away. */
export const attemptsUntilLeadSuspected = 3;

const unreachable = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'LOOKUP_TOO_SLOW',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EPROTO',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Milliseconds until it makes sense to try again after a shortage of file descriptors. */
const shortageWait = 5_000;

/**
 * Finds failures that say nothing about the destination, because this process is their cause.
 * @param code of the error, if it is not in the error itself
 * @returns undefined if the destination is the cause
 */
export function ownFailure(error: unknown, code = codeOf(error)): NotTried | undefined {
  if (error instanceof NotTried) return error;
  const isUnknownName = ['ENOTFOUND', 'EAI_AGAIN'].includes(code);
  if (!isShortage({code}) && !(isUnknownName && isOutOfDescriptors())) return undefined;
  return new NotTried(`Nothing was sent, because ${noDescriptors}`, shortageWait);
}

/** True if there was no connection, or the certificate was not accepted, so that the destination cannot have the lead. */
export const wasNeverSent = (error: unknown) =>
  unreachable.includes(codeOf(error)) || /CERT|TLS|SSL|VERIFY/.test(codeOf(error));

/** True if the destination is down or too slow, which has nothing to do with the lead. */
export const isAway = (error: unknown) =>
  wasNeverSent(error) || ['TimeoutError', 'ETIMEDOUT'].includes(codeOf(error));

/** True if the reply was not valid HTTP, or had another length than its headers said. */
export const isBrokenReply = (error: unknown) =>
  (error as Error).name === 'HTTPParserError' ||
  /^UND_ERR_(RES_|RESPONSE|HEADERS_OVERFLOW)/.test(codeOf(error));
