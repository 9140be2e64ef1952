/**
 * Signed statements about consents: a JWS (RFC 7515) with Ed25519 (RFC 8037). docs/consent.md says how others verify one.
 * Nothing is signed when a lead is accepted, because that would take longer than storing it. The id of the key and a salt
 * are stored. Ed25519 gives the same signature each time, so all events and commands show the same statement, byte by byte,
 * as long as nothing below that goes into it changes.
 */
import {createHmac, createPrivateKey, createPublicKey, hash, randomUUID, sign} from 'node:crypto';
import {derived} from '../config/data-keys.ts';
import {toConsentRecord} from './consent-record.ts';
import {comparableEmail} from './idempotency.ts';
import type {LeadReader} from './lead-filter.ts';
import type {Lead} from './lead-schema.ts';
import type {Consent, Evidence, LeadRecord, StoredLead} from './stored-lead.ts';

/** `id`: the thumbprint of the key (RFC 7638). `publicKey`: 32 bytes, in base64url. */
export type PublicEvidenceKey = {id: string; publicKey: string};
/** The first one signs new leads. */
export type EvidenceKeys = readonly (PublicEvidenceKey & {privateKey: ReturnType<typeof createPrivateKey>})[];

/** The part of the store that never forgets a public key. */
export type EvidenceStore = {
  addEvidenceKeys(keys: readonly PublicEvidenceKey[], now: number): Promise<void>;
  /** The oldest first. */
  evidenceKeys(): Promise<PublicEvidenceKey[]>;
};

/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param words of the setting `EVIDENCE_KEY` */
export const evidenceKeys = (words: readonly string[]): EvidenceKeys =>
  words.map((word) => {
    const der = Buffer.concat([pkcs8Head, derived(word, 'evidence key', 32)]);
    const privateKey = createPrivateKey({key: der, format: 'der', type: 'pkcs8'});
    const {x = ''} = createPublicKey(privateKey).export({format: 'jwk'});
    const id = hash('sha256', JSON.stringify({crv: 'Ed25519', kty: 'OKP', x}), 'base64url');
    return {id, publicKey: x, privateKey};
  });

/** Stores the public keys that the store lacks, so that whatever is signed with them can be verified for ever. */
export async function publishKeys(store: EvidenceStore, words: readonly string[]) {
  const known = new Set((await store.evidenceKeys()).map(({id}) => id));
  const missing = evidenceKeys(words).filter(({id}) => !known.has(id));
  if (missing.length > 0) await store.addEvidenceKeys(missing, Date.now());
}

/** What a new consent is stored with. Undefined without a key. 122 random bits cost a tenth of what `randomBytes` does. */
export const newEvidence = ([first]: EvidenceKeys): Evidence | undefined =>
  first && {key: first.id, salt: randomUUID()};

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

/** Undefined if the consent was stored without a key, if its words were not kept, or if its key has left `EVIDENCE_KEY`. */
export function statementOf({lead, consent, digests, words}: Stated, keys: EvidenceKeys): string | undefined {
  const key = keys.find(({id}) => id === consent.evidence?.key);
  const record = toConsentRecord(lead, consent, words);
  if (!key || record.text.words === null) return undefined;
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
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
}

/** What an event has beside the record of a consent. */
export type SignedConsent = {statement: string; salt: string};
/** @throws StoreError when the words of the text cannot be read */
export type SignConsent = (record: LeadRecord) => Promise<SignedConsent | undefined>;

/** Reads the words of each text once: they never change. */
export function consentSigner(
  {consentWords}: Pick<LeadReader, 'consentWords'>,
  keys: () => EvidenceKeys,
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
    const {salt} = consent.evidence;
    const words = consent.words ?? (await wordsOf(consent.textHash));
    const digests = saltedDigests(salt, lead.lead);
    const statement = statementOf({lead, consent, digests, words}, keys());
    return statement === undefined ? undefined : {statement, salt};
  };
}
