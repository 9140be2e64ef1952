/**
 * The key under which a lead is sent: the same one for every attempt until the server has answered for good, a
 * reload of the page in between included, so that no retry makes a second lead.
 */
import {hex} from './hex.ts';
import type {Store} from './types.ts';

export type KeyRing = {
  /** The key in use, or a new one. */
  current(): string;
  /** The next attempt is another lead. */
  drop(): void;
};

export function keyRing(partner: string, {keep, recall}: Store): KeyRing {
  const name = `lead-prequal-key:${partner}`;
  return {
    current() {
      const kept = recall(name);
      const key = typeof kept === 'string' ? kept : newKey();
      keep(name, key);
      return key;
    },
    drop: () => keep(name),
  };
}

/** Not `randomUUID`, which exists on secure pages only; a development page on plain HTTP is none. */
export const newKey = () => hex(crypto.getRandomValues(new Uint8Array(16)));
