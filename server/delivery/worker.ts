/** Carries on with what could not be delivered at once: after a failure, a restart, or another process's death. */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Logger} from 'pino';
import type {LeadStore} from '../store/lead-store.ts';
import type {Courier} from './courier.ts';
import type {Pace} from './pace.ts';

type Parts = {
  store: LeadStore;
  courier: Courier;
  log: Logger;
  /** Deliveries under way at once, and started in a second, so that a backlog leaves room for new leads. */
  parallel: number;
  perSecond: number;
  pace: Pace;
};

/** Milliseconds between two looks for what has expired. */
const forgetEvery = 3_600_000;

export type Worker = {
  /** Takes up nothing new; what is under way goes on. */
  stop(): Promise<void>;
};

export function startWorker({store, courier, log, parallel, perSecond, pace}: Parts): Worker {
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  /** How many may be started now; what is not used in a tick is not saved up. */
  let allowance = 1;
  let refilledAt = performance.now();

  function refill() {
    const now = performance.now();
    const most = Math.max(1, (perSecond * pace.tick) / 1_000);
    allowance = Math.min(most, allowance + ((now - refilledAt) / 1_000) * perSecond);
    refilledAt = now;
  }

  async function takeDue(): Promise<number> {
    refill();
    const free = Math.min(parallel - underWay.size, Math.floor(allowance));
    if (free <= 0) return 0;
    const now = Date.now();
    const due = await store.claimDue(now, now + pace.lease, free);
    allowance -= due.length;
    for (const delivery of due) {
      const work = courier.deliver(delivery).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    return due.length;
  }

  /** A few rows at a time until all are gone, then nothing for an hour. */
  let forgetAt = Date.now() + forgetEvery;
  async function forgetExpired() {
    if (Date.now() < forgetAt) return;
    const gone = await store.forgetExpired(Date.now());
    if (gone === 0) forgetAt = Date.now() + forgetEvery;
  }

  async function run() {
    while (!stopping.signal.aborted) {
      await forgetExpired().catch(() => undefined);
      const taken = await takeDue().catch((error: unknown) => {
        log.warn({reason: error instanceof Error ? error.message : 'unknown'}, 'the outbox cannot be read');
        return 0;
      });
      const busy = taken > 0 || underWay.size >= parallel || allowance < 1;
      const pause = sleep(busy ? pace.tick : pace.idle, undefined, {signal: stopping.signal});
      // A delivery that ends makes room for the next.
      await Promise.race([pause.catch(() => undefined), ...underWay]);
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
