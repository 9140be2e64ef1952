/** Stands between an upstream and the leads for it: gives an upstream in trouble, or in demand, some rest. */
import {
  BrokenCircuitError,
  bulkhead,
  BulkheadRejectedError,
  circuitBreaker,
  CircuitState,
  DelegateBackoff,
  handleWhen,
  type CircuitBreakerPolicy,
} from 'cockatiel';
import type {Logger} from 'pino';
import {DeliveryError, type DeliveryFault} from '../answers/delivery-error.ts';
import type {Pace} from './pace.ts';

export type CircuitHealth = 'ok' | 'failing' | 'misconfigured' | 'unreadable';

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
  /** How many deliveries may begin now: none while it rests, one to see whether it is well again. */
  room(): number;
  /** True while so many deliveries wait for their turn that another would be turned away. */
  full(): boolean;
  state(): CircuitHealth;
};

/** Deliveries to one upstream at once. */
const mostAtOnce = 16;
/** Deliveries that wait in memory for one of those to end. All others wait in the outbox, however many they are. */
const mostWaiting = 100;
/** One wrong password is enough to stop; of other failures it takes a few in a row. */
const failuresToBreak: Record<DeliveryFault, number> = {misconfigured: 1, failed: 5, ambiguous: 5};

/** A lead that the upstream stumbles over is no reason to rest: the others fare well. */
const concerns = (error: unknown): error is DeliveryError =>
  error instanceof DeliveryError && !error.aboutLead;

const faultOf = (failure: CircuitBreakerPolicy['lastFailure']) =>
  failure && 'error' in failure && failure.error instanceof DeliveryError ? failure.error.fault : 'failed';

function healthAfter(failure: CircuitBreakerPolicy['lastFailure']): Exclude<CircuitHealth, 'ok'> {
  if (faultOf(failure) === 'misconfigured') return 'misconfigured';
  const unreadable =
    failure && 'error' in failure && failure.error instanceof DeliveryError && failure.error.unreadable;
  return unreadable ? 'unreadable' : 'failing';
}

export function createBreaker(name: string, log: Logger, {firstBreak, longestBreak}: Pace): Breaker {
  /** Until when nothing is sent: because it failed, or because it asked for that. */
  let restsUntil = 0;
  const rest = (milliseconds: number) => {
    restsUntil = Math.max(restsUntil, Date.now() + milliseconds);
  };
  /** Twice as long each time, and not the same for all processes. */
  const breakTime = new DelegateBackoff(({attempt}: {attempt: number}) => {
    const most = Math.min(longestBreak, firstBreak * 2 ** (attempt - 1));
    const duration = Math.round(most * (0.5 + Math.random() / 2));
    rest(duration);
    return duration;
  });

  // One circuit for every kind of fault: of two, the trial after a break would close one for the other's fault.
  let inARow = 0;
  const circuit: CircuitBreakerPolicy = circuitBreaker(handleWhen(concerns), {
    halfOpenAfter: breakTime,
    breaker: {
      state: undefined,
      success: () => void (inARow = 0),
      failure: () => (inARow += 1) >= failuresToBreak[faultOf(circuit.lastFailure)],
    },
  });
  let brokenBy: Exclude<CircuitHealth, 'ok'> = 'failing';
  circuit.onBreak(() => {
    brokenBy = healthAfter(circuit.lastFailure);
    if (brokenBy === 'misconfigured') {
      log.error({upstream: name}, 'the upstream refuses our credentials or address: its leads wait');
    } else log.warn({upstream: name}, 'the upstream fails: its leads wait');
  });
  circuit.onReset(() => {
    inARow = 0;
    log.info({upstream: name}, 'the upstream works again');
  });

  async function attempt<Result>(work: () => Promise<Result>, latest: number): Promise<Result> {
    const now = Date.now();
    if (now > latest) throw new NotTried('There was no room for the delivery in time');
    if (now < restsUntil) throw new NotTried('The upstream rests', restsUntil - now);
    // Whoever waited for the trial's outcome could outlive its lease.
    if (circuit.state === CircuitState.HalfOpen) throw new NotTried('The upstream is being tried');
    try {
      return await circuit.execute(work);
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw new NotTried('The upstream rests');
      if (concerns(error)) rest(error.retryAfter);
      throw error;
    }
  }

  const queue = bulkhead(mostAtOnce, mostWaiting);
  const isFull = () => queue.queueSlots === 0;
  return {
    execute: (work, latest) =>
      queue
        .execute(() => attempt(work, latest))
        .catch((error: unknown) => {
          throw error instanceof BulkheadRejectedError ? new NotTried('Too many deliveries wait') : error;
        }),
    full: isFull,
    room() {
      if (isFull() || Date.now() < restsUntil || circuit.state === CircuitState.HalfOpen) return 0;
      return circuit.state === CircuitState.Closed ? mostAtOnce : 1;
    },
    state() {
      if (circuit.state !== CircuitState.Closed) return brokenBy;
      return Date.now() < restsUntil ? 'failing' : 'ok';
    },
  };
}
