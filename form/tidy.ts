/** Rewrites what the visitor typed in the usual form. Text that is not understood stays as it is. */
import type {FieldKind} from '../contract/fields.ts';
import {readEmail} from './email.ts';
import {formatDollars} from './format-money.ts';
import {parseMoney} from './money.ts';
import {readPhone} from './phone.ts';

/** Groups digits as the language does, without the currency sign. */
function tidyMoney(typed: string, locale: string): string | undefined {
  const dollars = parseMoney(typed);
  return typeof dollars === 'number' && Number.isSafeInteger(dollars)
    ? formatDollars(dollars, locale)
    : undefined;
}

const tidiers: {readonly [Kind in FieldKind]?: (typed: string, locale: string) => string | undefined} = {
  money: tidyMoney,
  phone: readPhone,
  email: readEmail,
};

export const tidy = (kind: FieldKind, typed: string, locale: string): string =>
  tidiers[kind]?.(typed, locale) ?? typed;
