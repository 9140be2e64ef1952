/** Counters in the memory of this process. Their number is bounded, so that made-up names cannot fill the memory. */

export type Counter = {
  name: string;
  /** Milliseconds after its first increment at which the counter expires. */
  window: number;
  /** True if every increment restarts the window. */
  renew?: boolean;
};

/** `endsAt` in milliseconds since 1970. */
export type Count = {count: number; endsAt: number};

export type MemoryCounters = {
  /** Adds one. */
  increment(counter: Counter): Count;
  /** Undefined for a counter that does not exist or has expired. */
  find(name: string): Count | undefined;
  set(name: string, count: Count): void;
};

/** Beyond this number, the least recently changed counter is dropped. A counter takes about 200 bytes. */
const maxCounters = 100_000;

export function createMemoryCounters(): MemoryCounters {
  const counters = new Map<string, Count>();

  function find(name: string): Count | undefined {
    const found = counters.get(name);
    return found && found.endsAt > Date.now() ? found : undefined;
  }

  function set(name: string, count: Count) {
    // A Map keeps the order of insertion, so a counter that is deleted and set again becomes the last one.
    counters.delete(name);
    counters.set(name, count);
    if (counters.size <= maxCounters) return;
    const [oldest] = counters.keys();
    if (oldest !== undefined) counters.delete(oldest);
  }

  return {
    find,
    set,
    increment({name, window, renew = false}) {
      const before = find(name);
      const endsAt = before && !renew ? before.endsAt : Date.now() + window;
      const after = {count: (before?.count ?? 0) + 1, endsAt};
      set(name, after);
      return after;
    },
  };
}
