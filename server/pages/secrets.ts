/** Secrets of the operators' pages: of cookies, in challenges of passkeys, and in addresses. `TOKEN_KEY` makes their keys. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The first key signs and seals. What was made with any of them is valid: during a rotation there are two. */
type Keys = readonly [string, ...string[]];

export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Under which a secret is stored. It has 256 bits of chance, so a digest without salt does not give it away. */
export const digestOf = (secret: string): string => hash('sha256', secret, 'base64url');

const derived = (key: string, purpose: 'challenges' | 'addresses') =>
  Buffer.from(hkdfSync('sha256', key, '', `lead-prequal pages: ${purpose}`, 32));

/** Milliseconds. */
const challengeTime = 5 * 60_000;
/** Bytes: when it was made, and chance. A signature follows. */
const [contentLength, challengeLength] = [24, 56];

const sign = (key: string, use: string, content: Buffer) =>
  createHmac('sha256', derived(key, 'challenges')).update(content).update(use).digest();

/**
 * A challenge for a passkey. It is signed, so that nothing has to be stored for strangers who ask for one, and each process
 * can check it.
 * @param use for what it is, and for whom. For anything else it is not valid
 */
export function newChallenge([key]: Keys, use: string, now = Date.now()): Buffer<ArrayBuffer> {
  const content = randomBytes(contentLength);
  content.writeBigUInt64BE(BigInt(now));
  return Buffer.concat([content, sign(key, use, content)]);
}

/** @returns when it ends, in milliseconds since 1970. Undefined if it has ended, or is none of ours for this use */
export function challengeEnd(keys: Keys, use: string, text: string, now = Date.now()): number | undefined {
  const bytes = Buffer.from(text, 'base64url');
  // With a second spelling, it could be spent twice.
  if (bytes.length !== challengeLength || bytes.toString('base64url') !== text) return undefined;
  const [content, signature] = [bytes.subarray(0, contentLength), bytes.subarray(contentLength)];
  if (!keys.some((key) => timingSafeEqual(sign(key, use, content), signature))) return undefined;
  const end = Number(content.readBigUInt64BE()) + challengeTime;
  return end > now ? end : undefined;
}

const [nonceLength, tagLength, lengthBytes] = [12, 16, 2];
/** Bytes. The length of a sealed text is a multiple of it, so that it says little about the text. */
const padding = 128;

/** Seals a text, such as an e-mail address that is searched for, to be a part of an address of this session. */
export function sealText([key]: Keys, session: string, text: string): string {
  const content = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil((content.length + lengthBytes) / padding) * padding);
  padded.writeUInt16BE(content.length);
  content.copy(padded, lengthBytes);
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', derived(key, 'addresses'), nonce).setAAD(Buffer.from(session));
  return Buffer.concat([nonce, cipher.update(padded), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

/** @returns undefined if the text was not sealed for this session */
export function openText(keys: Keys, session: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < nonceLength + padding + tagLength) return undefined;
  for (const key of keys)
    try {
      const nonce = bytes.subarray(0, nonceLength);
      const decipher = createDecipheriv('aes-256-gcm', derived(key, 'addresses'), nonce, {
        authTagLength: tagLength,
      });
      decipher.setAAD(Buffer.from(session)).setAuthTag(bytes.subarray(-tagLength));
      const padded = Buffer.concat([
        decipher.update(bytes.subarray(nonceLength, -tagLength)),
        decipher.final(),
      ]);
      return padded.toString('utf8', lengthBytes, lengthBytes + padded.readUInt16BE());
    } catch {
      // It was sealed with another of the keys, or by nobody.
    }
  return undefined;
}
