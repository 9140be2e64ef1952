/** How many requests of a kind one address may send in a minute. */
import {rateLimit, type Store} from 'express-rate-limit';
import type {RequestHandler} from 'express';
import type {Counts} from './counts.ts';
import {ProblemError} from './problem-replies.ts';

const minute = 60_000;

/** Makes the limit of one kind of request: that many of one address in a minute. */
export type RateLimits = (name: string, perMinute: number) => RequestHandler;

/** express-rate-limit only ever adds, for every request counts, whatever becomes of it. */
const storeOver = (counts: Counts, name: string): Store => ({
  async increment(network) {
    const {counts: added} = await counts.add([{name: `${name}:${network}`, window: minute}]);
    const {count, endsAt} = added[0]!;
    return {totalHits: count, resetTime: new Date(endsAt)};
  },
  decrement: () => undefined,
  resetKey: () => undefined,
});

export function createRateLimits(counts: Counts): RateLimits {
  return (name, perMinute) =>
    rateLimit({
      windowMs: minute,
      limit: perMinute,
      identifier: name,
      // The newer draft hashes the address for every answer, which costs more than all the rest.
      standardHeaders: 'draft-7',
      legacyHeaders: false,
      store: storeOver(counts, name),
      keyGenerator: ({network}) => network,
      handler: () => {
        throw new ProblemError('too-many-requests', 'Please wait a moment before you try again.');
      },
    });
}
