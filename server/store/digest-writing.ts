/**
 * Writes the digests by which leads are found by person: again and again, in slices with pauses between them. Each process
 * does so, and may end at any time, because the store knows how far they are written.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Timings} from '../config/timings.ts';
import type {PersonStore} from '../leads/persons.ts';
import {reasonOf} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';

type Parts = {store: Pick<PersonStore, 'writeDigests'>; emit: Emit; timings: Pick<Timings, 'digests'>};

export function startWritingDigests({store, emit, timings}: Parts): {stop(): Promise<void>} {
  const {every, pause, age} = timings.digests;
  const stopping = new AbortController();
  const {signal} = stopping;

  async function run() {
    while (!signal.aborted) {
      const isDone = await store.writeDigests(age).catch((error: unknown) => {
        emit({type: 'digests-failed', reason: reasonOf(error)});
        return true;
      });
      await sleep(isDone ? every : pause, undefined, {signal, ref: false}).catch(() => undefined);
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
