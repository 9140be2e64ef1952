/** The `CALLERS` setting: who may call `/json/leads`, and with which passwords. */
import {hash, randomBytes} from 'node:crypto';
import {z} from 'zod';
import {routeFields, toRoute, type Route} from './destinations.ts';
import {cid, nonEmpty} from './values.ts';

/** A caller may have two passwords at a time, so that it can change to a new password while the old one still works. */
const maxPasswords = 2;

const password = z.string().min(12, 'must have at least 12 characters');
const passwordHash = z
  .string()
  .regex(
    /^[0-9a-f]{64}$/i,
    'must be a SHA-256: 64 hexadecimal digits, as "lead-prequal callers new" prints it',
  );

const oneOrTwo = (one: z.ZodString) =>
  z
    .union([one, z.array(one).min(1, 'must not be empty')], {
      error: 'must be a text, or a list of two',
    })
    .optional();

const toList = (oneOrTwo: string | readonly string[] = []): string[] => [oneOrTwo].flat();

export const callerSchema = z
  .strictObject({
    user: z.string('must be a name without a colon').regex(/^[^:]+$/, 'must be a name without a colon'),
    password: oneOrTwo(password),
    /**
     * May be given instead of a password, because nobody who reads the hash in the configuration can sign in with it.
     */
    password_sha256: oneOrTwo(passwordHash),
    cids: nonEmpty(cid, 'must hold at least one cid', 'must be a list of cids, such as ["1001"]'),
    ...routeFields,
  })
  .superRefine((caller, context) => {
    const issue = (message: string) => context.addIssue({code: 'custom', path: ['password'], message});
    const count = toList(caller.password).length + toList(caller.password_sha256).length;
    if (count === 0) issue('is missing, and so is password_sha256');
    if (count > maxPasswords) issue('and password_sha256 must hold two at most, together');
  });

export type Caller = Readonly<Omit<z.output<typeof callerSchema>, 'cids'>> & {cids: readonly string[]};

export const callersSchema = nonEmpty(callerSchema, 'must hold at least one caller').refine(
  (callers) => new Set(callers.map(({user}) => user)).size === callers.length,
  {
    error: 'must not hold a user twice',
  },
);

/** @param usual the destination that answers the caller's leads if its entry does not say which */
export const routeOf = (caller: Caller, usual: string | undefined): Route => toRoute(caller, usual);

/** @returns 32 bytes */
export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * The SHA-256 of each password of a caller. There are always two, so that comparing takes the same time for every
 * caller. In place of a missing password there is a random value, which no password has.
 */
export function passwordDigests({password, password_sha256}: Pick<Caller, 'password' | 'password_sha256'>) {
  const digests = [
    ...toList(password).map(sha256),
    ...toList(password_sha256).map((digits) => Buffer.from(digits, 'hex')),
  ];
  while (digests.length < maxPasswords) digests.push(randomBytes(32));
  return digests;
}

/** 43 letters, digits, dashes and underscores: 256 random bits, too many to guess a password from its hash. */
export const newPassword = (): string => randomBytes(32).toString('base64url');
