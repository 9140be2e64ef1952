/**
 * Writes the digests by which leads are found by person, in slices with pauses between them. Each process does so, and may
 * end at any time, because the store knows how far they are written.
 */
import type {Timings} from '../config/timings.ts';
import type {PersonStore} from '../leads/persons.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';
import {repeat} from './repeat.ts';

type Parts = {store: Pick<PersonStore, 'writeDigests'>; emit: Emit; timings: Pick<Timings, 'digests'>};

export function startWritingDigests({store, emit, timings}: Parts) {
  const {every, pause, age} = timings.digests;
  return repeat(async () => {
    const begun = performance.now();
    const isDone = await store.writeDigests(age).catch((error: unknown) => {
      emit({type: 'digests-failed', reason: reasonOf(error)});
      return true;
    });
    // New leads come first: a tenth of the time at most goes into digests, however many wait.
    return isDone ? every : Math.max(pause, 9 * (performance.now() - begun));
  }, 0);
}
