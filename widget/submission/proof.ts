/**
 * The proof of work. The browser computes the key derivations one after the other, outside of the page's main thread.
 */
import type {Challenge, EmbedSubmission} from '../../contract/embed.ts';

export type Proof = NonNullable<EmbedSubmission['proof']>;

/** Counters that are tried: some minutes of work, of which a challenge takes less than a second. */
const maxCounter = 100_000;

/**
 * @returns nothing if no proof is needed, if none can be computed (a page without HTTPS has no `crypto.subtle`), or if none is
 *   found, for example because the page has replaced what this file uses
 */
export async function solve(challenge: Challenge | null): Promise<Proof | undefined> {
  const {subtle} = crypto as Partial<Crypto>;
  if (!subtle || challenge?.parameters.algorithm !== 'PBKDF2/SHA-256') return undefined;
  const {nonce, salt, cost, keyLength, keyPrefix} = challenge.parameters;
  const password = fromHex(`${nonce}00000000`);
  const method = {name: 'PBKDF2', hash: 'SHA-256', salt: fromHex(salt), iterations: cost};
  for (let counter = 0; counter < maxCounter; counter++) {
    // Its last four bytes, with the highest first.
    password.set([counter >> 24, counter >> 16, counter >> 8, counter], password.length - 4);
    const key = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    const derivedKey = hex(new Uint8Array(await subtle.deriveBits(method, key, keyLength * 8)));
    if (derivedKey.startsWith(keyPrefix)) return {challenge, solution: {counter, derivedKey}};
  }
  return undefined;
}

/** Writes each byte as two hexadecimal digits. */
export const hex = (bytes: Uint8Array) =>
  [...bytes].map((byte) => (byte + 0x1_00).toString(16).slice(1)).join('');

const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
