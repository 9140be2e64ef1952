import {advise} from './advise.ts';
import {safeDocument} from './safe-document.ts';

/**
 * The address of a link that the page names in an attribute. A link to `javascript:` would run code on the page, and
 * what another site shows over plain HTTP can be changed on its way. The console says what is refused.
 *
 * @param address may be relative to the page
 * @returns the absolute address if it is https or on the page's own site, or else nothing
 */
export function safeLink(attribute: string, address: string | undefined): string | undefined {
  if (!address) return undefined;
  let problem = 'it is not a valid address';
  try {
    const {protocol, origin, href} = new URL(address, safeDocument.baseURI);
    // Comparing origins is not enough: the origin of `javascript:` is `null`, as is that of a page in a file.
    if (protocol === 'https:' || (protocol === 'http:' && origin === location.origin)) return href;
    problem = `${protocol} is not allowed`;
  } catch {
    // The address cannot be parsed.
  }
  advise(
    `There is no link for ${attribute}="${address}", because ${problem}. Use an address that begins with https://, or a path of your own site, such as /privacy.`,
  );
  return undefined;
}
