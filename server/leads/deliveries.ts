/**
 * The types of deliveries. A delivery is stored together with its lead. It is in the outbox while it is waiting, held
 * or refused, and leaves the outbox when it is delivered, or dropped by an operator. All times are milliseconds since
 * 1970.
 */
import type {DoneAnswer, StoredLead} from './stored-lead.ts';

/** Identifies a delivery, because a lead has at most one delivery to each destination. */
export type DeliveryKey = {lead: string; destination: string};

/** A delivery that is stored together with its lead. */
export type NewDelivery = {
  destination: string;
  /** True if the destination answers the lead, false if it only receives the lead. */
  givesAnswer: boolean;
  state: 'waiting' | 'held';
  nextAttemptAt: number;
  /** If given, the process that stores the lead also delivers it. No other process may do so until this time. */
  leaseEnd?: number | undefined;
};

/**
 * A delivery that a process has claimed and attempts now.
 * - `remoteId`: the id that the destination gave to the lead; null while it is unknown
 * - `attempts`: the number of earlier attempts
 * - `ambiguousCounted`: how many of the attempts left it unknown whether the destination has the lead. Attempts during
 *   an outage of the destination are not counted
 * - `leaseEnd`: from this time on, another process may claim the delivery
 */
export type DueDelivery = {
  lead: StoredLead;
  destination: string;
  remoteId: string | null;
  attempts: number;
  ambiguousCounted: number;
  leaseEnd: number;
};

/**
 * How an attempt failed, and when the next attempt is due (`until`).
 * - `tried`: a request was sent to the destination
 * - `ambiguous`: it is unknown whether the destination has the lead now
 * - `isCounted`: this attempt counts towards the limit of ambiguous attempts, after which the delivery is held
 * - `state`: `held` if the next attempt must wait for an operator's decision, else `waiting`
 */
export type Postponed = {
  until: number;
  error: string;
  tried: boolean;
  ambiguous: boolean;
  isCounted: boolean;
  state: 'waiting' | 'held';
};

/**
 * What a destination decided about a lead.
 * - `delivered`: the destination has the lead; `answer` is null if the destination only receives leads
 * - `refused`: the destination will never accept the lead. The delivery stays in the outbox, where operators read
 *   `reason`
 */
export type Settlement = {state: 'delivered'; answer: DoneAnswer | null} | {state: 'refused'; reason: string};

/** A delivery in the outbox, as operators see it. */
export type OutboxRow = DeliveryKey & {
  state: 'waiting' | 'held' | 'refused';
  attempts: number;
  /** How many attempts left it unknown whether the destination has the lead, including those during outages. */
  ambiguous: number;
  nextAttemptAt: number;
  /** Until this time a process may be working on the delivery; 0 if none is. */
  leasedUntil: number;
  lastError: string | null;
};

/** Selects rows of the outbox. An empty filter selects all rows. `after` is the last row of the previous page. */
export type OutboxFilter = {
  state?: OutboxRow['state'] | undefined;
  destination?: string | undefined;
  after?: DeliveryKey | undefined;
};

/** `oldest` is the id of the oldest lead. An id is a UUID version 7, so its first 48 bits are the time of the lead. */
export type OutboxCount = Pick<OutboxRow, 'destination' | 'state'> & {leads: number; oldest: string};

/**
 * What `settleOutbox` did. All outcomes but `settled` change nothing.
 * - `absent`: the lead has no such delivery in the outbox
 * - `several`: the lead has several deliveries in the outbox, and the call did not name the destination
 * - `under-way`: a process is working on the delivery right now
 * - `taken-already`: the id that the destination gave to the lead is stored already
 */
export type Settled = 'settled' | 'absent' | 'several' | 'under-way' | 'taken-already';
