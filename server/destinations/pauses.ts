/**
 * Which destinations are paused. An operator pauses and resumes a destination with the `lead-prequal` command. When a
 * destination asks never to be called again, the process that got this reply pauses it. The store holds the pauses, and
 * each process reads them twice a second, so that all processes see them.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import type {LeadStore} from '../leads/lead-store.ts';
import type {Emit} from '../observe/events.ts';

export type Pauses = {
  /** Whether nothing may be sent to the destination. True for all until the pauses could be read for the first time. */
  has(destination: string): boolean;
  /** @throws StoreUnavailable. Then the pause ends with the next look into the store */
  pause(destination: string, reason: string): Promise<void>;
  stop(): Promise<void>;
};

type Parts = {store: LeadStore; emit: Emit; timings: Timings};

/** Reads the pauses before it resolves, or later if the store is away. */
export async function watchPauses({store, emit, timings}: Parts): Promise<Pauses> {
  const stopping = new AbortController();
  let paused = new Map<string, string>();
  let isRead = false;
  /** How many pauses this process has begun, and how many of them are not stored yet. */
  let [begun, unstored] = [0, 0];

  async function read() {
    if (unstored > 0) return;
    const before = begun;
    const now = new Map(
      (await store.pausedDestinations()).map(({destination, reason}) => [destination, reason]),
    );
    // What was read may be older than a pause that began meanwhile. The next read finds both.
    if (begun !== before) return;
    for (const [destination, reason] of now) {
      if (!paused.has(destination)) emit({type: 'destination-paused', destination, reason});
    }
    for (const destination of paused.keys()) {
      if (!now.has(destination)) emit({type: 'destination-resumed', destination});
    }
    paused = now;
    isRead = true;
  }

  async function run() {
    while (!stopping.signal.aborted) {
      await sleep(timings.idlePoll, undefined, {signal: stopping.signal}).catch(() => undefined);
      // During an outage of the store, what was read last still holds. The store's own watch reports the outage.
      if (!stopping.signal.aborted) await read().catch(() => undefined);
    }
  }

  await read().catch(() => undefined);
  const running = run();
  return {
    has: (destination) => !isRead || paused.has(destination),
    async pause(destination, reason) {
      if (paused.has(destination)) return;
      begun += 1;
      unstored += 1;
      paused.set(destination, reason);
      emit({type: 'destination-paused', destination, reason});
      await store
        .pauseDestination({destination, pausedAt: Date.now(), reason})
        .finally(() => (unstored -= 1));
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
