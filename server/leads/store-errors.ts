/** The errors of the store, and what they say of it. */
import {isShortage, noDescriptors} from '../observe/file-descriptors.ts';
import type {StoredLead} from './stored-lead.ts';

/** Why something failed, in one line for the log. For an error of PostgreSQL, the line begins with the SQLSTATE. */
export function reasonOf(error: unknown): string {
  // If a host name has several addresses, Node reports an error for each, and the AggregateError has no message.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (isShortage(one)) return noDescriptors;
  if (!(one instanceof Error)) return String(one).slice(0, maxReasonLength);
  const {message, code} = one as Error & {code?: unknown};
  const state = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? `${code} ` : '';
  return `${state}${message}`.slice(0, maxReasonLength);
}

/** Characters. */
const maxReasonLength = 200;

/** The store could not do what it was asked. */
export class StoreError extends Error {
  /** The cause, in one line for the log. */
  readonly reason: string;

  constructor(what: string, cause: unknown) {
    const reason = reasonOf(cause);
    super(`${what}: ${reason}`);
    this.name = new.target.name;
    this.reason = reason;
  }
}

/** The store does not work now. The next try may succeed. */
export class StoreUnavailable extends StoreError {
  constructor(cause: unknown) {
    super('The store cannot work right now', cause);
  }
}

/**
 * An error that the database will give again at every try.
 * - `row`: the values of one row are refused. The store works for all other rows
 * - `statement`: the statement itself is refused, for example because a table or a privilege is missing. Then the store
 *   does not work
 */
export type RefusedPart = 'row' | 'statement';

/** Sending the same again is of no use. */
export class StoreRefused extends StoreError {
  readonly refusal: RefusedPart;

  constructor(cause: unknown, refusal: RefusedPart) {
    super(`The database refuses this ${refusal}`, cause);
    this.refusal = refusal;
  }
}

export const storeError = (cause: unknown, refusal?: RefusedPart): StoreError =>
  cause instanceof StoreError
    ? cause
    : refusal
      ? new StoreRefused(cause, refusal)
      : new StoreUnavailable(cause);

/** The store works, but this lead cannot be opened: it is damaged, or its data key is missing. */
export class LeadUnreadable extends StoreError {
  readonly id: string;
  readonly cid: string;
  readonly partner: string | null;
  readonly createdAt: number;

  /** @param lead what is known of it, because it is never encrypted */
  constructor(
    {id, cid, partner, createdAt}: Pick<StoredLead, 'id' | 'partner' | 'createdAt'> & {cid: string},
    reason: string,
  ) {
    super(`The lead ${id} cannot be opened`, reason);
    this.id = id;
    this.cid = cid;
    this.partner = partner;
    this.createdAt = createdAt;
  }
}

/** Whether the store works, and only something about one row does not. */
export const isAboutRow = (error: unknown) =>
  error instanceof LeadUnreadable || (error instanceof StoreRefused && error.refusal === 'row');
