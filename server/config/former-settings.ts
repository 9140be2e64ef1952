/** Settings of 1.8 that 2.0 has no more. This file goes with 2.1, and so does `upgrade.ts`. */
import {resolve} from 'node:path';
import type {Environment} from './environment.ts';

const inFile = 'a key of lead-prequal.json';
const keysOfFile = `
  CALLERS SIGN_IN_EXEMPT PARTNERS_FILE SNIPPETS_PAGE PROOF_OF_WORK RATE_LIMIT
  EMBED_ORIGINS EMBED_PARTNER EMBED_NAME EMBED_CID EMBED_LEAD_TYPES EMBED_CONTACT_PHONE EMBED_CONTACT_EMAIL
  WITHDRAWN_VERSIONS POLICY_FILE ERASURES_FILE RETAIN_DAYS RETAIN_GRACE_DAYS KEEP_CONSENT_YEARS CONFIRMATIONS
  UPSTREAM_URL UPSTREAM_CID ON_AMBIGUOUS OUTBOX_PER_SECOND WEBHOOK_INTERNAL_HOSTS SMTP_FROM ALERTS_TO
`
  .trim()
  .split(/\s+/);
/** Each with what stands in its place. */
export const formerSettings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(keysOfFile.map((name) => [name, inFile])),
  UPSTREAM_USER: 'CREDENTIALS_UPSTREAM_USER',
  UPSTREAM_PASSWORD: 'CREDENTIALS_UPSTREAM_PASSWORD',
  EMBED_FOLDER: 'the folder dist/embed of the server',
  DATABASE_STATEMENTS: 'PgBouncer from 1.21 on, or its session mode',
};

/** Settings of 1.8 that are read once more, so that what they have signed is valid. */
export const takenOver = ['TOKEN_KEY', 'EVIDENCE_KEY'];

/** The names of those that the environment has, in their usual order. */
export const formerIn = (environment: Environment): string[] =>
  Object.keys(formerSettings).filter((name) =>
    [name, `${name}_FILE`].some((each) => environment[each]?.trim()),
  );

/** Whether the partners file of 1.8 has this path. It may read like the file of 2.0, but without the callers and all else. */
export const isPartnersFile = ({PARTNERS_FILE: path}: Environment, other: string): boolean =>
  Boolean(path?.trim()) && resolve(path?.trim() ?? '') === resolve(other);
