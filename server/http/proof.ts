/** Proof of work: a bot pays for every lead, a visitor's browser pays once, while the visitor types. */
import {createHmac, randomInt} from 'node:crypto';
import {createChallenge, verifySolution, type Challenge, type Payload} from 'altcha-lib';
import {deriveKey} from 'altcha-lib/algorithms/pbkdf2';
import {z} from 'zod';

/** What goes into the lead's commit, so that a proof serves once; `expiresAt` in milliseconds since 1970. */
export type Proof = {nonce: string; expiresAt: number};

/** How a challenge came to be, signed with it; quota.ts says what it means. */
export type Issue = {
  /** How many times harder than usual it is. */
  factor: number;
  /** Which challenge of its address it is, and where that was counted. */
  number: number;
  place: string;
};

/** For whom a challenge is good: pages of one partner, in one network. */
export type Holder = {partner: string; network: string};

export type Proofs = {
  challenge(holder: Holder, issue: Issue): Promise<Challenge>;
  /** Undefined when it is no proof (any more), or another holder's. */
  check(proof: unknown, holder: Holder): Promise<{proof: Proof; issue: Issue} | undefined>;
};

/** PBKDF2 rounds of one derivation: about a third of a millisecond. */
const cost = 1_000;
/** Milliseconds; a visitor may take their time. */
export const challengeLifetime = 1_800_000;

const hex = z
  .string()
  .regex(/^[0-9a-f]*$/)
  .max(512);
const payloadSchema = z.object({
  challenge: z.object({
    parameters: z.object({
      algorithm: z.literal('PBKDF2/SHA-256'),
      nonce: hex,
      salt: hex,
      cost: z.literal(cost),
      keyLength: z.int().min(1).max(64),
      keyPrefix: hex,
      keySignature: hex.optional(),
      expiresAt: z.int(),
      data: z.object({
        partner: z.string().max(64),
        network: hex,
        factor: z.int(),
        number: z.int(),
        place: z.string().max(64),
      }),
    }),
    signature: hex,
  }),
  solution: z.object({counter: z.int().min(0).max(0xffffffff), derivedKey: hex}),
});

const secretsOf = (key: string) => ({
  hmacSignatureSecret: `challenge ${key}`,
  hmacKeySignatureSecret: `key ${key}`,
});

/** The page can read its challenge, but not the address of its visitor out of it. */
const digestOf = (key: string, network: string) =>
  createHmac('sha256', `network ${key}`).update(network).digest('hex').slice(0, 32);

/**
 * @param keys the first one signs; challenges of the others, older, are still good
 * @param derivations how many a browser tries on average
 */
export function createProofs(keys: readonly [string, ...string[]], derivations: number): Proofs {
  return {
    challenge: ({partner, network}, {factor, number, place}) =>
      createChallenge({
        ...secretsOf(keys[0]),
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(
          Math.ceil((derivations * factor) / 2),
          Math.ceil((derivations * factor * 3) / 2) + 1,
        ),
        data: {partner, network: digestOf(keys[0], network), factor, number, place},
        deriveKey,
        expiresAt: new Date(Date.now() + challengeLifetime),
      }),
    async check(proof, holder) {
      const payload = payloadSchema.safeParse(proof);
      if (!payload.success) return undefined;
      const {data} = payload.data.challenge.parameters;
      const networks = keys.map((key) => digestOf(key, holder.network));
      if (data.partner !== holder.partner || !networks.includes(data.network)) return undefined;
      const {challenge, solution} = payload.data as Payload;
      const verify = (key: string) =>
        verifySolution({...secretsOf(key), challenge, solution, deriveKey}).then(({verified}) => verified);
      if (!(await Promise.all(keys.map(verify))).includes(true)) return undefined;
      const {nonce, expiresAt = 0} = challenge.parameters;
      const {factor, number, place} = data;
      return {proof: {nonce, expiresAt: expiresAt * 1_000}, issue: {factor, number, place}};
    },
  };
}
