/**
 * The token in a form that a browser sends without a script. It is signed, so that nobody can make one up, and says from
 * when on a person can have filled in the form, in which network, which idempotency key the lead has, and which earlier lead
 * it corrects. So a form that is sent twice gives one lead, and nothing has to be stored before the last step.
 */
import {hash, randomBytes} from 'node:crypto';
import {limits} from '../../../contract/api.ts';
import type {EmbedSubmission} from '../../../contract/embed.ts';
import {shortestTime} from '../../leads/visitor-submission.ts';
import {isSameToken, keyedDigests, type TokenKeys} from '../../leads/keyed-digests.ts';

export type FormToken = {
  /** Milliseconds since 1970. A form that is sent earlier was probably filled in by a bot. */
  earliest: number;
  /** Random, and the same each time that the form is sent. */
  key: string;
  /** The earlier lead that the visitor changes. */
  supersedes?: EmbedSubmission['supersedes'];
};

/** A token is good for the forms of one partner, and for visitors in one network. */
type FormScope = {partner: string; network: string};

/** Milliseconds. Idempotency keys are forgotten after as long, so an older form could give a second lead. */
const lifetime = limits.idempotencyKeyHours * 3_600_000;

export type FormTokens = ReturnType<typeof createFormTokens>;

const newToken = (): FormToken => ({
  earliest: Date.now() + shortestTime,
  key: randomBytes(16).toString('base64url'),
});

/**
 * What the token of the form holds in which the visitor changes an answered lead. It follows from the token of that lead, so
 * that the same lead, sent twice, gets the same page twice.
 */
export const correctionOf = ({earliest, key}: FormToken, supersedes: {id: string; token: string}) => ({
  earliest,
  key: hash('sha256', `${key} ${supersedes.id}`, 'base64url').slice(0, key.length),
  supersedes,
});

/** @param keys the first key signs new tokens. Tokens that any of the keys signed are accepted */
export function createFormTokens(keys: TokenKeys) {
  const digests = keyedDigests(keys, 'base64url');
  const signaturesOf = (partner: string, content: string) => digests(`form\0${partner}\0${content}`);
  /** Scripts and extensions in the browser can read the token, so it holds a digest of the network and not its address. */
  const placesOf = (network: string) => digests(`form network\0${network}`).map((each) => each.slice(0, 22));

  return {
    issue({partner, network}: FormScope, {earliest, key, supersedes} = newToken()): string {
      const corrects = supersedes ? [supersedes.id, supersedes.token] : [];
      const content = [earliest, key, placesOf(network)[0], ...corrects].join('.');
      return `${content}.${signaturesOf(partner, content)[0]}`;
    },

    /**
     * @returns undefined for a token that is too old, was made for another partner, or that nobody signed. `isHere` says
     *   whether it was made for this network
     */
    read({partner, network}: FormScope, token = ''): (FormToken & {isHere: boolean}) | undefined {
      const [, content = '', earliest = '', key = '', place = '', id = '', result = '', signature = ''] =
        /^((\d{13})\.([\w-]{22})\.([\w-]{22})(?:\.([\w-]{36})\.([\w-]{43}))?)\.([\w-]{43})$/.exec(token) ??
        [];
      const signed = signaturesOf(partner, content).map((expected) => isSameToken(expected, signature));
      if (!signed.includes(true) || Date.now() > Number(earliest) + lifetime) return undefined;
      const isHere = placesOf(network).some((each, index) => signed[index] && each === place);
      const supersedes = id === '' ? undefined : {id, token: result};
      return {earliest: Number(earliest), key, supersedes, isHere};
    },
  };
}
