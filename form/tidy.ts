/** Rewrites what the visitor typed in the usual form. Text that is not understood stays as it is. */
import type {FieldKind} from '../contract/fields.ts';
import {parseMoney} from './money.ts';
import {readPhone} from './phone.ts';

export function tidy(kind: FieldKind, typed: string, locale: string): string {
  if (kind === 'money') return tidyMoney(typed, locale);
  return kind === 'phone' ? (readPhone(typed) ?? typed) : typed;
}

/**
 * Groups digits as the language does, without the currency sign. Latin digits, which readers of every language know.
 */
function tidyMoney(typed: string, locale: string): string {
  const dollars = parseMoney(typed);
  return Number.isSafeInteger(dollars) ? dollars.toLocaleString(locale, {numberingSystem: 'latn'}) : typed;
}
