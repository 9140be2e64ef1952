/**
 * Decides what a failed attempt of a webhook means, and says it in words for an operator. The messages name no URL,
 * because the URLs of some services are secrets.
 */
import {STATUS_CODES} from 'node:http';
import type {NotTried} from '../breaker.ts';
import {codeOf, DeliveryError} from '../destination.ts';
import {attemptsUntilLeadSuspected, isAway, isBrokenReply, ownFailure} from '../network-errors.ts';

/** What each code of a network error means. A code that is missing here is named as it is. */
const causes: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host of the URL does not exist: the DNS knows no address of it',
  EAI_AGAIN: 'The host of the URL could not be looked up, because no DNS server answered',
  LOOKUP_TOO_SLOW: 'The host of the URL could not be looked up in time, because its DNS servers are slow',
  ECONNREFUSED: 'The connection was refused: nothing listens at the address and port of the URL',
  EHOSTUNREACH: 'The receiver cannot be reached: there is no route to its address',
  ENETUNREACH: 'The receiver cannot be reached: there is no route to its network',
  UND_ERR_CONNECT_TIMEOUT: 'No connection came about in time: the receiver, or a firewall, does not react',
  ETIMEDOUT: 'No connection came about in time: the receiver, or a firewall, does not react',
  ECONNRESET: 'The receiver cut the connection before it had answered',
  EPIPE: 'The receiver cut the connection before it had answered',
  UND_ERR_SOCKET: 'The receiver cut the connection before it had answered',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large',
  UND_ERR_DESTROYED: 'The service stopped before the receiver had answered',
  CERT_HAS_EXPIRED: "The receiver's TLS certificate has expired",
  CERT_NOT_YET_VALID: "The receiver's TLS certificate is not valid yet",
  CERT_REVOKED: "The receiver's TLS certificate was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "The receiver's TLS certificate is for another host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The receiver's TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN:
    "The receiver's TLS certificate was signed by an authority that is not known here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "The receiver's TLS certificate was signed by an authority that is not known here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "The receiver's TLS certificate cannot be verified: the receiver does not send the certificates between its own and that of the authority, or the authority is not known here",
};

/** The error for an attempt without a status: there was no connection, or no answer in time. */
export function withoutStatus(error: unknown, attempts: number, timeout: number): DeliveryError | NotTried {
  const own = ownFailure(error);
  if (own) return own;
  const code = codeOf(error);
  if (code === 'ADDRESS_REFUSED') {
    return new DeliveryError(
      'misconfigured',
      'The address is refused: the host is or resolves to an address that is not public, and WEBHOOK_INTERNAL_HOSTS does not list the host',
    );
  }
  const aboutLead = attempts >= attemptsUntilLeadSuspected && !isAway(error);
  return new DeliveryError('failed', causeOf(error, code, timeout), {aboutLead});
}

function causeOf(error: unknown, code: string, timeout: number): string {
  if (code === 'TimeoutError') return `The receiver gave no answer within ${timeout / 1_000} seconds`;
  const cause = causes[code];
  if (cause) return `${cause} (${code})`;
  if (isBrokenReply(error)) return `The answer is not valid HTTP (${code})`;
  if (/^EPROTO|SSL/.test(code))
    return `The TLS handshake failed: perhaps the port of the URL does not speak TLS (${code})`;
  if (/CERT|TLS|VERIFY/.test(code)) return `The receiver's TLS certificate is not accepted (${code})`;
  return `The request failed (${code})`;
}

type Reply = {status: number; retryAfter: number; excerpt: string | undefined};

/** The error for any status except 2xx. */
export function withStatus({status, retryAfter, excerpt}: Reply, attempts: number): DeliveryError {
  const {
    fault,
    advice,
    isGone = false,
    aboutLead = attempts >= attemptsUntilLeadSuspected,
  } = meaningOf(status);
  const name = STATUS_CODES[status];
  const message = `The receiver answered ${status}${name ? ` (${name})` : ''}${advice ? `: ${advice}` : ''}`;
  return new DeliveryError(fault, message, {retryAfter, excerpt, isGone, aboutLead});
}

/** `aboutLead` is missing if it depends on the number of attempts. */
type Meaning = {
  fault: 'failed' | 'misconfigured';
  advice: string;
  isGone?: true;
  aboutLead?: boolean;
};

const misconfigured = (advice: string): Meaning => ({fault: 'misconfigured', advice, aboutLead: false});

function meaningOf(status: number): Meaning {
  if (status < 400) return misconfigured('redirects are not followed, so the URL must be the final one');
  switch (status) {
    case 401:
    case 403:
      return misconfigured('it does not accept the signature, or the URL lacks a token');
    case 404:
    case 405:
      return misconfigured('the URL is not that of a webhook');
    case 410:
      return {...misconfigured('it wants no more events'), isGone: true};
    case 408:
      return {fault: 'failed', advice: 'it did not get the event in time'};
    case 429:
      return {fault: 'failed', advice: 'it asks for fewer events at once', aboutLead: false};
    case 503:
      return {fault: 'failed', advice: 'it is not available now', aboutLead: false};
  }
  if (status < 500) return {fault: 'failed', advice: 'it does not accept this event', aboutLead: true};
  return {fault: 'failed', advice: 'it failed itself'};
}
