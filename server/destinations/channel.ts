/**
 * A channel: a destination that is served, with what belongs to it alone. It says which deliveries are for it, and how
 * many may begin. When a reload has replaced a channel, it begins no attempt any more, and it is closed when those in
 * progress have ended.
 */
import type {Timings} from '../config/timings.ts';
import {
  onlyForReceivers,
  type DeliveryContent,
  type DueDelivery,
  type UnusedLease,
} from '../leads/deliveries.ts';
import type {Emit} from '../observe/observations.ts';
import type {DestinationState} from '../observe/readings.ts';
import {createBreaker, type Breaker} from './breaker.ts';
import type {Destination} from './destination.ts';
import {isChosen} from './reported-event.ts';
import {createPace, type Pace} from './pace.ts';
import type {Pauses} from './pauses.ts';
import {countConsecutiveFailures, type ConsecutiveFailures} from './consecutive-failures.ts';
import type {Terms} from './terms.ts';

/**
 * A destination, and the terms on which it is served. `address` stands for its kind and address, `place` names it
 * (`addressOf` and `placeOf` in config/destinations.ts).
 */
export type Served = {destination: Destination; terms: Terms; address: string; place: string};

export type Channel = Served & {
  isPaused: () => boolean;
  /** Whether it is paused because it asked for nothing more, and not by an operator. */
  isGone: () => boolean;
  breaker: Breaker;
  pace: Pace;
  /** Its last replies. */
  failures: ConsecutiveFailures;
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
  /** `replaced`: the configuration in force has another destination in its place, or none. */
  stage: 'served' | 'replaced' | 'closed';
};

export type Claimed = Pick<DueDelivery, 'content' | 'address'>;

/** The maximum number of unused leases in memory for each destination. Beyond it the oldest are dropped. */
const maxUnused = 1_000;

/** @param earlier the channel that this one replaces. The store may still have leases of it */
export function openChannel(
  name: string,
  served: Served,
  {pauses, emit, timings}: {pauses: Pauses; emit: Emit; timings: Timings},
  earlier?: Channel,
): Channel {
  const {parallel, perSecond} = served.terms;
  return {
    ...served,
    isPaused: () => pauses.has(name),
    isGone: () => pauses.isGone(name),
    breaker: createBreaker(name, parallel, emit, timings),
    pace: createPace(perSecond, timings.busyPoll),
    failures: countConsecutiveFailures(name, emit),
    unused: earlier?.unused ?? [],
    misconfiguredUntil: 0,
    lastState: {state: 'ok', since: Date.now()},
    deliveredAt: earlier?.deliveredAt,
    attempts: 0,
    stage: 'served',
  };
}

/** Aborts the attempts in progress. */
export async function closeChannel(channel: Channel) {
  if (channel.stage === 'closed') return;
  channel.stage = 'closed';
  await channel.destination.close();
}

/** Must be called when an attempt has ended, too. */
export function closeIfReplaced(channel: Channel) {
  if (channel.stage === 'replaced' && channel.attempts === 0) void closeChannel(channel);
}

export function replaceChannel(channel: Channel) {
  if (channel.stage === 'served') channel.stage = 'replaced';
  closeIfReplaced(channel);
}

/** What a destination receives that takes deliveries with this content. */
const takerOf = (content: DeliveryContent): Terms['receives'] =>
  content === 'lead' ? 'leads' : content === 'confirmation' ? 'confirmations' : 'events';

/**
 * False if the kind of the destination has changed since the delivery was stored: for example, it receives leads now and
 * the delivery holds an event.
 */
export const takes = ({terms}: Channel, {content}: Pick<DueDelivery, 'content'>) =>
  terms.receives === takerOf(content);

/** Whether the destination has not chosen this event. The choice may have changed while the delivery waited. */
export const isSkipped = ({terms}: Channel, {content}: Pick<DueDelivery, 'content'>) =>
  !isChosen(content, terms.events);

/** Whether the delivery was stored when the destination of this name had another address, or was of another kind. */
export const isForElsewhere = (channel: Channel, {address}: Pick<DueDelivery, 'address'>) =>
  address !== null && address !== channel.address;

/** Whether a pause keeps the delivery from being sent. Events of stops and erasures are tried where no operator has paused. */
export const isKeptByPause = (channel: Channel, {content}: Pick<DueDelivery, 'content'>) =>
  channel.isPaused() && !(channel.isGone() && onlyForReceivers.includes(content));

/** Workers ask at least twice a second, so `since` is right to half a second. */
export function stateOf(channel: Channel): Channel['lastState'] {
  const {breaker, failures, misconfiguredUntil, lastState} = channel;
  let state: DestinationState = breaker.state();
  if (channel.isPaused()) state = 'paused';
  else if (state === 'ok')
    state = performance.now() < misconfiguredUntil ? 'misconfigured' : failures.state();
  if (state !== lastState.state) channel.lastState = {state, since: Date.now()};
  return channel.lastState;
}

/** Whether the destination fails for all leads, and not only for one. */
export const isAway = ({breaker, failures}: Channel) =>
  ['failing', 'misconfigured'].includes(breaker.state()) || failures.failsForSeveral();

/** How many deliveries may begin now. Where it asked for nothing more, only the events of stops and erasures may. */
export function roomOf(channel: Channel): number {
  if (stateOf(channel).state === 'paused' && !channel.isGone()) return 0;
  return Math.min(channel.breaker.room(), channel.pace.available());
}

/** Whether a new delivery may begin right after its commit. If so, it counts towards the pace. */
export function reserve(channel: Channel, content: DeliveryContent): boolean {
  const {breaker, pace, terms} = channel;
  if (isSkipped(channel, {content})) return true;
  if (channel.isPaused() || breaker.full()) return false;
  // A visitor may wait for the answer of this destination, so its lead is tried at once, whatever waits already.
  if (terms.receives === 'leads') return true;
  if (breaker.room() === 0 || pace.available() < 1) return false;
  pace.take(1);
  return true;
}

/** Counts deliveries that a worker claimed (`Dispatcher`). */
export function countClaimed(channel: Channel, due: readonly Claimed[]) {
  const sent = due.filter((each) => !isSkipped(channel, each) && !isForElsewhere(channel, each));
  channel.pace.take(sent.length);
  // The claim has ended these leases. But the commit that gave one may still be under way in the database, so they are
  // kept until they would have ended by themselves.
  channel.unused = channel.unused.filter(({leaseEnd}) => leaseEnd > Date.now());
}

export function keepUnused({unused}: Channel, lease: UnusedLease) {
  unused.push(lease);
  if (unused.length > maxUnused) unused.shift();
}
