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
import {reasonOf, StoreError} from '../leads/store-errors.ts';
import type {Emit} from '../observe/observations.ts';
import {DeliveryError, type DeliveryFault} from './destination.ts';

/**
 * - `failing`: the destination cannot be reached, fails for one lead after another, or asked for a break
 * - `misconfigured`: the destination refuses the configured credentials or address
 * - `unreadable`: its replies break the specification
 */
type CircuitHealth = 'ok' | 'failing' | 'misconfigured' | 'unreadable';

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

/** No request was sent, and none will be: the delivery ends. It says nothing about the destination. */
export class NeverTried extends NotTried {
  readonly state: 'dropped' | 'skipped';
  constructor(message: string, state: NeverTried['state'] = 'dropped') {
    super(message);
    this.state = state;
  }
}

/** For what is read from the store before something is sent: if that fails, the delivery waits for the store. */
export const orNotTried = (error: unknown): never => {
  throw error instanceof StoreError ? new NotTried(reasonOf(error)) : error;
};

/**
 * A delivery that enters the queue.
 * - `lead`: its id, for the log
 * - `latest`: the time of `performance.now()` after which the attempt must not begin
 * - `work`: makes the attempt. It throws `NotTried` if no request was sent
 */
type Attempt<Result> = {lead: string; latest: number; work: () => Promise<Result>};

export type Breaker = ReturnType<typeof createBreaker>;

/** Nothing is sent until `until`, a time of `performance.now()`. `breaks` counts the breaks in a row. */
type Open = {stage: 'open'; until: number; breaks: number};

/**
 * All faults share one circuit. With one for each, a successful trial would close all of them, although only one kind of
 * fault is gone.
 */
type Circuit = {
  destination: string;
  emit: Emit;
  timings: Timings;
  state: {stage: 'closed'; failures: number} | Open | {stage: 'trial'};
  openedBy: Exclude<CircuitHealth, 'ok'>;
  /** The last fault that was reported. A trial that fails for the same reason is not reported again. */
  reported: string | undefined;
  /** The destination asked that nothing is sent until this time of `performance.now()`. */
  askedUntil: number;
};

/** The maximum number of deliveries in the queue of one destination. All others wait in the outbox. */
const maxWaiting = 100;
/** Failures in a row after which the circuit opens. One is enough for a wrong password, which fails for every lead. */
const failuresToOpen: Record<DeliveryFault, number> = {misconfigured: 1, failed: 5, ambiguous: 5};

/** A failure that concerns only its own lead says nothing about other leads, so the circuit does not count it. */
const concernsAll = (error: unknown): error is DeliveryError =>
  error instanceof DeliveryError && !error.aboutLead;

/** @param maxParallel the maximum number of deliveries that are in progress at once */
export function createBreaker(name: string, maxParallel: number, emit: Emit, timings: Timings) {
  const circuit: Circuit = {
    destination: name,
    emit,
    timings,
    state: {stage: 'closed', failures: 0},
    openedBy: 'failing',
    reported: undefined,
    askedUntil: 0,
  };
  const queue = bulkhead(maxParallel, maxWaiting);
  const isFull = () => queue.queueSlots === 0;
  return {
    /** @throws NotTried during a break, when the queue is full, or when the delivery could not begin before `latest` */
    execute: <Result>(given: Attempt<Result>): Promise<Result> =>
      queue
        .execute(() => attempt(circuit, given))
        .catch((error: unknown) => {
          throw error instanceof BulkheadRejectedError ? new NotTried('Too many deliveries wait') : error;
        }),
    /** True while the queue is full. */
    full: isFull,
    /** How many deliveries may begin now: none during a break. After the break one may, as a trial. */
    room() {
      const {stage} = circuit.state;
      if (isFull() || breakLeft(circuit) > 0 || stage === 'trial') return 0;
      return stage === 'closed' ? maxParallel : 1;
    },
    /**
     * Ends the break, for an operator who knows that the destination works again. One delivery is the trial.
     * @returns whether there was a break
     */
    endBreak() {
      const wasBreak = breakLeft(circuit) > 0;
      circuit.askedUntil = 0;
      if (circuit.state.stage === 'open') circuit.state.until = 0;
      return wasBreak;
    },
    state(): CircuitHealth {
      if (circuit.state.stage !== 'closed') return circuit.openedBy;
      return breakLeft(circuit) > 0 ? 'failing' : 'ok';
    },
  };
}

async function attempt<Result>(circuit: Circuit, {lead, latest, work}: Attempt<Result>): Promise<Result> {
  if (performance.now() > latest) throw new NotTried('There was no room for the delivery in time');
  const left = breakLeft(circuit);
  if (left > 0) throw new NotTried(breakMessage, left);
  if (circuit.state.stage === 'trial') {
    // Another delivery is the trial now. This one does not wait for the trial's outcome, because its own lease could
    // end first.
    throw new NotTried(breakMessage);
  }
  const trial = circuit.state.stage === 'open' ? circuit.state : undefined;
  if (trial) circuit.state = {stage: 'trial'};
  try {
    const result = await work();
    succeeded(circuit, trial);
    return result;
  } catch (error) {
    if (error instanceof NotTried) circuit.state = trial ?? circuit.state;
    else if (concernsAll(error)) failed(circuit, error, lead, trial);
    else succeeded(circuit, trial);
    throw error;
  }
}

/** @param trial the state before the attempt, if the attempt was a trial */
function succeeded(circuit: Circuit, trial: Open | undefined) {
  if (trial) close(circuit);
  else if (circuit.state.stage === 'closed') circuit.state.failures = 0;
}

function failed(circuit: Circuit, error: DeliveryError, lead: string, trial: Open | undefined) {
  const {state} = circuit;
  if (trial) open(circuit, error, trial.breaks + 1);
  else if (state.stage === 'closed') {
    state.failures += 1;
    if (state.failures >= failuresToOpen[error.fault]) open(circuit, error, 1);
  }
  takeAskedBreak(circuit, error, lead);
}

/** Each break is twice as long as the one before, and partly random, so that processes do not resume together. */
function open(circuit: Circuit, error: DeliveryError, breaks: number) {
  const {destination, emit, timings, reported} = circuit;
  const longest = Math.min(timings.longestBreak, timings.firstBreak * 2 ** (breaks - 1));
  const duration = Math.round(longest * (0.5 + Math.random() / 2));
  const [state, reason] = [healthAfter(error), error.message];
  circuit.state = {stage: 'open', until: performance.now() + duration, breaks};
  circuit.openedBy = state;
  circuit.reported = reason;
  if (reason !== reported)
    emit({type: 'circuit-opened', destination, state, reason, until: Date.now() + duration});
}

function close(circuit: Circuit) {
  circuit.state = {stage: 'closed', failures: 0};
  circuit.reported = undefined;
  circuit.emit({type: 'circuit-closed', destination: circuit.destination});
}

/** The wait that a destination asks for with the reply to one lead holds for all its leads, but not for long. */
function takeAskedBreak(circuit: Circuit, {retryAfter, message}: DeliveryError, lead: string) {
  const {destination, emit, timings, askedUntil} = circuit;
  const duration = Math.min(retryAfter, timings.longestAskedBreak);
  const until = performance.now() + duration;
  if (duration === 0 || until <= askedUntil) return;
  circuit.askedUntil = until;
  // Deliveries that were in progress when the break began may prolong it, mostly by milliseconds.
  const isNew = askedUntil <= performance.now() || until - askedUntil > 1_000;
  if (isNew) {
    const facts = {lead, reason: message, until: Date.now() + duration};
    emit({type: 'break-asked', destination, ...facts});
  }
}

function breakLeft({state, askedUntil}: Circuit): number {
  const until = state.stage === 'open' ? Math.max(state.until, askedUntil) : askedUntil;
  return Math.max(0, until - performance.now());
}

const breakMessage = 'Nothing is sent for a while, because the destination failed or asked for that';

function healthAfter(error: DeliveryError): Exclude<CircuitHealth, 'ok'> {
  if (error.fault === 'misconfigured') return 'misconfigured';
  return error.unreadable ? 'unreadable' : 'failing';
}
