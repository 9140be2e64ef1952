import {URL} from './builtins.ts';
import {safeDocument} from './safe-document.ts';

/**
 * A link to `javascript:` would run code on the page, and what another site shows over plain HTTP can be changed on its
 * way.
 *
 * @param address may be relative to the page
 * @returns the absolute address if it is https or on the page's own site, or else nothing
 */
export function safeLink(address: string): string | undefined {
  try {
    const {protocol, origin, href} = new URL(address, safeDocument.baseURI);
    // Comparing origins is not enough: the origin of `javascript:` is `null`, as is that of a page in a file.
    return protocol === 'https:' || (protocol === 'http:' && origin === location.origin) ? href : undefined;
  } catch {
    return undefined;
  }
}
