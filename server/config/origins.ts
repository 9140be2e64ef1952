/**
 * The origins of pages that may embed the form. The first label of the host name may be a wildcard, and so may the port on
 * a developer's own machine.
 */
import type * as Tldts from 'tldts';
import {z} from 'zod';
import {atFirstUse} from './at-first-use.ts';

/** Loads tldts at its first use: its list of suffixes takes time to load, and only origins with a wildcard need it. */
const tldts = atFirstUse<typeof Tldts>('tldts');

/**
 * The domain after the wildcard, if anybody can register a name directly below that domain, as with `https://*.co.uk`
 * or `https://*.github.io`; else undefined. Such a wildcard is refused, because strangers could embed the form.
 */
function sharedSuffix(origin: string): string | undefined {
  if (!origin.includes('//*.')) return undefined;
  // A fully qualified host name ends with a dot, and browsers keep this dot in the origin.
  const name = new URL(origin.replace('//*.', '//')).hostname.replace(/\.$/, '');
  const {publicSuffix, isIcann, isPrivate} = tldts().parse(name, {allowPrivateDomains: true});
  // Top-level names that no registry sells, such as `localhost` or the `corp` of an intranet, have one owner.
  return (isIcann || isPrivate) && publicSuffix === name ? name : undefined;
}

/** Every port of the machine itself, where tools for developers choose the ports. */
const anyPort = /^https?:\/\/(localhost|127\.0\.0\.1):\*$/;

/** An exact origin, or one with a wildcard: `https://*.example.com`, `http://localhost:*`. */
export const origin = z
  .string()
  .refine(
    (text) =>
      anyPort.test(text) ||
      (URL.parse(text.replace('//*.', '//any.'))?.origin === text.replace('//*.', '//any.') &&
        URL.canParse(text.replace('//*.', '//')) &&
        // Browsers accept `;`, `,` and `'` in a host name, but in `frame-ancestors` they would end the list.
        !/[*;,']/.test(text.replace('//*.', ''))),
    {
      error:
        "must be an origin such as https://www.example.com, without a path; a * may only be its first label, or the port of localhost or 127.0.0.1, and it may have no `;`, `,` or `'`",
      abort: true,
    },
  )
  .refine((text) => sharedSuffix(text) === undefined, {
    error: ({input}) =>
      `must have its * below a domain of one owner, such as https://*.example.com: anybody can get a name below ${sharedSuffix(String(input))}`,
  });

/**
 * Whether an allowed origin matches the origin of a page. A wildcard matches exactly one label, or one port. The function is also
 * written as text into a script for browsers (http/apply/page-assets.ts), so it may use nothing outside of itself.
 */
export function isCovered(pageOrigin: string, allowed: string): boolean {
  const [start = '', end] = allowed.split('*');
  if (end === undefined) return allowed === pageOrigin;
  if (!pageOrigin.startsWith(start) || !pageOrigin.endsWith(end)) return false;
  return /^[a-z0-9-]{1,63}$/i.test(pageOrigin.slice(start.length, pageOrigin.length - end.length));
}
