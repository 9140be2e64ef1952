/** Counts in memory what happens on each day, and stores the counts from time to time. */

/** Milliseconds. */
export const dayLength = 86_400_000;

export const startOfDay = (time: number): number => time - (time % dayLength);

/** `day` is when the day began in UTC, in milliseconds since 1970. */
export type DailyCount<Counted> = Counted & {day: number; requests: number};

export type DailyCounts<Counted> = {
  /** Counts one request. It never waits for the store. */
  count: (counted: Counted) => void;
  /** Stores what was counted so far. Later requests are not counted. */
  stop(): Promise<void>;
};

/**
 * @param add adds the numbers to those that are stored
 * @param interval milliseconds between two times at which the counts are stored
 */
export function startDailyCounts<Counted extends Readonly<Record<string, string>>>(
  add: (counts: DailyCount<Counted>[]) => Promise<void>,
  interval: number,
): DailyCounts<Counted> {
  let counts = new Map<string, DailyCount<Counted>>();
  let writing = Promise.resolve();
  let stopped: Promise<void> | undefined;

  function write(): Promise<void> {
    const batch = [...counts.values()];
    counts = new Map();
    // During an outage of the store, the counts are lost. Leads matter more, and the log has the outage already.
    if (batch.length > 0) writing = writing.then(() => add(batch)).catch(() => undefined);
    return writing;
  }
  const timer = setInterval(() => void write(), interval).unref();

  return {
    count(counted) {
      if (stopped) return;
      const day = startOfDay(Date.now());
      const key = JSON.stringify([day, counted]);
      const count = counts.get(key) ?? {...counted, day, requests: 0};
      count.requests += 1;
      counts.set(key, count);
    },
    stop() {
      clearInterval(timer);
      return (stopped ??= write());
    },
  };
}
