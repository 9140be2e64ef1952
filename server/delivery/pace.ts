/** How long everything about a delivery takes, in milliseconds: one object, so that tests need not wait. */
export type Pace = typeof usualPace;

export const usualPace = {
  /** A visitor waits this long for the upstream; the delivery goes on after that. */
  patience: 2_500,
  /** For one delivery as a whole, once it has begun. */
  delivery: 30_000,
  /** For writing down what came of it. */
  settling: 5_000,
  /** A delivery belongs to its taker; one whose taker died is taken up after that. */
  lease: 45_000,
  /** Between two attempts, at random up to a limit that doubles. */
  firstWait: 1_000,
  longestWait: 900_000,
  /** For which nothing is sent to an upstream that fails. */
  firstBreak: 1_000,
  longestBreak: 30_000,
  /** Between two attempts to write down what the upstream said, longer each time. */
  firstRewrite: 100,
  longestRewrite: 2_000,
  /** Between looks into the outbox: with something to do, and with nothing. */
  tick: 100,
  idle: 500,
  /** From the signal to stop until deliveries under way are cut off, and for noting that; the process has 10 s. */
  end: 8_000,
  parting: 1_000,
};
