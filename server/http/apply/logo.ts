/** Looks at a partner's logo as the browsers of visitors will. */

/** Bytes. A larger picture arrives after the form that it stands beside. */
const maxBytes = 100_000;

/** What is wrong with the logo at this address. Undefined if nothing is. */
export async function logoFault(address: string): Promise<string | undefined> {
  try {
    // The policy of our pages names the origin of the logo, so browsers would not follow it to another one.
    const response = await fetch(address, {redirect: 'error', signal: AbortSignal.timeout(5_000)});
    if (!response.ok) return `answers ${response.status}`;
    if (!response.headers.get('Content-Type')?.startsWith('image/')) return 'is no picture';
    let bytes = 0;
    for await (const {length} of response.body ?? []) {
      bytes += length;
      if (bytes > maxBytes) return 'has more than 100 kB';
    }
    return undefined;
  } catch {
    return 'cannot be loaded';
  }
}
