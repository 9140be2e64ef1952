/**
 * The key under which a lead is sent. Every attempt uses the same key until the server has answered for good, also
 * after a reload of the page, so that no retry makes a second lead.
 */
import {keep, recall} from '../page/session.ts';
import {hex} from './proof.ts';

const nameOf = (partner: string) => `lead-prequal-key:${partner}`;

/** The key in use, or a new one. */
export function currentKey(partner: string): string {
  const kept = recall(nameOf(partner));
  // Some old libraries give texts a `toJSON`, which keeps them with quotes.
  const key = typeof kept === 'string' ? kept.replace(/\W/g, '') : newKey();
  keep(nameOf(partner), key);
  return key;
}

/** Forgets the key, because the next attempt sends another lead. */
export const dropKey = (partner: string) => keep(nameOf(partner));

/** Not made with `randomUUID`, which is missing on pages without HTTPS, such as many development pages. */
export const newKey = () => hex(crypto.getRandomValues(new Uint8Array(16)));
