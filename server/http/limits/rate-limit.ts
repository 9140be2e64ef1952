/** Limits how many requests of one kind a network may send in a minute. */
import type {RequestHandler} from 'express';
import type {Counters} from './counters.ts';
import {countInNetworks} from './network-count.ts';
import {ProblemError} from '../../leads/problem-error.ts';

const minute = 60_000;

/** Makes the middleware that limits one kind of request. */
export type RateLimits = (name: string, perMinute: number) => RequestHandler;

/** Sends the headers of draft 7 of RateLimit fields. Draft 8 would put a hash of the address into every response. */
export function createRateLimits(counters: Counters): RateLimits {
  return (name, perMinute) =>
    async ({network}, response, next) => {
      const limit = {what: name, window: minute, limit: perMinute};
      const {count, left} = await countInNetworks(counters, limit, network);
      const seconds = String(Math.max(0, Math.ceil(left / 1_000)));
      const remaining = Math.max(0, perMinute - count);
      response.setHeader('RateLimit-Policy', `${perMinute};w=60`);
      response.setHeader('RateLimit', `limit=${perMinute}, remaining=${remaining}, reset=${seconds}`);
      if (count <= perMinute) return next();
      response.setHeader('Retry-After', seconds);
      throw new ProblemError('too-many-requests', 'Please wait a moment before you try again.');
    };
}
