/** Deletes expired keys, digests, proofs and counts of requests every hour, in small batches. */
import {setTimeout as sleep} from 'node:timers/promises';
import {reasonOf} from '../leads/store-errors.ts';
import type {Upkeep} from '../leads/ports.ts';
import type {Emit} from '../observe/observations.ts';

/**
 * Milliseconds before the next batch. The short interval follows a batch that deleted rows, because more may be left.
 */
const [interval, shortInterval] = [3_600_000, 100];

export function startDeletingExpired(store: Upkeep, emit: Emit): {stop(): Promise<void>} {
  const stopping = new AbortController();
  const {signal} = stopping;

  async function run() {
    let pause = interval;
    while (!signal.aborted) {
      await sleep(pause, undefined, {signal, ref: false}).catch(() => undefined);
      if (signal.aborted) return;
      const deleted = await store.deleteExpired(Date.now()).catch((error: unknown) => {
        emit({type: 'expiry-failed', reason: reasonOf(error)});
        return 0;
      });
      pause = deleted > 0 ? shortInterval : interval;
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
