/**
 * Counters in the memory of this process. They expire by the monotonic clock: a clock that is set back would lock out those who
 * had reached a limit.
 *
 * Requests from many networks cannot fill the memory: each kind of counter has two generations, of 65,536 counters each. When
 * the younger one is full, it becomes the older one, and the older one is forgotten. A counter that changes moves to the younger
 * one. So a flood of networks pushes out only counters of the same kind that have not changed while 65,536 others did. A network
 * that was pushed out starts again at 0. That does not help an attacker, who with 65,536 networks has as many limits to use.
 */

export type Counter = {
  /** The kind of the counter and its owner, such as `results:192.0.2.7`. Kinds are constants in the code. */
  name: string;
  /** Milliseconds after its first increment at which the counter expires. All counters of a kind have the same window. */
  window: number;
  /** True if every increment restarts the window. */
  renew?: boolean;
};

/** The value of a counter, and the milliseconds until it expires. */
export type Count = {count: number; left: number};

/** `endsAt` in milliseconds of `performance.now()`. */
type Generation = Map<string, {count: number; endsAt: number}>;

/** The maximum number of counters in a generation. A counter takes about 150 bytes, so a kind takes up to 20 MB. */
const maxOfGeneration = 65_536;

/** The kind in a counter's name. Empty for a name without a colon, so that such names do not become kinds of their own. */
export const kindOf = (name: string) => name.slice(0, name.indexOf(':') + 1);

export function createMemoryCounters() {
  const kinds = new Map<string, {young: Generation; old: Generation; since: number}>();

  /** Undefined for a counter that does not exist or has expired. */
  function find(name: string): Count | undefined {
    const {young, old} = kinds.get(kindOf(name)) ?? {};
    const {count = 0, endsAt = 0} = young?.get(name) ?? old?.get(name) ?? {};
    const left = endsAt - performance.now();
    return left > 0 ? {count, left} : undefined;
  }

  function set({name, window}: Counter, {count, left}: Count): Count {
    const now = performance.now();
    const before = kinds.get(kindOf(name));
    // Once a window has passed since the younger generation began, all counters of the older one have expired.
    const isOver = !before || before.young.size >= maxOfGeneration || now - before.since > window;
    const kind = isOver ? {young: new Map(), old: before?.young ?? new Map(), since: now} : before;
    if (isOver) kinds.set(kindOf(name), kind);
    kind.young.set(name, {count, endsAt: now + left});
    return {count, left};
  }

  function increment(counter: Counter): Count {
    const {count, left} = find(counter.name) ?? {count: 0, left: counter.window};
    return set(counter, {count: count + 1, left: counter.renew ? counter.window : left});
  }

  return {find, set, increment};
}
