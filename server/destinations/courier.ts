/**
 * Delivers committed leads to their destinations. While a process works on a delivery, it is in one of these stages:
 *
 *     attempting ─┬─▶ settling     the destination accepted or refused the lead: this is stored, and the delivery ends
 *                 └─▶ postponing   the attempt failed: the time of the next one is stored, and the lease ends
 *
 * A worker claims the delivery again when it is due. If the store is down all the time, nothing is stored, and the
 * lease ends by itself.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {OnAmbiguous} from '../config/destinations.ts';
import type {Timings} from '../config/timings.ts';
import type {DueDelivery, Settlement} from '../leads/deliveries.ts';
import type {Deliverer} from '../leads/lead-desk.ts';
import {reasonOf, StoreUnavailable, type LeadStore} from '../leads/lead-store.ts';
import type {Answer} from '../leads/stored-lead.ts';
import type {Emit} from '../observe/events.ts';
import {createBreaker, NotTried, type Breaker, type CircuitHealth} from './breaker.ts';
import {createDeliveryRecords, keyOf} from './delivery-records.ts';
import {DeliveryError, type Destination} from './destination.ts';
import {createReplyStreaks, type ReplyStreaks, type StreakState} from './reply-streaks.ts';
import {planRetry} from './retry-plan.ts';

export type Courier = Deliverer & {
  /** How many deliveries to the destination may begin now. */
  room(destination: string): number;
  /** The state of each destination, by its name. `refusing`: it refused its last leads, five or more in a row. */
  states(): Record<string, CircuitHealth | StreakState>;
};

type Parts = {
  store: LeadStore;
  destinations: ReadonlyMap<string, Destination>;
  onAmbiguous: OnAmbiguous;
  emit: Emit;
  timings: Timings;
};

/** A destination with its circuit breaker and its last replies. */
type Channel = {destination: Destination; breaker: Breaker; streaks: ReplyStreaks};

type Delivery = {due: DueDelivery; stage: 'attempting' | 'settling' | 'postponing'};

/**
 * The maximum number of deliveries in memory, to all destinations together. Besides those in the queues, this counts
 * deliveries whose outcome is not stored yet.
 */
const maxInMemory = 1_000;

const pending: Answer = {status: 'pending'};

export function createCourier({store, destinations, onAmbiguous, emit, timings}: Parts): Courier {
  const channels = new Map<string, Channel>();
  for (const [name, destination] of destinations) {
    const breaker = createBreaker(name, emit, timings);
    channels.set(name, {destination, breaker, streaks: createReplyStreaks(name, emit)});
  }
  const records = createDeliveryRecords(store, timings);
  const inProgress = new Map<string, {delivery: Delivery; answer: Promise<Answer>}>();
  let isClosing = false;

  /** Never rejects. */
  async function carry(delivery: Delivery): Promise<Answer> {
    const {due} = delivery;
    const channel = channels.get(due.destination);
    try {
      const outcome = await attempt(due, channel);
      return 'failure' in outcome
        ? await postpone(delivery, channel, outcome.failure)
        : await settle(delivery, channel, outcome);
    } catch (error) {
      // Nothing is stored, so the delivery stays leased until the lease ends. The process that claims it next sees that
      // it was interrupted, and treats its outcome as unknown.
      const {lead, destination} = due;
      emit({type: 'delivery-unrecorded', lead: lead.id, destination, reason: reasonOf(error)});
      return pending;
    }
  }

  /** @throws StoreUnavailable when the destination accepted the lead, but its id could not be stored */
  async function attempt(
    due: DueDelivery,
    channel: Channel | undefined,
  ): Promise<Settlement | {failure: unknown}> {
    const {lead: stored, attempts} = due;
    const {id, lead} = stored;
    // A delivery that began after `latest` could outlast its lease, and another process could send the lead as well.
    const latest = due.leaseEnd - timings.delivery - timings.settling;
    try {
      if (!channel) throw new DeliveryError('misconfigured', 'The upstream is not configured any more');
      return await channel.breaker.execute(() => {
        if (isClosing) throw new NotTried('The service stops');
        const remoteId = records.remoteIdOf(due);
        const onTaken = (newId: string) => records.taken(due, newId);
        return channel.destination.deliver({id, lead, remoteId, attempts, onTaken});
      }, latest);
    } catch (failure) {
      if (failure instanceof StoreUnavailable) throw failure;
      return {failure};
    }
  }

  async function settle(
    delivery: Delivery,
    channel: Channel | undefined,
    settlement: Settlement,
  ): Promise<Answer> {
    delivery.stage = 'settling';
    const {due} = delivery;
    const {lead, destination} = due;
    const reason = settlement.state === 'refused' ? settlement.reason : null;
    channel?.streaks.record(settlement.state, lead.id, reason);
    await records.settled(due, settlement);
    if (settlement.state === 'delivered') return settlement.answer ?? pending;
    emit({type: 'delivery-refused', lead: lead.id, destination, reason});
    return {status: 'refused'};
  }

  async function postpone(
    delivery: Delivery,
    channel: Channel | undefined,
    failure: unknown,
  ): Promise<Answer> {
    delivery.stage = 'postponing';
    const {due} = delivery;
    const {lead, destination, attempts} = due;
    const isBroken = ['failing', 'misconfigured'].includes(channel?.breaker.state() ?? 'ok');
    const isAway = isBroken || (channel?.streaks.failsForSeveral() ?? false);
    const plan = planRetry(failure, due, {isAway, onAmbiguous, timings});
    const {tried, ambiguous, state, error: reason} = plan;
    if (ambiguous || (failure instanceof DeliveryError && failure.unreadable))
      channel?.streaks.record('unreadable', lead.id, reason);
    if (tried) {
      const facts = {lead: lead.id, destination, attempts: attempts + 1, ambiguous, state, reason};
      emit({type: 'delivery-failed', ...facts});
    }
    await records.postponed(due, plan);
    return pending;
  }

  function deliver(given: DueDelivery): Promise<Answer> {
    const key = keyOf(given);
    const running = inProgress.get(key);
    if (running?.delivery.stage === 'postponing') {
      // The postponement is already stored, which ended the lease, and a worker of this process has claimed the
      // delivery again. The new attempt begins when the old one has returned.
      return running.answer.then(() => deliver(given));
    }
    if (running) {
      // The system clock jumped forward, so that the lease ended early, and this process claimed its own delivery
      // again. The delivery in progress continues with the new lease.
      running.delivery.due.leaseEnd = given.leaseEnd;
      return running.answer;
    }
    const delivery: Delivery = {due: {...given}, stage: 'attempting'};
    const answer = carry(delivery).finally(() => inProgress.delete(key));
    inProgress.set(key, {delivery, answer});
    return answer;
  }

  return {
    deliver,
    room: (destination) => channels.get(destination)?.breaker.room() ?? 0,
    full: (destination) =>
      inProgress.size >= maxInMemory || (channels.get(destination)?.breaker.full() ?? false),
    states: () =>
      Object.fromEntries(
        [...channels].map(([name, {breaker, streaks}]) => {
          const circuit = breaker.state();
          return [name, circuit === 'ok' ? streaks.state() : circuit];
        }),
      ),
    async close(patience) {
      isClosing = true;
      const allSettled = () => Promise.allSettled([...inProgress.values()].map(({answer}) => answer));
      await Promise.race([allSettled(), sleep(patience, undefined, {ref: false})]);
      await Promise.all([...destinations.values()].map((destination) => destination.close()));
      await Promise.race([allSettled(), sleep(timings.lastWrites, undefined, {ref: false})]);
      records.close();
    },
  };
}
