/** The interface of the store, which `store/` implements for SQLite and for PostgreSQL. */
import type {Attribution, Context} from '../../contract/embed.ts';
import type {
  BreakEnd,
  Claim,
  ConfirmationDecision,
  ConfirmationLimits,
  ConfirmationRequest,
  DeliveryFilter,
  DeliveryKey,
  DeliveryRow,
  DueDelivery,
  NewDelivery,
  OutboxCount,
  PausedDestination,
  Postponed,
  Settled,
  Settlement,
} from './deliveries.ts';
import {isShortage, noDescriptors} from '../observe/file-descriptors.ts';
import type {ReloadStore} from '../reload/reloads.ts';
import type {RequestStore} from '../versions/request-counts.ts';
import type {IdempotencyKey} from './idempotency.ts';
import type {LeadReader, UnreadableLead} from './lead-filter.ts';
import type {Answer, Consent, LeadRecord, RememberedText, StoredLead, Tombstone} from './stored-lead.ts';
import type {KeyStore} from './data-keys.ts';
import type {ErasureStore} from './erasure.ts';

/** A new lead, and everything that is stored in the same commit. */
export type LeadEntry = StoredLead & {
  /** One for each token key. All are stored, so that a process that has only one of the token keys finds the lead. */
  idempotency?: readonly IdempotencyKey[] | undefined;
  deliveries?: readonly NewDelivery[] | undefined;
  /**
   * Digests of the fields, one for each token key. If the partner sent a lead with one of them within the last day, this
   * lead is a duplicate.
   */
  leadDigests?: readonly string[] | undefined;
  /** The proof of work that came with the lead. Its nonce is stored, so that it cannot be used for another lead. */
  proof?: {nonce: string; expiresAt: number} | undefined;
  consent?: Consent | undefined;
  /**
   * The text to which the visitor consented. The store remembers the first text of each version, and its words: as
   * configured, and as the form got it.
   */
  consentText?: (RememberedText & {words: readonly string[]}) | undefined;
  /** How the visitor came to the site, for operators. */
  attribution?: Attribution | undefined;
  /** Hidden fields of the page. */
  context?: Context | undefined;
  /** The hidden fields by which operators find the lead. */
  contextFilters?: Context | undefined;
  /** Why a bot may have sent the lead, for operators. */
  suspect?: string | undefined;
  /** The id of the earlier lead that this lead corrects. */
  supersedes?: string | undefined;
  /** Given if a confirmation is among the deliveries. */
  confirmation?: ConfirmationRequest | undefined;
};

/**
 * What `accept` did. All outcomes but `created` store nothing.
 * - `created`: the lead is committed
 * - `replayed`: the same lead was stored with this key before; `stored` is that lead as it is now
 * - `key-reused`: another lead was stored with this key before
 * - `key-in-progress`: another process has been using the key for 5 s
 * - `proof-spent`: the proof was used for another lead
 * - `erased`: the lead that was stored with this key was erased
 *
 * `duplicateOf` is the id of the lead into which the new lead was merged. `leased` are the deliveries of which this
 * process has the lease, so that it must begin them now.
 */
export type Accepted =
  | {outcome: 'created'; stored: StoredLead; duplicateOf: string | null; leased: readonly NewDelivery[]}
  | {outcome: 'replayed'; stored: StoredLead}
  | {outcome: 'key-reused' | 'key-in-progress' | 'proof-spent' | 'erased'};

/** The parts of the store that are described where they are used. */
type OtherParts = LeadReader & RequestStore & ReloadStore & KeyStore & ErasureStore;

/**
 * All promises resolve after the commit. During an outage of the store they reject with `StoreUnavailable`, and with
 * `StoreRefused` if another try would be of no use.
 */
export type LeadStore = OtherParts & {
  accept(entry: LeadEntry): Promise<Accepted>;
  /**
   * The answer of a duplicate is that of the lead that it was merged into, if that can be opened.
   * @throws LeadUnreadable
   */
  find(id: string): Promise<StoredLead | undefined>;
  /**
   * The leads with these ids that exist, by id. A lead that cannot be read is `unreadable`, with the reason. A duplicate
   * has its own answer here, and not that of the earlier lead.
   */
  findRecords(
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, LeadRecord | Tombstone | {unreadable: string}>>;
  /**
   * The leads of the last day, a hundred at most, that somebody wanted to read and that cannot be opened, neither then nor
   * now. Nothing looks for such leads: each process notes in the store those that it meets.
   */
  unreadableLeads(now: number): Promise<UnreadableLead[]>;
  /** The lead that was stored with an idempotency key, and its fingerprint. */
  findByKey(
    owner: string,
    digest: string,
  ): Promise<{fingerprint: string; leadId: string; isErased: boolean} | undefined>;
  /** The texts of all consents under which leads were stored since version 1.3.0. */
  consentTexts(): Promise<RememberedText[]>;
  /** Stores the id that the destination gave to the lead, if none is stored yet. */
  recordRemoteId(delivery: DeliveryKey, remoteId: string): Promise<void>;
  /**
   * Stores what the destination decided. `delivered` is always stored, even if the lease has ended, because the
   * destination has the lead. `refused` and `dropped` are stored only if the lease still holds. A refused delivery stays
   * in the outbox as a dead letter. If the delivery was stored with `givesAnswer`, the lead gets the answer, or is refused, too, and
   * the news of that is due to all destinations that got the news of the lead itself.
   * @returns the answer that the lead has then. If another report was first, it is the answer of that one. Undefined for
   *   a delivery of news
   */
  settle(delivery: DeliveryKey, leaseEnd: number, settlement: Settlement): Promise<Answer | undefined>;
  /** Whether a delivery to the destination is due. Destinations for which this is asked at the same time share a query. */
  hasDue(destination: string): Promise<boolean>;
  /**
   * Claims deliveries to a destination that are due. No other process can claim them until `leaseEnd`. If an earlier
   * lease ended without a report and no remote id is stored, the lead may have been sent. Such an attempt counts as
   * ambiguous, and with the attempt number `maxSends` the delivery is held instead of claimed. A delivery whose lead
   * cannot be read is due again after a while.
   * @returns the claimed deliveries, and the ids of the leads whose deliveries are now held, or cannot be read
   */
  claimDue(
    destination: string,
    claim: Claim,
  ): Promise<{due: DueDelivery[]; held: string[]; unreadable: string[]}>;
  /**
   * Decides once for all whether the confirmation of a lead may be sent, and counts it if so. Of two processes that decide
   * at the same moment, one waits for the other.
   * @param addresses the digests of the address, one for each token key
   * @returns undefined if nothing is known of the confirmation any more
   */
  decideConfirmation(
    lead: string,
    now: number,
    addresses: readonly string[],
    limits: ConfirmationLimits,
  ): Promise<{decision: ConfirmationDecision; language: string} | undefined>;
  /** Ends the lease, if it still holds, and makes the delivery due later. */
  postpone(delivery: DeliveryKey, leaseEnd: number, postponed: Postponed): Promise<void>;
  /** Deletes a batch of expired keys, digests, proofs, confirmations and counts of requests. Resolves to their number. */
  deleteExpired(now: number): Promise<number>;
  /** The destinations for which deliveries wait. Unlike `countOutbox`, this is quick however many wait. */
  waitingDestinations(): Promise<string[]>;
  /**
   * Makes deliveries to a destination due now that are due later than `latest`. If no wait is that long, the clock was
   * set back since their time was stored. Those under a lease are left out, because the clock of the process that has it
   * may be ahead, unless the lease is one of `endedLeases`.
   * @returns the ends of the leases of those that were left out. If they are there longer than a lease lasts, they ended
   */
  recallDeliveries(
    destination: string,
    recalled: {now: number; latest: number; endedLeases: readonly number[]},
  ): Promise<number[]>;
  /** The destinations that get nothing until an operator resumes them. */
  pausedDestinations(): Promise<PausedDestination[]>;
  /** If it is paused already, the first reason stays. */
  pauseDestination(paused: PausedDestination): Promise<void>;
  /** When an operator last ended a break of each destination. */
  breakEnds(): Promise<BreakEnd[]>;
  /** Sorted by lead, destination and content, the oldest leads first. `after` is the last row of the previous page. */
  listDeliveries(limit: number, filter: DeliveryFilter, after?: DeliveryKey): Promise<DeliveryRow[]>;
  /**
   * The first characters of the last reply of each destination that refused or failed to take this lead. Null if they
   * cannot be read from the database.
   */
  lastReplies(lead: string): Promise<(DeliveryKey & {reply: string | null})[]>;
  /** Counts the deliveries in the outbox. The server does so for its metrics, too. */
  countOutbox(): Promise<OutboxCount[]>;
  /**
   * When each of these destinations took the last delivery of a recent lead. One that took none of the last hundred
   * thousand deliveries is left out.
   */
  lastDelivered(destinations: readonly string[]): Promise<{destination: string; deliveredAt: number}[]>;
  /**
   * Makes deliveries due now, except those in progress, and ends the breaks of their destinations. A filter without a state and a lead leaves out held deliveries,
   * because an operator must decide about these. Deliveries that have ended are made due only if the filter names their
   * state, and only if they take news: a destination that takes leads could store the lead twice. Many deliveries are
   * changed in several transactions, so after a failure only some of them may be changed.
   * @returns the number of deliveries that were changed
   */
  retryDeliveries(now: number, filter: DeliveryFilter): Promise<number>;
  /**
   * Ends the pause and the break of a destination, and makes everything due that waits for it.
   * @returns false if the destination was not paused
   */
  resumeDestination(now: number, destination: string): Promise<boolean>;
  /**
   * Lets deliveries that were stored for another address of the destination go to its present address. Those that were
   * held because of that become due.
   * @returns the number of deliveries that were changed
   */
  acceptAddress(now: number, destination: string, address: string): Promise<number>;
  /**
   * Ends deliveries in the outbox for good, except those in progress. A lead that waits for the answer of such a
   * delivery counts as refused.
   * @returns the number of deliveries that were changed
   */
  dropDeliveries(now: number, filter: DeliveryFilter): Promise<number>;
  /**
   * Stores an operator's knowledge that a destination has the lead under `remoteId`, so that the destination is asked
   * only for the amounts.
   * @param delivery needs no destination if the lead waits for only one that takes leads
   */
  settleAs(
    now: number,
    delivery: {lead: string; destination?: string | undefined},
    remoteId: string,
  ): Promise<Settled>;
  /**
   * Removes what was erased from the files of the database, as far as that is possible while the server runs: SQLite keeps it
   * in its log until the log is emptied. PostgreSQL decides by itself when it reuses the place of old rows.
   * @returns false while a connection reads what was there before. Try again later
   */
  purge(): Promise<boolean>;
  /** Commits a row of about `bytes` bytes, to check that a lead could be stored. */
  probe(now: number, bytes: number): Promise<void>;
  close(): Promise<void>;
};

/** What commands need of the store, beside a server that takes the leads. */
export type BesideStore = Omit<LeadStore, 'accept'>;

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
export type Refusal = 'row' | 'statement';

/** Sending the same again is of no use. */
export class StoreRefused extends StoreError {
  readonly refusal: Refusal;

  constructor(cause: unknown, refusal: Refusal) {
    super(`The database refuses this ${refusal}`, cause);
    this.refusal = refusal;
  }
}

export const storeError = (cause: unknown, refusal?: Refusal): StoreError =>
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

  /** @param lead what is known of it, because it is never sealed */
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
