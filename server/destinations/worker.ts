/**
 * Delivers the leads of the outbox that are due: those for destinations that give no answer, those whose last attempt
 * failed, those that another process left behind, and those that the courier had no room for.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {OnAmbiguous} from '../config/destinations.ts';
import type {Timings} from '../config/timings.ts';
import {reasonOf, StoreUnavailable, type LeadStore} from '../leads/lead-store.ts';
import type {Emit} from '../observe/events.ts';
import type {Courier} from './courier.ts';

type Parts = {
  store: LeadStore;
  courier: Courier;
  onAmbiguous: OnAmbiguous;
  emit: Emit;
  /**
   * The maximum number of deliveries that a worker has in progress. It is below the limit of a destination, so that
   * room is left for new leads.
   */
  parallel: number;
  /** The maximum number of deliveries that a worker starts in a second. */
  perSecond: number;
  timings: Timings;
};

export type Worker = {
  /** Claims no more deliveries. Those in progress go on. */
  stop(): Promise<void>;
};

/** Starts a worker for each destination, so that a slow destination does not delay the leads of others. */
export function startWorkers(destinations: readonly string[], parts: Parts): Worker {
  const workers = destinations.map((destination) => startWorker(destination, parts));
  void reportMissing(destinations, parts).catch(() => undefined);
  return {stop: async () => void (await Promise.all(workers.map((worker) => worker.stop())))};
}

function startWorker(destination: string, parts: Parts): Worker {
  const {store, courier, onAmbiguous, emit, parallel, perSecond, timings} = parts;
  const stopping = new AbortController();
  const inProgress = new Set<Promise<unknown>>();
  /**
   * How many deliveries may start now. This is a token bucket. It holds no more than one poll may start, so that the
   * deliveries of a second do not all start together.
   */
  let allowance = 1;
  let refilledAt = performance.now();

  function refill() {
    const now = performance.now();
    const most = Math.max(1, (perSecond * timings.busyPoll) / 1_000);
    allowance = Math.min(most, allowance + ((now - refilledAt) / 1_000) * perSecond);
    refilledAt = now;
  }

  /** @returns how many deliveries were started */
  async function claimDue(): Promise<number> {
    refill();
    const free = Math.min(parallel - inProgress.size, Math.floor(allowance), courier.room(destination));
    if (free <= 0) return 0;
    const now = Date.now();
    const {due, held} = await store.claimDue(destination, now, now + timings.lease, free, onAmbiguous);
    allowance -= due.length;
    for (const delivery of due) {
      const work = courier.deliver(delivery).finally(() => inProgress.delete(work));
      inProgress.add(work);
    }
    for (const lead of held) emit({type: 'delivery-interrupted', lead, destination});
    return due.length;
  }

  async function run() {
    while (!stopping.signal.aborted) {
      const begun = await claimDue().catch((error: unknown) => {
        const reason = error instanceof StoreUnavailable ? error.reason : reasonOf(error);
        emit({type: 'outbox-unreadable', destination, reason});
        return 0;
      });
      const isBusy = begun > 0 || inProgress.size >= parallel || allowance < 1;
      const interval = isBusy ? timings.busyPoll : timings.idlePoll;
      const pause = sleep(interval, undefined, {signal: stopping.signal}).catch(() => undefined);
      // The end of a delivery also ends the pause, because the next one may start then.
      await Promise.race([pause, ...inProgress]);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Reports leads for destinations that were removed from the configuration, because no worker delivers them. */
async function reportMissing(destinations: readonly string[], {store, emit}: Parts) {
  for (const {destination, leads} of await store.countWaiting()) {
    if (!destinations.includes(destination)) emit({type: 'destination-missing', destination, leads});
  }
}
