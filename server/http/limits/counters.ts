/**
 * Counters that expire, for rate limits and quotas. With Redis, all processes share them. Without Redis, and while it cannot be
 * used, each process counts in its own memory.
 *
 * The names of counters in Redis are digests, so that nobody can read visitors' addresses there. The digests are keyed by the
 * token key that signs. When a reload brings another token key, the shared counters start again at 0: networks that were refused
 * gain at most one more window (a minute, or an hour for leads), and each process still knows the failures that it counted
 * itself. While servers have different token keys, they count apart.
 */
import {createHmac, randomUUID} from 'node:crypto';
import type {Emit} from '../../observe/observations.ts';
import {createMemoryCounters, kindOf, type Count, type Counter} from './memory-counters.ts';
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

/**
 * @param redisUrl if undefined, counters are kept in memory only
 * @param tokenKey returns the token key that signs now
 */
export function createCounters(redisUrl: string | undefined, tokenKey: () => string, emit: Emit): Counters {
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl, emit);
  const memory = createMemoryCounters();
  const own = randomUUID();
  const keyOf = (name: string) => {
    const digest = createHmac('sha256', tokenKey()).update(`counter\0${name}`).digest('base64url');
    return `lead-prequal:${kindOf(name)}${digest}`;
  };

  return {
    async increment(counter) {
      const {name, window, renew = false} = counter;
      const reply = await redis?.run((client) => client.incrementCounter(keyOf(name), window, renew));
      if (!reply) return {...memory.increment(counter), backend: own};
      return {...reply, backend: 'shared'};
    },

    async read(names) {
      const reply = await redis?.run((client) => client.mGet(names.map(keyOf)));
      if (reply) return {counts: reply.map(Number), backend: 'shared'};
      return {counts: names.map((name) => memory.find(name)?.count ?? 0), backend: own};
    },

    close: () => redis?.close(),
  };
}
