/** Reads telephone numbers as people write them. */
import {extension, toE164} from '../contract/phone.ts';
import {plainText} from './plain-text.ts';

/** `tel:`, `Cell:`, `Teléfono.` before the number. */
const label = /^\p{L}+[.:]+/u;
/** A plus, or what is dialled for it: 00 in most countries, 011 in the United States. It may stand in parentheses. */
const internationalPrefix = /^\s*(\(?)(?:\+?(?:00|011)|\+)\s*/;

/**
 * Writes a US number as `(415) 555-0132`. Numbers of other countries keep their groups, because each country groups
 * digits differently.
 *
 * @returns the number as it is shown and sent, or `undefined` if there can be no such number
 */
export function readPhone(typed: string): string | undefined {
  const number = plainText(typed).replace(label, '').replace(internationalPrefix, '+$1').trim();
  const e164 = toE164(number);
  const [, area, exchange, line] = /^\+1(...)(...)(....)$/.exec(e164 ?? '') ?? [];
  const [extended = ''] = extension.exec(number) ?? [];
  return area ? `(${area}) ${exchange}-${line}${extended}` : e164 && number;
}
