/** Tokens with which a visitor's browser may read the result of its own lead. */
import {limits} from '../../contract/api.ts';
import {dayLength} from '../config/timings.ts';
import {isSameToken, keyedDigests, type TokenKeys} from './keyed-digests.ts';

const lifetime = limits.tokenDays * dayLength;

export type ResultTokens = ReturnType<typeof createResultTokens>;

/** @param keys the first key signs new tokens. Tokens that any of the keys signed are accepted */
export function createResultTokens(keys: TokenKeys) {
  const digests = keyedDigests(keys, 'base64url');
  const tokensOf = (leadId: string) => digests(`result\0${leadId}`);
  return {
    /**
     * With the same key, a lead always gets the same token. So a retried request can get it, and no token is stored.
     */
    issue: (leadId: string) => tokensOf(leadId)[0],

    /** @param createdAt when the lead was created, in milliseconds since 1970 */
    verify(leadId: string, token: string, createdAt: number, now = Date.now()) {
      const matches = tokensOf(leadId).map((expected) => isSameToken(expected, token));
      return matches.includes(true) && now - createdAt < lifetime;
    },
  };
}
