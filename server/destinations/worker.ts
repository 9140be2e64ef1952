/**
 * Delivers the leads of the outbox that are due: those for destinations that give no answer, those whose last attempt
 * failed, those that another process left behind, and those that the courier had no room for.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import {reasonOf, StoreUnavailable, type LeadStore} from '../leads/lead-store.ts';
import type {Emit} from '../observe/events.ts';
import type {Courier} from './courier.ts';
import type {Terms} from './terms.ts';

type Parts = {
  store: LeadStore;
  courier: Courier;
  emit: Emit;
  timings: Timings;
};

export type Worker = {
  /** Claims no more deliveries. Those in progress go on. */
  stop(): Promise<void>;
};

/** Starts a worker for each destination, so that a slow destination does not delay the leads of others. */
export function startWorkers(destinations: ReadonlyMap<string, {terms: Terms}>, parts: Parts): Worker {
  const workers = [...destinations].map(([destination, {terms}]) => startWorker(destination, terms, parts));
  void reportMissing(destinations, parts).catch(() => undefined);
  return {stop: async () => void (await Promise.all(workers.map((worker) => worker.stop())))};
}

function startWorker(destination: string, terms: Terms, parts: Parts): Worker {
  const {store, courier, emit, timings} = parts;
  const {parallelClaimed, onAmbiguous} = terms;
  const stopping = new AbortController();
  const inProgress = new Set<Promise<unknown>>();

  /** @returns how many deliveries were started */
  async function claimDue(): Promise<number> {
    const free = Math.min(parallelClaimed - inProgress.size, courier.room(destination));
    if (free < 1) return 0;
    const now = Date.now();
    const claimed = await store.claimDue(destination, now, now + timings.lease, free, onAmbiguous);
    const {due, held, unreadable} = claimed;
    const isLast = due.length + held.length + unreadable.length < free;
    courier.claimed(destination, due.length, isLast);
    for (const delivery of due) {
      const work = courier.deliver(delivery).finally(() => inProgress.delete(work));
      inProgress.add(work);
    }
    for (const lead of held) emit({type: 'delivery-interrupted', lead, destination});
    for (const lead of unreadable) emit({type: 'lead-unreadable', lead, destination});
    return due.length;
  }

  async function run() {
    while (!stopping.signal.aborted) {
      const begun = await claimDue().catch((error: unknown) => {
        const reason = error instanceof StoreUnavailable ? error.reason : reasonOf(error);
        emit({type: 'outbox-unreadable', destination, reason});
        return 0;
      });
      const isBusy = begun > 0 || inProgress.size >= parallelClaimed || courier.room(destination) < 1;
      const interval = isBusy ? timings.busyPoll : timings.idlePoll;
      const nextPoll = sleep(interval, undefined, {signal: stopping.signal}).catch(() => undefined);
      // The end of a delivery also ends the wait, because the next one may start then.
      await Promise.race([nextPoll, ...inProgress]);
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

/** Reports deliveries to destinations that were removed from the configuration, because no worker delivers them. */
async function reportMissing(destinations: ReadonlyMap<string, unknown>, {store, emit}: Parts) {
  for (const {destination, deliveries} of await store.countWaiting()) {
    if (!destinations.has(destination)) emit({type: 'destination-missing', destination, deliveries});
  }
}
