/** Solves a challenge as a browser does: tries counters until the derived key begins as asked. */
import {pbkdf2Sync} from 'node:crypto';
import type {Challenge} from '../../contract/embed.ts';
import {formConfig} from './embed-client.ts';
import type {FetchPath} from './http.ts';

export type Proof = {challenge: Challenge; solution: {counter: number; derivedKey: string}};

export function solve(challenge: Challenge): Proof {
  const {nonce, salt, cost, keyLength, keyPrefix} = challenge.parameters;
  const password = Buffer.alloc(nonce.length / 2 + 4);
  password.write(nonce, 'hex');
  for (let counter = 0; ; counter += 1) {
    password.writeUInt32BE(counter, nonce.length / 2);
    const derivedKey = pbkdf2Sync(password, Buffer.from(salt, 'hex'), cost, keyLength, 'sha256').toString(
      'hex',
    );
    if (derivedKey.startsWith(keyPrefix)) return {challenge, solution: {counter, derivedKey}};
  }
}

export async function newChallenge(server: {fetch: FetchPath}, partner = 'acme'): Promise<Challenge> {
  return (await formConfig(server, partner)).challenge!;
}

export const newProof = async (server: {fetch: FetchPath}) => solve(await newChallenge(server));
