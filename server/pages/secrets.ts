/** Challenges of passkeys, and texts in addresses, sealed with the token keys. */
import {createSealer} from '../store/sealing.ts';

/** The first key seals. What was sealed with any of them can be opened: during a rotation there are two. */
type Keys = readonly [string, ...string[]];

const part = 'text of a page';
const sealerFor = (keys: Keys, use: string) => createSealer(keys).of({id: use, cid: '', partner: null});
/** Characters. The length of a sealed text is a multiple of it, so that it says little about the text. */
const padding = 128;

/**
 * Seals a text, such as an e-mail address that is searched for, to be a part of an address.
 * @param use for what it is, and for whom, such as a session. For another use, it cannot be opened
 */
export function sealText(keys: Keys, use: string, text: string): string {
  const padded = text.padEnd(Math.max(1, Math.ceil(text.length / padding)) * padding);
  return Buffer.from(sealerFor(keys, use).seal(padded, part).blob).toString('base64url');
}

/** @returns undefined if the text was not sealed for this use */
export function openText(keys: Keys, use: string, sealed: string): string | undefined {
  const blob = Buffer.from(sealed, 'base64url');
  // In a second spelling, a challenge could be spent twice.
  if (blob.toString('base64url') !== sealed) return undefined;
  try {
    return sealerFor(keys, use)
      .open({data_key: blob.readUInt32BE(1), blob}, part)
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
  Buffer.from(sealText(keys, challengeUse(use), String(now + challengeTime)), 'base64url');

/** @returns when it ends, in milliseconds since 1970. Undefined if it has ended, or is none of ours for this use */
export function challengeEnd(keys: Keys, use: string, text: string, now = Date.now()): number | undefined {
  const expiresAt = Number(openText(keys, challengeUse(use), text));
  return expiresAt > now ? expiresAt : undefined;
}
