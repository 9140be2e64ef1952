/**
 * Takes a committed lead to its upstream and records what came of it: every failure ends in the outbox with
 * the time of the next attempt, and none of them reaches whoever asked.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {ExponentialBackoff, handleType, retry} from 'cockatiel';
import type {Logger} from 'pino';
import type {Answer} from '../answer.ts';
import {DeliveryError, type Upstream} from '../answers/upstream.ts';
import {StoreUnavailable, type DueDelivery, type LeadStore} from '../store/lead-store.ts';
import {createBreaker, NotTried, type UpstreamState} from './breaker.ts';
import type {Pace} from './pace.ts';

export type Courier = {
  /** Never rejects; `pending` when there is no answer yet. */
  deliver(due: DueDelivery): Promise<Answer>;
  states(): Record<string, UpstreamState>;
  /** Lets what is under way finish, for so many milliseconds; what was cut off is in the outbox then. */
  close(patience: number): Promise<void>;
};

type Parts = {
  store: LeadStore;
  upstreams: ReadonlyMap<string, Upstream>;
  /** What to do with a lead whose reply was lost: send it again, or leave it to the operator. */
  onAmbiguous: 'send' | 'hold';
  log: Logger;
  pace: Pace;
};

export function createCourier({store, upstreams, onAmbiguous, log, pace}: Parts): Courier {
  const breakers = new Map([...upstreams.keys()].map((name) => [name, createBreaker(name, log, pace)]));
  const underWay = new Set<Promise<unknown>>();
  let closing = false;

  /** What the upstream said must not be lost to a moment of the store's. */
  const persist = retry(handleType(StoreUnavailable), {
    maxAttempts: 8,
    backoff: new ExponentialBackoff({initialDelay: 100, maxDelay: 2_000}),
  });

  async function attempt({lead: stored, upstream: name, leaseEnd}: DueDelivery): Promise<Answer> {
    const {id, lead, upstreamId} = stored;
    const upstream = upstreams.get(name);
    const breaker = breakers.get(name);
    if (!upstream || !breaker)
      throw new DeliveryError('misconfigured', 'The upstream is not configured any more');
    const onTaken = (takenAs: string) => persist.execute(() => store.recordUpstreamId(id, takenAs));
    const send = () => {
      if (closing) throw new NotTried('The service stops');
      return upstream.deliver({id, lead, upstreamId, onTaken});
    };
    // One that began later could outlive its lease, and another would send it, too.
    const answer = await breaker.execute(send, leaseEnd - pace.delivery - pace.settling);
    await persist.execute(() => store.recordAnswer(id, answer));
    if (answer.status === 'refused') log.error({lead: id, upstream: name}, 'the upstream refused the lead');
    return answer;
  }

  async function postpone({lead: {id}, upstream, attempts}: DueDelivery, error: unknown) {
    const tried = !(error instanceof NotTried);
    const ambiguous = error instanceof DeliveryError && error.fault === 'ambiguous';
    const state = ambiguous && onAmbiguous === 'hold' ? 'held' : 'waiting';
    const longest = tried ? pace.longestWait : pace.longestBreak;
    // Full jitter: a crowd that failed together does not come back together.
    const ceiling = Math.min(longest, pace.firstWait * 2 ** Math.min(attempts, 20));
    const wait = Math.max(Math.random() * ceiling, waitAskedFor(error));
    const message = error instanceof Error ? error.message : 'unknown';
    if (tried)
      log.warn({lead: id, upstream, attempts, ambiguous, state, reason: message}, 'delivery postponed');
    await store.postpone(id, Date.now() + Math.round(wait), {error: message, ambiguous, state});
  }

  async function deliver(due: DueDelivery): Promise<Answer> {
    try {
      return await attempt(due);
    } catch (error) {
      // Where even this cannot be written, the lease runs out and the delivery is taken up again.
      await postpone(due, error).catch((failure: unknown) => log.error({err: failure}, 'outbox'));
      return {status: 'pending'};
    }
  }

  return {
    deliver(due) {
      const delivery = deliver(due).finally(() => underWay.delete(delivery));
      underWay.add(delivery);
      return delivery;
    },
    states: () => Object.fromEntries([...breakers].map(([name, breaker]) => [name, breaker.state()])),
    async close(patience) {
      closing = true;
      const settled = () => Promise.allSettled(underWay);
      await Promise.race([settled(), sleep(patience, undefined, {ref: false})]);
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
      await Promise.race([settled(), sleep(pace.parting, undefined, {ref: false})]);
    },
  };
}

function waitAskedFor(error: unknown): number {
  if (error instanceof NotTried) return error.wait;
  return error instanceof DeliveryError ? error.retryAfter : 0;
}
