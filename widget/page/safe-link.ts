/** An address that a link may lead to, or nothing: `javascript:` and plain HTTP have no place in this form. */
export function httpsOnly(address: string | undefined): string | undefined {
  if (!address) return undefined;
  try {
    const url = new URL(address);
    return url.protocol === 'https:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}
