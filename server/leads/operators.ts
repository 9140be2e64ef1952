/** Who may use the operators' pages: operators, their passkeys, invitations and sessions. Times are milliseconds since 1970. */
import {hash, randomBytes} from 'node:crypto';

/** The secret of a link or a cookie. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Under which a secret is stored. It has 256 bits of chance, so a digest without salt does not give it away. */
export const digestOf = (secret: string): string => hash('sha256', secret, 'base64url');

/** `viewer` sees no personal data, `agent` calls people, `admin` may also erase, export, and change destinations. */
export const roles = ['viewer', 'agent', 'admin'] as const;
export type Role = (typeof roles)[number];

/** No two that are not revoked have the same name. */
export type Operator = {id: string; name: string; role: Role; createdAt: number; revokedAt: number | null};

/**
 * - `credential`: its id, in base64url. `publicKey`: in the form of COSE (RFC 9052)
 * - `isSynced`: 1 if it is kept by a provider for several devices
 */
export type Passkey = {
  credential: string;
  operator: string;
  publicKey: Uint8Array;
  counter: number;
  isSynced: 0 | 1;
  createdAt: number;
  usedAt: number | null;
};

/** `digest` is that of the secret of a link, which only the link has. */
export type Invitation = {digest: string; expiresAt: number};

/**
 * `digest` is that of the secret in the cookie. `zone` is the operator's time zone, as the browser said at the sign-in, and
 * `agent` the name of that browser.
 */
export type Session = {
  digest: string;
  operator: string;
  beganAt: number;
  expiresAt: number;
  zone: string;
  agent: string;
};

/** `invitedUntil`: the end of an invitation that was not used. `signedInAt`: of the newest session that is known. */
export type ListedOperator = Operator & {
  passkeys: number;
  sessions: number;
  invitedUntil: number | null;
  signedInAt: number | null;
};

export type OperatorStore = {
  /** @returns false if there is an operator with this name, who is not revoked */
  addOperator(operator: Omit<Operator, 'revokedAt'>, invitation: Invitation): Promise<boolean>;
  /** Invites an operator once more, and ends passkeys, sessions and invitations of before. */
  inviteAgain(operator: string, invitation: Invitation): Promise<void>;
  /** The oldest first, also revoked ones. */
  operators(now: number): Promise<ListedOperator[]>;
  /** Ends passkeys, sessions and invitations, too. @returns false if there is no such operator, or no more */
  revokeOperator(id: string, now: number): Promise<boolean>;
  /** Whom an invitation is for that was not used and has not ended. */
  invited(digest: string, now: number): Promise<Operator | undefined>;
  /** Ends the invitation and stores the passkey, in one step. @returns false if somebody else has used it */
  acceptInvitation(
    digest: string,
    now: number,
    passkey: Omit<Passkey, 'operator' | 'usedAt'>,
  ): Promise<boolean>;
  /** A further one. Nothing is stored if the operator was revoked. */
  addPasskey(passkey: Omit<Passkey, 'usedAt'>): Promise<void>;
  /** The oldest first. */
  passkeysOf(operator: string): Promise<Passkey[]>;
  /** Undefined also if the operator was revoked. */
  passkey(credential: string): Promise<(Passkey & Pick<Operator, 'name' | 'role'>) | undefined>;
  usePasskey(credential: string, counter: number, now: number): Promise<void>;
  /** @returns false if it is not one of this operator, or the only one */
  removePasskey(operator: string, credential: string): Promise<boolean>;
  /** Spends a challenge. @returns false if it was spent before */
  spendChallenge(challenge: string, expiresAt: number): Promise<boolean>;
  /** @returns false if the operator was revoked */
  beginSession(session: Session): Promise<boolean>;
  /** Undefined if it has ended, or the operator was revoked. */
  session(digest: string, now: number): Promise<(Session & Pick<Operator, 'name' | 'role'>) | undefined>;
  /** Those that have not ended, the newest first. */
  sessionsOf(operator: string, now: number): Promise<Session[]>;
  /** @returns false if there is none of this operator */
  endSession(operator: string, digest: string): Promise<boolean>;
};
