/**
 * The circuit breaker and the queue of a destination. It limits how many deliveries are in progress at once, and sends
 * nothing for a while when the destination fails or asks for a break.
 */
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
import type {Timings} from '../config/timings.ts';
import type {Emit} from '../observe/events.ts';
import {DeliveryError, type DeliveryFault} from './destination.ts';

/**
 * - `failing`: the destination cannot be reached, fails for one lead after another, or asked for a break
 * - `misconfigured`: the destination refuses the configured credentials or address
 * - `unreadable`: its replies break the specification
 */
export type CircuitHealth = 'ok' | 'failing' | 'misconfigured' | 'unreadable';

/** Thrown when no request was sent to the destination, which therefore does not count as an attempt. */
export class NotTried extends Error {
  /** Milliseconds until it makes sense to try again. */
  readonly wait: number;

  constructor(message: string, wait = 0) {
    super(message);
    this.name = 'NotTried';
    this.wait = wait;
  }
}

export type Breaker = {
  /** @throws NotTried during a break, when the queue is full, or when the delivery could not begin before `latest` */
  execute<Result>(work: () => Promise<Result>, latest: number): Promise<Result>;
  /**
   * How many deliveries may begin now: none during a break. After the break one may, as a trial, or all if they go
   * together.
   */
  room(): number;
  /** True while the queue is full. */
  full(): boolean;
  state(): CircuitHealth;
};

/** The maximum number of deliveries in the queue of one destination. All others wait in the outbox. */
const maxWaiting = 100;
/** Failures in a row after which the circuit opens. One is enough for a wrong password, which fails for every lead. */
const failuresToOpen: Record<DeliveryFault, number> = {misconfigured: 1, failed: 5, ambiguous: 5};

/** A failure that concerns only its own lead says nothing about other leads, so the circuit does not count it. */
const concernsAll = (error: unknown): error is DeliveryError =>
  error instanceof DeliveryError && !error.aboutLead;

/**
 * @param maxParallel the maximum number of deliveries that are in progress at once
 * @param goTogether whether one request takes all deliveries that begin together, as a digest does. Then the trial is
 *   such a request, too
 */
export function createBreaker(
  name: string,
  maxParallel: number,
  emit: Emit,
  {firstBreak, longestBreak}: Timings,
  goTogether = false,
): Breaker {
  /** Nothing is sent until this time, in milliseconds since 1970. */
  let breakEnd = 0;
  const takeBreak = (milliseconds: number) => {
    breakEnd = Math.max(breakEnd, Date.now() + milliseconds);
  };
  /** Each break is twice as long as the one before, and partly random, so that processes do not resume together. */
  const breakTime = new DelegateBackoff(({attempt}: {attempt: number}) => {
    const most = Math.min(longestBreak, firstBreak * 2 ** (attempt - 1));
    const duration = Math.round(most * (0.5 + Math.random() / 2));
    takeBreak(duration);
    return duration;
  });

  // All faults share one circuit breaker. With one breaker for each, a successful trial would close all of them,
  // although only one kind of fault is gone.
  let inARow = 0;
  const circuit: CircuitBreakerPolicy = circuitBreaker(handleWhen(concernsAll), {
    halfOpenAfter: breakTime,
    breaker: {
      state: undefined,
      success: () => void (inARow = 0),
      failure: () => (inARow += 1) >= failuresToOpen[errorOf(circuit)?.fault ?? 'failed'],
    },
  });
  let openedBy: Exclude<CircuitHealth, 'ok'> = 'failing';
  /** The last fault that was reported. A trial that fails in the same way is no news. */
  let reported: string | undefined;
  circuit.onBreak(() => {
    const error = errorOf(circuit);
    openedBy = healthAfter(error);
    const reason = error?.message ?? '';
    if (reason !== reported) emit({type: 'circuit-opened', destination: name, state: openedBy, reason});
    reported = reason;
  });
  circuit.onReset(() => {
    inARow = 0;
    reported = undefined;
    emit({type: 'circuit-closed', destination: name});
  });

  async function attempt<Result>(work: () => Promise<Result>, latest: number): Promise<Result> {
    const now = Date.now();
    if (now > latest) throw new NotTried('There was no room for the delivery in time');
    if (now < breakEnd) throw new NotTried(breakMessage, breakEnd - now);
    if (circuit.state === CircuitState.HalfOpen) {
      // The circuit counts the first delivery of the trial, and all others of the request end as it does.
      if (goTogether) return work();
      // Another delivery is the trial now. This one does not wait for the trial's outcome, because its own lease could
      // end first.
      throw new NotTried(breakMessage);
    }
    try {
      return await circuit.execute(work);
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw new NotTried(breakMessage);
      if (concernsAll(error)) takeBreak(error.retryAfter);
      throw error;
    }
  }

  const queue = bulkhead(maxParallel, maxWaiting);
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
      if (isFull() || Date.now() < breakEnd || circuit.state === CircuitState.HalfOpen) return 0;
      return circuit.state === CircuitState.Closed || goTogether ? maxParallel : 1;
    },
    state() {
      if (circuit.state !== CircuitState.Closed) return openedBy;
      return Date.now() < breakEnd ? 'failing' : 'ok';
    },
  };
}

const breakMessage = 'Nothing is sent for a while, because the destination failed or asked for that';

/** The error of the last failure that counted for the circuit. */
function errorOf({lastFailure}: CircuitBreakerPolicy): DeliveryError | undefined {
  const error = lastFailure && 'error' in lastFailure ? lastFailure.error : undefined;
  return error instanceof DeliveryError ? error : undefined;
}

function healthAfter(error: DeliveryError | undefined): Exclude<CircuitHealth, 'ok'> {
  if (error?.fault === 'misconfigured') return 'misconfigured';
  return error?.unreadable ? 'unreadable' : 'failing';
}
