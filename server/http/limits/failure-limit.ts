/**
 * Refuses networks after too many failures. A failure is counted in this process at once, so that parallel attempts cannot pass
 * the limit together, and then in the shared counters, so that other processes see it. A request that succeeds needs no round
 * trip to Redis.
 *
 * There are two ways to use it:
 * - `check` before it is known whether the request fails. This protects passwords: a refused network learns nothing, also from
 *   the right password. But one client locks out all others of its network.
 * - `fail` when it is known that the request fails. This only saves work. Requests that name an existing partner are not checked:
 *   partner names are public, and any web page can make its visitors send failing requests for made-up ones.
 */
import {isWithin, networksAround, type Ranges} from '../../config/addresses.ts';
import type {Emit} from '../../observe/observations.ts';
import type {ClientAddress} from '../client-address.ts';
import type {Counters} from './counters.ts';
import {createMemoryCounters, type Counter} from './memory-counters.ts';
import {ProblemError, retryAfter} from '../../leads/problem-error.ts';

export type FailureLimit = {
  /**
   * Reads what other processes counted for an address. Does nothing for an address without failures in this process.
   * Never rejects.
   */
  refresh(client: ClientAddress): Promise<void> | undefined;
  /** @throws ProblemError `too-many-requests` while the address is refused */
  check(client: ClientAddress): void;
  /** Counts a failure before it returns. Resolves when the shared counters have it. Never rejects. */
  countFailure(client: ClientAddress): Promise<void>;
  /** Counts a failure. @throws ProblemError `too-many-requests` while the address is refused */
  fail(client: ClientAddress): void;
};

type Settings = {
  /** Names what fails, in the plural, such as `sign-ins`. Counters, the log and the error's detail use the name. */
  what: string;
  /**
   * After this many failures within `window` milliseconds, a network is refused until the window ends. The networks around
   * it have limits, too.
   */
  maxFailures: () => number;
  window: number;
  /** Addresses that are never refused. */
  exempt?: () => Ranges;
  counters: Counters;
  emit: Emit;
};

export function createFailureLimit({
  what,
  maxFailures,
  window,
  exempt = () => [],
  counters,
  emit,
}: Settings): FailureLimit {
  /** The failures of each network: those that this process counted, or the shared number if that is higher. */
  const failures = createMemoryCounters();

  const counterOf = (network: string) => ({name: `failed ${what}:${network}`, window});

  /** The client's network and those around it, each with the failures that this process knows of, and the maximum. */
  const around = (client: ClientAddress) =>
    networksAround(client.network).map(({network, times}) => {
      const counter = counterOf(network);
      return {network, counter, max: maxFailures() * times, known: failures.find(counter.name)};
    });

  async function readShared(failed: readonly Counter[]) {
    const {counts} = await counters.read(failed.map(({name}) => name));
    for (const [index, counter] of failed.entries()) {
      const [known, shared = 0] = [failures.find(counter.name), counts[index]];
      if (known && shared > known.count) failures.set(counter, {...known, count: shared});
    }
  }

  const limit: FailureLimit = {
    refresh(client) {
      const failing = around(client).filter(({known, max}) => known && known.count < max);
      return failing.length > 0 ? readShared(failing.map(({counter}) => counter)) : undefined;
    },

    check(client) {
      const refused = around(client).find(({known, max}) => known && known.count >= max);
      if (!refused?.known || isWithin(client.address, exempt())) return;
      const wait = retryAfter(refused.known.left / 1_000);
      throw new ProblemError('too-many-requests', `Too many ${what} of this address failed.`, wait);
    },

    async countFailure(client) {
      if (isWithin(client.address, exempt())) return;
      const counted = around(client).map(async ({network, counter, max}) => {
        const own = failures.increment(counter);
        if (own.count === max) emit({type: 'failures-exceeded', network, what});
        const shared = await counters.increment(counter);
        const known = failures.find(counter.name);
        if (!known || shared.count > known.count) failures.set(counter, shared);
      });
      await Promise.all(counted);
    },

    fail(client) {
      limit.check(client);
      void limit.countFailure(client);
    },
  };
  return limit;
}
