/**
 * Counters that end by themselves, for limits and quotas. Processes share them in Redis where one is configured;
 * without Redis, and while it is away, each process counts in its own memory.
 */
import {randomUUID} from 'node:crypto';
import type {Logger} from 'pino';
import {createMemoryCounts, type Addition, type Count} from './memory-counts.ts';
import {connectRedis} from './shared-redis.ts';

export type Counts = {
  /** Adds one to each counter, in one step. */
  add(additions: readonly Addition[]): Promise<{counts: Count[]; place: string}>;
  /** 0 where nothing was counted. */
  read(names: readonly string[]): Promise<{counts: number[]; place: string}>;
  close(): void;
};

/** Where counters stand: numbers that were counted in different places cannot be compared. */
const sharedPlace = 'shared';

/** @param redisUrl memory alone where there is none */
export function createCounts(redisUrl: string | undefined, log: Logger): Counts {
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl, log);
  const memory = createMemoryCounts();
  const ownPlace = randomUUID();
  const keyOf = (name: string) => `lead-prequal:${name}`;

  return {
    async add(additions) {
      const keys = additions.map(({name}) => keyOf(name));
      const values = additions.flatMap(({window, renew}) => ['1', String(window), renew ? '1' : '0']);
      const reply = await redis?.ask((client) => client.addToCounts(keys, values));
      if (!reply) return {counts: additions.map((addition) => memory.add(addition)), place: ownPlace};
      const now = Date.now();
      const counts = keys.map((_, index) => ({
        count: reply[2 * index]!,
        endsAt: now + reply[2 * index + 1]!,
      }));
      return {counts, place: sharedPlace};
    },

    async read(names) {
      const reply = await redis?.ask((client) => client.mGet(names.map(keyOf)));
      if (reply) return {counts: reply.map(Number), place: sharedPlace};
      return {counts: names.map((name) => memory.find(name)?.count ?? 0), place: ownPlace};
    },

    close: () => redis?.close(),
  };
}
