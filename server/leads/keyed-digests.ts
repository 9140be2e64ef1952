/** Digests of texts with the token keys: the first one makes new tokens, and all are recognised. */
import {createHmac, createSecretKey, timingSafeEqual} from 'node:crypto';

export type TokenKeys = readonly [string, ...string[]];

/** @returns a function that makes a digest with each key, in the order of the keys. A key that is there twice counts once */
export function keyedDigests(keys: TokenKeys, encoding: 'hex' | 'base64url') {
  // Made once, because making a key from a text takes as long as a digest.
  const secrets = [...new Set(keys)].map((key) => createSecretKey(key, 'utf8'));
  return (text: string) =>
    secrets.map((secret) => createHmac('sha256', secret).update(text).digest(encoding)) as [
      string,
      ...string[],
    ];
}

/** Takes the same time for every text of a length, so that nobody can guess a token letter by letter. */
export function isSameToken(one: string, other: string): boolean {
  const [expected, given] = [Buffer.from(one), Buffer.from(other)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
