import {createHmac, timingSafeEqual} from 'node:crypto';
import {limits} from '../contract/api.ts';

const lifetime = limits.tokenDays * 86_400_000;

/** Keyed digests: of a lead's id for the visitor who may read it, of idempotency keys for the store. */
export type Tokens = ReturnType<typeof createTokens>;

/** @param keys the first one signs; the others, older, are still understood. */
export function createTokens(keys: readonly [string, ...string[]]) {
  const hmac = (key: string, purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest();

  return {
    /** The same token every time, so a repeated request gets it again without its being stored. */
    issue: (leadId: string) => hmac(keys[0], 'result', leadId).toString('base64url'),

    /** @param createdAt when the lead was made, in milliseconds; a token lives as long as the contract says */
    verify(leadId: string, token: string, createdAt: number, now = Date.now()) {
      const given = Buffer.from(token);
      const matches = keys.map((key) => {
        const expected = Buffer.from(hmac(key, 'result', leadId).toString('base64url'));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      return matches.includes(true) && now - createdAt < lifetime;
    },

    /** One a key, in their order: what was stored under an older key is still found. */
    digests: (text: string) => keys.map((key) => hmac(key, 'idempotency', text).toString('hex')),
  };
}
