/**
 * Slows down the guessing of passwords, per address and per account. Correct credentials never come here, so a
 * stranger cannot slow an honest caller down. Addresses that fail too often are refused by failure-limit.ts.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {ProblemError} from './problem-replies.ts';

/** Milliseconds. */
const firstDelay = 50;
const longestDelay = 1_000;
const forgetAfter = 900_000;
/** Beyond this, failures are answered at once, with 429: waiting must not become a way to exhaust us. */
const mostWaiting = 50;
const mostRemembered = 10_000;

export type FailureDelay = (address: string, account: string) => Promise<void>;

export function createFailureDelay(): FailureDelay {
  const failures = new Map<string, {count: number; last: number}>();
  let waiting = 0;

  function countOne(name: string): number {
    const before = failures.get(name);
    const count = before && Date.now() - before.last < forgetAfter ? before.count + 1 : 1;
    failures.delete(name);
    failures.set(name, {count, last: Date.now()});
    if (failures.size > mostRemembered) failures.delete(failures.keys().next().value!);
    return count;
  }

  return async (address, account) => {
    const count = Math.max(countOne(`address ${address}`), countOne(`account ${account}`));
    if (waiting >= mostWaiting) {
      throw new ProblemError('too-many-requests', 'Too many failed sign-ins wait already.', {
        headers: {'Retry-After': '1'},
      });
    }
    waiting += 1;
    await sleep(Math.min(longestDelay, firstDelay * 2 ** Math.min(count - 1, 10))).finally(() => {
      waiting -= 1;
    });
  };
}
