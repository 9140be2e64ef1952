/** Who may call `/json/leads`, and with which passwords: `callers` of the file of the business. */
import {hash, randomBytes} from 'node:crypto';
import {z} from 'zod';
import {routeFields, toRoute, type Route} from './routes.ts';
import {cid, nonEmpty} from './values.ts';

/** A caller may have two passwords at a time, so that it can change to a new password while the old one still works. */
const maxPasswords = 2;

const passwordHash = z
  .string()
  .regex(
    /^[0-9a-f]{64}$/i,
    'must be a SHA-256: 64 hexadecimal digits, as "lead-prequal callers new" prints it',
  );

/** The passwords themselves are in no file: many people may read one, and it may be kept in a repository. */
const hashes = z
  .union([passwordHash, z.array(passwordHash).min(1).max(maxPasswords, 'must hold two at most')], {
    error: ({input}) => (input === undefined ? 'is missing' : 'must be a SHA-256, or a list of two'),
  })
  .transform((given): readonly string[] => [given].flat());

export const callerSchema = z.strictObject({
  user: z
    .string('must be a name without a colon')
    .regex(/^[^:]+$/, 'must be a name without a colon')
    .refine((user) => user === user.trim(), 'must not begin or end with a space')
    .describe('The user name with which it signs in.'),
  password_sha256: hashes.describe(
    'The SHA-256 of its password, as `lead-prequal callers new` prints it, or a list of two while it changes to a new one.',
  ),
  cids: nonEmpty(cid, 'must hold at least one cid', 'must be a list of cids, such as ["1001"]').describe(
    'The clients whose leads it may create and read.',
  ),
  ...routeFields,
});

export type Caller = Readonly<Omit<z.output<typeof callerSchema>, 'cids'>> & {cids: readonly string[]};

export const callersSchema = z
  .array(callerSchema)
  .refine((callers) => new Set(callers.map(({user}) => user)).size === callers.length, {
    error: 'must not hold a user twice',
  });

/** The route of the leads that the caller sends. */
export const routeOf = (caller: Caller): Route => toRoute(caller);

/** @returns 32 bytes */
export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * The SHA-256 of each password of a caller. There are always two, so that comparing takes the same time for every
 * caller. In place of a missing password there is a random value, which no password has.
 */
export function passwordDigests({password_sha256}: Pick<Caller, 'password_sha256'>) {
  const digests = password_sha256.map((digits) => Buffer.from(digits, 'hex'));
  while (digests.length < maxPasswords) digests.push(randomBytes(32));
  return digests;
}

/** 43 letters, digits, dashes and underscores: 256 random bits, too many to guess a password from its hash. */
export const newPassword = (): string => randomBytes(32).toString('base64url');
