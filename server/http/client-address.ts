/**
 * Finds the address of the client that sent a request. It is the peer of the connection or, behind trusted proxies,
 * an address from `X-Forwarded-For`. Rate limits, quotas, delays and consent records all use this address.
 */
import {isWithin, networkOf, readAddress, readRanges} from '../config/addresses.ts';

export type ClientAddress = {
  /** In canonical spelling. Empty for a connection without an address, such as a UNIX socket. */
  address: string;
  /**
   * The IPv4 address, or the /64 of an IPv6 address. Limits count it as one visitor, and `networksAround` says which wider
   * networks they count besides.
   */
  network: string;
};

/** The maximum number of proxies in a row. The rest of a longer header is not read, so that it costs no time. */
const maxHops = 32;

/** @returns a function that says whether a peer may be a reverse proxy, whose connections carry many visitors */
export function createProxyCheck(trust: number | string): (peer: string) => boolean {
  // A peer on this machine counts as a proxy, even if no proxy is configured.
  const ranges = readRanges(typeof trust === 'string' ? `loopback,${trust}` : 'loopback');
  return (peer) => (typeof trust === 'number' && trust > 0) || isWithin(readAddress(peer) ?? '', ranges);
}

/**
 * @param trust the number of proxies before the server, or their addresses and ranges, separated by commas
 * @returns a function that never throws, and whose cost does not grow with the length of the header
 * @throws Error when `trust` is a text that holds anything but addresses and ranges
 */
export function createAddressReader(trust: number | string) {
  const ranges = typeof trust === 'string' ? readRanges(trust) : [];
  const isTrusted = (address: string, hop: number) =>
    typeof trust === 'number' ? hop < trust : isWithin(address, ranges);

  return (peer: string | undefined, forwardedFor = ''): ClientAddress => {
    let address = readAddress(peer ?? '') ?? '';
    let end = forwardedFor.length;
    // Each proxy appends the address of its own peer, so the newest address is the last one.
    for (let hop = 0; hop < maxHops && end > 0 && isTrusted(address, hop); hop += 1) {
      const comma = forwardedFor.lastIndexOf(',', end - 1);
      const next = readAddress(forwardedFor.slice(comma + 1, end));
      // A trusted proxy wrote something that is no address. Then the address of that proxy is the best that is known.
      if (next === undefined) break;
      address = next;
      end = comma;
    }
    return {address, network: networkOf(address)};
  };
}
