/** Deletes what has expired: a few rows at a time until all are gone, then nothing for an hour. */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Logger} from 'pino';
import {reasonOf, type LeadStore} from './lead-store.ts';

/** Milliseconds. */
const [between, soon] = [3_600_000, 100];

export function startForgetting(store: LeadStore, log: Logger): {stop(): Promise<void>} {
  const stopping = new AbortController();
  const {signal} = stopping;

  async function run() {
    let pause = between;
    while (!signal.aborted) {
      await sleep(pause, undefined, {signal, ref: false}).catch(() => undefined);
      if (signal.aborted) return;
      const gone = await store.forgetExpired(Date.now()).catch((error: unknown) => {
        log.warn(
          {reason: reasonOf(error)},
          'what has expired could not be deleted; it is tried again in an hour',
        );
        return 0;
      });
      pause = gone > 0 ? soon : between;
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
