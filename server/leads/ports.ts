/**
 * What the store can do, as ports: each user asks for its own. `store/` implements them for SQLite and for PostgreSQL.
 *
 * All promises resolve after the commit. During an outage of the store they reject with `StoreUnavailable`, and with
 * `StoreRefused` if another try would be of no use.
 */
import type {Timings} from '../config/timings.ts';
import type {ReloadStore} from '../reload/reloads.ts';
import type {RequestStore} from '../versions/request-counts.ts';
import type {AuditStore} from './audit.ts';
import type {KeyStore} from './data-keys.ts';
import type {
  AddressUse,
  BreakEnd,
  Claim,
  ConfirmationDecision,
  ConfirmationLimits,
  DeliveryFilter,
  DeliveryKey,
  DeliveryRow,
  DueDelivery,
  OutboxCount,
  PausedDestination,
  Postponed,
  Settled,
  Settlement,
} from './deliveries.ts';
import type {ErasureReader, ErasureStore} from './erasure.ts';
import type {EvidenceStore} from './evidence.ts';
import type {FigureStore} from './figures.ts';
import type {LeadReader} from './lead-filter.ts';
import type {Accepted, LeadEntry} from './new-lead.ts';
import type {OperatorStore} from './operators.ts';
import type {OutcomeReader, OutcomeStore} from './outcomes.ts';
import type {PersonReader, PersonStore} from './persons.ts';
import type {PrivacyRequestReader, PrivacyRequestStore} from './privacy-requests.ts';
import type {RevocationStore, StopReader} from './revocation.ts';
import type {Answer, LeadRecord, RememberedText, StoredLead} from './stored-lead.ts';

/** What the lead service needs: it stores leads, and finds them. */
export type LeadPort = {
  accept(entry: LeadEntry): Promise<Accepted>;
  /**
   * The answer of a duplicate is that of the lead that it was merged into, if that can be opened.
   * @throws LeadUnreadable
   */
  find(id: string): Promise<StoredLead | undefined>;
  /** The lead that was stored with an idempotency key, and its fingerprint. */
  findByKey(
    owner: string,
    digest: string,
  ): Promise<{fingerprint: string; leadId: string; isErased: boolean} | undefined>;
  /** The destinations to which a lead went, besides the one that answers it. */
  receiversOf(lead: string): Promise<string[]>;
  /** Lets a duplicate go to more destinations of events. */
  repeatTo(
    duplicate: Pick<StoredLead, 'id' | 'createdAt'>,
    receivers: readonly {destination: string; address: string}[],
  ): Promise<void>;
  /** The texts of all consents under which leads were stored since version 1.3.0. */
  consentTexts(): Promise<RememberedText[]>;
  /** Stores the words of consent texts by their hashes, as far as they are not stored yet. */
  keepWords(words: readonly string[]): Promise<void>;
};

/** What the dispatcher, the workers and the outbox check need: deliveries are claimed, and end. */
export type OutboxPort = {
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
  /** Stores the id that the destination gave to the lead, if none is stored yet. */
  recordRemoteId(delivery: DeliveryKey, remoteId: string): Promise<void>;
  /**
   * Stores what the destination decided. `delivered` is always stored, even if the lease has ended, because the
   * destination has the lead. `refused` and `dropped` are stored only if the lease still holds. A refused delivery stays
   * in the outbox as a dead letter. If the delivery was stored with `givesAnswer`, the lead gets the answer, or is refused, too, and
   * the event of that is due to all destinations that got the event of the lead itself.
   * @returns the answer that the lead has then. If another report was first, it is the answer of that one. Undefined for
   *   a delivery of an event
   */
  settle(delivery: DeliveryKey, leaseEnd: number, settlement: Settlement): Promise<Answer | undefined>;
  /** Ends the lease, if it still holds, and makes the delivery due later. */
  postpone(delivery: DeliveryKey, leaseEnd: number, postponed: Postponed): Promise<void>;
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
  /** A lead that another one corrects. Undefined if it was erased, or cannot be read. */
  correctedLead(id: string): Promise<LeadRecord | undefined>;
  /** The destinations for which deliveries wait. Unlike `countOutbox`, this is quick however many wait. */
  waitingDestinations(): Promise<string[]>;
  /** Counts the deliveries in the outbox. The metrics and operators do so, too. */
  countOutbox(): Promise<OutboxCount[]>;
  /**
   * Makes deliveries to a destination due now that are due later than `latest`, or `latestOfStops` for the events of stops and
   * erasures. If no wait is that long, the clock was set back since their time was stored. Those under a lease are left out,
   * because the clock of the process that has it may be ahead, unless the lease is one of `endedLeases`.
   * @returns the ends of the leases of those that were left out. If they are there longer than a lease lasts, they ended
   */
  recallDeliveries(
    destination: string,
    recalled: {now: number; latest: number; latestOfStops: number; endedLeases: readonly number[]},
  ): Promise<number[]>;
};

/** Which destinations get nothing, and whose breaks have ended. */
export type PausePort = {
  /** The destinations that get nothing until an operator resumes them. */
  pausedDestinations(): Promise<PausedDestination[]>;
  /** If it is paused already, the first reason stays, but an operator takes the place of a destination that asked for it. */
  pauseDestination(paused: PausedDestination): Promise<void>;
  /** When an operator last ended a break of each destination. */
  breakEnds(): Promise<BreakEnd[]>;
};

/** Where destinations are and were. */
export type AddressPort = {
  /** Adds what is new. */
  noteAddresses(uses: readonly AddressUse[]): Promise<void>;
  /** By destination, the last used ones first. */
  addressUses(): Promise<AddressUse[]>;
};

/** What needs an operator. `isUrgent`: it is told at once */
export type Trouble = {name: string; title: string; isUrgent?: boolean};
/**
 * An e-mail that is due. `title`: as when the first e-mail told of it. `told`: 0 if none has yet, 2 if the trouble is over.
 * `seenAt`: when it was there last.
 */
export type Alert = Omit<Trouble, 'isUrgent'> & {beganAt: number; seenAt: number; told: number};

/** Decides which process tells operators by e-mail what needs one (alerts.ts). */
export type AlertPort = {
  /** Stores what is wrong now, and leases the alerts that this process is to send. */
  claimAlerts(troubles: readonly Trouble[], now: number, times: Timings['alerts']): Promise<Alert[]>;
  /** Stores when the next e-mail is due, and why this one was not sent. */
  settleAlert(alert: Pick<Alert, 'name' | 'told'>, dueAt: number, failure: string | null): Promise<void>;
  /** Forgets what is over, once an e-mail has said so. If it comes again, it is a new trouble. */
  endAlert(name: string): Promise<void>;
  /** Why e-mails were not sent. */
  alertFailures(): Promise<string[]>;
};

/** What operators see of deliveries and destinations. */
type OfDestinations = 'countOutbox' | 'pausedDestinations' | 'addressUses';
export type DeliveryReader = Pick<OutboxPort & PausePort & AddressPort, OfDestinations> & {
  /** Sorted by lead, destination and content, the oldest leads first. `after` is the last row of the previous page. */
  listDeliveries(limit: number, filter: DeliveryFilter, after?: DeliveryKey): Promise<DeliveryRow[]>;
  /**
   * The first characters of the last reply of each destination that refused or failed to take this lead. Null if they
   * cannot be read from the database.
   */
  lastReplies(lead: string): Promise<(DeliveryKey & {reply: string | null})[]>;
  /**
   * When each of these destinations took the last delivery of a recent lead. One that took none of the last hundred
   * thousand deliveries is left out.
   */
  lastDelivered(destinations: readonly string[]): Promise<{destination: string; deliveredAt: number}[]>;
};

/** What operators do with deliveries. */
export type DeliveryDesk = DeliveryReader & {
  /**
   * Makes deliveries due now, except those in progress, and ends the breaks of their destinations. A filter without a state and a lead leaves out held deliveries,
   * because an operator must decide about these. Deliveries that have ended are made due only if the filter names their
   * state, and only if they take events: a destination that takes leads could store the lead twice. Many deliveries are
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
   * held because of that become due. Left out are those in progress, and `onlyForReceivers`.
   * @returns the number of deliveries that were changed
   */
  acceptAddress(now: number, destination: string, address: string): Promise<number>;
  /**
   * Ends deliveries in the outbox for good, except those in progress, and events of stops and erasures unless the filter asks
   * for them alone. A lead that waits for the answer of such a
   * delivery counts as refused.
   * @returns the number of deliveries that were changed
   */
  dropDeliveries(now: number, filter: DeliveryFilter): Promise<number>;
  /** How many deliveries of this filter would be made due, or ended. */
  countSelected(order: 'retry' | 'drop', filter: DeliveryFilter): Promise<number>;
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
};

/** What keeps the store whole and small. */
export type Maintenance = {
  /** Deletes a batch of expired keys, digests, proofs, confirmations, counts of requests and entries of the audit. Resolves to their number. */
  deleteExpired(now: number): Promise<number>;
  /**
   * Removes what was erased from the files of the database, as far as that is possible while the server runs: SQLite keeps it
   * in its log until the log is emptied. PostgreSQL decides by itself when it reuses the place of old rows.
   * @returns false while a connection reads what was there before. Try again later
   */
  purge(): Promise<boolean>;
  /**
   * SQLite alone: writes the file anew, because SQLite keeps copies of rows that it has moved within a page. Other writes wait
   * meanwhile.
   * @param announce is told first how many bytes of the disk it may need meanwhile
   * @throws StoreUnavailable if there is no room for it
   */
  rewrite?: (announce: (bytes: number) => void) => Promise<void>;
  /** Commits a row of about `bytes` bytes, to check that a lead could be stored. */
  probe(now: number, bytes: number): Promise<void>;
  close(): Promise<void>;
};

/** All that can be read of leads, their deliveries, and who said stop. It changes nothing. */
export type ReadStore = LeadReader &
  DeliveryReader &
  StopReader &
  PrivacyRequestReader &
  PersonReader &
  OutcomeReader &
  ErasureReader &
  FigureStore;

/** All that a store can do: the ports above, and those that are described where they are used. */
export type LeadStore = LeadPort &
  OutboxPort &
  PausePort &
  AddressPort &
  AlertPort &
  DeliveryDesk &
  Maintenance &
  ReadStore &
  RequestStore &
  ReloadStore &
  KeyStore &
  ErasureStore &
  PersonStore &
  OutcomeStore &
  RevocationStore &
  PrivacyRequestStore &
  EvidenceStore &
  AuditStore &
  OperatorStore;

/** A store that a command has attached to, beside the servers that take the leads. */
export type AttachedStore = Omit<LeadStore, 'rewrite'>;
