/** Tokens with which a visitor's browser may read the result of its own lead. */
import {createHmac, createSecretKey, timingSafeEqual, type KeyObject} from 'node:crypto';
import {limits} from '../../contract/api.ts';

const lifetime = limits.tokenDays * 86_400_000;

export type ResultTokens = ReturnType<typeof createResultTokens>;

/** @param keys the first key signs new tokens. Tokens that any of the keys signed are accepted */
export function createResultTokens(keys: readonly [string, ...string[]]) {
  // Made once, because making a key from a text takes as long as a digest.
  const toSecret = (key: string) => createSecretKey(key, 'utf8');
  const [first, ...others] = keys;
  const secrets = [toSecret(first), ...others.map(toSecret)] as const;
  const sign = (secret: KeyObject, leadId: string) =>
    createHmac('sha256', secret).update(`result\0${leadId}`).digest('base64url');

  return {
    /**
     * With the same key, a lead always gets the same token. So a retried request can get it, and no token is stored.
     */
    issue: (leadId: string) => sign(secrets[0], leadId),

    /** @param createdAt when the lead was created, in milliseconds since 1970 */
    verify(leadId: string, token: string, createdAt: number, now = Date.now()) {
      const given = Buffer.from(token);
      const matches = secrets.map((secret) => {
        const expected = Buffer.from(sign(secret, leadId));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      return matches.includes(true) && now - createdAt < lifetime;
    },
  };
}
