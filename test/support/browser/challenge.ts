/** Challenges of the proof of work, made and checked by the library that the server uses. */
import {createChallenge, verifySolution} from 'altcha-lib';
import {deriveKey} from 'altcha-lib/algorithms/web/pbkdf2';
import type {Challenge, EmbedSubmission} from '../../../contract/embed.ts';

const secrets = {hmacSignatureSecret: 'signature', hmacKeySignatureSecret: 'key'};

export const newChallenge = (counter = 5) =>
  createChallenge({
    ...secrets,
    algorithm: 'PBKDF2/SHA-256',
    cost: 100,
    counter,
    deriveKey,
  }) as Promise<Challenge>;

export async function isSolved(proof: EmbedSubmission['proof']): Promise<boolean> {
  if (!proof) return false;
  return (await verifySolution({...secrets, ...proof, deriveKey})).verified;
}
