/**
 * Counters in the memory of this process. Their number is bounded, so that made-up names cannot fill the memory. They
 * expire by the monotonic clock: a clock that is set back would lock out those who had reached a limit.
 */

export type Counter = {
  name: string;
  /** Milliseconds after its first increment at which the counter expires. */
  window: number;
  /** True if every increment restarts the window. */
  renew?: boolean;
};

/** The value of a counter, and the milliseconds until it expires. */
export type Count = {count: number; left: number};

export type MemoryCounters = {
  /** Adds one. */
  increment(counter: Counter): Count;
  /** Undefined for a counter that does not exist or has expired. */
  find(name: string): Count | undefined;
  set(name: string, count: Count): void;
};

/** `endsAt` in milliseconds of `performance.now()`. */
type Kept = {count: number; endsAt: number};

/** Beyond this number, the least recently changed counter is dropped. A counter takes about 200 bytes. */
const maxCounters = 100_000;

export function createMemoryCounters(): MemoryCounters {
  const counters = new Map<string, Kept>();

  function find(name: string): Count | undefined {
    const {count = 0, endsAt = 0} = counters.get(name) ?? {};
    const left = endsAt - performance.now();
    return left > 0 ? {count, left} : undefined;
  }

  function set(name: string, {count, left}: Count) {
    // A Map keeps the order of insertion, so a counter that is deleted and set again becomes the last one.
    counters.delete(name);
    counters.set(name, {count, endsAt: performance.now() + left});
    if (counters.size <= maxCounters) return;
    const [oldest] = counters.keys();
    if (oldest !== undefined) counters.delete(oldest);
  }

  return {
    find,
    set,
    increment({name, window, renew = false}) {
      const before = find(name);
      const left = before && !renew ? before.left : window;
      const after = {count: (before?.count ?? 0) + 1, left};
      set(name, after);
      return after;
    },
  };
}
