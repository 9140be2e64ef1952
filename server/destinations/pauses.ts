/**
 * What operators have ordered with the `lead-prequal` command: which destinations are paused, and whose break is to end.
 * A process also pauses a destination that asks never to be called again. The store holds all of this, and each process
 * reads it twice a second, so that all processes follow.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import type {PausedDestination} from '../leads/deliveries.ts';
import type {PausePort} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';

export type Pauses = Awaited<ReturnType<typeof watchPauses>>;

type Parts = {store: PausePort; emit: Emit; timings: Timings};

/** Reads the orders before it resolves, or later if the store is away. */
export async function watchPauses({store, emit, timings}: Parts) {
  const stopping = new AbortController();
  let paused = new Map<string, Pick<PausedDestination, 'reason' | 'isGone'>>();
  let isRead = false;
  /** How many pauses this process has begun, and how many of them are not stored yet. */
  let [begun, unstored] = [0, 0];
  const endedBreaks = readEndedBreaks(store);
  let endBreak: (destination: string) => void = () => undefined;

  async function read() {
    for (const destination of await endedBreaks()) endBreak(destination);
    if (unstored > 0) return;
    const before = begun;
    const now = new Map((await store.pausedDestinations()).map((each) => [each.destination, each]));
    // What was read may be older than a pause that began meanwhile. The next read finds both.
    if (begun !== before) return;
    for (const [destination, {reason}] of now) {
      if (paused.get(destination)?.reason !== reason) emit({type: 'destination-paused', destination, reason});
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
    /** Whether nothing may be sent to the destination. True for all until the pauses could be read for the first time. */
    has: (destination: string) => !isRead || paused.has(destination),
    /** Whether the pause is that of a destination that asked for nothing more, and not of an operator. */
    isGone: (destination: string) => isRead && paused.get(destination)?.isGone === true,
    /** For a destination that asked for nothing more. @throws StoreUnavailable. Then the pause ends with the next look into the store */
    async pause(destination: string, reason: string) {
      if (paused.has(destination)) return;
      begun += 1;
      unstored += 1;
      paused.set(destination, {reason, isGone: true});
      emit({type: 'destination-paused', destination, reason});
      await store
        .pauseDestination({destination, pausedAt: Date.now(), reason, isGone: true})
        .finally(() => (unstored -= 1));
    },
    /** Calls the listener with a destination each time an operator asks that its break ends. */
    onBreakEnd: (listener: (destination: string) => void) => void (endBreak = listener),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** @returns a function that reads whose break operators have ended since its last call. The first call finds none */
function readEndedBreaks(store: PausePort): () => Promise<string[]> {
  let before: ReadonlyMap<string, number> | undefined;
  return async () => {
    const now = new Map((await store.breakEnds()).map(({destination, endedAt}) => [destination, endedAt]));
    const known = before ?? now;
    before = now;
    // Times are only compared for being the same, because the clocks of two machines may differ.
    return [...now.keys()].filter((destination) => known.get(destination) !== now.get(destination));
  };
}
