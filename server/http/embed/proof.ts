/**
 * Proof of work: before a browser may send a lead, it must solve a challenge. The visitor does not notice, because the
 * browser solves it while the visitor types. For a bot that sends many leads it is expensive.
 */
import {createHmac, randomInt} from 'node:crypto';
import {createChallenge, verifySolution} from 'altcha-lib';
import {deriveKey} from 'altcha-lib/algorithms/pbkdf2';
import type {Challenge, EmbedSubmission} from '../../../contract/embed.ts';
import {challengeSchema} from '../wire-schemas.ts';

/** Stored with the lead, so that a proof can be used only once. `expiresAt` in milliseconds since 1970. */
export type Proof = {nonce: string; expiresAt: number};

/** The part of a signed challenge from which quota.ts decides whether the challenge is still valid. */
export type ChallengeTerms = {
  /** How many times harder than usual the challenge is. */
  factor: number;
  /** The number of this challenge among those of its address. */
  number: number;
  /** Where `number` was counted (see `Backend` in counters.ts). */
  backend: string;
};

/** A challenge is valid only for pages of one partner, and for visitors in one network. */
export type ChallengeScope = {partner: string; network: string};

export type Proofs = {
  challenge(scope: ChallengeScope, terms: ChallengeTerms): Promise<Challenge>;
  /** Undefined when the proof is wrong, has expired, or was made for another scope. */
  check(
    given: EmbedSubmission['proof'],
    scope: ChallengeScope,
  ): Promise<{proof: Proof; terms: ChallengeTerms} | undefined>;
};

/** PBKDF2 rounds of one key derivation, about a third of a millisecond. */
const cost = 1_000;
/** Milliseconds. This is long, because the form fetches the challenge before the visitor begins to type. */
export const challengeLifetime = 1_800_000;

const secretsOf = (key: string) => ({
  hmacSignatureSecret: `challenge ${key}`,
  hmacKeySignatureSecret: `key ${key}`,
});

/** Scripts on the page can read the challenge, so it holds a digest of the visitor's address and not the address. */
const digestOf = (key: string, network: string) =>
  createHmac('sha256', `network ${key}`).update(network).digest('hex').slice(0, 32);

/**
 * @param keys new challenges are signed with the first key; challenges signed with another key are still accepted
 * @param derivations how many key derivations a browser needs on average
 */
export function createProofs(keys: readonly [string, ...string[]], derivations: number): Proofs {
  return {
    async challenge({partner, network}, {factor, number, backend}) {
      const challenge = await createChallenge({
        ...secretsOf(keys[0]),
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(
          Math.ceil((derivations * factor) / 2),
          Math.ceil((derivations * factor * 3) / 2) + 1,
        ),
        data: {partner, network: digestOf(keys[0], network), factor, number, place: backend},
        deriveKey,
        expiresAt: new Date(Date.now() + challengeLifetime),
      });
      return challengeSchema.parse(challenge);
    },
    async check(given, scope) {
      if (!given) return undefined;
      const {challenge, solution} = given;
      const {data, nonce, expiresAt} = challenge.parameters;
      // A larger cost would make the server derive keys for as long as the sender likes.
      if (challenge.parameters.cost !== cost) return undefined;
      const networks = keys.map((key) => digestOf(key, scope.network));
      if (data.partner !== scope.partner || !networks.includes(data.network)) return undefined;
      const verify = (key: string) =>
        verifySolution({...secretsOf(key), challenge, solution, deriveKey}).then(({verified}) => verified);
      if (!(await Promise.all(keys.map(verify))).includes(true)) return undefined;
      const {factor, number, place: backend} = data;
      return {proof: {nonce, expiresAt: expiresAt * 1_000}, terms: {factor, number, backend}};
    },
  };
}
