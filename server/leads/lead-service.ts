/**
 * The lead service takes valid leads and returns their answers. It connects the store, the calculator, and the dispatcher,
 * which delivers leads to destinations. A lead is committed before it is sent anywhere.
 */
import {randomUUIDv7} from 'node:crypto';
import type {Emit} from '../observe/observations.ts';
import {nameInArchive} from './archive.ts';
import {known} from './consent-record.ts';
import {isLeadId} from './lead-ids.ts';
import type {Lead} from './lead-schema.ts';
import type {Answer, Evidence, LeadRecord, StoredLead} from './stored-lead.ts';
import {isSameLead, type IdempotencyKey} from './idempotency.ts';
import type {Timings} from '../config/timings.ts';
import type {DeliveryContent, DueDelivery, FirstContent, NewDelivery, UnusedLease} from './deliveries.ts';
import {StoreUnavailable} from './store-errors.ts';
import type {Accepted, LeadEntry, NewLead} from './new-lead.ts';
import type {LeadPort} from './ports.ts';
import {routed} from './routing.ts';

/** What became of a new lead: it is stored, or one of the reasons of `Accepted` why it is not. */
export type Submitted =
  {outcome: 'created' | 'replayed'; stored: StoredLead} | Exclude<Accepted, {stored: StoredLead}>;

export type LeadService = {
  /**
   * Resolves when the lead is committed and has its answer. If a destination must give the answer, `submit` waits for
   * it no longer than `timings.answerWait`, and then resolves with the answer `pending`.
   */
  submit(lead: NewLead): Promise<Submitted>;
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

/**
 * What the lead service needs of the dispatcher (destinations/dispatcher.ts): it delivers committed leads, and events of them.
 */
export type Deliverer = {
  /** What the destination gets when a lead is stored. */
  contentFor(destination: string): FirstContent;
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
  /** What new consents are stored with, so that their statements can be signed later. */
  evidence?: () => Evidence | undefined;
  dispatcher: Deliverer;
  emit: Emit;
  timings: Timings;
};

const pending: Answer = {status: 'pending'};

export const createLeadService = (parts: Parts): LeadService => ({
  submit: (lead) => submit(parts, lead),
  replay: (digests, sent) => replay(parts, digests, sent),
  // PostgreSQL refuses some other texts with an error.
  find: (id) => (isLeadId(id) ? parts.store.find(id) : Promise.resolve(undefined)),
  close: (patience) => parts.dispatcher.close(patience),
});

/** Stores the lead, begins its deliveries, and waits for its answer. */
async function submit(parts: Parts, lead: NewLead): Promise<Submitted> {
  const {store, calculate, dispatcher, emit, timings} = parts;
  const createdAt = Date.now();
  const answer = lead.answerFrom === undefined ? calculate(lead.lead) : pending;
  const {sendTo, ...routing} = await route(parts, lead, answer);
  const deliveries = deliveriesOf(parts, {...lead, sendTo}, createdAt);
  const consent = lead.consent && {...lead.consent, ...known('evidence', parts.evidence?.())};
  const entry: LeadEntry = {...lead, ...routing, consent, id: randomUUIDv7(), createdAt, answer, deliveries};
  const accepted = await store.accept(entry).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) abandonDeliveries(dispatcher, entry);
    throw error;
  });
  if (accepted.outcome === 'replayed') return {...accepted, stored: await latest(store, accepted.stored)};
  if (accepted.outcome !== 'created') return accepted;
  const {outcome, stored, leased, isSuppressed} = accepted;
  if (isSuppressed) emit({type: 'lead-suppressed', lead: stored.id, partner: stored.partner});
  else if (lead.hold) sayHeld(emit, stored, deliveries);
  const delivered = beginDeliveries(dispatcher, stored, leased);
  if (lead.rules && stored.duplicateOf !== null) await repeat(parts, stored, stored.duplicateOf, deliveries);
  const taken =
    stored.answer.status === 'pending' && delivered
      ? {...stored, answer: await inTime(delivered, timings.answerWait)}
      : await latest(store, stored);
  const {id, partner} = taken;
  emit({type: 'lead-stored', lead: id, partner, leadType: lead.lead.lead_type, answer: taken.answer.status});
  return {outcome, stored: taken};
}

/**
 * The lead as it is now, if it was without an answer, and this process does not deliver it: it is a duplicate, was stored
 * before, is held, or waits for a worker. If the read fails, the reply says `pending`.
 */
const latest = async (store: LeadPort, stored: StoredLead): Promise<StoredLead> =>
  stored.answer.status === 'pending'
    ? ((await store.find(stored.id).catch(() => undefined)) ?? stored)
    : stored;

/** A repeat goes where the first one went, too. Only if the rules have changed since then, there is something to store. */
async function repeat(
  {store, dispatcher}: Parts,
  lead: LeadRecord,
  original: string,
  deliveries: readonly NewDelivery[],
) {
  const receivers = (await store.receiversOf(original)).flatMap((destination) => {
    const address = dispatcher.addressOf(destination);
    const isNew = !deliveries.some((each) => each.destination === destination);
    return address !== null && isNew && dispatcher.contentFor(destination) === 'created'
      ? [{destination, address}]
      : [];
  });
  if (receivers.length > 0) await store.repeatTo(lead, receivers);
}

/** Who gets the lead besides whoever answers it. */
async function route(
  {store, dispatcher}: Parts,
  lead: NewLead,
  answer: Answer,
): Promise<Pick<LeadEntry, 'openRoutes' | 'routing'> & {sendTo: readonly string[]}> {
  const {rules, sendTo = [], language} = lead;
  if (!rules) return {sendTo};
  const {taken, open} = routed(rules, {...lead, answer});
  // A correction goes where the first one went, whatever the rules are now.
  const former = lead.supersedes === undefined ? [] : await store.receiversOf(lead.supersedes);
  const before = former.filter((name) => dispatcher.addressOf(name) !== null);
  const all = new Set([...sendTo, ...taken, ...before]);
  const openRoutes = open
    .filter(({to}) => !all.has(to))
    .map(({to, least}) => ({
      destination: to,
      content: dispatcher.contentFor(to),
      address: dispatcher.addressOf(to),
      least,
    }));
  all.delete(lead.answerFrom ?? '');
  return {
    sendTo: [...all],
    openRoutes,
    routing: {rules: nameInArchive(rules), ...known('language', language)},
  };
}

function deliveriesOf(parts: Parts, lead: NewLead, createdAt: number): NewDelivery[] {
  const {answerFrom, sendTo = [], confirmBy, hold = false} = lead;
  const all = [answerFrom, ...sendTo, confirmBy];
  return all.flatMap((destination, index) =>
    destination === undefined
      ? []
      : [newDelivery(parts, destination, {givesAnswer: index === 0, hold, createdAt})],
  );
}

function newDelivery(
  {dispatcher, timings}: Parts,
  destination: string,
  {givesAnswer, hold, createdAt}: {givesAnswer: boolean; hold: boolean; createdAt: number},
): NewDelivery {
  const content = dispatcher.contentFor(destination);
  const address = dispatcher.addressOf(destination);
  const delivery = {destination, content, givesAnswer, address};
  if (hold) return {...delivery, state: 'held', nextAttemptAt: createdAt};
  // With a lease, only this process may begin the delivery. If the process dies, a worker claims the delivery when
  // the lease ends. Without a lease, a worker claims it at once.
  const leaseEnd = createdAt + timings.lease;
  const lease = dispatcher.reserve(destination, content)
    ? {nextAttemptAt: leaseEnd, leaseEnd}
    : {nextAttemptAt: createdAt};
  return {...delivery, state: 'waiting', ...lease};
}

/** Gives back the leases of a lead that may be stored or not, because the reply to its commit was lost. */
function abandonDeliveries(dispatcher: Deliverer, {id, deliveries = []}: LeadEntry) {
  for (const {destination, leaseEnd} of deliveries) {
    if (leaseEnd !== undefined) dispatcher.abandon(destination, {lead: id, leaseEnd});
  }
}

function sayHeld(emit: Emit, lead: LeadRecord, deliveries: readonly NewDelivery[]) {
  for (const {destination, content, state} of deliveries) {
    // A duplicate goes to no destination that takes leads, so nothing is held for these.
    const isMade = content !== 'lead' || lead.duplicateOf === null;
    if (isMade && state === 'held') {
      const {id, partner, suspect} = lead;
      emit({type: 'suspect-held', lead: id, partner, destination, reason: suspect});
    }
  }
}

/** Begins the deliveries of which this process has the lease. @returns the answer, if one of them gives it */
function beginDeliveries(dispatcher: Deliverer, lead: LeadRecord, leased: readonly NewDelivery[]) {
  let answer: Promise<Answer> | undefined;
  for (const {destination, content, givesAnswer, address = null, leaseEnd = 0} of leased) {
    const fresh = {remoteId: null, attempts: 0, ambiguousCounted: 0, failingSince: null, recipients: null};
    const happenedAt = lead.createdAt;
    const delivery = dispatcher.deliver({
      lead,
      destination,
      content,
      happenedAt,
      address,
      leaseEnd,
      ...fresh,
    });
    if (givesAnswer) answer = delivery;
  }
  return answer;
}

/** The answer, or `pending` if it takes longer than `wait` milliseconds. The delivery goes on after that. */
async function inTime(answer: Promise<Answer>, wait: number): Promise<Answer> {
  const {promise: waitOver, resolve} = Promise.withResolvers<Answer>();
  const timer = setTimeout(resolve, wait, pending).unref();
  const first = await Promise.race([answer, waitOver]);
  clearTimeout(timer);
  return first;
}

async function replay({store}: Parts, digests: readonly IdempotencyKey[], sent: Lead) {
  for (const {owner, digest, fingerprint} of digests) {
    const used = await store.findByKey(owner, digest);
    if (!used) continue;
    if (used.isErased) return 'erased';
    if (used.fingerprint !== fingerprint) return 'key-reused';
    const stored = await store.find(used.leadId);
    return stored && !isSameLead(sent, stored.lead) ? 'key-reused' : stored;
  }
  return undefined;
}
