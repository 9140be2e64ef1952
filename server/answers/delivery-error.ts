/** What can go wrong between this server and an upstream, and what that says about the lead and about the upstream. */

/**
 * - `failed`: it was not taken, or its amounts were not read; try again
 * - `misconfigured`: our credentials or address are wrong; no lead will get through
 * - `ambiguous`: it was sent, and what became of it is unknown
 */
export type DeliveryFault = 'failed' | 'misconfigured' | 'ambiguous';

export type ErrorDetails = {
  /** Milliseconds that the upstream asked us to wait. */
  retryAfter?: number;
  /** The failure is about this lead alone and says nothing about how others fare. */
  aboutLead?: boolean;
  /** The upstream answered, but not as the specification says. Most likely it has taken the lead. */
  unreadable?: boolean;
};

/** The message holds no word of a reply: it may have what the visitor typed. */
export class DeliveryError extends Error {
  readonly fault: DeliveryFault;
  readonly retryAfter: number;
  readonly aboutLead: boolean;
  readonly unreadable: boolean;

  constructor(
    fault: DeliveryFault,
    message: string,
    {retryAfter = 0, aboutLead = false, unreadable = false}: ErrorDetails = {},
  ) {
    super(message);
    this.name = 'DeliveryError';
    this.fault = fault;
    this.retryAfter = retryAfter;
    this.aboutLead = aboutLead;
    this.unreadable = unreadable;
  }
}

/**
 * What is not there when it is asked for may still come; who may not ask will not be told. A redirect is not
 * followed, for credentials must not go to another address: the address in the configuration is wrong.
 */
const misconfigurations = {
  POST: [301, 302, 303, 307, 308, 401, 403, 404, 405, 406, 410, 415],
  GET: [401, 403],
};
/** A lead that failed so often is the reason itself, unless the upstream is plainly away. */
const attemptsOfDoubt = 3;

/** A timeout is a DOMException, whose `code` is a number: its name says more. */
export function codeOf(error: unknown): string {
  const {code, name} = error as {code?: unknown; name?: string};
  return typeof code === 'string' ? code : (name ?? 'unknown');
}

const unreachable = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'EPROTO',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Before a connection stood and was trusted, nothing can have been taken. */
const wasNeverSent = (error: unknown) =>
  unreachable.includes(codeOf(error)) || /CERT|TLS|SSL|VERIFY/.test(codeOf(error));

/** The upstream as a whole is away or too slow, whichever lead is sent. */
const isAway = (error: unknown) =>
  wasNeverSent(error) || ['TimeoutError', 'ETIMEDOUT'].includes(codeOf(error));

/** Something answered, but not in HTTP as this client understands it, or with a body of another length than announced. */
const isBrokenReply = (error: unknown) =>
  (error as Error).name === 'HTTPParserError' ||
  /^UND_ERR_(RES_|RESPONSE|HEADERS_OVERFLOW)/.test(codeOf(error));

/** The error for a request whose status never came, or came together with what broke the reply. */
export function withoutReply(method: 'GET' | 'POST', error: unknown, attempts: number): DeliveryError {
  const code = codeOf(error);
  const aboutLead = attempts >= attemptsOfDoubt && !isAway(error);
  if (isBrokenReply(error)) {
    const fault = method === 'POST' ? 'ambiguous' : 'failed';
    return new DeliveryError(fault, `The upstream's answer to ${method} is broken (${code})`, {
      aboutLead: method === 'GET',
      unreadable: true,
    });
  }
  if (method === 'GET')
    return new DeliveryError('failed', `The amounts could not be read (${code})`, {aboutLead});
  if (wasNeverSent(error))
    return new DeliveryError('failed', `The upstream could not be reached (${code})`, {aboutLead});
  const message = `The upstream gave no reply that could be read (${code})`;
  return new DeliveryError('ambiguous', message, {aboutLead});
}

/** Behind a gateway's error, or after one in its midst, the lead may have been taken; and 409 says that it was. */
const mayHideSuccess = (status: number) =>
  status === 408 || status === 409 || (status >= 500 && status !== 503);

/** The error for every status but 2xx. */
export function withStatus(
  method: 'GET' | 'POST',
  {status, retryAfter}: {status: number; retryAfter: number},
  attempts: number,
): DeliveryError {
  const message = `The upstream answered ${method} with ${status}`;
  if (misconfigurations[method].includes(status))
    return new DeliveryError('misconfigured', message, {retryAfter});
  const fault = method === 'POST' && mayHideSuccess(status) ? 'ambiguous' : 'failed';
  // A conflict is about this lead: the upstream knows it, or works on it right now.
  const unreadable = fault === 'ambiguous' && status === 409;
  const aboutLead = unreadable || (![429, 503].includes(status) && attempts >= attemptsOfDoubt);
  return new DeliveryError(fault, message, {retryAfter, aboutLead, unreadable});
}
