/**
 * Decides when deliveries to a destination may begin: a number of them in each second, or all together at certain
 * times.
 */

export type Pace = {
  /** How many deliveries may begin now. */
  available(): number;
  /** Counts deliveries that begin now. `isLast`: no further ones were due when these were claimed. */
  take(count: number, isLast: boolean): void;
  /** Must be called when an attempt failed. */
  failed(): void;
};

/**
 * A token bucket.
 * @param perSecond tokens that are added in a second
 * @param interval milliseconds. The bucket holds no more tokens than are added in this time, so that the deliveries of
 *   a second do not all begin together
 */
export function createPace(perSecond: number, interval: number): Pace {
  const capacity = Math.max(1, (perSecond * interval) / 1_000);
  let tokens = 1;
  let refilledAt = performance.now();

  return {
    available() {
      const now = performance.now();
      tokens = Math.min(capacity, tokens + ((now - refilledAt) / 1_000) * perSecond);
      refilledAt = now;
      return Math.floor(tokens);
    },
    take(count) {
      tokens -= count;
    },
    failed: () => undefined,
  };
}

/** Milliseconds after which a round that failed is tried again. */
const retryPause = 60_000;
/**
 * Milliseconds. A round begins this late at most, even if the system clock was set back. The clock is trusted within
 * this time, because it may run a little slower than `performance.now()` while it is being corrected.
 */
const clockTolerance = 10_000;

/**
 * Rounds: at the start, and at the end of each period, everything that is due begins. What becomes due during a round
 * waits for the next one, because a round would otherwise not end while leads come all the time. All processes have
 * their rounds at the same time, because the periods are counted from 1970.
 * @param period milliseconds
 */
export function createRounds(period: number): Pace {
  const untilEndOfPeriod = () => period - (Date.now() % period);
  // The process may have been away at the end of a period, so the first round begins at once.
  let opensAt = 0;
  let opensBy = 0;
  function openIn(milliseconds: number) {
    opensAt = Date.now() + milliseconds;
    opensBy = performance.now() + milliseconds + clockTolerance;
  }

  return {
    available: () => (Date.now() < opensAt && performance.now() < opensBy ? 0 : Infinity),
    take(_count, isLast) {
      if (isLast) openIn(untilEndOfPeriod());
    },
    failed: () => openIn(Math.min(untilEndOfPeriod(), retryPause)),
  };
}
