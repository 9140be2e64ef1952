import {createHmac, createSecretKey, timingSafeEqual, type KeyObject} from 'node:crypto';
import {limits} from '../contract/api.ts';

const lifetime = limits.tokenDays * 86_400_000;

/** Keyed digests: of a lead's id for the visitor who may read it, of idempotency keys for the store. */
export type Tokens = ReturnType<typeof createTokens>;

/** @param keys the first one signs; the others, older, are still understood. */
export function createTokens(keys: readonly [string, ...string[]]) {
  // Made once: a digest with a key as text makes the key first, which takes as long again.
  const secrets = keys.map((key) => createSecretKey(key, 'utf8'));
  const hmac = (key: KeyObject, purpose: string, text: string, encoding: 'hex' | 'base64url') =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest(encoding);

  return {
    /** The same token every time, so a repeated request gets it again without its being stored. */
    issue: (leadId: string) => hmac(secrets[0]!, 'result', leadId, 'base64url'),

    /** @param createdAt when the lead was made, in milliseconds; a token lives as long as the contract says */
    verify(leadId: string, token: string, createdAt: number, now = Date.now()) {
      const given = Buffer.from(token);
      const matches = secrets.map((key) => {
        const expected = Buffer.from(hmac(key, 'result', leadId, 'base64url'));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      return matches.includes(true) && now - createdAt < lifetime;
    },

    /** One a key, in their order: what was stored under an older key is still found. */
    digests: (text: string) => secrets.map((key) => hmac(key, 'idempotency', text, 'hex')),
  };
}
