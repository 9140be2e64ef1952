/**
 * Encrypts personal data with the data keys (the setting `DATA_KEY`): AES-256-GCM. HKDF derives a key from each data key, and
 * HMAC derives from that the key of each lead. So two leads never share a key, even if a virtual machine that was copied while it
 * ran takes the same nonce for both.
 *
 * An encrypted blob is bound to its lead, the lead's client and partner, and its part, so no other row can hold it. Somebody with
 * write access and an older copy of the database can put back an older blob of the same part; this is not detected.
 *
 * Bytes of a blob: version (1), check value of the key (4), nonce (12), the text, tag (16).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import {clearWord, derived} from '../config/data-keys.ts';
import type {RowOf} from './columns.ts';
import {list} from './database.ts';

/**
 * What a blob contains.
 * - `lead`: everything personal that was stored with the lead (personal-data.ts)
 * - `answer`: amounts and reasons that arrived later. They replace those in `lead`
 * - `consent`: what is kept of an erased lead: the consent, and who gave it
 * - `person key`: the key of the digests by which leads are found by person. It belongs to no lead (person-queries.ts)
 * - `evidence key`: a key of statements about consents (evidence-queries.ts)
 * - `clear mark`: proof that the store had unencrypted data when it was upgraded (clear-mark.ts)
 * - `reply …`: the first characters of the last reply to a delivery, by destination and content
 * - `outcome …`: the amount and the note of an outcome, by its id (outcome-queries.ts)
 * - `text of a page`: a secret text in a URL of the operators' pages (pages/secrets.ts). It is not stored
 */
export type Part =
  | 'lead'
  | 'answer'
  | 'consent'
  | 'person key'
  | 'evidence key'
  | 'clear mark'
  | `reply ${string}`
  | `outcome ${string}`
  | 'text of a page';

export const replyPart = ({destination, content}: {destination: string; content: string}): Part =>
  `reply ${content} ${destination}`;

export const outcomePart = (id: string): Part => `outcome ${id}`;

/** The columns of a lead to which its encrypted data is bound. They never change, not even when the lead is erased. */
const bound = ['id', 'cid', 'partner'] as const;
export type Bound = Pick<RowOf<'leads'>, (typeof bound)[number]>;
/** The columns of a `Bound`, from the table `leads`. */
export const boundColumns = list(bound.map((column) => `leads.${column}`));

export type EncryptedText = {data_key: number; blob: Uint8Array};

export type Encryptor = {
  /** The keys of the setting, from which another thread can make the same encryptor. */
  words: readonly [string, ...string[]];
  /** The check value of the first key, which encrypts. */
  writesWith: number;
  /** The check values of all keys. All of them decrypt. */
  checkValues: readonly number[];
  /**
   * Whether unencrypted data may be read: only while the store has a mark (clear-mark.ts) that data of a version before 2.0 is
   * not encrypted yet. Otherwise, anybody who can write to the database could replace an encrypted lead by an unencrypted one.
   */
  clear: {isRead: boolean};
  /** Also opens a store that needs missing keys, for the commands that say what to do about them. */
  mayLackKeys?: boolean;
  of: (lead: Bound) => LeadEncryptor;
};

/** Encrypts and decrypts the parts of one lead. The key of the lead is derived once. */
export type LeadEncryptor = {
  encrypt: (text: string, part: Part) => EncryptedText;
  /** @throws DecryptionError when the key is missing, or when the blob is not what was stored as this part of this lead */
  decrypt: (encrypted: EncryptedText, part: Part) => string;
};

/** Why encrypted data cannot be read. Operators see the message, which contains nothing personal. */
export class DecryptionError extends Error {}

const version = 1;
const [checkLength, nonceLength, tagLength] = [4, 12, 16];
const headLength = 1 + checkLength + nonceLength;

/** A check value in hexadecimal, as operators see it. */
export const checkInHex = (checkValue: number) =>
  checkValue === 0 ? clearWord : checkValue.toString(16).padStart(2 * checkLength, '0');

/** The check values of needed keys that are not known. Unencrypted data (0) needs no key. */
export const missingKeys = (needed: readonly number[], known: readonly number[]) =>
  needed.filter((each) => each !== 0 && !known.includes(each));

export const whyNeeded = (checkValue: number) =>
  `Data is encrypted with the data key ${checkInHex(checkValue)}, which DATA_KEY does not list: without that key it cannot be read. "lead-prequal keys status" says the way out.`;

/** @throws Error when keys are needed that DATA_KEY does not list */
export function refuseMissingKeys(needed: readonly number[], {checkValues, mayLackKeys}: Encryptor) {
  const missing = missingKeys(needed, checkValues);
  if (!mayLackKeys && missing.length > 0) throw new Error(missing.map(whyNeeded).join(' '));
}

/** The check value identifies a key without revealing it. 0 is reserved for unencrypted data. */
export const checkValueOf = (word: string) => derived(word, 'check value', checkLength).readUInt32BE() || 1;

const bindingOf = (checkValue: number, {id, cid, partner}: Bound, part: Part) =>
  Buffer.from(JSON.stringify(['lead-prequal data', version, checkValue, cid, partner, id, part]));

/** `dataKeys`: the keys by their check values. */
type Keys = Pick<Encryptor, 'writesWith' | 'clear'> & {dataKeys: ReadonlyMap<number, KeyObject>};

function encryptorOf({dataKeys, writesWith, clear}: Keys, lead: Bound): LeadEncryptor {
  const leadKeys = new Map<number, KeyObject>();
  function keyOf(checkValue: number): KeyObject {
    const [known, dataKey] = [leadKeys.get(checkValue), dataKeys.get(checkValue)];
    if (known) return known;
    if (!dataKey)
      throw new DecryptionError(
        `It is encrypted with the data key ${checkInHex(checkValue)}, which DATA_KEY lacks`,
      );
    // Creating a cipher takes a third of the time with a key object instead of the key's bytes.
    const key = createSecretKey(createHmac('sha256', dataKey).update(lead.id).digest());
    leadKeys.set(checkValue, key);
    return key;
  }

  return {
    encrypt(text, part) {
      const nonce = randomBytes(nonceLength);
      const head = Buffer.alloc(1 + checkLength);
      head.writeUInt8(version);
      head.writeUInt32BE(writesWith, 1);
      const cipher = createCipheriv('aes-256-gcm', keyOf(writesWith), nonce);
      cipher.setAAD(bindingOf(writesWith, lead, part));
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
      return {data_key: writesWith, blob: Buffer.concat([head, nonce, ...encrypted, cipher.getAuthTag()])};
    },
    decrypt({data_key, blob}, part) {
      const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
      if (data_key === 0) {
        if (!clear.isRead)
          throw new DecryptionError('It is in clear, although all personal data was encrypted');
        return bytes.toString();
      }
      const key = keyOf(data_key);
      const tagAt = bytes.length - tagLength;
      const isWhole = tagAt >= headLength && bytes[0] === version && bytes.readUInt32BE(1) === data_key;
      if (!isWhole) throw notAsStored();
      const nonce = bytes.subarray(1 + checkLength, headLength);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, {authTagLength: tagLength});
      decipher.setAAD(bindingOf(data_key, lead, part));
      decipher.setAuthTag(bytes.subarray(tagAt));
      const text = decipher.update(bytes.subarray(headLength, tagAt));
      try {
        // Only this call checks the tag. The text must not be used before.
        decipher.final();
      } catch {
        throw notAsStored();
      }
      return text.toString();
    },
  };
}

/** @param words the data keys. The first one encrypts */
export function createEncryptor(words: readonly [string, ...string[]]): Encryptor {
  const dataKeys = new Map(
    words.map((word) => [checkValueOf(word), createSecretKey(derived(word, 'data key', 32))]),
  );
  const keys = {dataKeys, writesWith: checkValueOf(words[0]), clear: {isRead: false}};
  const {writesWith, clear} = keys;
  return {words, writesWith, clear, checkValues: [...dataKeys.keys()], of: (lead) => encryptorOf(keys, lead)};
}

const notAsStored = () =>
  new DecryptionError(
    'The encrypted data was changed or cut, or belongs to another lead, client or partner, or to another part of the lead',
  );
