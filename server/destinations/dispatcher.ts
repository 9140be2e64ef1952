/**
 * Delivers committed leads, and events of them, to the destinations that are served: `run-delivery.ts` makes each delivery,
 * `channel.ts` is the destination that takes it. The dispatcher knows all deliveries of this process that are in progress.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import type {DueDelivery, UnusedLease} from '../leads/deliveries.ts';
import type {Deliverer} from '../leads/lead-service.ts';
import type {AddressPort, OutboxPort} from '../leads/ports.ts';
import type {Answer} from '../leads/stored-lead.ts';
import type {Emit} from '../observe/observations.ts';
import type {DestinationReading} from '../observe/readings.ts';
import {startNotingAddresses} from './address-uses.ts';
import {
  closeChannel,
  countClaimed,
  keepUnused,
  openChannel,
  replaceChannel,
  reserve,
  roomOf,
  stateOf,
  type Channel,
  type Claimed,
  type Served,
} from './channel.ts';
import {createDeliveryRecords, keyOf} from './delivery-records.ts';
import type {Pauses} from './pauses.ts';
import {runDelivery, type Delivery, type Context as DeliveryContext} from './run-delivery.ts';

export type Dispatcher = Pick<Deliverer, 'deliver' | 'abandon' | 'close'> & {
  /**
   * What a lead service needs. It keeps using the destinations that are served now, also after a reload, because a request
   * keeps the configuration with which it began.
   */
  deliverer(): Deliverer;
  /**
   * Serves these destinations from now on. A destination that was served before keeps its circuit breaker, its pace and
   * everything else. For a destination that is not served any more, no attempt begins, and attempts in progress go on.
   */
  serve(destinations: ReadonlyMap<string, Served>): void;
  /** How many deliveries to the destination may begin now, as of `roomOf`. */
  room(destination: string): number;
  /** Whether it is paused because it asked for nothing more. */
  isGone(destination: string): boolean;
  /** Counts deliveries that a worker claimed towards the pace of the destination, except those that are skipped or held. */
  claimed(destination: string, due: readonly Claimed[]): void;
  /** The leases that a worker must end with its next claim. */
  unusedLeases(destination: string): readonly UnusedLease[];
  /** The state of each destination. */
  states(): DestinationReading[];
};

type Parts = {
  store: OutboxPort & AddressPort;
  destinations: ReadonlyMap<string, Served>;
  pauses: Pauses;
  emit: Emit;
  timings: Timings;
};

type Channels = ReadonlyMap<string, Channel>;

type Context = DeliveryContext & {
  /** Those that are served, by name. */
  channels: Channels;
  /** Those that were not closed at the last reload: also channels that it replaced, with attempts in progress. */
  open: readonly Channel[];
  inProgress: Map<string, {delivery: Delivery; answer: Promise<Answer>}>;
};

/**
 * The maximum number of deliveries in memory, to all destinations together. Besides those in the queues, this counts
 * deliveries whose outcome is not stored yet.
 */
const maxInMemory = 1_000;

export function createDispatcher({store, destinations, pauses, emit, timings}: Parts): Dispatcher {
  const closing = new AbortController();
  const records = createDeliveryRecords(store, timings);
  const context: Context = {
    store,
    records,
    addresses: startNotingAddresses(store, timings.addressUses),
    pauses,
    emit,
    timings,
    closing: closing.signal,
    channels: new Map(),
    open: [],
    inProgress: new Map(),
  };
  serve(context, destinations);
  const channelOf = (destination: string) => context.channels.get(destination);
  pauses.onBreakEnd((destination) => {
    const wasBreak = channelOf(destination)?.breaker.endBreak();
    if (wasBreak) emit({type: 'break-ended', destination});
  });
  const lasting: Pick<Dispatcher, 'deliver' | 'abandon' | 'close'> = {
    deliver: (due) => deliver(context, due),
    abandon(destination, lease) {
      const channel = channelOf(destination);
      if (channel) keepUnused(channel, lease);
    },
    close(patience) {
      closing.abort();
      return close(context, patience);
    },
  };
  return {
    ...lasting,
    deliverer: () => ({...lasting, ...choicesOf(context, context.channels)}),
    serve: (served) => serve(context, served),
    room(destination) {
      const channel = channelOf(destination);
      return channel ? roomOf(channel) : 0;
    },
    isGone: (destination) => channelOf(destination)?.isGone() ?? false,
    unusedLeases: (destination) => channelOf(destination)?.unused ?? [],
    claimed(destination, due) {
      const channel = channelOf(destination);
      if (channel) countClaimed(channel, due);
    },
    states: () =>
      [...context.channels].map(([destination, channel]) => ({
        destination,
        ...stateOf(channel),
        deliveredAt: channel.deliveredAt,
      })),
  };
}

function serve(context: Context, served: ReadonlyMap<string, Served>) {
  const before = context.channels;
  const channels = new Map<string, Channel>();
  for (const [name, one] of served) {
    const earlier = before.get(name);
    const isSame = earlier?.destination === one.destination;
    channels.set(name, isSame ? earlier : openChannel(name, one, context, earlier));
    context.addresses.note(name, one, 0);
  }
  void context.addresses.write();
  context.channels = channels;
  for (const [name, channel] of before) if (channels.get(name) !== channel) replaceChannel(channel);
  const opened = new Set([...context.open, ...channels.values()]);
  context.open = [...opened].filter(({stage}) => stage !== 'closed');
}

function deliver(context: Context, given: DueDelivery): Promise<Answer> {
  const {inProgress, channels, timings} = context;
  const key = keyOf(given);
  const running = inProgress.get(key);
  if (running?.delivery.stage === 'postponing') {
    // The postponement is already stored, which ended the lease, and a worker of this process has claimed the
    // delivery again. The new attempt begins when the old one has returned.
    return running.answer.then(() => deliver(context, given));
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
  const channel = channels.get(given.destination);
  const answer = runDelivery(context, delivery, channel).finally(() => inProgress.delete(key));
  inProgress.set(key, {delivery, answer});
  return answer;
}

/** @param known the channels of the configuration with which a request began */
const choicesOf = (
  {inProgress}: Context,
  known: Channels,
): Pick<Deliverer, 'contentFor' | 'addressOf' | 'reserve'> => ({
  contentFor(destination) {
    const {receives = 'leads'} = known.get(destination)?.terms ?? {};
    return ({leads: 'lead', events: 'created', confirmations: 'confirmation'} as const)[receives];
  },
  addressOf: (destination) => known.get(destination)?.address ?? null,
  reserve(destination, content) {
    const channel = known.get(destination);
    if (channel?.stage !== 'served' || inProgress.size >= maxInMemory) return false;
    return reserve(channel, content);
  },
});

async function close(context: Context, patience: number) {
  const {inProgress, records, addresses, emit, timings} = context;
  const allSettled = () => Promise.allSettled([...inProgress.values()].map(({answer}) => answer));
  await Promise.race([allSettled(), sleep(patience, undefined, {ref: false})]);
  if (inProgress.size > 0) emit({type: 'deliveries-cut', deliveries: inProgress.size});
  await Promise.all(context.open.map(closeChannel));
  const written = allSettled().then(() => addresses.stop());
  await Promise.race([written, sleep(timings.lastWrites, undefined, {ref: false})]);
  records.close();
}
