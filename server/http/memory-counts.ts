/** Counters in the memory of this process. Their number is bounded, whoever makes up new names. */

export type Addition = {
  name: string;
  /** Milliseconds that a counter lives after its first addition. */
  window: number;
  /** Every addition begins the window anew. */
  renew?: boolean;
};

/** `endsAt` in milliseconds since 1970. */
export type Count = {count: number; endsAt: number};

export type MemoryCounts = {
  /** Adds one. */
  add(addition: Addition): Count;
  /** Undefined where nothing was counted, or the window is over. */
  find(name: string): Count | undefined;
  set(name: string, count: Count): void;
};

/** The counters that were not used for the longest time are forgotten first. About 200 bytes each. */
const mostRemembered = 100_000;

export function createMemoryCounts(): MemoryCounts {
  const known = new Map<string, Count>();

  function find(name: string): Count | undefined {
    const found = known.get(name);
    return found && found.endsAt > Date.now() ? found : undefined;
  }

  function set(name: string, count: Count) {
    // A Map keeps the order of insertion: the counter that was used last stands last.
    known.delete(name);
    known.set(name, count);
    if (known.size > mostRemembered) known.delete(known.keys().next().value!);
  }

  return {
    find,
    set,
    add({name, window, renew = false}) {
      const before = find(name);
      const endsAt = before && !renew ? before.endsAt : Date.now() + window;
      const after = {count: (before?.count ?? 0) + 1, endsAt};
      set(name, after);
      return after;
    },
  };
}
