/** What outlives a reload of the page, as long as its tab; where the page may store nothing, as long as the page. */

const inMemory = new Map<string, string>();

// A page may be forbidden to store anything; reading `sessionStorage` then throws.
export function recall(name: string): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? inMemory.get(name);
  } catch {
    return inMemory.get(name);
  }
}

export function remember(name: string, text: string | undefined) {
  inMemory.delete(name);
  try {
    if (text === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    if (text !== undefined) inMemory.set(name, text);
  }
}
