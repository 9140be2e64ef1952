/** Counts requests and other actions of a network, in the counters that processes share. */
import {networksAround} from '../../config/addresses.ts';
import type {Counters} from './counters.ts';
import type {Count} from './memory-counters.ts';

/** `what`: the name of what is counted, in the plural. `limit`: how often a network may do it within `window` milliseconds. */
export type NetworkLimit = {what: string; window: number; limit: number};

/** The name of the counter in which `countInNetworks` counts a network. */
export const counterName = (what: string, network: string): string => `${what}:${network}`;

/**
 * Adds one to the counter of a network, and to those of the wider networks around it, which have limits of their own.
 * @returns the count that is nearest to its limit. The count of a wider network with four times the limit is divided by four, so
 * that more than `limit` always means too many
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
    // A network over its own limit no longer counts for the wider ones: it could use up its neighbours' limits.
    if (share > limit) break;
  }
  return highest;
}
