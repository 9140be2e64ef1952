/**
 * Writes the words of visitors, and of the links that brought them, so that no mail program makes a link of them. Mail
 * programs link domains, addresses with a scheme such as `mailto:`, e-mail addresses, paths such as `\\server\share`, and
 * phone numbers. Anybody can write such things into a form or a link, and operators trust what our e-mails say.
 */
import {normalized} from '../../../contract/normalized.ts';
import {isolated, oneLine} from '../../leads/hidden-characters.ts';
import type {Lead} from '../../leads/lead-schema.ts';
import {extensionIn} from '../../leads/read-contact.ts';
import type {Span} from './message.ts';

/** The signs that hold addresses together. The last one is the full stop of Chinese and Japanese, also in domains. */
const joins = /[.:@\\。]/;
/** Seven digits or more, with at most four characters between two of them. The two letters occur in phone numbers. */
const longNumber = /\p{Nd}(?:(?:[^\p{L}\p{Nd}]|[xー]){0,4}\p{Nd}){6,}/giu;
/** Up to four digits of such a number, but not its last ones. */
const group = /(?:\p{Nd}{4}|\p{Nd}{1,3}(?!\p{Nd}))(?!$)/gu;

/**
 * One line. Signs within words are in brackets, as in `evil[.]example`, which readers know from warnings of phishing. Long
 * numbers have apostrophes, as in `1234'5678'90`: libraries that find phone numbers skip brackets, spaces and dashes.
 * @param max characters of the text itself
 */
export const theirWords = (text: string, max: number): string => isolated(unlinked(text, max));
const unlinked = (text: string, max: number): string =>
  bracketSigns(oneLine(text, max).replace(longNumber, (number) => number.replace(group, "$&'")));

/** A name of at most five words, as `theirWords` writes it. It has no sign with which a sentence or a line of ours begins. */
const nameLike = /^(?=(?:\S+(?: |$)){1,5}$)[\p{L}\p{M}\u200c\u200d'’. -]{1,60}$/u;

/** The name, in quotation marks if it may be something else, because it stands in subjects and at the beginning of lines. */
export function theirName({first_name, last_name}: Pick<Lead, 'first_name' | 'last_name'>): string {
  const name = unlinked(`${first_name} ${last_name}`, 80);
  return isolated(nameLike.test(name) ? name : `“${name.replace(/[“”"]/g, "'")}”`);
}

export const shownPhone = ({e164}: Lead['phone']): string =>
  e164.replace(/^\+1(...)(...)(....)$/, '+1 $1-$2-$3');

/** The telephone number with the country code. What may be an extension follows. */
export function theirPhone(phone: Lead['phone']): string {
  const digits = extensionIn(phone.typed);
  return shownPhone(phone) + (digits ? ` ${theirWords(`ext. ${digits}`, 20)}` : '');
}

/** An address that mail programs link as a whole. `www.` at its beginning would make some link it as a website. */
export const plainAddress = /^(?!www\.|ftp\.)[\w+'-]+(?:\.[\w+'-]+)*@[\w-]+(?:\.[\w-]+)+$/i;

/** The e-mail address of the visitor. A usual one stays a link, because operators answer the visitor with it. */
export const theirAddress = (email: string): Span =>
  plainAddress.test(email) ? {link: email, href: `mailto:${email}`} : theirWords(email, 254);

/** A sign at the end of a word stays as it is, as in `Jr.`, because it joins nothing. */
const bracketSigns = (line: string): string =>
  line.replace(/\S(?=\S)/gu, (sign) => (joins.test(normalized(sign, 'NFKC')) ? `[${sign}]` : sign));
