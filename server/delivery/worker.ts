/** Carries on with what could not be delivered at once: after a failure, a restart, or another process's death. */
import {setTimeout as sleep} from 'node:timers/promises';
import type {Logger} from 'pino';
import {createLogSampler} from '../log-sampler.ts';
import {reasonOf, StoreUnavailable, type LeadStore} from '../store/lead-store.ts';
import type {Courier, OnAmbiguous} from './courier.ts';
import type {Pace} from './pace.ts';

type Parts = {
  store: LeadStore;
  courier: Courier;
  onAmbiguous: OnAmbiguous;
  log: Logger;
  /** To each upstream: deliveries under way at once, and started in a second, so that new leads have room. */
  parallel: number;
  perSecond: number;
  pace: Pace;
};

export type Worker = {
  /** Takes up nothing new; what is under way goes on. */
  stop(): Promise<void>;
};

/** One for each upstream: one that is slow or away keeps nobody else's leads waiting. */
export function startWorkers(upstreams: readonly string[], parts: Parts): Worker {
  const workers = upstreams.map((upstream) => startWorker(upstream, parts));
  void nameForgotten(upstreams, parts).catch(() => undefined);
  return {stop: async () => void (await Promise.all(workers.map((worker) => worker.stop())))};
}

function startWorker(upstream: string, parts: Parts): Worker {
  const {store, courier, onAmbiguous, log, parallel, perSecond, pace} = parts;
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const sampler = createLogSampler(log);
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
    const free = Math.min(parallel - underWay.size, Math.floor(allowance), courier.room(upstream));
    if (free <= 0) return 0;
    const now = Date.now();
    const {due, held} = await store.claimDue(upstream, now, now + pace.lease, free, onAmbiguous);
    allowance -= due.length;
    for (const delivery of due) {
      const work = courier.deliver(delivery).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    for (const lead of held)
      log.error({lead, upstream}, 'held: it may have been sent before a process ended');
    return due.length;
  }

  async function run() {
    while (!stopping.signal.aborted) {
      const taken = await takeDue().catch((error: unknown) => {
        const reason = error instanceof StoreUnavailable ? error.reason : reasonOf(error);
        sampler.write('warn', reason, {upstream, reason}, 'the outbox cannot be read');
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
      sampler.flush();
    },
  };
}

/** Leads of an upstream that is not in the configuration any more wait for nobody: the operator must know. */
async function nameForgotten(upstreams: readonly string[], {store, log}: Parts) {
  for (const {upstream, leads} of await store.countWaiting()) {
    if (!upstreams.includes(upstream)) {
      log.error({upstream, leads}, 'leads wait for an upstream that is not configured');
    }
  }
}
