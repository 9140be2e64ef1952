import {hash, timingSafeEqual} from 'node:crypto';
import type {RequestHandler} from 'express';
import {createFailureDelay} from './failure-delay.ts';
import {ProblemError} from './problem-replies.ts';

/** Who may call `/json/leads`, and for which clients. */
export type Caller = {user: string; password: string; cids: readonly string[]};

const sha256 = (text: string) => hash('sha256', text, 'buffer');

/** Sets `request.caller`. Passwords compare in constant time, for unknown users as for known ones. */
export function basicAuth(callers: readonly Caller[]): RequestHandler {
  const known = new Map(callers.map((caller) => [caller.user, {caller, digest: sha256(caller.password)}]));
  const nobody = {caller: undefined, digest: sha256('')};
  const delay = createFailureDelay();

  return async (request, _response, next) => {
    const header = request.get('Authorization');
    const {user, password} = readCredentials(header ?? '');
    const {caller, digest} = known.get(user) ?? nobody;
    const matches = timingSafeEqual(sha256(password), digest);
    if (!caller || !matches) {
      // Without credentials nothing was guessed: some clients ask first and send them when challenged.
      if (header !== undefined) await delay(request.network, user.slice(0, 64));
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
