/**
 * A consent says which version of a text the visitor saw, so a version must keep its text. The store remembers the text
 * from the first lead under a version on, and the server does not start with another text under the same version.
 */
import {createHash} from 'node:crypto';
import type {Partner} from '../config/partners.ts';
import type {ConsentText} from './stored-lead.ts';

/** SHA-256 in hex, as the record of each consent has it. */
export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A sentence for each partner whose text is not the one that is stored for its version: what is wrong, and what to do. */
export function changedConsents(partners: readonly Partner[], stored: readonly ConsentText[]): string[] {
  const hashes = new Map(stored.map(({partner, version, textHash}) => [nameOf(partner, version), textHash]));
  return partners.flatMap(({key, consent}, index) => {
    if (!consent) return [];
    const hash = hashes.get(nameOf(key, consent.version));
    if (hash === undefined || hash === hashOfText(consent.text)) return [];
    const field = `PARTNERS_FILE partners.${index}.consent.text`;
    return [
      `${field}: is another text than the one that visitors of ${key} saw under the version "${consent.version}": give the new text a new version, or restore the old text`,
    ];
  });
}

const nameOf = (partner: string, version: string) => JSON.stringify([partner, version]);
