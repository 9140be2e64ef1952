/**
 * Counters that expire, for rate limits and quotas. With Redis all processes share them. Without Redis, and while it
 * cannot be used, each process counts in its own memory.
 */
import {randomUUID} from 'node:crypto';
import type {Emit} from '../../observe/observations.ts';
import {createMemoryCounters, type Count, type Counter} from './memory-counters.ts';
import {connectRedis} from './redis-connection.ts';

/**
 * Where a number was counted: `shared` for Redis, else an id of this process. Numbers from two backends cannot be
 * compared.
 */
export type Backend = {backend: string};

export type Counters = {
  /** Adds one to a counter. */
  increment(counter: Counter): Promise<Count & Backend>;
  /** The values of several counters, read in one request; 0 for a counter that does not exist. */
  read(names: readonly string[]): Promise<{counts: number[]} & Backend>;
  close(): void;
};

/** @param redisUrl without one, counters are kept in memory only */
export function createCounters(redisUrl: string | undefined, emit: Emit): Counters {
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl, emit);
  const memory = createMemoryCounters();
  const shared = 'shared';
  const own = randomUUID();
  const keyOf = (name: string) => `lead-prequal:${name}`;

  return {
    async increment(counter) {
      const {name, window, renew = false} = counter;
      const reply = await redis?.run((client) => client.incrementCounter(keyOf(name), window, renew));
      if (!reply) return {...memory.increment(counter), backend: own};
      return {...reply, backend: shared};
    },

    async read(names) {
      const reply = await redis?.run((client) => client.mGet(names.map(keyOf)));
      if (reply) return {counts: reply.map(Number), backend: shared};
      return {counts: names.map((name) => memory.find(name)?.count ?? 0), backend: own};
    },

    close: () => redis?.close(),
  };
}
