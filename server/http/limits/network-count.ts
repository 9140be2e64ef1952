/** Counts what a network does, in the counters that processes share. */
import {networksAround} from '../../config/addresses.ts';
import type {Counters} from './counters.ts';
import type {Count} from './memory-counters.ts';

/** What is counted, in the plural, and how often a network may do it within a window of milliseconds. */
export type NetworkLimit = {what: string; window: number; limit: number};

/** The name of the counter in which `countInNetworks` counts a network. */
export const counterName = (what: string, network: string): string => `${what}:${network}`;

/**
 * Counts once more in a network, and in those around it that have limits of their own.
 * @returns the count that is nearest to its limit. That of a wider network with four times the limit is divided by four, so
 *   that more than `limit` always means too many
 */
export async function countInNetworks(
  counters: Counters,
  {what, window, limit}: NetworkLimit,
  network: string,
): Promise<Count> {
  let highest: Count = {count: 0, left: window};
  for (const {network: each, times} of networksAround(network)) {
    const {count, left} = await counters.increment({name: counterName(what, each), window});
    const share = Math.ceil(count / times);
    if (share >= highest.count) highest = {count: share, left};
    // What a network does beyond its own limit is not counted around it. Otherwise it could use up its neighbours' limits.
    if (share > limit) break;
  }
  return highest;
}
