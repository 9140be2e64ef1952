/** Limits per address, in Redis where several processes share them, else in memory. */
import {MemoryStore, rateLimit, type ClientRateLimitInfo, type Options, type Store} from 'express-rate-limit';
import type {RequestHandler} from 'express';
import type {Logger} from 'pino';
import {RedisStore} from 'rate-limit-redis';
import {createClient} from 'redis';
import {ProblemError} from './problem-replies.ts';

const minute = 60_000;

export type Limits = {
  /** @param perMinute requests of one address */
  perAddress(name: string, perMinute: number): RequestHandler;
  close(): Promise<void>;
};

/** What the log says of Redis, once each time it changes. */
type RedisWatch = {
  isReady(): boolean;
  onReady(work: () => void): void;
  sayUp(): void;
  sayAway(): void;
};

/** A store that counts in memory while Redis is away: leads are not refused for a fault of ours. */
class SharedStore implements Store {
  readonly #shared: Store;
  readonly #own = new MemoryStore();
  readonly #redis: RedisWatch;

  constructor(shared: Store, redis: RedisWatch) {
    this.#shared = shared;
    this.#redis = redis;
  }

  init(options: Options) {
    this.#own.init(options);
    // Only a Redis that is there can be prepared, and one that restarted must be again.
    this.#redis.onReady(() => void Promise.resolve(this.#shared.init?.(options)).catch(() => undefined));
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    return this.#either((store) => store.increment(key));
  }

  decrement(key: string): Promise<void> {
    return this.#either((store) => store.decrement(key));
  }

  resetKey(key: string): Promise<void> {
    return this.#either((store) => store.resetKey(key));
  }

  async #either<Result>(work: (store: Store) => Promise<Result> | Result): Promise<Result> {
    if (!this.#redis.isReady()) return work(this.#own);
    try {
      const result = await work(this.#shared);
      this.#redis.sayUp();
      return result;
    } catch {
      this.#redis.sayAway();
      return work(this.#own);
    }
  }
}

/** @param redisUrl memory alone where there is none */
export function createLimits(redisUrl: string | undefined, log: Logger): Limits {
  const redis = redisUrl
    ? createClient({
        url: redisUrl,
        disableOfflineQueue: true,
        commandOptions: {timeout: 250},
        socket: {connectTimeout: 1_000, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 5_000)},
      })
    : undefined;
  let wasUp = true;
  const watch: RedisWatch = {
    isReady: () => redis?.isReady ?? false,
    onReady: (work) => void redis?.on('ready', work),
    sayUp() {
      if (!wasUp) log.info('Redis is back: rate limits are shared again');
      wasUp = true;
    },
    sayAway() {
      if (wasUp) log.warn('Redis is away: rate limits count in memory');
      wasUp = false;
    },
  };
  redis?.on('error', () => watch.sayAway());
  redis?.on('ready', () => watch.sayUp());
  redis?.connect().catch(() => undefined);

  const storeFor = (name: string): Store => {
    if (!redis) return new MemoryStore();
    const shared = new RedisStore({
      prefix: `lead-prequal:${name}:`,
      sendCommand: (...command: string[]) => redis.sendCommand(command),
    });
    return new SharedStore(shared, watch);
  };

  return {
    perAddress: (name, perMinute) =>
      rateLimit({
        windowMs: minute,
        limit: perMinute,
        identifier: name,
        // The newer draft hashes the address for every answer, which costs more than all the rest.
        standardHeaders: 'draft-7',
        legacyHeaders: false,
        store: storeFor(name),
        keyGenerator: ({network}) => network,
        handler: () => {
          throw new ProblemError('too-many-requests', 'Please wait a moment before you try again.');
        },
      }),
    close: async () => {
      redis?.destroy();
      await Promise.resolve();
    },
  };
}
