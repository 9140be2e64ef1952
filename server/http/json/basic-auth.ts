import {timingSafeEqual} from 'node:crypto';
import type {RequestHandler} from 'express';
import {passwordDigests, sha256, type Caller} from '../../config/callers.ts';
import type {FailureDelay} from '../limits/failure-delay.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import {ProblemError} from '../problem-replies.ts';

/**
 * Makes the handler that checks user name and password, and sets `request.caller`. Known and unknown users take the
 * same time, so that a stranger cannot find out which user names exist.
 * @param signIns refuses an address after too many failures, before its password is compared
 * @param delay delays the reply to each failure
 */
export function basicAuth(
  callers: readonly Caller[],
  signIns: FailureLimit,
  delay: FailureDelay,
): RequestHandler {
  const known = new Map(
    callers.map((caller) => [caller.user, {caller, digests: passwordDigests(caller)}] as const),
  );
  const unknownUser = {caller: undefined, digests: passwordDigests({})};

  return async (request, _response, next) => {
    const header = request.get('Authorization');
    if (header !== undefined) {
      await signIns.refresh(request);
      // There must be no `await` between this check and `countFailure` below. Otherwise parallel requests could all
      // pass the check before the first failure is counted.
      signIns.check(request);
    }
    const {user, password} = readCredentials(header ?? '');
    const {caller, digests} = known.get(user) ?? unknownUser;
    const sent = sha256(password);
    // All digests are compared, so that the time does not tell which one matches.
    const matches = digests.map((digest) => timingSafeEqual(sent, digest));
    if (!caller || !matches.includes(true)) {
      // A request without credentials is no failure: some clients send credentials only after a 401.
      if (header !== undefined) {
        await Promise.all([signIns.countFailure(request), delay(request.network, user.slice(0, 64))]);
      }
      throw new ProblemError('unauthorized', 'Send a known user name and its password by HTTP Basic.', {
        headers: {'WWW-Authenticate': 'Basic realm="lead-prequal", charset="UTF-8"'},
      });
    }
    request.caller = caller;
    next();
  };
}

function readCredentials(header: string) {
  const [, encoded = ''] = /^basic +([a-z0-9+/_-]+=*) *$/i.exec(header) ?? [];
  const [user, ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return {user: user ?? '', password: password.join(':')};
}
