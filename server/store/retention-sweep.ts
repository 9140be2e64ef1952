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
import type {OverdueCount, OverdueReading} from '../observe/readings.ts';

type Parts = {
  store: Pick<ErasureStore, 'sweep'> & Pick<Upkeep, 'purge'>;
  /** Asked before each slice, because a reload may replace it. */
  retention: () => Retention;
  emit: Emit;
  timings: Pick<Timings, 'sweepEvery' | 'sweepPause' | 'purgeRetry'>;
};

/** `overdue` is undefined before the end of the first pass. */
type Sweeping = {overdue: () => OverdueReading | undefined; stop(): Promise<void>};

export function startSweeping({store, retention, emit, timings}: Parts): Sweeping {
  const stopping = new AbortController();
  const {signal} = stopping;
  const pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, {signal, ref: false}).catch(() => undefined);
  // A process that was killed may have erased without emptying the log.
  let mustPurge = true;
  let overdue: OverdueReading | undefined;

  async function pass() {
    const done = {leads: 0, consents: 0};
    const left = new Map<string, OverdueCount>();
    try {
      for (let after: SweepPlace | undefined, isLast = false; !isLast && !signal.aborted;) {
        const slice = await store.sweep(Date.now(), retention(), after);
        done.leads += slice.leads;
        done.consents += slice.consents;
        for (const lead of slice.unreadable) emit({type: 'lead-unreadable', lead});
        for (const {erasedAt, ...reason} of slice.overdue) {
          const key = Object.values(reason).join(' ');
          const {leads, erasedFrom} = left.get(key) ?? {leads: 0, erasedFrom: erasedAt};
          left.set(key, {...reason, leads: leads + 1, erasedFrom: Math.min(erasedFrom, erasedAt)});
        }
        mustPurge ||= slice.leads + slice.consents > 0;
        [after, isLast] = [slice.next, slice.next === undefined];
        if (!isLast) await pause(timings.sweepPause);
      }
      overdue = {sweptAt: Date.now(), counts: [...left.values()]};
    } finally {
      emit({type: 'leads-swept', ...done, overdue: overdue?.counts ?? []});
    }
    while (mustPurge && !signal.aborted) {
      mustPurge = !(await store.purge());
      if (mustPurge) await pause(timings.purgeRetry);
    }
  }

  async function run() {
    // Processes that started together begin at different moments, so that they do not look for the same leads at once.
    await pause(Math.random() * Math.min(60_000, timings.sweepEvery));
    while (!signal.aborted) {
      await pass().catch((error: unknown) => emit({type: 'sweep-failed', reason: reasonOf(error)}));
      await pause(timings.sweepEvery);
    }
  }

  const running = run();
  return {
    overdue: () => overdue,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
