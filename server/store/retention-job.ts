/**
 * Erases leads and consents whose retention is over: once an hour, in slices with pauses between them. Each process does so, and
 * may end at any time, because erased leads are not found again.
 */
import type {Timings} from '../config/timings.ts';
import type {ErasureStore, Retention, RetentionPlace} from '../leads/erasure.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Maintenance} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';
import type {OverdueCount, OverdueReading} from '../observe/readings.ts';
import {pauseFor, repeat} from './maintenance.ts';

type Parts = {
  store: Pick<ErasureStore, 'applyRetention'> & Pick<Maintenance, 'purge'>;
  /** Called before each slice, because a reload may change the result. */
  retention: () => Retention;
  emit: Emit;
  timings: Pick<Timings, 'retentionEvery' | 'retentionPause' | 'purgeRetry'>;
};

/** @returns `overdue` gives undefined before the end of the first pass */
export function startRetentionJob({store, retention, emit, timings}: Parts) {
  // A killed process may have erased something without emptying the log.
  let mustPurge = true;
  let overdue: OverdueReading | undefined;

  async function pass(signal: AbortSignal) {
    const done = {leads: 0, consents: 0};
    const left = new Map<string, OverdueCount>();
    try {
      for (let after: RetentionPlace | undefined, isLast = false; !isLast && !signal.aborted;) {
        const slice = await store.applyRetention(Date.now(), retention(), after);
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
        if (!isLast) await pauseFor(timings.retentionPause, signal);
      }
      overdue = {sweptAt: Date.now(), counts: [...left.values()]};
    } finally {
      emit({type: 'retention-applied', ...done, overdue: overdue?.counts ?? []});
    }
    while (mustPurge && !signal.aborted) {
      mustPurge = !(await store.purge());
      if (mustPurge) await pauseFor(timings.purgeRetry, signal);
    }
  }

  // A random delay, so that processes that started together do not search for the same leads at once.
  const first = Math.random() * Math.min(60_000, timings.retentionEvery);
  const {stop} = repeat(async (signal) => {
    await pass(signal).catch((error: unknown) => emit({type: 'retention-failed', reason: reasonOf(error)}));
    return timings.retentionEvery;
  }, first);
  return {overdue: () => overdue, stop};
}
