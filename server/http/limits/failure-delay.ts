/**
 * Delays the reply to a failed sign-in, longer with each failure of the address or the account, so that passwords
 * cannot be guessed quickly. Requests with correct credentials are never delayed. Addresses that fail too often are
 * refused by failure-limit.ts.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {networksAround} from '../../config/addresses.ts';
import {ProblemError, retryAfter} from '../../leads/problem-error.ts';
import {createMemoryCounters} from './memory-counters.ts';

/** Delays in milliseconds: after the first failure, and at most. */
const firstDelay = 50;
const maxDelay = 1_000;
/** Milliseconds without a further failure after which the failures of an address or account are forgotten. */
const window = 900_000;
/** When this many replies wait, further failures get a 429 at once, because each waiting reply takes memory. */
const maxWaiting = 50;

export type FailureDelay = (network: string, account: string) => Promise<void>;

export function createFailureDelay(): FailureDelay {
  const failures = createMemoryCounters();
  let waiting = 0;

  return async (network, account) => {
    const increment = (name: string) => failures.increment({name, window, renew: true}).count;
    const counts = [
      ...networksAround(network).map(({network: each, times}) => increment(`network:${each}`) / times),
      increment(`account:${account}`),
    ];
    if (waiting >= maxWaiting) {
      throw new ProblemError('too-many-requests', 'Too many failed sign-ins wait already.', retryAfter(1));
    }
    const failureCount = Math.max(...counts);
    waiting += 1;
    await sleep(Math.min(maxDelay, firstDelay * 2 ** Math.min(failureCount - 1, 10))).finally(() => {
      waiting -= 1;
    });
  };
}
