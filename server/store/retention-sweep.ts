/**
 * Erases leads and consents that were kept long enough: once an hour, in slices with pauses between them. Each process
 * does so independently, and may end at any time, because erased leads are not found again.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import type {ErasureStore, Retention, SweepPlace} from '../leads/erasure.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Upkeep} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';

type Parts = {
  store: Pick<ErasureStore, 'sweep'> & Pick<Upkeep, 'purge'>;
  /** Asked before each slice, because a reload may replace it. */
  retention: () => Retention;
  emit: Emit;
  timings: Pick<Timings, 'sweepEvery' | 'sweepPause' | 'purgeRetry'>;
};

export function startSweeping({store, retention, emit, timings}: Parts): {stop(): Promise<void>} {
  const stopping = new AbortController();
  const {signal} = stopping;
  const pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, {signal, ref: false}).catch(() => undefined);
  // A process that was killed may have erased without emptying the log.
  let mustPurge = true;

  async function pass() {
    const done = {leads: 0, consents: 0};
    try {
      for (let after: SweepPlace | undefined, isLast = false; !isLast && !signal.aborted;) {
        const {leads, consents, unreadable, next} = await store.sweep(Date.now(), retention(), after);
        done.leads += leads;
        done.consents += consents;
        for (const lead of unreadable) emit({type: 'lead-unreadable', lead});
        mustPurge ||= leads + consents > 0;
        [after, isLast] = [next, next === undefined];
        if (!isLast) await pause(timings.sweepPause);
      }
    } finally {
      emit({type: 'leads-swept', ...done});
    }
    while (mustPurge && !signal.aborted) {
      mustPurge = !(await store.purge());
      if (mustPurge) await pause(timings.purgeRetry);
    }
  }

  async function run() {
    // Processes that started together begin at different moments, so that they do not look for the same leads at once.
    await pause(Math.random() * timings.sweepEvery);
    while (!signal.aborted) {
      await pass().catch((error: unknown) => emit({type: 'sweep-failed', reason: reasonOf(error)}));
      await pause(timings.sweepEvery);
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
