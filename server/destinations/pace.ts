/** Decides when deliveries to a destination may begin: a number of them in each second. */

export type Pace = ReturnType<typeof createPace>;

/**
 * A token bucket.
 * @param perSecond tokens that are added in a second
 * @param interval milliseconds. The bucket holds no more tokens than are added in this time, so that the deliveries of
 *   a second do not all begin together
 */
export function createPace(perSecond: number, interval: number) {
  const capacity = Math.max(1, (perSecond * interval) / 1_000);
  let tokens = 1;
  let refilledAt = performance.now();

  return {
    /** How many deliveries may begin now. */
    available() {
      const now = performance.now();
      tokens = Math.min(capacity, tokens + ((now - refilledAt) / 1_000) * perSecond);
      refilledAt = now;
      return Math.floor(tokens);
    },
    /** Counts deliveries that begin now. */
    take(count: number) {
      tokens -= count;
    },
  };
}
