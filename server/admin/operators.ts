/** Invites, lists and shuts out the people who may use the operators' pages. */
import {randomUUIDv7} from 'node:crypto';
import {z} from 'zod';
import {
  digestOf,
  newSecret,
  roles,
  type ListedOperator,
  type Operator,
  type Role,
  type OperatorStore,
} from '../leads/operators.ts';
import {count, isoTime, Refusal, time, type With} from './admin.ts';
import {printable} from './visible.ts';

/** How long the link of an invitation works, in milliseconds. */
const inviteTime = 48 * 3_600_000;
/** Characters of a name. */
const maxName = 64;

/** `link`: works once. Whoever has it becomes this operator. */
export const invitation = z.object({
  name: z.string(),
  role: z.enum(roles),
  link: z.string(),
  expires_at: time,
});

/**
 * Adds an operator. With `again`, invites an operator who has lost all passkeys once more: the earlier passkeys and all sessions
 * end, and the role stays, because a role never changes.
 */
export async function inviteOperator(
  {store, config, noteAccess}: With<OperatorStore, 'config' | 'noteAccess'>,
  {name, role, again = false}: {name: string; role?: Role | undefined; again?: boolean | undefined},
): Promise<z.infer<typeof invitation>> {
  if (!config.admin)
    throw new Refusal('There are no pages of operators, because ADMIN_URL is not set (docs/admin.md).');
  if (name.trim() !== name || printable(name) !== name || name === '' || name.length > maxName)
    throw new Refusal(`A name has 1 to ${maxName} characters in one line, and no spaces around it.`);
  const now = Date.now();
  const known = (await store.operators(now)).find((each) => each.name === name && each.revokedAt === null);
  if (again && !known) throw new Refusal(`There is no operator ${name}.`, 'unknown');
  const taken = () => new Refusal(`There is an operator ${name} already: --again invites once more.`);
  if (known && !again) throw taken();
  if (known && role !== undefined && role !== known.role)
    throw new Refusal(`${name} is ${known.role}: for another role, revoke ${name} and invite anew.`);
  const as = role ?? known?.role ?? 'agent';
  // The secret is behind the `#`, which browsers never send. The store has only its digest.
  const secret = newSecret();
  const invited = {digest: digestOf(secret), expiresAt: now + inviteTime};
  await noteAccess({operator: name, role: as, again});
  if (known) await store.inviteAgain(known.id, invited);
  else {
    const operator: Omit<Operator, 'revokedAt'> = {id: randomUUIDv7(), name, role: as, createdAt: now};
    if (!(await store.addOperator(operator, invited))) throw taken();
  }
  const link = `${config.admin.url}/invite#${secret}`;
  return {name, role: as, link, expires_at: new Date(invited.expiresAt).toISOString()};
}

/** `invited_until`: when an unused invitation expires. `signed_in_at`: when the newest session in the store began */
export const operatorRow = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  passkeys: count,
  sessions: count,
  created_at: time.nullable(),
  revoked_at: time.nullable(),
  invited_until: time.nullable(),
  signed_in_at: time.nullable(),
});
export type OperatorRow = z.infer<typeof operatorRow>;

const toRow = (operator: ListedOperator): OperatorRow => {
  const {createdAt, revokedAt, invitedUntil, signedInAt, ...others} = operator;
  return {
    ...others,
    created_at: isoTime(createdAt),
    revoked_at: isoTime(revokedAt),
    invited_until: isoTime(invitedUntil),
    signed_in_at: isoTime(signedInAt),
  };
};

/** All operators, including revoked ones, the oldest first. */
export const listOperators = async ({store}: With<OperatorStore>): Promise<OperatorRow[]> =>
  (await store.operators(Date.now())).map(toRow);

/** @param named the name or the id. @throws Refusal if no operator has it, or only one who was shut out */
export async function operatorNamed({store}: With<OperatorStore>, named: string): Promise<OperatorRow> {
  const found = (await store.operators(Date.now())).find(
    ({id, name, revokedAt}) => revokedAt === null && [id, name].includes(named),
  );
  if (!found) throw new Refusal(`There is no operator ${named}, or not any more.`, 'unknown');
  return toRow(found);
}

export async function revokeOperator(
  {store, noteAccess}: With<OperatorStore, 'noteAccess'>,
  {id, name, role}: OperatorRow,
): Promise<void> {
  await noteAccess({operator: name, role});
  await store.revokeOperator(id, Date.now());
}
