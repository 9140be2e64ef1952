/**
 * @returns the address if it is https, or else nothing. A link to `javascript:` would run code on the page, and what a
 *   plain HTTP page shows can be changed on its way.
 */
export function httpsOnly(address: string | undefined): string | undefined {
  if (!address) return undefined;
  try {
    const url = new URL(address);
    return url.protocol === 'https:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}
