/** Stands between an upstream and the leads for it: gives an upstream in trouble, or in demand, some rest. */
import {
  BrokenCircuitError,
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
  wrap,
} from 'cockatiel';
import type {Logger} from 'pino';
import {DeliveryError, type DeliveryFault} from '../answers/upstream.ts';
import type {Pace} from './pace.ts';

export type UpstreamState = 'ok' | 'failing' | 'misconfigured';

/** The upstream was not asked. */
export class NotTried extends Error {
  /** Milliseconds until it makes sense to try. */
  readonly wait: number;

  constructor(message: string, wait = 0) {
    super(message);
    this.name = 'NotTried';
    this.wait = wait;
  }
}

export type Breaker = {
  /** @throws NotTried when the upstream rests, or when there was no room before `latest` */
  execute<Result>(work: () => Promise<Result>, latest: number): Promise<Result>;
  state(): UpstreamState;
};

/** Deliveries to one upstream at once. A slow one makes the others wait here, where no time runs out for them. */
const mostAtOnce = 16;

const hasFault = (error: unknown, ...faults: DeliveryFault[]) =>
  error instanceof DeliveryError && faults.includes(error.fault);

export function createBreaker(name: string, log: Logger, {firstBreak, longestBreak}: Pace): Breaker {
  const halfOpenAfter = new ExponentialBackoff({initialDelay: firstBreak, maxDelay: longestBreak});
  // One wrong password is enough to stop; of other failures it takes a few in a row.
  const misconfigured = circuitBreaker(
    handleWhen((error) => hasFault(error, 'misconfigured')),
    {halfOpenAfter, breaker: new ConsecutiveBreaker(1)},
  );
  const failing = circuitBreaker(
    handleWhen((error) => hasFault(error, 'failed', 'ambiguous')),
    {halfOpenAfter, breaker: new ConsecutiveBreaker(5)},
  );
  misconfigured.onBreak(() =>
    log.error({upstream: name}, 'the upstream refuses our credentials or address: its leads wait'),
  );
  failing.onBreak(() => log.warn({upstream: name}, 'the upstream fails: its leads wait'));
  for (const breaker of [misconfigured, failing]) {
    breaker.onReset(() => log.info({upstream: name}, 'the upstream works again'));
  }
  const policy = wrap(misconfigured, failing);
  const room = bulkhead(mostAtOnce, Infinity);
  /** Until when the upstream asked us to leave it alone. */
  let restsUntil = 0;

  function checkTime(latest: number) {
    const now = Date.now();
    if (now > latest) throw new NotTried('There was no room for the delivery in time');
    if (now < restsUntil) throw new NotTried('The upstream asked us to wait', restsUntil - now);
  }

  async function attempt<Result>(work: () => Promise<Result>, latest: number): Promise<Result> {
    checkTime(latest);
    try {
      return await policy.execute(() => {
        // The breaker may have made it wait for another's attempt.
        checkTime(latest);
        return work();
      });
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw new NotTried('The upstream fails');
      if (error instanceof DeliveryError && error.retryAfter > 0) {
        restsUntil = Math.max(restsUntil, Date.now() + error.retryAfter);
      }
      throw error;
    }
  }

  const isOpen = ({state}: typeof failing) => state !== CircuitState.Closed;
  return {
    execute: (work, latest) => room.execute(() => attempt(work, latest)),
    state() {
      if (isOpen(misconfigured)) return 'misconfigured';
      return isOpen(failing) || Date.now() < restsUntil ? 'failing' : 'ok';
    },
  };
}
