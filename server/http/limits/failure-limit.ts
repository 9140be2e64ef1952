/**
 * Refuses networks after too many failures. A failure is counted in this process at once, so that parallel attempts
 * cannot pass the limit together, and then in the shared counters, so that other processes see it. A request that
 * succeeds needs no round trip to Redis.
 *
 * There are two ways to use it:
 * - `check` before it is known whether the request fails. This protects passwords: a refused network learns nothing, also
 *   from the right password. But one client locks out all others of its network.
 * - `fail` when it is known that the request fails. This only saves work. Requests for known partners use no limit of
 *   failures, because the names of partners are on public pages, and any web page can make its visitors send requests
 *   for unknown ones.
 */
import {isWithin, type Ranges} from '../../config/addresses.ts';
import type {Emit} from '../../observe/observations.ts';
import type {ClientAddress} from '../client-address.ts';
import type {Counters} from './counters.ts';
import {createMemoryCounters} from './memory-counters.ts';
import {ProblemError} from '../problem-replies.ts';

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
  /** After this many failures within `window` milliseconds, a network is refused until the window ends. */
  maxFailures: number;
  window: number;
  /** Addresses that are never refused. */
  exempt?: Ranges;
  counters: Counters;
  emit: Emit;
};

export function createFailureLimit({
  what,
  maxFailures,
  window,
  exempt = [],
  counters,
  emit,
}: Settings): FailureLimit {
  /** The failures of each network: those that this process counted, or the shared number if that is higher. */
  const failures = createMemoryCounters();

  const counterOf = (network: string) => ({name: `failed ${what}:${network}`, window});

  async function readShared(network: string) {
    const counter = counterOf(network);
    const {counts} = await counters.read([counter.name]);
    const [shared = 0] = counts;
    const known = failures.find(counter.name);
    if (known && shared > known.count) failures.set(counter, {...known, count: shared});
  }

  const limit: FailureLimit = {
    refresh({network}) {
      const known = failures.find(counterOf(network).name);
      return known && known.count < maxFailures ? readShared(network) : undefined;
    },

    check({address, network}) {
      const known = failures.find(counterOf(network).name);
      if (!known || known.count < maxFailures || isWithin(address, exempt)) return;
      throw new ProblemError('too-many-requests', `Too many ${what} of this address failed.`, {
        headers: {'Retry-After': String(Math.ceil(known.left / 1_000))},
      });
    },

    async countFailure({address, network}) {
      if (isWithin(address, exempt)) return;
      const counter = counterOf(network);
      const own = failures.increment(counter);
      if (own.count === maxFailures) emit({type: 'failures-exceeded', network, what});
      const shared = await counters.increment(counter);
      const known = failures.find(counter.name);
      if (!known || shared.count > known.count) failures.set(counter, shared);
    },

    fail(client) {
      limit.check(client);
      void limit.countFailure(client);
    },
  };
  return limit;
}
