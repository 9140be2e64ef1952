/**
 * Signed statements about consents: a JWS (RFC 7515) with Ed25519 (RFC 8037). docs/consent.md says how others verify one.
 * Nothing is signed when a lead is accepted, because that would take longer than storing it. The id of the key and a salt
 * are stored. Ed25519 gives the same signature each time, so all events and commands show the same statement, byte by byte,
 * as long as nothing below that goes into it changes.
 */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  randomBytes,
  randomUUID,
  sign,
  type KeyObject,
} from 'node:crypto';
import {isDeepStrictEqual} from 'node:util';
import {derived} from '../config/data-keys.ts';
import {toConsentRecord} from './consent-record.ts';
import type {LeadReader} from './lead-filter.ts';
import type {Lead} from './lead-schema.ts';
import {comparableEmail} from './read-contact.ts';
import type {Consent, Evidence, LeadRecord, StoredLead} from './stored-lead.ts';

/** `id`: the thumbprint of the key (RFC 7638). `publicKey`: 32 bytes, in base64url. */
export type PublicEvidenceKey = {id: string; publicKey: string};
export type EvidenceKey = PublicEvidenceKey & {
  /** 32 bytes, in base64url. Missing if the store has the public part alone, so that no statement can be made with the key. */
  privateKey?: string;
  /** When it began to sign new leads. The latest key signs them. Missing if it came from elsewhere for its own leads alone. */
  signsSince?: number;
  /** Since when nothing that is signed with it proves anything, because somebody else may have signed it. */
  leakedSince?: number;
};

/** `isEncrypted`: the row has something encrypted, which the data keys do not decrypt, or which is no key with this id. */
export type IgnoredKey = PublicEvidenceKey & {isEncrypted: boolean};
/** `ignored`: rows that whoever can write to the database may have written without a data key. Nobody may be told of them. */
export type StoredKeys = {keys: readonly EvidenceKey[]; ignored: readonly IgnoredKey[]};

/** The part of the store that keeps the keys, encrypted, so that what is signed with them can be verified for ever. */
export type EvidenceStore = {
  /** The oldest first. */
  evidenceKeys(): Promise<StoredKeys>;
  /**
   * Stores keys, in place of those with the same id.
   * @param known what was read before. If others have stored a key since, nothing is stored
   */
  keepEvidenceKeys(keys: readonly EvidenceKey[], known: StoredKeys): Promise<boolean>;
  /** The keys in databases that a restore moved aside. */
  evidenceKeysAside(): Promise<EvidenceKey[]>;
};

/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
/** By the text of the private key. To make one takes twice as long as to sign with it. */
const madeKeys = new Map<string, KeyObject>();
function privateKeyOf(text: string): KeyObject {
  const key = Buffer.concat([pkcs8Head, Buffer.from(text, 'base64url')]);
  const made = madeKeys.get(text) ?? createPrivateKey({key, format: 'der', type: 'pkcs8'});
  madeKeys.set(text, made);
  return made;
}

function keyFrom(bytes: Buffer): EvidenceKey {
  const privateKey = bytes.toString('base64url');
  const {x = ''} = createPublicKey(privateKeyOf(privateKey)).export({format: 'jwk'});
  return {id: thumbprintOf(x), publicKey: x, privateKey};
}

const thumbprintOf = (x: string) =>
  hash('sha256', JSON.stringify({crv: 'Ed25519', kty: 'OKP', x}), 'base64url');

/** Whether the id is that of the key, and the public part that of the private one. */
export const isGenuine = ({id, publicKey, privateKey}: EvidenceKey): boolean =>
  id === thumbprintOf(publicKey) &&
  (privateKey === undefined || keyFrom(Buffer.from(privateKey, 'base64url')).id === id);

/** @param words of the setting `EVIDENCE_KEY`, from which versions 1.7 and 1.8 made the keys */
export const formerKeys = (words: readonly string[]) =>
  words.map((word) => keyFrom(derived(word, 'evidence key', 32)));

/** The key that signs new leads. */
export const signingKey = (keys: readonly EvidenceKey[]): EvidenceKey | undefined =>
  keys
    .filter(({privateKey, leakedSince}) => privateKey !== undefined && leakedSince === undefined)
    .reduce<EvidenceKey | undefined>(
      (latest, key) => ((key.signsSince ?? 0) > (latest?.signsSince ?? 0) ? key : latest),
      undefined,
    );

/** The key signs new leads from now on, also if another machine, whose clock was ahead, made the one before. */
export const signsNext = (
  keys: readonly EvidenceKey[],
  key: EvidenceKey = keyFrom(randomBytes(32)),
): EvidenceKey => ({
  ...key,
  signsSince: Math.max(Date.now(), ...keys.map(({signsSince = 0}) => signsSince + 1)),
});

/**
 * Stores the keys that `change` makes of those that are stored, again if another process stored a key meanwhile.
 * @returns what is stored then
 */
export async function changeKeys(
  store: EvidenceStore,
  change: (keys: readonly EvidenceKey[]) => readonly EvidenceKey[],
): Promise<StoredKeys> {
  for (;;) {
    const stored = await store.evidenceKeys();
    const changed = change(stored.keys);
    if (changed.length === 0) return stored;
    if (await store.keepEvidenceKeys(changed, stored)) return store.evidenceKeys();
  }
}

/**
 * Takes over keys that the store lacks, and what they have more than those in the store. Without a key that signs, the first
 * of them does, or else a new one.
 */
export const takeOver = (store: EvidenceStore, given: readonly EvidenceKey[]): Promise<StoredKeys> =>
  changeKeys(store, (stored) => {
    const byId = new Map(stored.map((key) => [key.id, key]));
    for (const key of given) byId.set(key.id, {...key, ...byId.get(key.id)});
    const keys = [...byId.values()];
    const first = given.map(({id}) => byId.get(id)).find((key) => key?.privateKey && !key.leakedSince);
    if (!signingKey(keys)) {
      const signing = signsNext(keys, first);
      byId.set(signing.id, signing);
    }
    return [...byId.values()].filter((key) => !stored.some((known) => isDeepStrictEqual(known, key)));
  });

/** What the log and the status say of the keys. */
export const doubtsOf = ({keys, ignored}: StoredKeys): {text: string; remedy: string}[] => [
  ...keys
    .filter(({privateKey}) => privateKey === undefined)
    .map(({id}) => ({
      text: `No statements can be made any more of consents that were signed with the key ${id}, which is lost`,
      remedy: 'If anybody has the word of EVIDENCE_KEY from which it was made, start once with that.',
    })),
  ...ignored.map(({id}) => ({
    text: `The key ${id} of statements about consents is not published: the data key does not decrypt it`,
    remedy: 'Unless it is made from a word of EVIDENCE_KEY, somebody may have written it into the database.',
  })),
];

/** What a new consent is stored with. Undefined without a key. 122 random bits cost a tenth of what `randomBytes` does. */
export const newEvidence = (key: EvidenceKey | undefined): Evidence | undefined =>
  key && {key: key.id, salt: randomUUID()};

/** Digests of a phone number in E.164 and of an e-mail address in small letters, in hex. */
export type SaltedDigests = {phone: string; email: string};

/**
 * With these, whoever has the salt, which stands beside the statement, can match it with a person whom they know. Without
 * the salt, nobody can try all phone numbers.
 */
export function saltedDigests(salt: string, lead: Pick<Lead, 'phone' | 'email'>): SaltedDigests {
  // In a damaged row, both may be missing.
  const {phone, email = ''}: {phone?: {e164: string}; email?: string} = lead;
  const digest = (text: string) => createHmac('sha256', salt).update(text).digest('hex');
  return {phone: digest(phone?.e164 ?? ''), email: digest(comparableEmail(email))};
}

/** A media type without "application/", as RFC 7515 advises, and one of its own, as RFC 8725 does. */
const type = 'lead-prequal-consent+jwt';
const proves =
  'The holder of this key states that its server recorded this. It proves neither who sat before the browser, nor that the browser showed and did what it reported.';

/** `words`: of the text in the archive of the store, if it has them. */
export type Stated = {
  lead: Pick<StoredLead, 'id' | 'createdAt' | 'partner'>;
  consent: Consent;
  digests: SaltedDigests;
  words: string | undefined;
};

/** Undefined if the consent was stored without a key, if its words were not kept, or if its private key is lost. */
export function statementOf(
  {lead, consent, digests, words}: Stated,
  keys: readonly EvidenceKey[],
): string | undefined {
  const key = keys.find(({id}) => id === consent.evidence?.key);
  const record = toConsentRecord(lead, consent, words);
  if (key?.privateKey === undefined || record.text.words === null) return undefined;
  const parts = [
    {alg: 'EdDSA', kid: key.id, typ: type},
    {
      iat: Math.floor(lead.createdAt / 1_000),
      sub: lead.id,
      consent: record,
      person: {phone_hmac_sha256: digests.phone, email_hmac_sha256: digests.email},
      proves,
    },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign(null, Buffer.from(signed), privateKeyOf(key.privateKey)).toString('base64url')}`;
}

/** What an event has beside the record of a consent. */
export type SignedConsent = {statement: string; salt: string};
/** @throws StoreError when the words of the text cannot be read */
export type SignConsent = (record: LeadRecord) => Promise<SignedConsent | undefined>;

/**
 * Reads the words of each text once: they never change.
 * @param keyOf finds the key with an id
 */
export function consentSigner(
  {consentWords}: Pick<LeadReader, 'consentWords'>,
  keyOf: (id: string) => Promise<EvidenceKey | undefined>,
): SignConsent {
  const known = new Map<string, string>();
  async function wordsOf(hash: string) {
    const words = known.get(hash) ?? (await consentWords([hash])).get(hash);
    if (words !== undefined) known.set(hash, words);
    return words;
  }
  return async (lead) => {
    const {consent} = lead;
    if (!consent?.evidence) return undefined;
    const {key: id, salt} = consent.evidence;
    const key = await keyOf(id);
    if (!key) return undefined;
    const words = consent.words ?? (await wordsOf(consent.textHash));
    const digests = saltedDigests(salt, lead.lead);
    const statement = statementOf({lead, consent, digests, words}, [key]);
    return statement === undefined ? undefined : {statement, salt};
  };
}
