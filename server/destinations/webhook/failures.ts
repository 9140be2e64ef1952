/**
 * Decides what a failed attempt of a webhook or a chat room (the `receiver`) means, and says it in words for an operator.
 * The messages name no URL, because the URLs of some services are secrets. They name the host if the URL stands in the
 * configuration.
 */
import {STATUS_CODES} from 'node:http';
import {causeOf, networkMessage} from '../../observe/causes.ts';
import type {NotTried} from '../breaker.ts';
import {codeOf, DeliveryError} from '../destination.ts';
import {attemptsUntilLeadSuspected, isAway, isBrokenReply, ownFailure} from '../network-errors.ts';

/** How messages call a receiver, also with its host (`who`). `period` says for how long its certificate is valid. */
type Receiver = {receiver?: string; who?: string; period?: string | undefined};

/** The error for an attempt without a status: there was no connection, or no answer in time. */
export function withoutStatus(
  error: unknown,
  attempts: number,
  timeout: number,
  {receiver = 'receiver', who = `the ${receiver}`, period}: Receiver = {},
): DeliveryError | NotTried {
  const own = ownFailure(error);
  if (own) return own;
  const code = codeOf(error);
  if (code === 'ADDRESS_REFUSED') {
    return new DeliveryError('misconfigured', networkMessage(code, who) ?? code);
  }
  const aboutLead = attempts >= attemptsUntilLeadSuspected && !isAway(error);
  return new DeliveryError('failed', messageOf(error, code, {timeout, receiver, who, period}), {aboutLead});
}

function messageOf(
  error: unknown,
  code: string,
  {timeout, receiver, who, period}: Receiver & {timeout: number; who: string},
): string {
  if (code === 'TimeoutError') return `The ${receiver} gave no answer within ${timeout / 1_000} seconds`;
  if (code === 'UND_ERR_DESTROYED') return `The service stopped before the ${receiver} had answered`;
  const known = isBrokenReply(error) && code !== 'UND_ERR_HEADERS_OVERFLOW' ? 'HTTPParserError' : code;
  return networkMessage(known, who, period) ?? `The request failed (${code})`;
}

type Reply = {receiver?: string; status: number; retryAfter: number; excerpt: string | undefined};

/** The error for any status except 2xx. */
export function withStatus(
  {receiver = 'receiver', status, retryAfter, excerpt}: Reply,
  attempts: number,
): DeliveryError {
  const {fault, isGone = false, aboutLead = attempts >= attemptsUntilLeadSuspected} = meaningOf(status);
  const name = STATUS_CODES[status];
  const said = `The ${receiver} answered ${status}`;
  const cause = causeOf(said);
  const message = `${said}${name ? ` (${name})` : ''}${cause && `: ${cause}`}`;
  return new DeliveryError(fault, message, {retryAfter, excerpt, isGone, aboutLead});
}

/** `aboutLead` is missing if it depends on the number of attempts. */
type Meaning = {fault: 'failed' | 'misconfigured'; isGone?: true; aboutLead?: boolean};

const misconfigured: Meaning = {fault: 'misconfigured', aboutLead: false};

function meaningOf(status: number): Meaning {
  if (status < 400 || [401, 403, 404, 405].includes(status)) return misconfigured;
  if (status === 410) return {...misconfigured, isGone: true};
  if (status === 429 || status === 503) return {fault: 'failed', aboutLead: false};
  if (status < 500 && status !== 408) return {fault: 'failed', aboutLead: true};
  return {fault: 'failed'};
}
