/**
 * Finds people among the newest leads by the beginnings of their names, or the last digits of their numbers. No index of names is
 * stored, so each search decrypts these leads.
 */
import type {FullLead, LeadFilter, LeadReader} from '../leads/lead-filter.ts';
import {normalized} from '../../contract/normalized.ts';
import {isErased} from '../store/rows.ts';
import {idsOf, pagesOf, type With} from './admin.ts';

/** The maximum number of leads that a search reads. */
export const newestLooked = 5_000;

/** Letters that NFD does not split into a letter and an accent, and what people type who do not have them on the keyboard. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};

/** The words of a name in lower case, without accents. */
const wordsOf = (text: string): string[] =>
  normalized(text, 'NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[øłđðþßæœı]/g, (letter) => plainLetters[letter] ?? letter)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

const lastDigits = /^\d{4}$/;
/** Whether the text can be a part of a name, or the last four digits of a number. */
export const isName = (text: string): boolean => wordsOf(text).length > 0;

function isOf(asked: readonly string[], {lead: {first_name, last_name, phone}}: FullLead): boolean {
  const own = wordsOf(`${first_name} ${last_name}`);
  return asked.every(
    (word) =>
      own.some((each) => each.startsWith(word)) || (lastDigits.test(word) && phone.e164.endsWith(word)),
  );
}

/** `lookedTo`: when the oldest lead arrived that was read, in milliseconds since 1970. Undefined if all leads were read */
export type NamesFound = {found: FullLead[]; looked: number; lookedTo: number | undefined};

/** The newest first. Writes the search and the leads that it found to the audit. */
export async function searchNames(
  {store, noteAccess}: With<LeadReader, 'noteAccess'>,
  filter: LeadFilter,
  text: string,
  limit: number,
): Promise<NamesFound> {
  const asked = wordsOf(text);
  const result: NamesFound = {found: [], looked: 0, lookedTo: undefined};
  for await (const leads of pagesOf((page) => store.listLeads(filter, page), {limit: newestLooked})) {
    result.looked += leads.length;
    const last = leads.at(-1);
    if (last && 'createdAt' in last && result.looked === newestLooked) result.lookedTo = last.createdAt;
    for (const lead of leads)
      if ('lead' in lead && !isErased(lead) && isOf(asked, lead) && result.found.length < limit)
        result.found.push(lead);
  }
  await noteAccess({...filter, name: true}, idsOf(result.found));
  return result;
}
