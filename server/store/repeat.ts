/** Work that a process does again and again until it is stopped. */
import {setTimeout as sleep} from 'node:timers/promises';

/**
 * @param work resolves to the milliseconds until the next time, and never rejects
 * @param first milliseconds until the first time
 * @returns `stop` resolves when no work goes on
 */
export function repeat(work: () => Promise<number>, first: number): {stop(): Promise<void>} {
  const stopping = new AbortController();
  const {signal} = stopping;

  async function run() {
    for (let pause = first; ; pause = await work()) {
      if (pause > 0) await sleep(pause, undefined, {signal, ref: false}).catch(() => undefined);
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
