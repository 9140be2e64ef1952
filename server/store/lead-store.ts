import type {Attribution} from '../../contract/api.ts';
import type {Lead} from '../../contract/lead-schema.ts';
import type {Answer, FinalAnswer} from '../answer.ts';

/** Digests, hex: the store never sees what they were made of. `owner` scopes the key to whoever chose it. */
export type IdempotencyKey = {owner: string; digest: string; fingerprint: string};

/** What the visitor was shown, and where. Times in milliseconds since 1970. */
export type Consent = {
  textVersion: string;
  /** SHA-256 of the text, hex. */
  textHash: string;
  /** Null where the partner asks for no tick. */
  agreed: boolean | null;
  givenAt: number;
  /** The Origin header, which the browser itself writes; null where it sent none, and in records of 1.0.0. */
  origin: string | null;
  /** The page's address without its query, as the page says; null unless it is of that origin. */
  page: string | null;
  ip: string;
  userAgent: string | null;
};

export type LeadEntry = {
  /** UUID version 7. */
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  lead: Lead;
  /** The key of the partner whose page sent it; null when it came over `/json/leads`. */
  partner: string | null;
  answer: Answer;
  idempotency?: IdempotencyKey | undefined;
  /** Where it is to be delivered; a lead that is answered has none. */
  delivery?:
    | {
        upstream: string;
        state: 'waiting' | 'held';
        nextAttemptAt: number;
        /** Whoever hands it in delivers it, too, and alone until then. */
        leaseEnd?: number | undefined;
      }
    | undefined;
  /** Two leads of one partner with the same digest, within a day, are one for delivery. */
  sameLead?: string | undefined;
  /** The solved challenge, good for one lead. */
  proof?: {nonce: string; expiresAt: number} | undefined;
  consent?: Consent | undefined;
  /** How the visitor came, for operators. */
  attribution?: Attribution | undefined;
  /** What was odd about it, for operators. */
  suspect?: string | undefined;
  /** The id of the lead that it corrects. */
  supersedes?: string | undefined;
};

export type StoredLead = Pick<LeadEntry, 'id' | 'createdAt' | 'lead' | 'partner' | 'answer'> & {
  upstreamId: string | null;
};

/**
 * - `created`: committed now
 * - `replayed`: the key was used for the same lead before; this is that lead as it stands
 * - `key-reused`: the key was used for another lead; nothing was stored
 * - `key-in-progress`: another process has been writing with the key for 5 s; nothing was stored
 * - `proof-spent`: the proof went with another lead; nothing was stored
 *
 * `deliver` is true where whoever handed it in has the lease, and no other lead is delivered in its stead.
 */
export type Accepted =
  | {outcome: 'created' | 'replayed'; stored: StoredLead; deliver: boolean}
  | {outcome: 'key-reused' | 'key-in-progress' | 'proof-spent'};

/**
 * - `attempts`: how often the upstream was asked before
 * - `ambiguous`: how often it may have taken the lead without our knowledge; what got lost while the upstream as a
 *   whole failed is not counted
 * - `leaseEnd`: from then on another may take it, in milliseconds since 1970
 */
export type DueDelivery = {
  lead: StoredLead;
  upstream: string;
  attempts: number;
  ambiguous: number;
  leaseEnd: number;
};

export type OutboxRow = {
  lead: string;
  upstream: string;
  state: 'waiting' | 'held' | 'refused';
  attempts: number;
  /** How often a reply was lost after sending, or a process that may have sent it. */
  ambiguous: number;
  nextAttemptAt: number;
  /** Until when it is under way; 0 where nobody has taken it. */
  leasedUntil: number;
  lastError: string | null;
};

/** Which rows of the outbox: all where nothing is said. `after` is the id of the last lead that was seen. */
export type OutboxFilter = {
  state?: OutboxRow['state'] | undefined;
  upstream?: string | undefined;
  after?: string | undefined;
};

/** `oldest` is the id of the lead that came first; its first 48 bits are the time, as in every UUID version 7. */
export type OutboxCount = Pick<OutboxRow, 'upstream' | 'state'> & {leads: number; oldest: string};

/**
 * - `absent`: the lead has no delivery in the outbox
 * - `under-way`: somebody delivers it right now, so nothing was changed
 * - `taken-already`: the id that the upstream gave to the lead is known, so nothing was changed
 */
export type Settled = 'settled' | 'absent' | 'under-way' | 'taken-already';

/** Every promise resolves after the commit. All methods reject with `StoreUnavailable` while it cannot work. */
export type LeadStore = {
  accept(entry: LeadEntry): Promise<Accepted>;
  /** A duplicate has the answer of the lead that is delivered in its stead. */
  find(id: string): Promise<StoredLead | undefined>;
  /** The fingerprint that a key stands for, with its lead. */
  findByKey(owner: string, digest: string): Promise<{fingerprint: string; leadId: string} | undefined>;
  /** The lead that is delivered in the stead of all with this digest. */
  findSameLead(partner: string | null, digest: string): Promise<string | undefined>;
  /** Where none is known yet. */
  recordUpstreamId(id: string, upstreamId: string): Promise<void>;
  /**
   * Ends the delivery, too: a refused lead stays in the outbox as a dead letter with the reason, where `leaseEnd`
   * still holds.
   */
  recordAnswer(id: string, answer: FinalAnswer, leaseEnd: number, reason?: string | null): Promise<void>;
  /**
   * Takes deliveries to an upstream that are due, each for one taker, who has until `leaseEnd` to settle it. One
   * that an earlier taker left without a word may have been sent: it is counted as ambiguous, and with `hold` held.
   */
  claimDue(
    upstream: string,
    now: number,
    leaseEnd: number,
    limit: number,
    onAmbiguous: 'send' | 'hold',
  ): Promise<{due: DueDelivery[]; held: string[]}>;
  /** Ends the lease, where it still holds. `tried`: the upstream was asked. */
  postpone(
    id: string,
    leaseEnd: number,
    outcome: {until: number; error: string; tried: boolean; ambiguous: boolean; state: 'waiting' | 'held'},
  ): Promise<void>;
  /** Deletes keys, digests and proofs that have expired, a few at a time; resolves with how many. */
  forgetExpired(now: number): Promise<number>;
  countWaiting(): Promise<{upstream: string; leads: number}[]>;
  /** The oldest leads first, at most `limit` of them; the next page begins `after` the last one. */
  listOutbox(limit: number, filter?: OutboxFilter): Promise<OutboxRow[]>;
  countOutbox(): Promise<OutboxCount[]>;
  /**
   * Makes deliveries due now, but none that is under way: one, all that are held, or all others, refused ones
   * included. What is held was left to the operator for a reason, so "all" does not let it go. Many are done in
   * transactions of a few hundred, so a failure may leave some done and others not.
   * @param upstream only its deliveries
   */
  retryOutbox(now: number, which: {id: string} | 'held' | 'all', upstream?: string): Promise<number>;
  /**
   * An operator's word on a delivery that is not under way. With `upstreamId` the upstream has the lead under this
   * id, and only its amounts are asked for. With `never-send` the lead counts as refused and leaves the outbox.
   */
  settleOutbox(now: number, id: string, outcome: {upstreamId: string} | 'never-send'): Promise<Settled>;
  /** Writes one row of so many bytes and commits it, to see whether a lead could be stored. */
  probe(now: number, bytes: number): Promise<void>;
  /** What the last look at the database file found to be damaged; undefined where nothing is. */
  damage(): string | undefined;
  close(): Promise<void>;
};

/** Where a store says what an operator should know; a `Logger` of pino is one. */
export type StoreLog = Record<'info' | 'warn', (fields: object, message: string) => void>;

/** Why something failed, in one line for the log: an SQLSTATE stands before the words of the database. */
export function reasonOf(error: unknown): string {
  // Where a name has several addresses, Node reports one error for each of them, and no message for all.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(one instanceof Error)) return String(one).slice(0, longestReason);
  const {message, code} = one as Error & {code?: unknown};
  const state = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? `${code} ` : '';
  return `${state}${message}`.slice(0, longestReason);
}

/** Characters. */
const longestReason = 200;

export class StoreUnavailable extends Error {
  /** Why, in one line for the log. */
  readonly reason: string;

  constructor(cause: unknown) {
    const reason = reasonOf(cause);
    super(`The store cannot work right now: ${reason}`);
    this.name = 'StoreUnavailable';
    this.reason = reason;
  }
}

/** The store works, but not with this row: a constraint of a table or the type of a column refuses it. */
export class RowRefused extends StoreUnavailable {}
