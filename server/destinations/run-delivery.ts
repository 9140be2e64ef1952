/**
 * Makes one attempt of a delivery, and stores how it ended. While a process works on a delivery, it is in one of these
 * stages:
 *
 *     attempting ─┬─▶ settling     the destination accepted or refused the lead: this is stored, and the delivery ends
 *                 └─▶ postponing   the attempt failed: the time of the next one is stored, and the lease ends
 *
 * A worker claims the delivery again when it is due. If the store is down all the time, nothing is stored, and the
 * lease ends by itself.
 */
import type {Timings} from '../config/timings.ts';
import {
  isForReceivers,
  type DeliveryReason,
  type DueDelivery,
  type Recipients,
  type Settlement,
} from '../leads/deliveries.ts';
import type {OutboxPort} from '../leads/ports.ts';
import {reasonOf, StoreError} from '../leads/store-errors.ts';
import type {Answer} from '../leads/stored-lead.ts';
import type {Emit} from '../observe/observations.ts';
import type {AddressUses} from './address-uses.ts';
import {NeverTried, NotTried, orNotTried} from './breaker.ts';
import {
  closeIfReplaced,
  isAway,
  isForElsewhere,
  isKeptByPause,
  isSkipped,
  takes,
  type Channel,
} from './channel.ts';
import type {DeliveryRecords} from './delivery-records.ts';
import {DeliveryError} from './destination.ts';
import type {Pauses} from './pauses.ts';
import {planRetry} from './retry-plan.ts';
import {maxSends, type Terms} from './terms.ts';

/** What deliveries have in common. `closing`: no attempt begins any more. */
export type Context = {
  store: OutboxPort;
  records: DeliveryRecords;
  addresses: AddressUses;
  pauses: Pauses;
  emit: Emit;
  timings: Timings;
  closing: AbortSignal;
};

/** `latest`: the time of `performance.now()` after which its attempt must not begin. */
export type Delivery = {due: DueDelivery; latest: number; stage: 'attempting' | 'settling' | 'postponing'};

const pending: Answer = {status: 'pending'};

const unknown = 'It may have been sent, so it is not sent again';

/** Operators read this reason beside the content of the delivery. */
const notChosen = {
  state: 'skipped',
  reason: 'Not sent: it is not among the "events" of the destination',
} as const;

const noDestination = 'The destination was removed from the configuration, or is of another kind now';

/** For a delivery that no destination can take. It waits until an operator corrects the configuration or drops it. */
const unknownTerms: Pick<Terms, 'maxSends' | 'givesUpAfter' | 'dropsUnknown'> = {
  maxSends: maxSends.send,
  dropsUnknown: false,
  givesUpAfter: Infinity,
};

/**
 * Never rejects.
 * @param named the channel of this name, if there is one
 */
export async function runDelivery(
  context: Context,
  delivery: Delivery,
  named: Channel | undefined,
): Promise<Answer> {
  const {due} = delivery;
  const channel = named && takes(named, due) ? named : undefined;
  try {
    // A server before 1.8 beside this one stores an event which says that a lead is held. It waits for an operator, as the lead
    // does.
    if (due.content === 'held') return await hold(context, delivery, 'suspect');
    if (named && isForElsewhere(named, due)) return await holdForAddress(context, delivery);
    if (!channel) {
      if (named) named.misconfiguredUntil = performance.now() + 2 * context.timings.longestRetry;
      return await postpone(context, delivery, channel, new DeliveryError('misconfigured', noDestination));
    }
    const outcome = isSkipped(channel, due) ? notChosen : await attempt(context, delivery, channel);
    return 'failure' in outcome
      ? await postpone(context, delivery, channel, outcome.failure)
      : await settle(context, delivery, channel, outcome);
  } catch (error) {
    // Nothing is stored, so the delivery stays leased until the lease ends. The process that claims it next sees that
    // it was interrupted, and treats its outcome as unknown.
    const {lead, destination} = due;
    context.emit({type: 'delivery-unrecorded', lead: lead.id, destination, reason: reasonOf(error)});
    return pending;
  }
}

/** @throws StoreError when the destination accepted the lead, but its id could not be stored */
async function attempt(
  context: Context,
  {due, latest}: Delivery,
  channel: Channel,
): Promise<Settlement | {failure: unknown}> {
  channel.attempts += 1;
  try {
    if (channel.terms.dropsUnknown && due.ambiguousCounted > 0) return {state: 'dropped', reason: unknown};
    const work = () => send(context, due, latest, channel);
    return await channel.breaker.execute({lead: due.lead.id, latest, work});
  } catch (failure) {
    if (failure instanceof StoreError) throw failure;
    if (failure instanceof NeverTried) return {state: failure.state, reason: failure.message};
    return {failure};
  } finally {
    channel.attempts -= 1;
    closeIfReplaced(channel);
  }
}

/** @throws NotTried if the delivery must not be sent any more, after it waited in the queue */
function send(
  {store, records, closing}: Context,
  due: DueDelivery,
  latest: number,
  channel: Channel,
): Promise<Settlement> {
  if (closing.aborted) throw new NotTried('The service stops');
  // The delivery was claimed a while ago, and its destination may have been paused since then.
  if (isKeptByPause(channel, due)) throw new NotTried('The destination is paused');
  if (channel.stage !== 'served') throw new NotTried('The configuration has changed');
  const begun = performance.now();
  return channel.destination.deliver({
    ...due,
    remoteId: records.remoteIdOf(due),
    async onTaken(newId) {
      const asked = performance.now();
      await records.taken(due, newId);
      // With this wait, the rest of the attempt could outlast its lease. The next attempt begins with the id.
      if (begun + (performance.now() - asked) > latest)
        throw new NotTried('The store took too long to take the id of the lead');
    },
    now: Date.now(),
    async corrected() {
      if (due.lead.supersedes === null) return undefined;
      const corrected = await store.correctedLead(due.lead.supersedes).catch(orNotTried);
      // With this wait, the rest of the attempt could outlast its lease.
      if (performance.now() > latest)
        throw new NotTried('The store took too long to find the corrected lead');
      return corrected;
    },
    decide: (addresses, limits) =>
      store.decideConfirmation(due.lead.id, Date.now(), addresses, limits).catch(orNotTried),
  });
}

/**
 * Nothing goes to an address for which it was not meant, until an operator accepts the address. For the event of a stop or an
 * erasure nobody can: it waits for the address of before.
 */
async function holdForAddress(context: Context, delivery: Delivery): Promise<Answer> {
  const {lead, destination} = delivery.due;
  const answer = await hold(context, delivery, isForReceivers(delivery.due) ? 'former' : 'elsewhere');
  context.emit({type: 'address-changed', lead: lead.id, destination});
  return answer;
}

async function hold(
  {records, timings}: Context,
  delivery: Delivery,
  reason: DeliveryReason,
): Promise<Answer> {
  delivery.stage = 'postponing';
  const isWaiting = isForReceivers(delivery.due);
  await records.postponed(delivery.due, {
    until: Date.now() + (isWaiting ? timings.longestRetry : 0),
    error: null,
    reason,
    tried: false,
    ambiguous: false,
    isCounted: false,
    state: isWaiting ? 'waiting' : 'held',
    excerpt: null,
    recipients: null,
  });
  return pending;
}

async function settle(
  {records, addresses, emit}: Context,
  delivery: Delivery,
  channel: Channel,
  settlement: Settlement,
): Promise<Answer> {
  delivery.stage = 'settling';
  const {due} = delivery;
  const {lead, destination} = due;
  const reason = settlement.state === 'delivered' ? null : settlement.reason;
  if (settlement.state === 'delivered' || settlement.state === 'refused') {
    channel.failures.record(settlement.state, lead.id, reason);
    addresses.note(destination, channel, Date.now());
  }
  if (settlement.state === 'delivered') reportRefused(emit, due, settlement.recipients);
  const answer = await records.settled(due, settlement);
  if (settlement.state === 'delivered') channel.deliveredAt = Date.now();
  // Nothing was attempted, so this is nothing to count.
  if (settlement.state !== 'skipped')
    emit({type: 'delivery-settled', lead: lead.id, destination, state: settlement.state, reason});
  return answer ?? pending;
}

/** Some recipients got the e-mail, so it counts as delivered. The log and `deliveries show` say who will never get it. */
function reportRefused(
  emit: Emit,
  {lead, destination, recipients: before}: DueDelivery,
  now: Recipients | null = null,
) {
  for (const recipient of now?.refused ?? []) {
    if (!before?.refused.includes(recipient))
      emit({type: 'recipient-refused', lead: lead.id, destination, recipient});
  }
}

async function postpone(
  context: Context,
  delivery: Delivery,
  channel: Channel | undefined,
  failure: unknown,
): Promise<Answer> {
  delivery.stage = 'postponing';
  const {records, addresses, pauses, emit, timings} = context;
  const {due} = delivery;
  const {lead, destination, content, attempts} = due;
  const terms = channel?.terms ?? unknownTerms;
  const plan = planRetry(failure, due, {isAway: channel ? isAway(channel) : false, ...terms, timings});
  const {tried, ambiguous, state, error: reason} = plan;
  if (channel && state === 'held' && terms.dropsUnknown)
    return settle(context, delivery, channel, {state: 'dropped', reason: `${unknown}: ${reason}`});
  const {unreadable = false, aboutLead = false} = failure instanceof DeliveryError ? failure : {};
  reportRefused(emit, due, plan.recipients);
  if (ambiguous || unreadable) channel?.failures.record('unreadable', lead.id, reason);
  else if (aboutLead && plan.recipients === null) channel?.failures.record('refused', lead.id, reason);
  if (tried) {
    if (channel) addresses.note(destination, channel, Date.now());
    const facts = {lead: lead.id, destination, content, attempts: attempts + 1, ambiguous, state, reason};
    emit({type: 'delivery-failed', ...facts});
  }
  // If the pause cannot be stored, another delivery is attempted, and the destination asks for the pause again.
  const isGone = failure instanceof DeliveryError && failure.isGone;
  const paused = isGone ? pauses.pause(destination, reason).catch(() => undefined) : undefined;
  await records.postponed(due, plan);
  await paused;
  return pending;
}
