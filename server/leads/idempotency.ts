/**
 * The digests by which the store recognises a retried request, and a lead that is sent twice. The store gets only the
 * digest of an idempotency key, never the key. Digests are made with the token keys.
 */
import {isDeepStrictEqual} from 'node:util';
import {keyedDigests, type TokenKeys} from './keyed-digests.ts';
import type {Lead} from './lead-schema.ts';
import {comparableEmail} from './read-contact.ts';

/**
 * The digest of an idempotency key, and the digest of the content that was sent with it (`fingerprint`), both in hex.
 * `owner` is the partner or caller that the key belongs to; two owners may use the same key.
 */
export type IdempotencyKey = {owner: string; digest: string; fingerprint: string};

/**
 * A text by which leads are compared: two leads count as the same if their texts are equal. The spelling of the phone
 * number and capitals in the e-mail address do not matter.
 */
export const comparableText = (lead: Lead) => {
  const {answers, ...fields} = lead;
  return JSON.stringify({
    ...fields,
    phone: lead.phone.e164,
    email: comparableEmail(lead.email),
    // The same answer, whatever words the file has for it now.
    ...(answers && {answers: answers.map(({name, value}) => [name, value])}),
  });
};

/**
 * Whether the lead that was found is the lead that was sent. This must be checked, because the rows by which it is
 * found are not encrypted: somebody who can write to the database could let them name another lead. The order of the
 * fields does not matter, because another version may have stored them.
 */
export const isSameLead = (one: Lead, other: Lead): boolean =>
  isDeepStrictEqual(JSON.parse(comparableText(one)), JSON.parse(comparableText(other)));

export type IdempotencyDigests = ReturnType<typeof createIdempotencyDigests>;

/**
 * Makes one digest for each token key, in the order of the keys. During a rotation of keys, a lead is stored with all of
 * them: another process may still have, or have only, one of these keys.
 */
export function createIdempotencyDigests(tokenKeys: TokenKeys) {
  const digests = keyedDigests(tokenKeys, 'hex');
  /** @param text the `comparableText` of the lead */
  const ofLead = (text: string): string[] => digests(`idempotency\0${text}`);
  return {
    ofLead,
    /** @param content the lead, and all else that must be the same when a request is retried with this key */
    ofKey(owner: string, key: string, content: string): IdempotencyKey[] {
      const fingerprints = ofLead(content);
      return ofLead(key).map((digest, index) => ({owner, digest, fingerprint: fingerprints[index] ?? ''}));
    },
  };
}
