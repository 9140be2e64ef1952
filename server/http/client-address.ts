/**
 * Whose request it is: the one place that makes a visitor's address, for limits, quotas, delays and evidence. It
 * starts from the peer of the connection and believes `X-Forwarded-For` only as far as trusted proxies wrote it.
 */
import {isWithin, networkOf, readAddress, readRanges} from '../addresses.ts';

export type ClientAddress = {
  /** In canonical spelling; empty where the connection has none, as a UNIX socket. */
  address: string;
  /** What limits count as one visitor: the IPv4 address, or the /64 of an IPv6 address. */
  network: string;
};

/** No chain of proxies is longer; the rest of a longer header is not read. */
const mostHops = 32;

/** @returns whether connections from an address may be those of a reverse proxy, which brings many visitors */
export function createProxyCheck(trust: number | string): (peer: string) => boolean {
  // Connections from this machine count as a proxy's, even where no proxy is configured.
  const ranges = readRanges(typeof trust === 'string' ? `loopback,${trust}` : 'loopback');
  return (peer) => (typeof trust === 'number' && trust > 0) || isWithin(readAddress(peer) ?? '', ranges);
}

/**
 * @param trust how many proxies stand before the server, or their addresses and ranges separated by commas
 * @returns a function that never throws, and whose cost does not grow with the length of the header
 * @throws Error when `trust` holds something that is no range
 */
export function createAddressReader(trust: number | string) {
  const ranges = typeof trust === 'string' ? readRanges(trust) : [];
  const isTrusted = (address: string, hop: number) =>
    typeof trust === 'number' ? hop < trust : isWithin(address, ranges);

  return (peer: string | undefined, forwardedFor = ''): ClientAddress => {
    let address = readAddress(peer ?? '') ?? '';
    let end = forwardedFor.length;
    // Each proxy appends the address of its own peer, so the header is read from its right end.
    for (let hop = 0; hop < mostHops && end > 0 && isTrusted(address, hop); hop += 1) {
      const comma = forwardedFor.lastIndexOf(',', end - 1);
      const next = readAddress(forwardedFor.slice(comma + 1, end));
      // A part that is no address ends the search: the proxy that sent it is the last address that is known.
      if (next === undefined) break;
      address = next;
      end = comma;
    }
    return {address, network: networkOf(address)};
  };
}
