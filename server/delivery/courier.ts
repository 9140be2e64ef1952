/**
 * Takes a committed lead to its upstream and records what came of it: every failure ends in the outbox with
 * the time of the next attempt, and none of them reaches whoever asked.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {ExponentialBackoff, handleType, retry} from 'cockatiel';
import type {Logger} from 'pino';
import type {Answer} from '../answer.ts';
import {DeliveryError} from '../answers/delivery-error.ts';
import type {Upstream} from '../answers/upstream.ts';
import {createLogSampler} from '../log-sampler.ts';
import {reasonOf, StoreUnavailable, type DueDelivery, type LeadStore} from '../store/lead-store.ts';
import {createBreaker, NotTried, type CircuitHealth} from './breaker.ts';
import type {Pace} from './pace.ts';
import {planNext} from './plan-next.ts';
import {createReplyStreaks, type StreakState} from './reply-streaks.ts';
import {createTakenIds} from './taken-ids.ts';

/** What to do with a lead whose reply was lost: send it again, or leave it to the operator. */
export type OnAmbiguous = 'send' | 'hold';

/**
 * - `failing`: it is away, or fails for lead after lead: it is left alone for a while
 * - `misconfigured`: it refuses our credentials or address
 * - `unreadable`: its last replies, five or more in a row, could not be read or did not come
 * - `refusing`: it refused the last five leads or more
 */
export type UpstreamState = CircuitHealth | StreakState;

export type Courier = {
  /** Never rejects; `pending` when there is no answer yet. */
  deliver(due: DueDelivery): Promise<Answer>;
  /** How many deliveries to the upstream may begin now. */
  room(upstream: string): number;
  /** True while too many deliveries wait in memory: a new lead then stays in the outbox until a worker takes it. */
  full(upstream: string): boolean;
  states(): Record<string, UpstreamState>;
  /** Lets what is under way finish, for so many milliseconds; what was cut off is in the outbox then. */
  close(patience: number): Promise<void>;
};

type UnderWay = {
  due: DueDelivery;
  delivery: Promise<Answer>;
  /** The delivery has failed, and its lease is being given back. */
  isPostponed: boolean;
};

type Parts = {
  store: LeadStore;
  upstreams: ReadonlyMap<string, Upstream>;
  onAmbiguous: OnAmbiguous;
  log: Logger;
  pace: Pace;
};

/**
 * Deliveries in memory, of all upstreams. The queue of each upstream is shorter; this also counts deliveries that
 * have ended and wait for the store to write down how.
 */
const mostUnderWay = 1_000;

export function createCourier({store, upstreams, onAmbiguous, log, pace}: Parts): Courier {
  const breakers = new Map([...upstreams.keys()].map((name) => [name, createBreaker(name, log, pace)]));
  const streaks = new Map([...upstreams.keys()].map((name) => [name, createReplyStreaks(name, log)]));
  const sampler = createLogSampler(log);
  const taken = createTakenIds();
  const underWay = new Map<string, UnderWay>();
  const ending = new AbortController();
  let closing = false;

  /**
   * If the store is down when the upstream answers, the write is tried again for up to an hour, so that the answer
   * is not lost. A delivery ends once it is written.
   */
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
    const {answer, reason} = await breaker.execute(send, due.leaseEnd - pace.delivery - pace.settling);
    streaks.get(name)?.record(answer.status, id, reason);
    await write(() => store.recordAnswer(id, answer, due.leaseEnd, reason));
    if (answer.status === 'refused')
      log.error({lead: id, upstream: name, reason}, 'the upstream refused the lead');
    return answer;
  }

  async function postpone(due: DueDelivery, error: unknown) {
    const {lead, upstream: name, attempts} = due;
    const {id} = lead;
    const broken = ['failing', 'misconfigured'].includes(breakers.get(name)?.state() ?? 'ok');
    const isAway = broken || (streaks.get(name)?.failsForSeveral() ?? false);
    const {wait, counts, ...next} = planNext(error, due, {isAway, onAmbiguous, pace});
    const {tried, ambiguous, state, error: reason} = next;
    if (ambiguous || (error instanceof DeliveryError && error.unreadable))
      streaks.get(name)?.record('unreadable', id, reason);
    if (tried) {
      const fields = {lead: id, upstream: name, attempts: attempts + 1, ambiguous, state, reason};
      if (state === 'held') log.error(fields, 'delivery held for the operator');
      else log.warn(fields, 'delivery postponed');
    }
    const running = underWay.get(id);
    if (running) running.isPostponed = true;
    const outcome = {...next, ambiguous: counts, until: Date.now() + wait};
    await write(() => store.postpone(id, due.leaseEnd, outcome));
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
      const [lead, reason] = [due.lead.id, reasonOf(failure)];
      sampler.write('error', reason, {lead, reason}, 'what became of a delivery could not be written');
      return {status: 'pending'};
    }
  }

  function take(given: DueDelivery): Promise<Answer> {
    const {id} = given.lead;
    const running = underWay.get(id);
    if (running?.isPostponed) {
      // The row was free the moment this was written, and a worker may claim it before this process hears of that.
      return running.delivery.then(() => take(given));
    }
    if (running) {
      // A clock that jumps ends leases early: this process has claimed its own. What runs settles the new lease.
      running.due.leaseEnd = given.leaseEnd;
      return running.delivery;
    }
    const due = {...given};
    const delivery = deliver(due).finally(() => underWay.delete(id));
    underWay.set(id, {due, delivery, isPostponed: false});
    return delivery;
  }

  return {
    deliver: take,
    room: (upstream) => breakers.get(upstream)?.room() ?? 0,
    full: (upstream) => underWay.size >= mostUnderWay || (breakers.get(upstream)?.full() ?? false),
    states() {
      const states = [...breakers].map(([name, breaker]): [string, UpstreamState] => {
        const circuit = breaker.state();
        return [name, circuit === 'ok' ? streaks.get(name)!.state() : circuit];
      });
      return Object.fromEntries(states);
    },
    async close(patience) {
      closing = true;
      const settled = () => Promise.allSettled([...underWay.values()].map(({delivery}) => delivery));
      await Promise.race([settled(), sleep(patience, undefined, {ref: false})]);
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
      await Promise.race([settled(), sleep(pace.parting, undefined, {ref: false})]);
      ending.abort();
      sampler.flush();
    },
  };
}
