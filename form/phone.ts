/** Reads telephone numbers as people write them. It takes less than the server, because callers of its API rely on that. */
import {extension, toE164} from '../contract/phone.ts';
import {plainText} from './plain-text.ts';

/** A picture, such as that of a telephone, with the space after it; and the comma of a list. */
const symbols = /\p{So}\ufe0f? ?|[,;]{1,3}$/gu;
/** `tel:`, `Cell`, `(mobile)`, `Teléfono.` before the number. A single letter is one only apart from the digits. */
const labelBefore = /^\(?\p{L}[\p{L}\s.:)-]{1,30}/u;
/** The same after the number. Without a space it has three letters, because one may be meant as a digit. */
const labelAfter = /(?:[\s(,;:/-]{1,3}|(?=\p{L}{3}))\p{L}[\p{L}\s]{0,20}\)?\.?$/u;
/** A plus, or what is dialled for it: 00 in most countries, 011 in the United States. It may stand in parentheses. */
const internationalPrefix = /^\s*(\(?)(?:\+?(?:00|011)|\+)\s*/;
/**
 * As numbers are grouped in the United States, or not at all. Mexico's `55 1234 5678` has ten digits, too. No exchange
 * begins with 0 or 1.
 */
const american = /^\D*(?:1\D*)?([2-9]\d\d)\D*([2-9]\d\d)\D*(\d{4})\D*$/;
/** `415-555-01322` has a digit too many. */
const startsAmerican = /^\D*\d{3}\D+\d{3}\D/;

/** Without what stands around the number. Instead of what is dialled for a plus, it has a plus. */
const numberIn = (typed: string) =>
  // A number that was copied from a table or a document may have tabs and line breaks in it.
  plainText(typed.replace(/\s/g, ' '))
    .replace(symbols, '')
    .replace(labelBefore, '')
    .replace(labelAfter, '')
    .replace(internationalPrefix, '+$1')
    .trim();

/**
 * Writes a US number as `(415) 555-0132`. Numbers of other countries keep their groups, because each country groups
 * digits differently.
 *
 * @returns the number as it is shown and sent, or `undefined` if there can be no such number
 */
export function readPhone(typed: string): string | undefined {
  const number = numberIn(typed);
  const e164 = toE164(number);
  if (!e164?.startsWith('+1')) return e164 && number;
  const [extended = ''] = extension.exec(number) ?? [];
  const text = number.startsWith('+') ? e164 : number.slice(0, number.length - extended.length);
  const [, area, exchange, line] = american.exec(text) ?? [];
  return area && `(${area}) ${exchange}-${line}${extended}`;
}

/** Whether the text has a country code without its plus. Numbers of ten digits and fewer mostly have no country code. */
export function lacksPlus(typed: string): boolean {
  const number = numberIn(typed);
  return /^\+[2-9]\d{10}/.test(toE164(`+${number}`) ?? '') && !startsAmerican.test(number);
}
