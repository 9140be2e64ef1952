import {isAscii} from 'node:buffer';
import {timingSafeEqual} from 'node:crypto';
import type {RequestHandler} from 'express';
import {passwordDigests, sha256, type Caller} from '../../config/callers.ts';
import type {FailureDelay} from '../limits/failure-delay.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import {ProblemError} from '../../leads/problem-error.ts';

/**
 * Makes the handler that checks user name and password, and sets `request.caller`. Known and unknown users take the
 * same time, so that a stranger cannot find out which user names exist. Two readings of what was sent count as one try.
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
  const unknownUser = {caller: undefined, digests: passwordDigests({password_sha256: []})};

  return async (request, _response, next) => {
    const header = request.get('Authorization');
    if (header !== undefined) {
      await signIns.refresh(request);
      // There must be no `await` between this check and `countFailure` below. Otherwise parallel requests could all
      // pass the check before the first failure is counted.
      signIns.check(request);
    }
    const readings = readCredentials(header ?? '');
    // All readings and all digests are compared, so that the time does not tell which one matches.
    const [caller] = readings
      .map(({user, password}) => {
        const {caller, digests} = known.get(user) ?? unknownUser;
        const sent = sha256(password);
        const matches = digests.map((digest) => timingSafeEqual(sent, digest));
        return matches.includes(true) ? caller : undefined;
      })
      .filter((found) => found !== undefined);
    if (!caller) {
      // A request without credentials is no failure: some clients send credentials only after a 401.
      if (header !== undefined) {
        await Promise.all([
          signIns.countFailure(request),
          delay(request.network, readings[0].user.slice(0, 64)),
        ]);
      }
      throw new ProblemError('unauthorized', 'Send a known user name and its password by HTTP Basic.', {
        headers: {'WWW-Authenticate': 'Basic realm="lead-prequal", charset="UTF-8"'},
      });
    }
    request.caller = caller;
    next();
  };
}

const western = new TextDecoder('windows-1252');

/**
 * Clients send the bytes of UTF-8, as the `charset` of the reply asks them to, or those of ISO-8859-1, which are also
 * those of windows-1252. Where the two differ, both are tried: nothing in the bytes says for certain which of them was meant.
 */
function readCredentials(header: string) {
  const [, encoded = ''] = /^basic +([a-z0-9+/_-]+=*) *$/i.exec(header) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const utf8 = credentialsOf(bytes.toString());
  return isAscii(bytes) ? ([utf8] as const) : ([utf8, credentialsOf(western.decode(bytes))] as const);
}

function credentialsOf(text: string) {
  const [user, ...password] = text.split(':');
  return {user: user ?? '', password: password.join(':')};
}
