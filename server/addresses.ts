/** IP addresses as text: one spelling for each, the network that limits count by, and lists of ranges. */
import {isIP} from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [base: Address, bits: number];
export type Ranges = readonly Range[];

/** Characters. An IPv6 address with brackets, zone and port is shorter; anything longer is no address. */
const longestAddress = 100;
/** The owner of an IPv6 connection usually has a whole /64 of addresses, so limits count that as one. */
const networkBits = 64;

/** The names that Express has for private ranges, for whoever already uses them in `TRUST_PROXY`. */
const namedRanges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * The address in a text such as `203.0.113.7`, `203.0.113.7:4711` or `[2001:db8::1]:443`, in its one canonical
 * spelling: without port, brackets and zone, IPv6 as RFC 5952 writes it, an IPv4 address that is mapped into IPv6
 * as IPv4. Undefined for anything else. Never throws.
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
 * What limits, quotas and delays count as one visitor: an IPv4 address, or the /64 of an IPv6 address.
 * @param address as `readAddress` spells it
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const {parts} = ipaddr.IPv6.parse(address);
  const kept = parts.map((part, index) => (index < networkBits / 16 ? part : 0));
  return `${new ipaddr.IPv6(kept).toRFC5952String()}/${networkBits}`;
}

/**
 * A list separated by commas: addresses, ranges such as `10.0.0.0/8`, and `loopback`, `linklocal`, `uniquelocal`.
 * @throws Error that says which part is none of these by its number, without repeating what was written
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
  const most = version === 4 ? 32 : 128;
  const bits = suffix === undefined ? most : readBits(suffix);
  if (bits === null || bits > most) return undefined;
  // Addresses are compared after an IPv4 address that is mapped into IPv6 has become IPv4 again.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) {
    return [address.toIPv4Address(), bits - 96];
  }
  return [address, bits];
}

/** `8`, or the mask `255.0.0.0`. */
function readBits(suffix: string): number | null {
  if (/^\d{1,3}$/.test(suffix)) return Number(suffix);
  return isIP(suffix) === 4 ? ipaddr.IPv4.parse(suffix).prefixLengthFromSubnetMask() : null;
}

/** @param address as `readAddress` spells it; an empty text is in no range */
export function isWithin(address: string, ranges: Ranges): boolean {
  if (address === '' || ranges.length === 0) return false;
  const parsed = ipaddr.parse(address);
  return ranges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
}
