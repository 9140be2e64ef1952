/** Warns of upstreams to which leads and credentials would go over the internet in clear. */
import type {Logger} from 'pino';
import {isWithin, readAddress, readRanges} from '../addresses.ts';
import type {UpstreamSettings} from './upstream.ts';

const privateRanges = readRanges('loopback,linklocal,uniquelocal');

/** A host name may resolve to any address, so only `localhost` and names below it count as this machine. */
function staysInside(host: string): boolean {
  if (/^(.+\.)?localhost$/.test(host)) return true;
  return isWithin(readAddress(host) ?? '', privateRanges);
}

/** One line of the log for each upstream over plain HTTP outside the loopback and private ranges. */
export function warnOfPlainHttp(upstreams: ReadonlyMap<string, UpstreamSettings>, log: Logger): void {
  for (const [upstream, {baseUrl}] of upstreams) {
    const {protocol, hostname} = new URL(baseUrl);
    if (protocol !== 'http:' || staysInside(hostname)) continue;
    log.warn(
      {upstream},
      'the URL of this upstream starts with http://: leads and its password can be read on their way; use https://',
    );
  }
}
