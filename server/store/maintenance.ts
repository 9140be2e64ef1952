/** Regular jobs of each process: deleting what has expired, and writing digests. */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import type {PersonStore} from '../leads/persons.ts';
import type {Maintenance} from '../leads/ports.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';

/** Waits. Resolves early if the signal aborts. */
export const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, {signal, ref: false}).catch(() => undefined);

/**
 * @param work resolves to the milliseconds until it runs again, or to undefined if it is done for good, and never rejects
 * @param first milliseconds until it first runs
 * @returns `stop` resolves when the work has ended
 */
export function repeat(
  work: (signal: AbortSignal) => Promise<number | undefined>,
  first: number,
): {stop: () => Promise<void>} {
  const stopping = new AbortController();
  const {signal} = stopping;

  async function run() {
    for (let pause: number | undefined = first; pause !== undefined; pause = await work(signal)) {
      if (pause > 0) await pauseFor(pause, signal);
      if (signal.aborted) return;
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

/** Milliseconds before the next batch. The short interval follows a batch that deleted rows, because more rows may be left. */
const [interval, shortInterval] = [3_600_000, 100];

/** Deletes expired keys, digests, proofs and counts of requests every hour, in small batches. */
export const startDeletingExpired = (store: Maintenance, emit: Emit) =>
  repeat(async () => {
    const deleted = await store.deleteExpired(Date.now()).catch((error: unknown) => {
      emit({type: 'expiry-failed', reason: reasonOf(error)});
      return 0;
    });
    return deleted > 0 ? shortInterval : interval;
  }, interval);

type Writing = {store: Pick<PersonStore, 'writeDigests'>; emit: Emit; timings: Pick<Timings, 'digests'>};

/**
 * Writes the digests by which leads are found by person, in slices with pauses between them. A process may end at any time: the
 * store has the lead up to which they are written.
 */
export function startWritingDigests({store, emit, timings}: Writing) {
  const {every, pause, age} = timings.digests;
  return repeat(async () => {
    const begun = performance.now();
    const isDone = await store.writeDigests(age).catch((error: unknown) => {
      emit({type: 'digests-failed', reason: reasonOf(error)});
      return true;
    });
    // Spends at most a tenth of the time on digests, so that new leads are not delayed.
    return isDone ? every : Math.max(pause, 9 * (performance.now() - begun));
  }, 0);
}
