/**
 * Searches the outbox once a minute for deliveries that no worker would find:
 *
 * - Deliveries to destinations that are no longer configured. An operator must configure them again, or drop these.
 * - Deliveries that are due later than any wait can last, because the clock was set back since their time was stored.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import type {OutboxPort} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';
import {longestAskedWait} from './retry-after.ts';

type Parts = {store: OutboxPort; emit: Emit; timings: Timings};

/** Milliseconds by which the clocks of several machines may differ. */
const tolerance = 60_000;

/** @param destinations the names of those that the configuration has now */
export function startOutboxCheck(destinations: () => readonly string[], {store, emit, timings}: Parts) {
  const stopping = new AbortController();
  let woken = new AbortController();
  let missing: readonly string[] = [];
  let missingSince = 0;

  async function findMissing() {
    const found = (await store.waitingDestinations()).filter((name) => !destinations().includes(name));
    const added = found.filter((name) => !missing.includes(name));
    const counts = added.length > 0 ? await store.countOutbox() : [];
    for (const {destination, state, deliveries} of counts)
      if (state === 'waiting' && added.includes(destination))
        emit({type: 'destination-missing', destination, deliveries});
    if (missing.length === 0) missingSince = Date.now();
    missing = found;
  }

  /** By destination: the ends of leases that the last search found far in the future. No lease lasts from one to the next. */
  const lateLeases = new Map<string, readonly number[]>();
  async function recallLate() {
    const now = Date.now();
    const latest = now + longestAskedWait + tolerance;
    const latestOfStops = Math.max(latest, now + timings.refusedRetry + tolerance);
    for (const name of destinations()) {
      const endedLeases = lateLeases.get(name) ?? [];
      lateLeases.set(name, await store.recallDeliveries(name, {now, latest, latestOfStops, endedLeases}));
    }
  }

  async function run() {
    while (!stopping.signal.aborted) {
      woken = new AbortController();
      // The store's own watch reports an outage.
      await findMissing().catch(() => undefined);
      await recallLate().catch(() => undefined);
      await sleep(timings.outboxCheck, undefined, {signal: woken.signal}).catch(() => undefined);
    }
  }

  const running = run();
  return {
    /** The destinations for which deliveries wait although they are not configured. */
    missing: () => missing.filter((name) => !destinations().includes(name)),
    /** When the first of them was found, in milliseconds since 1970. */
    missingSince: () => missingSince,
    /** Searches now, because the configuration has changed. */
    wake: () => woken.abort(),
    async stop() {
      stopping.abort();
      woken.abort();
      await running;
    },
  };
}
