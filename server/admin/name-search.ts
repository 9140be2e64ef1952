/**
 * Finds people by the beginnings of their names, or the last digits of their numbers, among the newest leads. No index of
 * names is stored: each search opens these leads.
 */
import type {FullLead, LeadFilter, LeadReader} from '../leads/lead-filter.ts';
import {normalized} from '../../contract/normalized.ts';
import {isErased} from '../store/rows.ts';
import {idsOf, pagesOf, type With} from './admin.ts';

/** Leads that a search looks at. */
export const newestLooked = 5_000;

/** Letters that no accent makes, as people type them who do not have them. */
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

/** The words of a name in small letters, without accents. */
const wordsOf = (text: string): string[] =>
  normalized(text, 'NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[øłđðþßæœı]/g, (letter) => plainLetters[letter] ?? letter)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

const lastDigits = /^\d{4}$/;
/** Whether it can be a part of a name, or the last four digits of a number. */
export const isName = (text: string): boolean => wordsOf(text).length > 0;

function isOf(asked: readonly string[], {lead: {first_name, last_name, phone}}: FullLead): boolean {
  const own = wordsOf(`${first_name} ${last_name}`);
  return asked.every(
    (word) =>
      own.some((each) => each.startsWith(word)) || (lastDigits.test(word) && phone.e164.endsWith(word)),
  );
}

/** `lookedTo`: when the oldest lead came that was looked at, in milliseconds since 1970. Undefined if all were */
export type NamesFound = {found: FullLead[]; looked: number; lookedTo: number | undefined};

/** The newest first. The search is noted, and the leads that it found. */
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
