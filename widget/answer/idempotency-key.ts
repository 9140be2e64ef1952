/**
 * The key under which a lead is sent: the same one for every attempt until the server has answered for good, a
 * reload of the page in between included, so that no retry makes a second lead.
 */

export type KeyRing = {
  /** The key in use, or a new one. */
  current(): string;
  /** The next attempt is another lead. */
  drop(): void;
};

const inMemory = new Map<string, string>();

export function keyRing(partner: string): KeyRing {
  const name = `lead-prequal-key:${partner}`;
  return {
    current() {
      const key = read(name) ?? inMemory.get(name) ?? newKey();
      inMemory.set(name, key);
      write(name, key);
      return key;
    },
    drop() {
      inMemory.delete(name);
      write(name, undefined);
    },
  };
}

/** `randomUUID` exists on secure pages only; a development page on plain HTTP is none. */
export function newKey(
  source: Pick<Crypto, 'getRandomValues'> & Partial<Pick<Crypto, 'randomUUID'>> = crypto,
) {
  if (source.randomUUID) return source.randomUUID();
  return Array.from(source.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

// A page may be forbidden to store anything; reading `sessionStorage` then throws.
function read(name: string) {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(name: string, key: string | undefined) {
  try {
    if (key === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, key);
  } catch {
    // The copy in memory serves until the page is left.
  }
}
