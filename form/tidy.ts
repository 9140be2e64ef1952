/** Rewrites what the visitor typed in the usual form. Text that is not understood stays as it is. */
import type {FieldKind} from '../contract/fields.ts';
import {parseMoney} from './money.ts';

export function tidy(kind: FieldKind, typed: string, locale: string): string {
  if (kind === 'money') return tidyMoney(typed, locale);
  return kind === 'phone' ? tidyPhone(typed) : typed;
}

/**
 * Groups digits as the language does, without the currency sign. Latin digits, which readers of every language know.
 */
function tidyMoney(typed: string, locale: string): string {
  const dollars = parseMoney(typed);
  return Number.isSafeInteger(dollars) ? dollars.toLocaleString(locale, {numberingSystem: 'latn'}) : typed;
}

/**
 * Writes US numbers as `(415) 555-0132`. Foreign numbers stay as typed, because each country groups digits differently.
 */
function tidyPhone(typed: string): string {
  const [, area, exchange, line] =
    /^(?:\+?1)?([2-9]\d\d)([2-9]\d\d)(\d{4})$/.exec(typed.normalize('NFKC').replace(/[-.\s()/]/g, '')) ?? [];
  return area ? `(${area}) ${exchange}-${line}` : typed;
}
