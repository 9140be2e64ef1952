/**
 * Refuses addresses that failed too often at something: guessing passwords, or names of partners. Failures are
 * counted in this process at once, so that parallel guesses cannot overtake the limit, and in the shared counters
 * afterwards, so that other processes know of them. Requests that do not fail cost no round trip.
 */
import type {Logger} from 'pino';
import {isWithin, type Ranges} from '../addresses.ts';
import type {ClientAddress} from './client-address.ts';
import type {Counts} from './counts.ts';
import {createMemoryCounts} from './memory-counts.ts';
import {ProblemError} from './problem-replies.ts';

export type FailureLimit = {
  /** Learns what other processes counted, if the address failed here lately; else it costs nothing. Never rejects. */
  refresh(client: ClientAddress): Promise<void> | undefined;
  /** @throws ProblemError `too-many-requests` while the address is refused, whatever it asks */
  admit(client: ClientAddress): void;
  /** Counts before it returns; resolves once other processes can know. Never rejects. */
  count(client: ClientAddress): Promise<void>;
};

type Settings = {
  /** What fails, in the plural, such as `sign-ins`: for the counters, the log and the refusal. */
  what: string;
  /** Failures of one network in `window` milliseconds, after which it is refused for the rest of them. */
  most: number;
  window: number;
  /** Addresses that are never refused. */
  exempt?: Ranges;
  counts: Counts;
  log: Logger;
};

export function createFailureLimit({what, most, window, exempt = [], counts, log}: Settings): FailureLimit {
  /** What this process knows of each network: its own count, or the shared one where that is higher. */
  const known = createMemoryCounts();

  const sharedName = (network: string) => `failed ${what}:${network}`;

  async function learn(network: string, endsAt: number) {
    const {counts: read} = await counts.read([sharedName(network)]);
    const now = known.find(network);
    if (now && read[0]! > now.count) known.set(network, {count: read[0]!, endsAt});
  }

  return {
    refresh({network}) {
      const failed = known.find(network);
      return failed && failed.count < most ? learn(network, failed.endsAt) : undefined;
    },

    admit({address, network}) {
      const failed = known.find(network);
      if (!failed || failed.count < most || isWithin(address, exempt)) return;
      const seconds = Math.ceil((failed.endsAt - Date.now()) / 1_000);
      throw new ProblemError('too-many-requests', `Too many ${what} of this address failed.`, {
        headers: {'Retry-After': String(Math.max(1, seconds))},
      });
    },

    async count({address, network}) {
      if (isWithin(address, exempt)) return;
      const own = known.add({name: network, window});
      if (own.count === most) log.warn({network}, `${what} of this address are refused for a while`);
      const {counts: added} = await counts.add([{name: sharedName(network), window}]);
      const now = known.find(network);
      if (!now || added[0]!.count > now.count) known.set(network, added[0]!);
    },
  };
}
