/**
 * The token in a form that a browser sends without a script. It is signed, so that nobody can make one up, and says from
 * when on a person can have filled in the form, and which idempotency key the lead has. So a form that is sent twice gives
 * one lead, and nothing has to be stored before the last step.
 */
import {createHmac, createSecretKey, randomBytes, timingSafeEqual, type KeyObject} from 'node:crypto';
import {limits} from '../../../contract/api.ts';
import {shortestTime} from '../embed/embed-submission.ts';

export type FormToken = {
  /** Milliseconds since 1970. A form that is sent earlier was probably filled in by a bot. */
  earliest: number;
  /** Random, and the same each time that the form is sent. */
  key: string;
};

/** Milliseconds. Idempotency keys are forgotten after as long, so an older form could give a second lead. */
const lifetime = limits.idempotencyKeyHours * 3_600_000;

export type FormTokens = ReturnType<typeof createFormTokens>;

/** @param keys the first key signs new tokens. Tokens that any of the keys signed are accepted */
export function createFormTokens(keys: readonly [string, ...string[]]) {
  const toSecret = (key: string) => createSecretKey(key, 'utf8');
  const [first, ...others] = keys;
  const secrets = [toSecret(first), ...others.map(toSecret)] as const;
  const sign = (secret: KeyObject, partner: string, content: string) =>
    createHmac('sha256', secret).update(`form\0${partner}\0${content}`).digest('base64url');

  return {
    issue(partner: string, now = Date.now()): string {
      const content = `${now + shortestTime}.${randomBytes(16).toString('base64url')}`;
      return `${content}.${sign(secrets[0], partner, content)}`;
    },

    /** @returns undefined for a token that is too old, was made for another partner, or that nobody signed */
    read(partner: string, token: string, now = Date.now()): FormToken | undefined {
      const [, content = '', earliest = '', key = '', signature = ''] =
        /^((\d{13})\.([\w-]{22}))\.([\w-]{43})$/.exec(token) ?? [];
      const given = Buffer.from(signature);
      const isSigned = secrets
        .map((secret) => Buffer.from(sign(secret, partner, content)))
        .filter((expected) => expected.length === given.length && timingSafeEqual(expected, given));
      if (isSigned.length === 0 || now > Number(earliest) + lifetime) return undefined;
      return {earliest: Number(earliest), key};
    },
  };
}
