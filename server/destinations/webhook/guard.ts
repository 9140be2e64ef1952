/**
 * Keeps webhooks away from the operator's own network. An address is checked at the moment of connecting: a name that
 * was public when the server started may resolve to a private address later (DNS rebinding).
 */
import {isIP} from 'node:net';
import ipaddr from 'ipaddr.js';
import {buildConnector, errors} from 'undici';
import {codeOf} from '../destination.ts';
import {forSockets, type Lookup} from '../lookups.ts';

/** Thrown in place of a connection to an address that is not public. The message does not repeat the address. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';

  constructor() {
    super('The address is not public');
    this.name = 'AddressRefused';
  }
}

/** A public address that answers only machines in the Azure cloud, and gives them credentials. */
const cloudServices = ['168.63.129.16'];
/** All IPv6 addresses that were given to networks so far are in this range. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** IPv6 networks without IPv4 reach IPv4 hosts through these addresses, whose last 32 bits are the IPv4 address. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether the address is one of the public internet. An IPv4 address that is mapped into IPv6, or reached through NAT64,
 * is judged as the IPv4 address. 6to4 and Teredo addresses embed IPv4 addresses as well, but nobody serves webhooks
 * there, so none of them is public.
 * @param text in any spelling; false if it is no address
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicIpv4(address);
  if (address.isIPv4MappedAddress()) return isPublicIpv4(address.toIPv4Address());
  if (address.match(nat64)) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  return address.match(globalUnicast) && address.range() === 'unicast';
}

const isPublicIpv4 = (address: ipaddr.IPv4) =>
  address.range() === 'unicast' && !cloudServices.includes(address.toString());

/**
 * Makes the connections of a pool.
 * @param isInternal true if the operator allows any address for this host
 * @param timeout milliseconds until a connection must be made
 * @param rejectUnauthorized false only to look at a certificate that is not accepted
 */
export function createConnector(
  isInternal: boolean,
  timeout: number,
  lookup: Lookup,
  rejectUnauthorized = true,
): buildConnector.connector {
  const isAllowed = isInternal ? () => true : isPublicAddress;
  const guarded = forSockets(guardedLookup(lookup, isAllowed));
  const connect = buildConnector({timeout, allowH2: false, lookup: guarded, rejectUnauthorized});
  return (options, callback) => {
    // Node looks up names alone. It connects to an address as it is, so an address must be checked here.
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isAllowed(host)) return callback(new AddressRefused(), null);
    connect(options, (...result) => {
      const [, socket] = result;
      socket?.once('error', (error: Error) => {
        if (socket.bytesRead > 0) errorsOfUsedConnections.add(error);
      });
      callback(...result);
    });
  };
}

/** Errors of connections over which something had come before. */
const errorsOfUsedConnections = new WeakSet<Error>();

/**
 * Whether a connection was cut that had been used before. Most likely the receiver closed it because it was idle, at the
 * moment at which it was used again, so this says nothing about the receiver. With TLS, this is also true for a new
 * connection, because the handshake uses it.
 */
export function wasCutBetweenRequests(error: unknown): boolean {
  const isCut = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error));
  if (!isCut || !(error instanceof Error)) return false;
  return (
    errorsOfUsedConnections.has(error) ||
    (error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0)
  );
}

/**
 * Looks a name up, and fails if one of its addresses is not allowed, whichever of them would have been used. The addresses
 * are checked for each connection, also those that are known from an earlier look-up, because another destination may
 * have asked for them, to which they are allowed.
 */
const guardedLookup =
  (lookup: Lookup, isAllowed: (address: string) => boolean): Lookup =>
  async (host) => {
    const addresses = await lookup(host);
    if (addresses.length > 0 && addresses.every(({address}) => isAllowed(address))) return addresses;
    throw new AddressRefused();
  };
