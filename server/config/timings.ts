/**
 * Time limits that depend on one another, in milliseconds. Each is computed from those that it depends on. Limits on
 * which nothing depends are in the files that use them.
 */

/** A day in UTC. */
export const dayLength = 24 * 3_600_000;

/** An attempt to deliver a lead is given up after this time. */
const delivery = 30_000;
/** Time that the lease leaves for storing the outcome of a delivery. */
const settling = 5_000;
/** How long a claimed delivery may wait in the queue of its destination before the attempt must begin. */
const queueing = 10_000;

/**
 * How long a statement waits for a lock. The server's own statements lock only briefly; an operator may lock for long.
 */
const lock = 5_000;
/** PostgreSQL ends a statement that takes longer. The request then gets a 503, and the lead is not stored. */
const statement = lock + 3_000;
/**
 * If PostgreSQL does not reply by then, for example because the network is down, the connection is given up.
 */
const reply = statement + 1_000;
/** How long a visitor waits for the answer of a destination. The delivery goes on after that. */
const answerWait = 2_500;

/**
 * After the signal to stop, or after the drain that follows it (`DRAIN_SECONDS`), the process ends within this time.
 * Process managers kill a process that takes longer: Docker after 10 s, Kubernetes after 30 s, systemd after 90 s.
 */
const processEnd = 10_000;
/** The last part of `processEnd`: closing the store and writing the log. */
const closing = 1_000;
/** The part of `processEnd` before `closing`: storing the outcome of deliveries that were cut off. */
const lastWrites = 1_000;
const deliveriesEnd = processEnd - closing - lastWrites;
/** A lead that came with one of the last requests has this time to be delivered. */
const lastDelivery = 1_000;

/**
 * The time limits of deliveries and of the end of the process. Tests pass shorter limits, so that they need not wait.
 */
export type Timings = typeof usualTimings;

export const usualTimings = {
  answerWait,
  /**
   * How long a request waits for the store, and for the answer of a destination, before it gets a 503. A connection is
   * closed when it was silent for longer (`silence` in http/connections.ts).
   */
  requestWait: reply + answerWait + 500,
  delivery,
  settling,
  /**
   * For this time, a delivery belongs to the process that claimed it. Then any process may claim it, because the first
   * process may have died. An attempt that could last longer than the lease is not started, so that no lead is sent
   * twice.
   */
  lease: queueing + delivery + settling,
  /**
   * The time between two attempts is random, up to a limit. The limit doubles each time, from the first to the longest.
   */
  firstRetry: 1_000,
  longestRetry: 900_000,
  /** How many waiting leads are sent to a destination in a second, unless it has `per_second`. */
  leadsPerSecond: 20,
  /** A delivery that takes an event, and not a lead, is given up after failing for this long. */
  eventsGivenUpAfter: 3 * dayLength,
  /** The event of a stop or an erasure is never given up. Where its receiver refuses it for good, it is tried again so often. */
  refusedRetry: dayLength,
  /** How long an open circuit breaker sends nothing to its destination. The time doubles each time it opens again. */
  firstBreak: 1_000,
  longestBreak: 30_000,
  /**
   * With its reply to one lead, a destination may ask that nothing is sent to it for a while (`Retry-After`). Other
   * leads wait at most this long, because the destination may work again much earlier.
   */
  longestAskedBreak: 5 * 60_000,
  /** The time between two attempts to store the outcome of a delivery. It grows each time. */
  firstWriteRetry: 100,
  longestWriteRetry: 2_000,
  /** How often the worker queries the outbox: while deliveries are due, and while none are. */
  busyPoll: 100,
  idlePoll: 500,
  /** How often the outbox is searched for deliveries that no worker would find. */
  outboxCheck: 60_000,
  /**
   * Alerts by e-mail: how often each process looks, and how long something lasts, or is over, until it is told. A restart at
   * a destination takes a minute or two. `lease`: for how long an e-mail belongs to the process that sends it, and the time
   * between two attempts while the mail server fails.
   */
  alerts: {check: 60_000, after: 5 * 60_000, every: dayLength, lease: 15 * 60_000},
  /** How often, at most, the metrics read the store, however often somebody asks for them. */
  storeReadings: 15_000,
  /** How often the numbers of requests for versions of the form are stored. */
  requestCounts: 10_000,
  /** How often the times are stored at which destinations took deliveries. */
  addressUses: 60_000,
  /** How often what was kept long enough is erased. The first time is within a minute: only then is it known what is left. */
  retentionEvery: 3_600_000,
  /** Between two slices, in which others can write. */
  retentionPause: 100,
  /**
   * Digests for searches by person: how often each process writes them, the pause between two slices, and how old a lead must
   * be. Until then, it may not be committed yet, and clocks may differ by half of this time.
   */
  digests: {every: 15_000, pause: 25, age: 40_000},
  /** How often each process reads the keys of statements about consents, which operators may change. */
  evidenceKeys: 5_000,
  /** Of encrypting what is in clear: between two lines that say how far it is, and between two attempts while the store fails. */
  encrypting: {said: 60_000, retry: 60_000},
  /** The time between two attempts to remove what was erased from the files, while somebody reads them. */
  purgeRetry: 5_000,
  /** The time from the signal to stop until requests in progress are cut off. */
  requestsEnd: deliveriesEnd - lastDelivery,
  /** The time from the signal to stop until deliveries in progress are cut off. */
  deliveriesEnd,
  lastWrites,
  processEnd,
};

/** The time limits of PostgreSQL: of each statement, and of a request that waits for another one. */
export const databaseTimings = {
  lock,
  statement,
  reply,
  /** How long a request waits while another process stores a lead under the same idempotency key. */
  keyWait: 5_000,
};
