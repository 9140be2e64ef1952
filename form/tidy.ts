/** What was typed, the way it is usually written; what is not understood stays as it is. */
import type {FieldKind} from '../contract/fields.ts';
import {parseMoney} from './money.ts';

export function tidy(kind: FieldKind, typed: string, locale: string): string {
  if (kind === 'money') return tidyMoney(typed, locale);
  return kind === 'phone' ? tidyPhone(typed) : typed;
}

/** Grouped as the language does it, without the currency sign; in the digits that every reader of it knows. */
function tidyMoney(typed: string, locale: string): string {
  const dollars = parseMoney(typed);
  return Number.isSafeInteger(dollars) ? dollars.toLocaleString(locale, {numberingSystem: 'latn'}) : typed;
}

/** US numbers as `(415) 555-0132`; a foreign number is nobody's to rearrange. */
function tidyPhone(typed: string): string {
  const [, area, exchange, line] =
    /^(?:\+?1)?([2-9]\d\d)([2-9]\d\d)(\d{4})$/.exec(typed.normalize('NFKC').replace(/[-.\s()/]/g, '')) ?? [];
  return area ? `(${area}) ${exchange}-${line}` : typed;
}
