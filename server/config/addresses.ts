/** IP addresses as text: a canonical spelling, the network that limits count by, and lists of ranges. */
import {isIP} from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [base: Address, bits: number];
export type Ranges = readonly Range[];

/** Characters. Longer texts are not parsed: an IPv6 address with brackets, zone and port is shorter than this. */
const longestAddress = 100;
/** The owner of an IPv6 connection usually has a whole /64 of addresses, so limits count a /64 as one visitor. */
const networkBits = 64;
/**
 * Wider networks have limits, too: some owners, such as homes, have a /56 or a /48. A wider network may do what a /64
 * may do a few times over, because a /48 may also be shared by many owners of a single /64, such as the phones of a
 * region.
 */
const widerNetworks = [
  {bits: 56, times: 4},
  {bits: 48, times: 16},
] as const;

/** Names that Express gives to private ranges. `TRUST_PROXY` accepts them, because operators know them from Express. */
const namedRanges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Finds the address in a text such as `203.0.113.7`, `203.0.113.7:4711` or `[2001:db8::1]:443`.
 * @returns the address without port, brackets and zone; undefined if the text has no address. Each address has one
 *   spelling: IPv6 is spelt as RFC 5952 says, and an IPv4 address that is mapped into IPv6 is spelt as IPv4.
 */
export function readAddress(text: string): string | undefined {
  if (text.length > longestAddress) return undefined;
  const trimmed = text.trim();
  const [, bare = trimmed] =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(trimmed) ?? /^([\d.]+):\d{1,5}$/.exec(trimmed) ?? [];
  const [withoutZone = ''] = bare.split('%');
  const version = isIP(withoutZone);
  if (version === 4) return withoutZone;
  return version === 6 ? spell(ipaddr.process(withoutZone)) : undefined;
}

const spell = (address: Address) =>
  address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();

/**
 * What limits, quotas and delays count as one visitor: an IPv4 address, or a /64 network of IPv6 addresses.
 * @param address as `readAddress` spells it
 */
export const networkOf = (address: string): string =>
  address.includes(':') ? prefixOf(address, networkBits) : address;

const prefixOf = (address: string, bits: number) =>
  `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`).toRFC5952String()}/${bits}`;

/** The `times` of `networksAround`, in the same order, for a limit that is set before a network is known. */
export const timesAround: readonly number[] = [1, ...widerNetworks.map(({times}) => times)];

/** A network that a limit counts, and how many times as much as the limit says it may do. */
export type LimitedNetwork = {network: string; times: number};

/**
 * The networks whose limits hold for a visitor, the narrowest first: the visitor's own one, and around an IPv6 network a /56
 * with four times its limit, and a /48 with sixteen times.
 * @param network as `networkOf` returns it
 */
export function networksAround(network: string): LimitedNetwork[] {
  const [base = '', suffix] = network.split('/');
  const wider = suffix === undefined ? [] : widerNetworks;
  return [{network, times: 1}, ...wider.map(({bits, times}) => ({network: prefixOf(base, bits), times}))];
}

/**
 * A list separated by commas: addresses, ranges such as `10.0.0.0/8`, and `loopback`, `linklocal`, `uniquelocal`.
 * @throws Error that gives the number of the part that is wrong, but does not repeat its text
 */
export function readRanges(text: string): Ranges {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .flatMap((part, index) =>
      (namedRanges[part] ?? [part]).map((range) => {
        const read = readRange(range);
        if (!read) throw new Error(`part ${index + 1} is neither an address nor a range such as 10.0.0.0/8`);
        return read;
      }),
    );
}

function readRange(text: string): Range | undefined {
  const [base = '', suffix, ...rest] = text.split('/');
  const version = isIP(base);
  if (version === 0 || base.includes('%') || rest.length > 0) return undefined;
  const address = ipaddr.parse(base);
  const maxBits = version === 4 ? 32 : 128;
  const bits = suffix === undefined ? maxBits : readBits(suffix);
  if (bits === null || bits > maxBits) return undefined;
  // `readAddress` turns an IPv4 address that is mapped into IPv6 back into IPv4. So a range of such addresses must be
  // turned into IPv4, too.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) {
    return [address.toIPv4Address(), bits - 96];
  }
  return [address, bits];
}

/** Reads the part after the slash of a range: a number of bits such as `8`, or a mask such as `255.0.0.0`. */
function readBits(suffix: string): number | null {
  if (/^\d{1,3}$/.test(suffix)) return Number(suffix);
  return isIP(suffix) === 4 ? ipaddr.IPv4.parse(suffix).prefixLengthFromSubnetMask() : null;
}

/** @param address as `readAddress` spells it, or an empty text, which is in no range */
export function isWithin(address: string, ranges: Ranges): boolean {
  if (address === '' || ranges.length === 0) return false;
  const parsed = ipaddr.parse(address);
  return ranges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
}
