/**
 * Encrypts personal data with the data keys (the setting `DATA_KEY`): AES-256-GCM. HKDF derives a key from each data key,
 * and HMAC derives from that the key of each lead. So two leads never share a key, even if a virtual machine that was
 * copied while it ran takes the same nonce for both.
 *
 * An encrypted blob is bound to its lead, the lead's client and partner, and its part, so no other row can hold it. Whoever
 * has both the database and an older copy of it can put an older blob of the same part back; nothing here can tell.
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
 * What a blob holds.
 * - `lead`: everything personal that was stored with the lead (personal-data.ts)
 * - `answer`: the amounts and reasons that came later. They hold instead of those in `lead`
 * - `consent`: what is kept of an erased lead: the consent, and who gave it
 * - `person key`: the key of the digests by which leads are found by person. It belongs to no lead (person-queries.ts)
 * - `evidence key`: a key of statements about consents (evidence-queries.ts)
 * - `clear mark`: that there was data in clear when the store was brought up (clear-mark.ts)
 * - `reply …`: the first characters of the last reply to a delivery, by destination and content
 * - `text of a page`: what an address of the operators' pages holds (pages/secrets.ts). It is not stored
 */
export type Part =
  | 'lead'
  | 'answer'
  | 'consent'
  | 'person key'
  | 'evidence key'
  | 'clear mark'
  | `reply ${string}`
  | 'text of a page';

export const replyPart = ({destination, content}: {destination: string; content: string}): Part =>
  `reply ${content} ${destination}`;

/** The columns of a lead to which its encrypted data is bound. They never change, not even when the lead is erased. */
const bound = ['id', 'cid', 'partner'] as const;
export type Bound = Pick<RowOf<'leads'>, (typeof bound)[number]>;
/** The columns of a `Bound`, from the table `leads`. */
export const boundColumns = list(bound.map((column) => `leads.${column}`));

export type EncryptedText = {data_key: number; blob: Uint8Array};

export type Encryptor = {
  /** The setting, from which another thread makes the same encryptor. */
  words: readonly [string, ...string[]];
  /** The check value of the key that encrypts: of the first one. */
  writesWith: number;
  /** The check values of all keys, which decrypt. */
  checkValues: readonly number[];
  /**
   * Whether data in clear is read: while some of a version before 2.0 is not encrypted yet, which the store says by a mark
   * (clear-mark.ts). Otherwise, whoever can write to the database could put a lead in clear in place of an encrypted one.
   */
  clear: {isRead: boolean};
  /** For the commands that say what to do about a missing key: a store that needs other keys is opened, too. */
  mayLackKeys?: boolean;
  of: (lead: Bound) => LeadEncryptor;
};

/** Encrypts and decrypts the parts of one lead, whose key it makes once. */
export type LeadEncryptor = {
  encrypt: (text: string, part: Part) => EncryptedText;
  /** @throws DecryptionError when the key is missing, or when the blob is not what was stored as this part of this lead */
  decrypt: (encrypted: EncryptedText, part: Part) => string;
};

/** Why something encrypted cannot be read. The message holds nothing personal, and operators see it. */
export class DecryptionError extends Error {}

const version = 1;
const [checkLength, nonceLength, tagLength] = [4, 12, 16];
const headLength = 1 + checkLength + nonceLength;

/** How an operator reads a check value. */
export const checkInHex = (checkValue: number) =>
  checkValue === 0 ? clearWord : checkValue.toString(16).padStart(2 * checkLength, '0');

/** By check values. Data in clear needs none. */
export const missingKeys = (needed: readonly number[], known: readonly number[]) =>
  needed.filter((each) => each !== 0 && !known.includes(each));

export const whyNeeded = (checkValue: number) =>
  `Data is encrypted with the data key ${checkInHex(checkValue)}, which DATA_KEY does not list: without that key it cannot be read. "lead-prequal keys status" says the way out.`;

/** @throws Error when keys are needed that DATA_KEY does not list */
export function refuseMissingKeys(needed: readonly number[], {checkValues, mayLackKeys}: Encryptor) {
  const missing = missingKeys(needed, checkValues);
  if (!mayLackKeys && missing.length > 0) throw new Error(missing.map(whyNeeded).join(' '));
}

/** The check value of a key says which key it is, but not what the key is. 0 stands for data in clear. */
export const checkValueOf = (word: string) => derived(word, 'check value', checkLength).readUInt32BE() || 1;

const bindingOf = (checkValue: number, {id, cid, partner}: Bound, part: Part) =>
  Buffer.from(JSON.stringify(['lead-prequal data', version, checkValue, cid, partner, id, part]));

/** `dataKeys`: by their check values. */
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
    // A cipher takes a key object in a third of the time that it needs for the bytes of the key.
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
        // Only this checks the tag. Nothing of the text may be used before.
        decipher.final();
      } catch {
        throw notAsStored();
      }
      return text.toString();
    },
  };
}

/** @param words the keys, the one that encrypts first */
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
