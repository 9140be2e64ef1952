/** Proof of work: a bot pays for every lead, a visitor's browser pays once, while the visitor types. */
import {randomInt} from 'node:crypto';
import {createChallenge, verifySolution, type Challenge, type Payload} from 'altcha-lib';
import {deriveKey} from 'altcha-lib/algorithms/pbkdf2';
import {z} from 'zod';

/** What goes into the lead's commit, so that a proof serves once; `expiresAt` in milliseconds since 1970. */
export type Proof = {nonce: string; expiresAt: number};

export type Proofs = {
  /** @param factor how many times harder than usual */
  challenge(factor: number): Promise<Challenge>;
  /** Undefined when it is no proof (any more). */
  check(proof: unknown): Promise<Proof | undefined>;
};

/** PBKDF2 rounds of one derivation: about a third of a millisecond. */
const cost = 1_000;
/** Milliseconds; a visitor may take their time. */
const lifetime = 1_800_000;

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
    }),
    signature: hex,
  }),
  solution: z.object({counter: z.int().min(0).max(0xffffffff), derivedKey: hex}),
});

const secretsOf = (key: string) => ({
  hmacSignatureSecret: `challenge ${key}`,
  hmacKeySignatureSecret: `key ${key}`,
});

/**
 * @param keys the first one signs; challenges of the others, older, are still good
 * @param derivations how many a browser tries on average
 */
export function createProofs(keys: readonly [string, ...string[]], derivations: number): Proofs {
  return {
    challenge: (factor) =>
      createChallenge({
        ...secretsOf(keys[0]),
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(
          Math.ceil((derivations * factor) / 2),
          Math.ceil((derivations * factor * 3) / 2) + 1,
        ),
        deriveKey,
        expiresAt: new Date(Date.now() + lifetime),
      }),
    async check(proof) {
      const payload = payloadSchema.safeParse(proof);
      if (!payload.success) return undefined;
      const {challenge, solution} = payload.data as Payload;
      const verify = (key: string) =>
        verifySolution({...secretsOf(key), challenge, solution, deriveKey}).then(({verified}) => verified);
      if (!(await Promise.all(keys.map(verify))).includes(true)) return undefined;
      const {nonce, expiresAt = 0} = challenge.parameters;
      return {nonce, expiresAt: expiresAt * 1_000};
    },
  };
}
