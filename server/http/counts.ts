/**
 * Counters that end by themselves, for limits and quotas. Processes share them in Redis where one is configured;
 * without Redis, and while it is away, each process counts in its own memory.
 */
import {randomUUID} from 'node:crypto';
import type {Logger} from 'pino';
import {connectRedis} from './shared-redis.ts';

export type Addition = {
  name: string;
  /** Milliseconds that a counter lives after its first addition. */
  window: number;
  /** Every addition begins the window anew. */
  renew?: boolean;
};

/** `endsAt` in milliseconds since 1970. */
export type Count = {count: number; endsAt: number};

export type Counts = {
  /** Adds one to each counter, in one step. */
  add(additions: readonly Addition[]): Promise<{counts: Count[]; place: string}>;
  /** 0 where nothing was counted. */
  read(names: readonly string[]): Promise<{counts: number[]; place: string}>;
  close(): void;
};

/** Where counters stand: numbers that were counted in different places cannot be compared. */
const sharedPlace = 'shared';
/** Of one process; the counters that were not used for the longest time go first. About 200 bytes each. */
const mostInMemory = 100_000;

/** @param redisUrl memory alone where there is none */
export function createCounts(redisUrl: string | undefined, log: Logger): Counts {
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl, log);
  const memory = countInMemory();
  const keyOf = (name: string) => `lead-prequal:${name}`;

  return {
    async add(additions) {
      const keys = additions.map(({name}) => keyOf(name));
      const values = additions.flatMap(({window, renew}) => ['1', String(window), renew ? '1' : '0']);
      const reply = await redis?.ask((client) => client.addToCounts(keys, values));
      if (!reply) return memory.add(additions);
      const now = Date.now();
      const counts = keys.map((_, index) => ({
        count: reply[2 * index]!,
        endsAt: now + reply[2 * index + 1]!,
      }));
      return {counts, place: sharedPlace};
    },

    async read(names) {
      const reply = await redis?.ask((client) => client.mGet(names.map(keyOf)));
      return reply ? {counts: reply.map(Number), place: sharedPlace} : memory.read(names);
    },

    close: () => redis?.close(),
  };
}

function countInMemory() {
  const place = randomUUID();
  const known = new Map<string, Count>();

  function find(name: string): Count | undefined {
    const found = known.get(name);
    return found && found.endsAt > Date.now() ? found : undefined;
  }

  function addOne({name, window, renew = false}: Addition): Count {
    const before = find(name);
    const endsAt = before && !renew ? before.endsAt : Date.now() + window;
    const after = {count: (before?.count ?? 0) + 1, endsAt};
    // A Map keeps the order of insertion: the one that was used last stands last.
    known.delete(name);
    known.set(name, after);
    if (known.size > mostInMemory) known.delete(known.keys().next().value!);
    return after;
  }

  return {
    add: (additions: readonly Addition[]) => ({counts: additions.map(addOne), place}),
    read: (names: readonly string[]) => ({counts: names.map((name) => find(name)?.count ?? 0), place}),
  };
}
