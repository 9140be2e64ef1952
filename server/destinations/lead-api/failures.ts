/**
 * Decides what a failure of a lead API means: whether the upstream may have the lead, whether the configuration is
 * wrong, and whether the failure concerns only this lead. The statuses are those of the specification, and those of
 * gateways in front of the API.
 */
import {networkMessage} from '../../observe/causes.ts';
import type {NotTried} from '../breaker.ts';
import {codeOf, DeliveryError} from '../destination.ts';
import {
  attemptsUntilLeadSuspected,
  isAway,
  isBrokenReply,
  ownFailure,
  wasNeverSent,
} from '../network-errors.ts';

type Method = 'GET' | 'POST';

/**
 * Statuses that mean a wrong configuration. For a GET, 404 is not among them, because the lead may be found later.
 * Redirects are among them, because credentials must not be sent to another address.
 */
const misconfigurations = {
  POST: [301, 302, 303, 307, 308, 401, 403, 404, 405, 406, 410, 415],
  GET: [401, 403],
};
/** The error for a request without a reply, or with a reply that is too broken to have a status. */
export function withoutStatus(
  method: Method,
  error: unknown,
  attempts: number,
  {who = 'the upstream', period}: {who?: string; period?: string | undefined} = {},
): DeliveryError | NotTried {
  const own = ownFailure(error);
  if (own) return own;
  const code = codeOf(error);
  const aboutLead = attempts >= attemptsUntilLeadSuspected && !isAway(error);
  if (isBrokenReply(error))
    return unreadableReply(method, `The upstream's answer to ${method} is broken (${code})`);
  if (wasNeverSent(error)) {
    const message = networkMessage(code, who, period) ?? `The upstream could not be reached (${code})`;
    return new DeliveryError('failed', message, {aboutLead});
  }
  if (method === 'GET')
    return new DeliveryError('failed', `The amounts could not be read (${code})`, {aboutLead});
  const message = `The upstream gave no reply that could be read (${code})`;
  return new DeliveryError('ambiguous', message, {aboutLead});
}

/**
 * True if the upstream may have the lead in spite of this status: the error may come from a gateway that lost the reply
 * of the upstream, and a 409 says that the upstream has the lead already or is processing it.
 */
const mayHideSuccess = (status: number) =>
  status === 408 || status === 409 || (status >= 500 && status !== 503);

/** The error for any status except 2xx. */
export function withStatus(
  method: Method,
  {status, retryAfter}: {status: number; retryAfter: number},
  attempts: number,
): DeliveryError {
  const message = `The upstream answered ${method} with ${status}`;
  if (misconfigurations[method].includes(status))
    return new DeliveryError('misconfigured', message, {retryAfter});
  const fault = method === 'POST' && mayHideSuccess(status) ? 'ambiguous' : 'failed';
  // A 409 concerns only this lead: the upstream has it, or is processing it right now.
  const unreadable = fault === 'ambiguous' && status === 409;
  const aboutLead = unreadable || (![429, 503].includes(status) && attempts >= attemptsUntilLeadSuspected);
  return new DeliveryError(fault, message, {retryAfter, aboutLead, unreadable});
}

/**
 * The error for a reply that does not follow the specification. After a POST the failure is ambiguous, because the
 * upstream may have the lead. After a GET the failure says nothing about other leads.
 */
export function unreadableReply(method: Method, message: string): DeliveryError {
  const fault = method === 'POST' ? 'ambiguous' : 'failed';
  return new DeliveryError(fault, message, {aboutLead: method === 'GET', unreadable: true});
}
