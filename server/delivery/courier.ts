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
import {createTakenIds} from './taken-ids.ts';

/** What to do with a lead whose reply was lost: send it again, or leave it to the operator. */
export type OnAmbiguous = 'send' | 'hold';

export type Courier = {
  /** Never rejects; `pending` when there is no answer yet. */
  deliver(due: DueDelivery): Promise<Answer>;
  /** How many deliveries to the upstream may begin now. */
  room(upstream: string): number;
  states(): Record<string, UpstreamState>;
  /** Lets what is under way finish, for so many milliseconds; what was cut off is in the outbox then. */
  close(patience: number): Promise<void>;
};

type Parts = {
  store: LeadStore;
  upstreams: ReadonlyMap<string, Upstream>;
  onAmbiguous: OnAmbiguous;
  log: Logger;
  pace: Pace;
};

export function createCourier({store, upstreams, onAmbiguous, log, pace}: Parts): Courier {
  const breakers = new Map([...upstreams.keys()].map((name) => [name, createBreaker(name, log, pace)]));
  const taken = createTakenIds();
  const underWay = new Map<string, {due: DueDelivery; delivery: Promise<Answer>}>();
  const ending = new AbortController();
  let closing = false;

  /** What the upstream said is not lost to an hour of the store's, and a delivery ends when it is written. */
  const retrying = retry(handleType(StoreUnavailable), {
    maxAttempts: 2_000,
    backoff: new ExponentialBackoff({initialDelay: pace.firstRewrite, maxDelay: pace.longestRewrite}),
  });
  const write = (work: () => Promise<void>) => retrying.execute(work, ending.signal);

  async function attempt(due: DueDelivery): Promise<Answer> {
    const {lead: stored, upstream: name, attempts} = due;
    const {id, lead} = stored;
    const upstream = upstreams.get(name);
    const breaker = breakers.get(name);
    if (!upstream || !breaker)
      throw new DeliveryError('misconfigured', 'The upstream is not configured any more');
    const onTaken = (upstreamId: string) =>
      taken.during(id, upstreamId, due.leaseEnd, () => write(() => store.recordUpstreamId(id, upstreamId)));
    const send = () => {
      if (closing) throw new NotTried('The service stops');
      const upstreamId = stored.upstreamId ?? taken.idOf(id);
      return upstream.deliver({id, lead, upstreamId, attempts, onTaken});
    };
    // One that began later could outlive its lease, and another would send it, too.
    const answer = await breaker.execute(send, due.leaseEnd - pace.delivery - pace.settling);
    await write(() => store.recordAnswer(id, answer, due.leaseEnd));
    if (answer.status === 'refused') log.error({lead: id, upstream: name}, 'the upstream refused the lead');
    return answer;
  }

  async function postpone(due: DueDelivery, error: unknown) {
    const {lead, upstream, attempts} = due;
    const {id} = lead;
    const tried = !(error instanceof NotTried);
    const ambiguous = error instanceof DeliveryError && error.fault === 'ambiguous';
    const state = ambiguous && onAmbiguous === 'hold' ? 'held' : 'waiting';
    const longest = tried ? pace.longestWait : pace.longestBreak;
    // Full jitter: a crowd that failed together does not come back together.
    const ceiling = Math.min(longest, pace.firstWait * 2 ** Math.min(attempts, 20));
    const wait = Math.round(Math.max(Math.random() * ceiling, waitAskedFor(error)));
    const message = error instanceof Error ? error.message : 'unknown';
    if (tried) {
      const count = attempts + 1;
      log.warn(
        {lead: id, upstream, attempts: count, ambiguous, state, reason: message},
        'delivery postponed',
      );
    }
    const until = Date.now() + wait;
    await write(() => store.postpone(id, due.leaseEnd, {until, error: message, tried, ambiguous, state}));
  }

  async function deliver(due: DueDelivery): Promise<Answer> {
    try {
      return await attempt(due).catch(async (error: unknown) => {
        if (error instanceof StoreUnavailable) throw error;
        await postpone(due, error);
        return {status: 'pending'} as const;
      });
    } catch (failure) {
      // The lease runs out, and whoever claims the delivery next finds that its outcome is unknown.
      log.error({err: failure, lead: due.lead.id}, 'what became of a delivery could not be written');
      return {status: 'pending'};
    }
  }

  return {
    deliver(given) {
      const {id} = given.lead;
      const running = underWay.get(id);
      if (running) {
        // A clock that jumps ends leases early: this process has claimed its own. What runs settles the new lease.
        running.due.leaseEnd = given.leaseEnd;
        return running.delivery;
      }
      const due = {...given};
      const delivery = deliver(due).finally(() => underWay.delete(id));
      underWay.set(id, {due, delivery});
      return delivery;
    },
    room: (upstream) => breakers.get(upstream)?.room() ?? 0,
    states: () => Object.fromEntries([...breakers].map(([name, breaker]) => [name, breaker.state()])),
    async close(patience) {
      closing = true;
      const settled = () => Promise.allSettled([...underWay.values()].map(({delivery}) => delivery));
      await Promise.race([settled(), sleep(patience, undefined, {ref: false})]);
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
      await Promise.race([settled(), sleep(pace.parting, undefined, {ref: false})]);
      ending.abort();
    },
  };
}

function waitAskedFor(error: unknown): number {
  if (error instanceof NotTried) return error.wait;
  return error instanceof DeliveryError ? error.retryAfter : 0;
}
