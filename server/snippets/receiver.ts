/**
 * Warns of snippets that send leads to another server, or visitors to an unknown site. Anybody can make an address of
 * the snippets page, so a link to that page may come from a stranger, and such a snippet must not be pasted unnoticed.
 * The page and the command show the same words.
 */
import type * as Tldts from 'tldts';
import {atFirstUse} from '../config/at-first-use.ts';
import {leadToApplyPage, type PlatformName} from './platforms.ts';
import type {SnippetParts} from './markup.ts';

/** Loads tldts at its first use, because it takes time to load, and most commands need no domain. */
const tldts = atFirstUse<typeof Tldts>('tldts');

/** The domain that somebody registered: `example.com` for `https://www.example.com/page`. */
export function siteOf(address: string): string {
  const {domain, hostname} = tldts().parse(address, {allowPrivateDomains: true});
  return domain ?? hostname ?? address;
}

/** Attributes of the form that lead visitors to a page, and what that page is for. */
const links = {
  'cta-href': 'The link below the result',
  'privacy-href': 'The link to the privacy page',
} as const;

/** @returns undefined if the leads go to this server, and the links to sites that are known */
export function receiverWarning(
  platform: PlatformName,
  {attributes, ownSites}: SnippetParts,
): string | undefined {
  // Nothing changes where the apply page sends its leads and its visitors.
  if (leadToApplyPage.has(platform)) return undefined;
  const {endpoint} = attributes;
  const found: string[] = [];
  if (typeof endpoint === 'string')
    found.push(
      `Leads from this snippet go to ${endpoint} and not to this server. Paste it only if you know that server.`,
    );
  for (const [name, what] of Object.entries(links)) {
    const address = URL.parse(String(attributes[name]));
    if (!address || ownSites.has(siteOf(address.href))) continue;
    found.push(
      `${what} leads to ${address.origin}, which is no site of yours that we know. Paste it only if you know that site.`,
    );
  }
  return found.join(' ') || undefined;
}
