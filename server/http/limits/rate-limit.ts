/** Limits how many requests of one kind a network may send in a minute. */
import {rateLimit, type Store} from 'express-rate-limit';
import type {RequestHandler} from 'express';
import type {Counters} from './counters.ts';
import {countInNetworks, type NetworkLimit} from './network-count.ts';
import {ProblemError} from '../problem-replies.ts';

const minute = 60_000;

/** Makes the middleware that limits one kind of request. */
export type RateLimits = (name: string, perMinute: number) => RequestHandler;

/** Our counters as a store of express-rate-limit. It never decrements or resets one, because every request counts. */
const storeFor = (counters: Counters, limit: NetworkLimit): Store => ({
  async increment(network) {
    const {count, left} = await countInNetworks(counters, limit, network);
    return {totalHits: count, resetTime: new Date(Date.now() + left)};
  },
  decrement: () => undefined,
  resetKey: () => undefined,
});

export function createRateLimits(counters: Counters): RateLimits {
  return (name, perMinute) =>
    rateLimit({
      windowMs: minute,
      limit: perMinute,
      identifier: name,
      // Draft 8 would hash the address for every response, which costs more than the rest of this middleware.
      standardHeaders: 'draft-7',
      legacyHeaders: false,
      store: storeFor(counters, {what: name, window: minute, limit: perMinute}),
      keyGenerator: ({network}) => network,
      handler: () => {
        throw new ProblemError('too-many-requests', 'Please wait a moment before you try again.');
      },
    });
}
