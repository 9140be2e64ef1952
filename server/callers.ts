/** Who may call `/json/leads`, by which passwords: the `CALLERS` setting. */
import {hash, randomBytes} from 'node:crypto';
import {z} from 'zod';
import {cid} from './partners.ts';

/** Two, so that a caller can change to a new password while the old one still works. */
const mostPasswords = 2;

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

const toList = <Item>(oneOrMore: Item | readonly Item[] = []): readonly Item[] =>
  Array.isArray(oneOrMore) ? (oneOrMore as readonly Item[]) : [oneOrMore as Item];

export const callerSchema = z
  .strictObject({
    user: z.string('must be a name without a colon').regex(/^[^:]+$/, 'must be a name without a colon'),
    password: oneOrTwo(password),
    /** Instead of the password, or of one of two: whoever reads the configuration cannot sign in with it. */
    password_sha256: oneOrTwo(passwordHash),
    cids: z.array(cid, 'must be a list of cids, such as ["1001"]').min(1, 'must hold at least one cid'),
  })
  .superRefine((caller, context) => {
    const issue = (message: string) => context.addIssue({code: 'custom', path: ['password'], message});
    const count = toList(caller.password).length + toList(caller.password_sha256).length;
    if (count === 0) issue('is missing, and so is password_sha256');
    if (count > mostPasswords) issue('and password_sha256 must hold two at most, together');
  });

export type Caller = Readonly<z.output<typeof callerSchema>>;

export const callersSchema = z
  .array(callerSchema)
  .min(1, 'must hold at least one caller')
  .refine((callers) => new Set(callers.map(({user}) => user)).size === callers.length, {
    error: 'must not hold a user twice',
  });

/** @returns 32 bytes */
export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * The SHA-256 of each password of a caller. There are always two, so that a comparison takes the same time for
 * every caller; one that is not used is random, and no password has it.
 */
export function passwordDigests({password, password_sha256}: Pick<Caller, 'password' | 'password_sha256'>) {
  const digests = [
    ...toList(password).map(sha256),
    ...toList(password_sha256).map((digits) => Buffer.from(digits, 'hex')),
  ];
  while (digests.length < mostPasswords) digests.push(randomBytes(32));
  return digests;
}

/** 43 letters, digits, dashes and underscores: 256 random bits, too many for a hash to be guessed back. */
export const newPassword = (): string => randomBytes(32).toString('base64url');
