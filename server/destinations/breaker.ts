/**
 * The circuit breaker and the queue of a destination. It limits how many deliveries are in progress at once, and sends
 * nothing for a while when the destination fails or asks for a break.
 *
 *     closed ──▶ open ──▶ trial ──▶ closed
 *                 ▲         │
 *                 └─────────┘
 *
 * The breaker measures time with `performance.now()`. The system clock may be set back, and a break that ends at a time
 * of that clock would then last for hours. cockatiel, whose queue is used here, has a circuit breaker as well, but that
 * one goes by the system clock.
 */
import {bulkhead, BulkheadRejectedError} from 'cockatiel';
import type {Timings} from '../config/timings.ts';
import type {Emit} from '../observe/observations.ts';
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

/** No request was sent, and none will be: the delivery is dropped. It says nothing about the destination. */
export class NeverTried extends NotTried {}

/**
 * A delivery that enters the queue.
 * - `lead`: its id, for the log
 * - `latest`: the time of `performance.now()` after which the attempt must not begin
 * - `work`: makes the attempt. It throws `NotTried` if no request was sent
 */
type Attempt<Result> = {lead: string; latest: number; work: () => Promise<Result>};

export type Breaker = {
  /** @throws NotTried during a break, when the queue is full, or when the delivery could not begin before `latest` */
  execute<Result>(attempt: Attempt<Result>): Promise<Result>;
  /**
   * How many deliveries may begin now: none during a break. After the break one may, as a trial, or all if they go
   * together.
   */
  room(): number;
  /** True while the queue is full. */
  full(): boolean;
  /**
   * Ends the break, for an operator who knows that the destination works again. One delivery is the trial.
   * @returns whether there was a break
   */
  endBreak(): boolean;
  state(): CircuitHealth;
};

/** Nothing is sent until `until`, a time of `performance.now()`. `breaks` counts the breaks in a row. */
type Open = {stage: 'open'; until: number; breaks: number};
type Circuit = {stage: 'closed'; failures: number} | Open | {stage: 'trial'};

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
  {firstBreak, longestBreak, longestAskedBreak}: Timings,
  goTogether = false,
): Breaker {
  // All faults share one circuit. With one for each, a successful trial would close all of them, although only one kind of
  // fault is gone.
  let circuit: Circuit = {stage: 'closed', failures: 0};
  let openedBy: Exclude<CircuitHealth, 'ok'> = 'failing';
  /** The last fault that was reported. A trial that fails for the same reason is not reported again. */
  let reported: string | undefined;
  /** The destination asked that nothing is sent until this time of `performance.now()`. */
  let askedUntil = 0;

  function breakLeft(): number {
    const until = circuit.stage === 'open' ? Math.max(circuit.until, askedUntil) : askedUntil;
    return Math.max(0, until - performance.now());
  }

  /** Each break is twice as long as the one before, and partly random, so that processes do not resume together. */
  function open(error: DeliveryError, breaks: number) {
    const longest = Math.min(longestBreak, firstBreak * 2 ** (breaks - 1));
    const duration = Math.round(longest * (0.5 + Math.random() / 2));
    circuit = {stage: 'open', until: performance.now() + duration, breaks};
    openedBy = healthAfter(error);
    const reason = error.message;
    if (reason !== reported) {
      const until = Date.now() + duration;
      emit({type: 'circuit-opened', destination: name, state: openedBy, reason, until});
    }
    reported = reason;
  }

  function close() {
    circuit = {stage: 'closed', failures: 0};
    reported = undefined;
    emit({type: 'circuit-closed', destination: name});
  }

  /** The wait that a destination asks for with the reply to one lead holds for all its leads, but not for long. */
  function takeAskedBreak({retryAfter, message}: DeliveryError, lead: string) {
    const duration = Math.min(retryAfter, longestAskedBreak);
    const until = performance.now() + duration;
    if (duration === 0 || until <= askedUntil) return;
    // Deliveries that were in progress when the break began may prolong it, mostly by milliseconds.
    const isNews = askedUntil <= performance.now() || until - askedUntil > 1_000;
    askedUntil = until;
    if (isNews) {
      const facts = {lead, reason: message, until: Date.now() + duration};
      emit({type: 'break-asked', destination: name, ...facts});
    }
  }

  /** @param trial the circuit before the attempt, if the attempt was a trial */
  function succeeded(trial: Open | undefined) {
    if (trial) close();
    else if (circuit.stage === 'closed') circuit.failures = 0;
  }

  function failed(error: DeliveryError, lead: string, trial: Open | undefined) {
    if (trial) open(error, trial.breaks + 1);
    else if (circuit.stage === 'closed') {
      circuit.failures += 1;
      if (circuit.failures >= failuresToOpen[error.fault]) open(error, 1);
    }
    takeAskedBreak(error, lead);
  }

  async function attempt<Result>({lead, latest, work}: Attempt<Result>): Promise<Result> {
    if (performance.now() > latest) throw new NotTried('There was no room for the delivery in time');
    const left = breakLeft();
    if (left > 0) throw new NotTried(breakMessage, left);
    if (circuit.stage === 'trial') {
      // The first delivery of the request is the trial, and all others end as it does.
      if (goTogether) return work();
      // Another delivery is the trial now. This one does not wait for the trial's outcome, because its own lease could
      // end first.
      throw new NotTried(breakMessage);
    }
    const trial = circuit.stage === 'open' ? circuit : undefined;
    if (trial) circuit = {stage: 'trial'};
    try {
      const result = await work();
      succeeded(trial);
      return result;
    } catch (error) {
      if (error instanceof NotTried) circuit = trial ?? circuit;
      else if (concernsAll(error)) failed(error, lead, trial);
      else succeeded(trial);
      throw error;
    }
  }

  const queue = bulkhead(maxParallel, maxWaiting);
  const isFull = () => queue.queueSlots === 0;
  return {
    execute: (given) =>
      queue
        .execute(() => attempt(given))
        .catch((error: unknown) => {
          throw error instanceof BulkheadRejectedError ? new NotTried('Too many deliveries wait') : error;
        }),
    full: isFull,
    room() {
      if (isFull() || breakLeft() > 0 || circuit.stage === 'trial') return 0;
      return circuit.stage === 'closed' || goTogether ? maxParallel : 1;
    },
    endBreak() {
      const wasBreak = breakLeft() > 0;
      askedUntil = 0;
      if (circuit.stage === 'open') circuit.until = 0;
      return wasBreak;
    },
    state() {
      if (circuit.stage !== 'closed') return openedBy;
      return breakLeft() > 0 ? 'failing' : 'ok';
    },
  };
}

const breakMessage = 'Nothing is sent for a while, because the destination failed or asked for that';

function healthAfter(error: DeliveryError): Exclude<CircuitHealth, 'ok'> {
  if (error.fault === 'misconfigured') return 'misconfigured';
  return error.unreadable ? 'unreadable' : 'failing';
}
