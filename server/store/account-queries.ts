/** The queries about operators, their passkeys and their sessions, for both databases. */
import type {OperatorStore, Passkey} from '../leads/operators.ts';
import type {Context} from './context.ts';
import {insertRow, statement, type Row, type Statement} from './database.ts';

const operatorColumns = `operators.id, operators.name, operators.role, operators.created_at AS "createdAt",
  operators.revoked_at AS "revokedAt"`;
const passkeyColumns = `credential, operator, public_key AS "publicKey", counter, is_synced AS "isSynced",
  passkeys.created_at AS "createdAt", used_at AS "usedAt"`;
const sessionColumns = 'digest, operator, began_at AS "beganAt", expires_at AS "expiresAt", zone, agent';
/** SQL that joins the operator of each row, and leaves out rows of operators who were revoked. */
const ofOperator = (table: string) =>
  `JOIN operators ON operators.id = ${table}.operator AND operators.revoked_at IS NULL`;

const addText = `
  INSERT INTO operators (id, name, role, created_at) SELECT $1, $2, $3, $4
  WHERE NOT EXISTS (SELECT 1 FROM operators WHERE name = $5 AND revoked_at IS NULL) RETURNING id`;
const inviteText = `
  INSERT INTO invitations (digest, operator, expires_at) SELECT $1, operators.id, $2 FROM operators
  WHERE operators.id = $3 AND revoked_at IS NULL`;
const operatorsText = `
  SELECT ${operatorColumns}, (SELECT COUNT(*) FROM passkeys WHERE operator = operators.id) AS passkeys,
    (SELECT COUNT(*) FROM operator_sessions WHERE operator = operators.id AND expires_at > $1) AS sessions,
    (SELECT MAX(expires_at) FROM invitations WHERE operator = operators.id AND expires_at > $1) AS "invitedUntil",
    (SELECT MAX(began_at) FROM operator_sessions WHERE operator = operators.id) AS "signedInAt"
  FROM operators ORDER BY operators.created_at, operators.id`;
const revokeText = 'UPDATE operators SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL RETURNING id';
const whereInvited = `
  FROM invitations ${ofOperator('invitations')} WHERE invitations.digest = $1 AND invitations.expires_at > $2`;
const newPasskey = `
  INSERT INTO passkeys (operator, credential, public_key, counter, is_synced, created_at)
  SELECT operators.id`;
const valuesOf = (key: Omit<Passkey, 'operator' | 'usedAt'>) =>
  [key.credential, key.publicKey, key.counter, key.isSynced, key.createdAt] as const;
const acceptText = `${newPasskey}, $3, $4, $5, $6, $7 ${whereInvited} RETURNING operator`;
// An operator who was just invited again has no session any more, so a request of an earlier session must not add a passkey.
const addKeyText = `
  ${newPasskey}, $2, $3, $4, $5, $6 FROM operators WHERE id = $1 AND revoked_at IS NULL
    AND EXISTS (SELECT 1 FROM operator_sessions WHERE operator = operators.id)`;
const removeText = `
  DELETE FROM passkeys WHERE operator = $1 AND credential = $2
    AND EXISTS (SELECT 1 FROM passkeys AS other WHERE other.operator = $1 AND other.credential <> $2)
  RETURNING credential`;
const spendText = `${insertRow('spent_proofs')} ON CONFLICT (nonce) DO NOTHING RETURNING nonce`;
const beginText = `
  INSERT INTO operator_sessions (operator, digest, began_at, expires_at, zone, agent)
  SELECT operators.id, $2, $3, $4, $5, $6 FROM operators WHERE id = $1 AND revoked_at IS NULL RETURNING digest`;

/** Deletes everything by which an operator can sign in or is signed in: passkeys, sessions and invitations. */
const endAll = (operator: string): Statement[] =>
  ['passkeys', 'operator_sessions', 'invitations'].map((table) =>
    statement(`DELETE FROM ${table} WHERE operator = $1`, operator),
  );

export function accountQueries({read, readOne, write, oneByOne}: Context): OperatorStore {
  /**
   * Runs statements that depend on other rows, one transaction at a time. Otherwise, a session could begin while all sessions of
   * its operator are being ended, and stay. @returns the rows of the first statement
   */
  const inTurn = async (...statements: Statement[]): Promise<Row[]> =>
    (await write(statement(oneByOne('operators')), ...statements))[1] ?? [];
  const has = (rows: readonly unknown[]) => rows.length > 0;

  return {
    async addOperator({id, name, role, createdAt}, {digest, expiresAt}) {
      const add = statement(addText, id, name, role, createdAt, name);
      // If no operator was added, the second statement finds none, and so adds no invitation.
      return has(await inTurn(add, statement(inviteText, digest, expiresAt, id)));
    },

    async inviteAgain(operator, {digest, expiresAt}) {
      await inTurn(...endAll(operator), statement(inviteText, digest, expiresAt, operator));
    },

    operators: (now) => read(statement(operatorsText, now)),

    revokeOperator: async (id, now) => has(await inTurn(statement(revokeText, now, id), ...endAll(id))),

    invited: (digest, now) => readOne(statement(`SELECT ${operatorColumns} ${whereInvited}`, digest, now)),

    async acceptInvitation(digest, now, passkey) {
      const accept = statement(acceptText, digest, now, ...valuesOf(passkey));
      return has(await inTurn(accept, statement('DELETE FROM invitations WHERE digest = $1', digest)));
    },

    async addPasskey({operator, ...passkey}) {
      await inTurn(statement(addKeyText, operator, ...valuesOf(passkey)));
    },

    passkeysOf(operator) {
      const text = `
        SELECT ${passkeyColumns} FROM passkeys WHERE operator = $1 ORDER BY passkeys.created_at, credential`;
      return read(statement(text, operator));
    },

    passkey(credential) {
      const text = `
        SELECT ${passkeyColumns}, name, role FROM passkeys ${ofOperator('passkeys')} WHERE credential = $1`;
      return readOne(statement(text, credential));
    },

    async usePasskey(credential, counter, now) {
      const text = 'UPDATE passkeys SET counter = $1, used_at = $2 WHERE credential = $3';
      await write(statement(text, counter, now, credential));
    },

    removePasskey: async (operator, credential) =>
      has(await inTurn(statement(removeText, operator, credential))),

    async spendChallenge(challenge, expiresAt) {
      const [spent = []] = await write(statement(spendText, challenge, expiresAt));
      return has(spent);
    },

    beginSession: async ({operator, digest, beganAt, expiresAt, zone, agent}) =>
      has(await inTurn(statement(beginText, operator, digest, beganAt, expiresAt, zone, agent))),

    session(digest, now) {
      const text = `
        SELECT ${sessionColumns}, name, role FROM operator_sessions ${ofOperator('operator_sessions')}
        WHERE digest = $1 AND expires_at > $2`;
      return readOne(statement(text, digest, now));
    },

    sessionsOf(operator, now) {
      const text = `
        SELECT ${sessionColumns} FROM operator_sessions WHERE operator = $1 AND expires_at > $2
        ORDER BY began_at DESC, digest`;
      return read(statement(text, operator, now));
    },

    async endSession(operator, digest) {
      const text = 'DELETE FROM operator_sessions WHERE operator = $1 AND digest = $2 RETURNING digest';
      const [ended = []] = await write(statement(text, operator, digest));
      return has(ended);
    },
  };
}
