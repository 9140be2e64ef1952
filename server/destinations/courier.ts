/**
 * Delivers committed leads, and news of them, to their destinations. While a process works on a delivery, it is in one
 * of these stages:
 *
 *     attempting ─┬─▶ settling     the destination accepted or refused the lead: this is stored, and the delivery ends
 *                 └─▶ postponing   the attempt failed: the time of the next one is stored, and the lease ends
 *
 * A worker claims the delivery again when it is due. If the store is down all the time, nothing is stored, and the
 * lease ends by itself.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import {
  anotherAddress,
  type DeliveryContent,
  type DueDelivery,
  type Recipients,
  type Settlement,
  type UnusedLease,
} from '../leads/deliveries.ts';
import type {Deliverer} from '../leads/lead-desk.ts';
import {reasonOf, StoreError} from '../leads/store-errors.ts';
import type {OutboxPort} from '../leads/ports.ts';
import type {Answer} from '../leads/stored-lead.ts';
import type {Emit} from '../observe/observations.ts';
import type {DestinationReading, DestinationState} from '../observe/readings.ts';
import {createBreaker, NeverTried, NotTried, type Breaker} from './breaker.ts';
import {createDeliveryRecords, keyOf} from './delivery-records.ts';
import {DeliveryError, type DeliveryRequest, type Destination} from './destination.ts';
import {createPace, createRounds, type Pace} from './pace.ts';
import {isChosen} from './news.ts';
import type {Pauses} from './pauses.ts';
import {createReplyStreaks, type ReplyStreaks} from './reply-streaks.ts';
import {planRetry} from './retry-plan.ts';
import {maxSends, type Terms} from './terms.ts';

export type Courier = Pick<Deliverer, 'deliver' | 'abandon' | 'close'> & {
  /**
   * What a lead desk needs. It keeps using the destinations that are served now, also after a reload, because a request
   * keeps the configuration with which it began.
   */
  deliverer(): Deliverer;
  /**
   * Serves these destinations from now on. A destination that was served before keeps its circuit breaker, its pace and
   * everything else. For a destination that is not served any more, no attempt begins, and attempts in progress go on.
   */
  serve(destinations: ReadonlyMap<string, Served>): void;
  /** How many deliveries to the destination may begin now. */
  room(destination: string): number;
  /**
   * Counts deliveries that a worker claimed towards the pace of the destination, except those that are skipped or held.
   * @param isLast true if no further deliveries were due
   */
  claimed(destination: string, due: readonly Claimed[], isLast: boolean): void;
  /** The leases that a worker must end with its next claim. */
  unusedLeases(destination: string): readonly UnusedLease[];
  /** The state of each destination. */
  states(): DestinationReading[];
};

type Parts = {
  store: OutboxPort;
  destinations: ReadonlyMap<string, Served>;
  pauses: Pauses;
  emit: Emit;
  timings: Timings;
};

type Claimed = Pick<DueDelivery, 'content' | 'address'>;

/**
 * A destination, and the terms on which it is served. `address` stands for its kind and address (`addressOf` in
 * config/destinations.ts).
 */
export type Served = {destination: Destination; terms: Terms; address: string};

/** A destination with its circuit breaker, its pace and its last replies. */
type Channel = Served & {
  breaker: Breaker;
  pace: Pace;
  streaks: ReplyStreaks;
  /** The leases that the next claim must end. The oldest come first. */
  unused: UnusedLease[];
  /**
   * Until this time of `performance.now()`, the destination counts as misconfigured, because a delivery waits that was
   * stored for a destination of another kind with the same name.
   */
  misconfiguredUntil: number;
  /** The state that `stateOf` last returned, and since when, in milliseconds since 1970. */
  lastState: {state: DestinationState; since: number};
  /** When it last took a delivery of this process, in milliseconds since 1970. */
  deliveredAt: number | undefined;
  /** How many attempts are in progress. */
  attempts: number;
};

/** `latest`: the time of `performance.now()` after which its attempt must not begin. */
type Delivery = {due: DueDelivery; latest: number; stage: 'attempting' | 'settling' | 'postponing'};

/**
 * The maximum number of deliveries in memory, to all destinations together. Besides those in the queues, this counts
 * deliveries whose outcome is not stored yet.
 */
const maxInMemory = 1_000;
/** The maximum number of unused leases in memory for each destination. Beyond it the oldest are dropped. */
const maxUnused = 1_000;

const pending: Answer = {status: 'pending'};

/** What a destination receives that takes deliveries with this content. */
const takerOf = (content: DeliveryContent): Terms['receives'] =>
  content === 'lead' ? 'leads' : content === 'confirmation' ? 'confirmations' : 'news';

const unknown = 'It may have been sent, so it is not sent again';

/** Operators read this reason beside the content of the delivery. */
const notChosen = {
  state: 'skipped',
  reason: 'Not sent: it is not among the "events" of the destination',
} as const;

const noDestination = 'The destination was removed from the configuration, or is of another kind now';

/** For a delivery that no destination can take. It waits until an operator corrects the configuration or drops it. */
const unknownTerms: Pick<
  Terms,
  'receives' | 'isToldOfHeld' | 'collectFor' | 'maxSends' | 'givesUpAfter' | 'dropsUnknown'
> = {
  receives: 'leads',
  isToldOfHeld: false,
  collectFor: undefined,
  maxSends: maxSends.send,
  dropsUnknown: false,
  givesUpAfter: Infinity,
};

export function createCourier({store, destinations, pauses, emit, timings}: Parts): Courier {
  let channels: ReadonlyMap<string, Channel> = new Map();
  /** The channels that are served, and those that are not served any more but have attempts in progress. */
  const open = new Set<Channel>();
  serve(destinations);
  pauses.onBreakEnd((destination) => {
    const wasBreak = channels.get(destination)?.breaker.endBreak();
    if (wasBreak) emit({type: 'break-ended', destination});
  });
  const records = createDeliveryRecords(store, timings);
  const inProgress = new Map<string, {delivery: Delivery; answer: Promise<Answer>}>();
  let isClosing = false;

  function serve(served: ReadonlyMap<string, Served>) {
    const before = channels;
    channels = new Map(
      [...served].map(([name, one]) => {
        const earlier = before.get(name);
        return [name, earlier?.destination === one.destination ? earlier : openChannel(name, one, earlier)];
      }),
    );
    for (const [name, channel] of before) if (!isServed(name, channel)) void closeIfIdle(channel);
  }

  /** @param earlier the channel that this one replaces. The store may still have leases of it */
  function openChannel(name: string, served: Served, earlier?: Channel): Channel {
    const {parallel, perSecond, collectFor} = served.terms;
    const channel: Channel = {
      ...served,
      breaker: createBreaker(name, parallel, emit, timings, collectFor !== undefined),
      pace: collectFor === undefined ? createPace(perSecond, timings.busyPoll) : createRounds(collectFor),
      streaks: createReplyStreaks(name, emit),
      unused: earlier?.unused ?? [],
      misconfiguredUntil: 0,
      lastState: {state: 'ok', since: Date.now()},
      deliveredAt: earlier?.deliveredAt,
      attempts: 0,
    };
    open.add(channel);
    return channel;
  }

  const isServed = (name: string, channel: Channel) => channels.get(name) === channel;

  /** Closing a destination would abort its attempts in progress. */
  async function closeIfIdle(channel: Channel) {
    if (channel.attempts > 0 || !open.delete(channel)) return;
    await channel.destination.close();
  }

  /**
   * Undefined if the destination was removed from the configuration, or if its kind has changed since the delivery was
   * stored: for example, it receives leads now and the delivery holds news.
   */
  function channelFor({destination, content}: DueDelivery): Channel | undefined {
    const channel = channels.get(destination);
    return channel?.terms.receives === takerOf(content) ? channel : undefined;
  }

  /** Whether the destination has not chosen this news. The choice may have changed while the delivery waited. */
  const isSkipped = ({terms}: Channel, {content}: Pick<DueDelivery, 'content'>) =>
    !isChosen(content, terms.events);

  /** Workers ask at least twice a second, so `since` is right to half a second. */
  function stateOf(name: string, channel: Channel): Channel['lastState'] {
    const {breaker, streaks, misconfiguredUntil, lastState} = channel;
    let state: DestinationState = breaker.state();
    if (pauses.has(name)) state = 'paused';
    else if (state === 'ok')
      state = performance.now() < misconfiguredUntil ? 'misconfigured' : streaks.state();
    if (state !== lastState.state) channel.lastState = {state, since: Date.now()};
    return channel.lastState;
  }

  /** Never rejects. */
  async function runDelivery(delivery: Delivery): Promise<Answer> {
    const {due} = delivery;
    const channel = channelFor(due);
    try {
      if (isForElsewhere(due.destination, due)) return await hold(delivery);
      const outcome = channel && isSkipped(channel, due) ? notChosen : await attempt(delivery, channel);
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

  /** Whether the delivery was stored when the destination of this name had another address, or was of another kind. */
  function isForElsewhere(destination: string, {address}: Pick<DueDelivery, 'address'>): boolean {
    const channel = channels.get(destination);
    return channel !== undefined && address !== null && address !== channel.address;
  }

  /** Nothing goes to an address for which it was not meant, until an operator accepts the address. */
  async function hold(delivery: Delivery): Promise<Answer> {
    delivery.stage = 'postponing';
    const {lead, destination} = delivery.due;
    await records.postponed(delivery.due, {
      until: Date.now(),
      error: anotherAddress,
      tried: false,
      ambiguous: false,
      isCounted: false,
      state: 'held',
      excerpt: null,
      recipients: null,
    });
    emit({type: 'address-changed', lead: lead.id, destination});
    return pending;
  }

  const decideFor =
    ({lead}: DueDelivery): DeliveryRequest['decide'] =>
    (addresses, limits) =>
      store.decideConfirmation(lead.id, Date.now(), addresses, limits).catch((error: unknown) => {
        // Nothing is sent yet, so the delivery may wait for the store.
        throw new NotTried(reasonOf(error));
      });

  /** @throws StoreError when the destination accepted the lead, but its id could not be stored */
  async function attempt(
    {due, latest}: Delivery,
    channel: Channel | undefined,
  ): Promise<Settlement | {failure: unknown}> {
    if (!channel) {
      const named = channels.get(due.destination);
      if (named) named.misconfiguredUntil = performance.now() + 2 * timings.longestRetry;
      return {failure: new DeliveryError('misconfigured', noDestination)};
    }
    const work = () => {
      if (isClosing) throw new NotTried('The service stops');
      // The delivery was claimed a while ago, and its destination may have been paused since then.
      if (pauses.has(due.destination)) throw new NotTried('The destination is paused');
      // It waited in the queue meanwhile.
      if (!isServed(due.destination, channel)) throw new NotTried('The configuration has changed');
      const remoteId = records.remoteIdOf(due);
      const begun = performance.now();
      const onTaken = async (newId: string) => {
        const asked = performance.now();
        await records.taken(due, newId);
        // With this wait, the rest of the attempt could outlast its lease. The next attempt begins with the id.
        if (begun + (performance.now() - asked) > latest)
          throw new NotTried('The store took too long to take the id of the lead');
      };
      return channel.destination.deliver({...due, remoteId, onTaken, decide: decideFor(due)});
    };
    channel.attempts += 1;
    try {
      if (channel.terms.dropsUnknown && due.ambiguousCounted > 0) return {state: 'dropped', reason: unknown};
      return await channel.breaker.execute({lead: due.lead.id, latest, work});
    } catch (failure) {
      if (failure instanceof StoreError) throw failure;
      if (failure instanceof NeverTried) return {state: 'dropped', reason: failure.message};
      return {failure};
    } finally {
      channel.attempts -= 1;
      if (!isServed(due.destination, channel)) void closeIfIdle(channel);
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
    const reason = settlement.state === 'delivered' ? null : settlement.reason;
    if (settlement.state === 'delivered' || settlement.state === 'refused')
      channel?.streaks.record(settlement.state, lead.id, reason);
    if (settlement.state === 'delivered') reportRefused(due, settlement.recipients);
    const answer = await records.settled(due, settlement);
    if (channel && settlement.state === 'delivered') channel.deliveredAt = Date.now();
    // Nothing was attempted, so this is nothing to count.
    if (settlement.state !== 'skipped')
      emit({type: 'delivery-settled', lead: lead.id, destination, state: settlement.state, reason});
    return answer ?? pending;
  }

  /** Some recipients got the e-mail, so it counts as delivered. The log and `deliveries show` say who will never get it. */
  function reportRefused(
    {lead, destination, recipients: before}: DueDelivery,
    now: Recipients | null = null,
  ) {
    for (const recipient of now?.refused ?? []) {
      if (!before?.refused.includes(recipient))
        emit({type: 'recipient-refused', lead: lead.id, destination, recipient});
    }
  }

  async function postpone(
    delivery: Delivery,
    channel: Channel | undefined,
    failure: unknown,
  ): Promise<Answer> {
    delivery.stage = 'postponing';
    const {due} = delivery;
    const {lead, destination, content, attempts} = due;
    const isBroken = ['failing', 'misconfigured'].includes(channel?.breaker.state() ?? 'ok');
    const isAway = isBroken || (channel?.streaks.failsForSeveral() ?? false);
    const terms = channel?.terms ?? unknownTerms;
    const plan = planRetry(failure, due, {isAway, ...terms, timings});
    const {tried, ambiguous, state, error: reason} = plan;
    if (state === 'held' && terms.dropsUnknown)
      return settle(delivery, channel, {state: 'dropped', reason: `${unknown}: ${reason}`});
    const {unreadable = false, aboutLead = false} = failure instanceof DeliveryError ? failure : {};
    reportRefused(due, plan.recipients);
    if (ambiguous || unreadable) channel?.streaks.record('unreadable', lead.id, reason);
    else if (aboutLead && plan.recipients === null) channel?.streaks.record('refused', lead.id, reason);
    // A failure that concerns one lead alone says nothing about the next round.
    if (!aboutLead) channel?.pace.failed();
    if (tried) {
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
    // A delivery that began after `latest` could outlast its lease, and another process could send the lead as well.
    const leased = given.leaseEnd - Date.now();
    const latest = performance.now() + leased - timings.delivery - timings.settling;
    const delivery: Delivery = {due: {...given}, latest, stage: 'attempting'};
    const answer = runDelivery(delivery).finally(() => inProgress.delete(key));
    inProgress.set(key, {delivery, answer});
    return answer;
  }

  /** @param known the channels of the configuration with which a request began */
  const delivererOf = (known: ReadonlyMap<string, Channel>): Deliverer => ({
    deliver,

    contentFor(destination, isHeld) {
      const {receives, isToldOfHeld} = known.get(destination)?.terms ?? unknownTerms;
      if (receives === 'leads') return 'lead';
      if (receives === 'confirmations') return 'confirmation';
      return isHeld && isToldOfHeld ? 'held' : 'created';
    },

    addressOf: (destination) => known.get(destination)?.address ?? null,

    reserve(destination, content) {
      const channel = known.get(destination);
      if (!channel || !isServed(destination, channel) || inProgress.size >= maxInMemory) return false;
      if (isSkipped(channel, {content})) return true;
      if (pauses.has(destination) || channel.breaker.full()) return false;
      const {breaker, pace, terms} = channel;
      // A visitor may wait for the answer of this destination, so its lead is tried at once, whatever waits already.
      if (terms.receives === 'leads') return true;
      if (terms.collectFor !== undefined || breaker.room() === 0 || pace.available() < 1) return false;
      pace.take(1, false);
      return true;
    },

    abandon,
    close,
  });

  function abandon(destination: string, lease: UnusedLease) {
    const unused = channels.get(destination)?.unused;
    unused?.push(lease);
    if (unused && unused.length > maxUnused) unused.shift();
  }

  async function close(patience: number) {
    isClosing = true;
    const allSettled = () => Promise.allSettled([...inProgress.values()].map(({answer}) => answer));
    await Promise.race([allSettled(), sleep(patience, undefined, {ref: false})]);
    if (inProgress.size > 0) emit({type: 'deliveries-cut', deliveries: inProgress.size});
    const left = [...open];
    open.clear();
    await Promise.all(left.map(({destination}) => destination.close()));
    await Promise.race([allSettled(), sleep(timings.lastWrites, undefined, {ref: false})]);
    records.close();
  }

  return {
    deliver,
    abandon,
    close,
    deliverer: () => delivererOf(channels),
    serve,

    room(destination) {
      const channel = channels.get(destination);
      if (!channel || stateOf(destination, channel).state === 'paused') return 0;
      return Math.min(channel.breaker.room(), channel.pace.available());
    },

    unusedLeases: (destination) => channels.get(destination)?.unused ?? [],

    claimed(destination, due, isLast) {
      const channel = channels.get(destination);
      if (!channel) return;
      const sent = due.filter((each) => !isSkipped(channel, each) && !isForElsewhere(destination, each));
      channel.pace.take(sent.length, isLast);
      // The claim has ended these leases. But the commit that gave one may still be under way in the database, so they
      // are kept until they would have ended by themselves.
      channel.unused = channel.unused.filter(({leaseEnd}) => leaseEnd > Date.now());
    },

    states: () =>
      [...channels].map(([destination, channel]) => ({
        destination,
        ...stateOf(destination, channel),
        deliveredAt: channel.deliveredAt,
      })),
  };
}
