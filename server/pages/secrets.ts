/** Challenges of passkeys, and texts in addresses, encrypted with the token keys. */
import {createEncryptor} from '../store/encryption.ts';

/** The first key encrypts. What was encrypted with any of them can be decrypted: during a rotation there are two. */
type Keys = readonly [string, ...string[]];

const part = 'text of a page';
const encryptorFor = (keys: Keys, use: string) => createEncryptor(keys).of({id: use, cid: '', partner: null});
/** Characters. The length of an encrypted text is a multiple of it, so that it says little about the text. */
const padding = 128;

/**
 * Encrypts a text, such as an e-mail address that is searched for, to be a part of an address.
 * @param use for what it is, and for whom, such as a session. For another use, it cannot be decrypted
 */
export function encryptText(keys: Keys, use: string, text: string): string {
  const padded = text.padEnd(Math.max(1, Math.ceil(text.length / padding)) * padding);
  return Buffer.from(encryptorFor(keys, use).encrypt(padded, part).blob).toString('base64url');
}

/** @returns undefined if the text was not encrypted for this use */
export function decryptText(keys: Keys, use: string, encrypted: string): string | undefined {
  const blob = Buffer.from(encrypted, 'base64url');
  // In a second spelling, a challenge could be spent twice.
  if (blob.toString('base64url') !== encrypted) return undefined;
  try {
    return encryptorFor(keys, use)
      .decrypt({data_key: blob.readUInt32BE(1), blob}, part)
      .trimEnd();
  } catch {
    return undefined;
  }
}

/** Milliseconds that a person has for a passkey. */
export const challengeTime = 5 * 60_000;
const challengeUse = (use: string) => `challenge for ${use}`;

/** A challenge for a passkey holds its own end, so that nothing has to be stored for strangers who ask for one. */
export const newChallenge = (keys: Keys, use: string, now = Date.now()): Buffer<ArrayBuffer> =>
  Buffer.from(encryptText(keys, challengeUse(use), String(now + challengeTime)), 'base64url');

/** @returns when it ends, in milliseconds since 1970. Undefined if it has ended, or is none of ours for this use */
export function challengeEnd(keys: Keys, use: string, text: string, now = Date.now()): number | undefined {
  const expiresAt = Number(decryptText(keys, challengeUse(use), text));
  return expiresAt > now ? expiresAt : undefined;
}
