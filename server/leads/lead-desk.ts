/**
 * The lead desk takes valid leads and returns their answers. It connects the store, the calculator, and the courier,
 * which delivers leads to destinations. A lead is committed before it is sent anywhere.
 */
import {randomUUIDv7} from 'node:crypto';
import type {Emit} from '../observe/observations.ts';
import type {Lead} from './lead-schema.ts';
import type {Answer, LeadRecord, StoredLead} from './stored-lead.ts';
import {isSameLead, type IdempotencyKey} from './idempotency.ts';
import type {Timings} from '../config/timings.ts';
import type {DeliveryContent, DueDelivery, FirstContent, NewDelivery, UnusedLease} from './deliveries.ts';
import {StoreUnavailable} from './store-errors.ts';
import type {Accepted, LeadEntry} from './new-lead.ts';
import type {LeadPort} from './ports.ts';

export type Submission = Pick<
  LeadEntry,
  | 'lead'
  | 'partner'
  | 'idempotency'
  | 'leadDigests'
  | 'proof'
  | 'consent'
  | 'consentText'
  | 'attribution'
  | 'context'
  | 'contextFilters'
  | 'suspect'
  | 'supersedes'
  | 'confirmation'
> & {
  /** The destination that answers the lead. `submit` waits for it. Without one, the calculator answers. */
  answerFrom: string | undefined;
  /** Further destinations, which only receive the lead. `submit` does not wait for them. */
  sendTo?: readonly string[];
  /** The destination that confirms the lead to its visitor, if there is a `confirmation`. */
  confirmBy?: string | undefined;
  /** If true, the lead is stored, but not delivered until an operator decides. */
  hold?: boolean;
};

export type LeadDesk = {
  /**
   * Resolves when the lead is committed and has its answer. If a destination must give the answer, `submit` waits for
   * it no longer than `timings.answerWait`, and then resolves with the answer `pending`.
   */
  submit(submission: Submission): Promise<Accepted>;
  find(id: string): Promise<StoredLead | undefined>;
  /**
   * The lead that was stored with this idempotency key, if any. `key-reused` if that request had another content, `erased`
   * if the lead was erased.
   * @param sent the lead that was sent with the key now
   */
  replay(
    digests: readonly IdempotencyKey[],
    sent: Lead,
  ): Promise<StoredLead | 'key-reused' | 'erased' | undefined>;
  /**
   * Ends the deliveries.
   * @param patience milliseconds for those in progress. What takes longer is tried again after the next start
   */
  close(patience: number): Promise<void>;
};

/** What the lead desk needs of the courier (destinations/courier.ts): it delivers committed leads, and news of them. */
export type Deliverer = {
  /** What the destination gets when a lead is stored. */
  contentFor(destination: string, isHeld: boolean): FirstContent;
  /** Stands for the kind and the address of the destination. Null if it is not configured. */
  addressOf(destination: string): string | null;
  /**
   * Whether a new delivery to the destination may begin right after the commit. If so, it counts towards the pace of
   * the destination. Else it waits in the outbox until a worker claims it.
   */
  reserve(destination: string, content: DeliveryContent): boolean;
  /** Gives back an unused lease: the reply to its commit was lost. */
  abandon(destination: string, lease: UnusedLease): void;
  /** Never rejects. The answer is `pending` if there is none yet. */
  deliver(due: DueDelivery): Promise<Answer>;
  /** @param patience milliseconds for deliveries in progress. Those that take longer stay in the outbox */
  close(patience: number): Promise<void>;
};

type Parts = {
  store: LeadPort;
  calculate: (lead: Lead) => Answer;
  courier: Deliverer;
  emit: Emit;
  timings: Timings;
};

/**
 * The form of a lead's id. The store is asked only for such ids, because PostgreSQL refuses some texts with an error.
 */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const pending: Answer = {status: 'pending'};

export function createLeadDesk({store, calculate, courier, emit, timings}: Parts): LeadDesk {
  /** The answer, or `pending` if it takes too long. The delivery goes on after that. */
  async function inTime(answer: Promise<Answer>): Promise<Answer> {
    const {promise: waitOver, resolve} = Promise.withResolvers<Answer>();
    const timer = setTimeout(resolve, timings.answerWait, pending).unref();
    const first = await Promise.race([answer, waitOver]);
    clearTimeout(timer);
    return first;
  }

  function newDelivery(
    destination: string,
    givesAnswer: boolean,
    hold: boolean,
    createdAt: number,
  ): NewDelivery {
    const content = courier.contentFor(destination, hold);
    const address = courier.addressOf(destination);
    const delivery = {destination, content, givesAnswer, address};
    // The news that a lead is held is for operators, so it is not held itself.
    if (hold && content !== 'held') return {...delivery, state: 'held', nextAttemptAt: createdAt};
    // With a lease, only this process may begin the delivery. If the process dies, a worker claims the delivery when
    // the lease ends. Without a lease, a worker claims it at once.
    const leaseEnd = createdAt + timings.lease;
    const lease = courier.reserve(destination, content)
      ? {nextAttemptAt: leaseEnd, leaseEnd}
      : {nextAttemptAt: createdAt};
    return {...delivery, state: 'waiting', ...lease};
  }

  /** Gives back the leases of a lead that may be stored or not, because the reply to its commit was lost. */
  function abandonDeliveries({id, deliveries = []}: LeadEntry) {
    for (const {destination, leaseEnd} of deliveries) {
      if (leaseEnd !== undefined) courier.abandon(destination, {lead: id, leaseEnd});
    }
  }

  /** Begins the deliveries of which this process has the lease. @returns the answer, if one of them gives it */
  function beginDeliveries(
    {stored, duplicateOf, leased}: Extract<Accepted, {outcome: 'created'}>,
    {
      consent,
      attribution,
      context,
      suspect,
      supersedes,
    }: Pick<Submission, 'consent' | 'attribution' | 'context' | 'suspect' | 'supersedes'>,
  ): Promise<Answer> | undefined {
    const lead: LeadRecord = {
      ...stored,
      isAnsweredLater: stored.answer.status === 'pending' && duplicateOf === null,
      consent: consent ?? null,
      attribution: attribution ?? null,
      context: context ?? null,
      suspect: suspect ?? null,
      supersedes: supersedes ?? null,
      duplicateOf,
    };
    let answer: Promise<Answer> | undefined;
    for (const {destination, content, givesAnswer, address = null, leaseEnd = 0} of leased) {
      const fresh = {remoteId: null, attempts: 0, ambiguousCounted: 0, failingSince: null, recipients: null};
      const happenedAt = stored.createdAt;
      const delivery = courier.deliver({lead, destination, content, happenedAt, address, leaseEnd, ...fresh});
      if (givesAnswer) answer = delivery;
    }
    return answer;
  }

  /** Stores the lead, begins its deliveries, and waits for its answer. */
  async function take({
    answerFrom,
    sendTo = [],
    confirmBy,
    hold = false,
    ...submission
  }: Submission): Promise<Accepted> {
    const createdAt = Date.now();
    const deliveries = [
      ...(answerFrom === undefined ? [] : [newDelivery(answerFrom, true, hold, createdAt)]),
      ...sendTo.map((destination) => newDelivery(destination, false, hold, createdAt)),
      ...(confirmBy === undefined ? [] : [newDelivery(confirmBy, false, hold, createdAt)]),
    ];
    const entry: LeadEntry = {
      ...submission,
      id: randomUUIDv7(),
      createdAt,
      answer: answerFrom === undefined ? calculate(submission.lead) : pending,
      deliveries,
    };
    const accepted = await store.accept(entry).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) abandonDeliveries(entry);
      throw error;
    });
    if (!('stored' in accepted)) return accepted;
    const {stored} = accepted;
    if (hold && accepted.outcome === 'created') {
      const {partner, suspect: reason} = submission;
      for (const {destination, content, state} of deliveries) {
        // A duplicate goes to no destination that takes leads, so nothing is held for these.
        const isMade = content !== 'lead' || accepted.duplicateOf === null;
        if (isMade && state === 'held')
          emit({type: 'suspect-held', lead: stored.id, partner, destination, reason});
      }
    }
    const answer = accepted.outcome === 'created' ? beginDeliveries(accepted, submission) : undefined;
    if (stored.answer.status !== 'pending') return accepted;
    if (answer) return {...accepted, stored: {...stored, answer: await inTime(answer)}};
    // This process does not deliver the lead now: the lead is a duplicate, was stored before, is held, or waits for a
    // worker. It may have an answer by now, so it is read again. If the read fails, the reply says `pending`.
    return {...accepted, stored: (await store.find(stored.id).catch(() => undefined)) ?? stored};
  }

  return {
    async submit(submission) {
      const accepted = await take(submission);
      if (accepted.outcome === 'created') {
        const {id, partner, lead, answer} = accepted.stored;
        emit({type: 'lead-stored', lead: id, partner, leadType: lead.lead_type, answer: answer.status});
      }
      return accepted;
    },

    async replay(digests, sent) {
      for (const {owner, digest, fingerprint} of digests) {
        const used = await store.findByKey(owner, digest);
        if (!used) continue;
        if (used.isErased) return 'erased';
        if (used.fingerprint !== fingerprint) return 'key-reused';
        const stored = await store.find(used.leadId);
        return stored && !isSameLead(sent, stored.lead) ? 'key-reused' : stored;
      }
      return undefined;
    },

    find: (id) => (uuid.test(id) ? store.find(id) : Promise.resolve(undefined)),

    close: (patience) => courier.close(patience),
  };
}
