/** Statements about consents: the same bytes for ever, from what is stored. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {
  formerKeys,
  newEvidence,
  saltedDigests,
  statementOf,
  type Stated,
} from '../../../server/leads/evidence.ts';
import {sampleConsent} from '../../support/sample-leads.ts';
import {sampleId, sampleTime} from '../../support/sample-events.ts';

const words = ['a word of at least 32 characters, which signs', 'another word of at least 32 characters'];
const keys = formerKeys(words);
const salt = 'AAECAwQFBgcICQoLDA0ODw';
const stated: Stated = {
  lead: {id: sampleId, createdAt: sampleTime, partner: 'acme'},
  consent: {
    ...sampleConsent,
    textVersion: '2',
    textLanguage: 'es',
    givenAt: sampleTime,
    origin: 'https://www.acme.example',
    page: 'https://www.acme.example/funding',
    form: {version: '1.7.0', button: 'Enviar', inView: true, width: 390, slot: 'Ñandú'},
    evidence: {key: keys[0]!.id, salt},
  },
  digests: saltedDigests(salt, {
    phone: {typed: '(202) 555-0142', e164: '+12025550142'},
    email: 'Jane@Example.com',
  }),
  words: 'Pueden llamarme “cuando quieran”.',
};

/** The parts of a statement, as JSON. */
const partsOf = (statement: string | undefined) =>
  (statement ?? '')
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);

suite('a statement about a consent', () => {
  test('is the same text in every version of this software, because others keep it', () => {
    assert.equal(statementOf(stated, keys), golden);
  });
  test('has the record of the consent, digests of the person, and no salt', () => {
    const [header, claims] = partsOf(golden);
    assert.deepEqual(header, {alg: 'EdDSA', kid: keys[0]!.id, typ: 'lead-prequal-consent+jwt'});
    assert.partialDeepStrictEqual(claims, {
      iat: sampleTime / 1_000,
      sub: sampleId,
      consent: {
        text: {words: 'Pueden llamarme “cuando quieran”.'},
        reported: {button: 'Enviar', in_view: true},
      },
      person: {phone_hmac_sha256: stated.digests.phone, email_hmac_sha256: stated.digests.email},
    });
    assert.doesNotMatch(JSON.stringify([header, claims]), new RegExp(`${salt}|555|[Jj]ane`));
  });
  test('is signed with the key of its consent, and not with the first one', () => {
    assert.equal(statementOf(stated, keys.toReversed()), golden);
    assert.equal(newEvidence(keys[1])?.key, keys[1]!.id);
  });
  test('has the words that a caller sent', () => {
    const {consent} = stated;
    const brought = {
      ...stated,
      consent: {...consent, source: 'caller' as const, words: 'Call me.'},
      words: undefined,
    };
    assert.partialDeepStrictEqual(partsOf(statementOf(brought, keys))[1], {
      consent: {text: {words: 'Call me.'}},
    });
  });
  test('is not made without its words or its private key, or without a key at the time', () => {
    const {evidence, ...without} = stated.consent;
    assert.ok(evidence);
    assert.equal(statementOf({...stated, words: undefined}, keys), undefined);
    assert.equal(statementOf(stated, keys.slice(1)), undefined);
    const {id, publicKey} = keys[0]!;
    assert.equal(statementOf(stated, [{id, publicKey}]), undefined);
    assert.equal(statementOf({...stated, consent: without}, keys), undefined);
    assert.equal(newEvidence(undefined), undefined);
  });
  test('has another salt for each consent', () => {
    const salts = new Set(Array.from({length: 20}, () => newEvidence(keys[0])?.salt));
    assert.equal(salts.size, 20);
  });
});

const golden =
  'eyJhbGciOiJFZERTQSIsImtpZCI6InUwMWI1VWlmNWlCcWxxTmt4MzROdGhZZi14VlBBVHFDX2d5dVM5X0UxVmMiLCJ0eXAiOiJsZWFkLXByZXF1YWwtY29uc2VudCtqd3QifQ.eyJpYXQiOjE3OTUxOTY3MTIsInN1YiI6IjAxOTM0YjJjLTAwMDAtNzAwMC04MDAwLTAwOTllZjQxNzYyZCIsImNvbnNlbnQiOnsibGVhZCI6IjAxOTM0YjJjLTAwMDAtNzAwMC04MDAwLTAwOTllZjQxNzYyZCIsInJlZmVyZW5jZSI6Iks3UU0tMlhIRCIsInBhcnRuZXIiOiJhY21lIiwidGV4dCI6eyJ3b3JkcyI6IlB1ZWRlbiBsbGFtYXJtZSDigJxjdWFuZG8gcXVpZXJhbuKAnS4iLCJ2ZXJzaW9uIjoiMiIsImxhbmd1YWdlIjoiZXMiLCJzaGEyNTYiOiJmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmIn0sIm9ic2VydmVkIjp7InJlY2VpdmVkX2F0IjoiMjAyNi0xMS0yMFQxNzo0NToxMi4wMDBaIiwiaXAiOiIyMDMuMC4xMTMuNyIsIm9yaWdpbiI6Imh0dHBzOi8vd3d3LmFjbWUuZXhhbXBsZSIsInVzZXJfYWdlbnQiOm51bGx9LCJyZXBvcnRlZCI6eyJhZ3JlZWQiOnRydWUsInBhZ2UiOiJodHRwczovL3d3dy5hY21lLmV4YW1wbGUvZnVuZGluZyIsImZvcm1fdmVyc2lvbiI6IjEuNy4wIiwiYnV0dG9uIjoiRW52aWFyIiwiaW5fdmlldyI6dHJ1ZSwid2luZG93X3dpZHRoIjozOTAsInNsb3RfdGV4dCI6IsORYW5kw7oifX0sInBlcnNvbiI6eyJwaG9uZV9obWFjX3NoYTI1NiI6ImVmNmM3Y2U5MDUwNjJmMzA5Njk2YTAxZmQzNmI4MzI0NWRiNjQ0MDRkOGEyNDBhZGExNzkyZjA3MzkxY2VjOWUiLCJlbWFpbF9obWFjX3NoYTI1NiI6ImI3MjcyZmM2MWMyMzJiYmU0OTE2NWJmYWU0OGI0MWI4ZTJiZTVlYjMxNjkzZDA3NWI4Y2Q0YWNhOTA4YzgxZWYifSwicHJvdmVzIjoiVGhlIGhvbGRlciBvZiB0aGlzIGtleSBzdGF0ZXMgdGhhdCBpdHMgc2VydmVyIHJlY29yZGVkIHRoaXMuIEl0IHByb3ZlcyBuZWl0aGVyIHdobyBzYXQgYmVmb3JlIHRoZSBicm93c2VyLCBub3IgdGhhdCB0aGUgYnJvd3NlciBzaG93ZWQgYW5kIGRpZCB3aGF0IGl0IHJlcG9ydGVkLiJ9.ZZz_XAVxo9n887u7XlIjQ_o-mlr9nimP1u-H2obj8HK9SQKIVFq-tg-iDhqs2O4Is-zdPONwYKokaoMgzv62Dw';
