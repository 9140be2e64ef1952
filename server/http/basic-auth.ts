import {timingSafeEqual} from 'node:crypto';
import type {RequestHandler} from 'express';
import {passwordDigests, sha256, type Caller} from '../callers.ts';
import {createFailureDelay} from './failure-delay.ts';
import type {FailureLimit} from './failure-limit.ts';
import {ProblemError} from './problem-replies.ts';

/**
 * Sets `request.caller`. Passwords compare in constant time, for unknown users as for known ones.
 * @param signIns refuses addresses that failed too often before any password is compared
 */
export function basicAuth(callers: readonly Caller[], signIns: FailureLimit): RequestHandler {
  const known = new Map(
    callers.map((caller) => [caller.user, {caller, digests: passwordDigests(caller)}] as const),
  );
  const nobody = {caller: undefined, digests: passwordDigests({})};
  const delay = createFailureDelay();

  return async (request, _response, next) => {
    const header = request.get('Authorization');
    if (header !== undefined) {
      await signIns.refresh(request);
      // From here to the counting of a failure nothing waits, so parallel guesses cannot pass together.
      signIns.admit(request);
    }
    const {user, password} = readCredentials(header ?? '');
    const {caller, digests} = known.get(user) ?? nobody;
    const sent = sha256(password);
    // All are compared, so that the time does not tell which of them it was.
    const matches = digests.map((digest) => timingSafeEqual(sent, digest));
    if (!caller || !matches.includes(true)) {
      // Without credentials nothing was guessed: some clients ask first and send them when challenged.
      if (header !== undefined) {
        await Promise.all([signIns.count(request), delay(request.network, user.slice(0, 64))]);
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
