/** Reads what the visitor typed: gives the lead that is sent, or what is wrong with each field. */
import {characters, type Field, type FieldErrorCode} from '../contract/fields.ts';
import {normalized} from '../contract/normalized.ts';
import {readEmail} from './email.ts';
import {parseMoney, type MoneyError} from './money.ts';
import {fieldTable, type FieldName, type Rows} from './pages.ts';
import {lacksPlus, readPhone} from './phone.ts';

export const isField = (name: string | undefined, rows: Rows = fieldTable): name is FieldName =>
  name !== undefined && Object.hasOwn(rows, name);

/** As typed. A flag is `true`, `false`, or empty for "rather not say". */
export type Values = Partial<Record<FieldName, string>>;

/**
 * - `no_plus`: a telephone number has a country code, but no plus before it
 * - `refused`: whoever answers the lead does not accept the value, although it can be read
 */
export type InputError = FieldErrorCode | MoneyError | 'no_plus' | 'refused';
export type Errors = {[Name in FieldName]?: InputError | undefined};

type Read = {value: string | number | boolean} | {error: InputError} | undefined;

/** Checks what the contract's row says. The result is `undefined` if an optional field is empty. */
function readField({kind, required, max = Infinity, pattern, choices}: Field, typed: unknown): Read {
  const text = typeof typed === 'string' ? normalized(typed.trim(), 'NFC') : '';
  // A text of nothing but spaces and invisible characters (Unicode's category Cf) is no answer.
  if (!/[^\p{Cf}\s]/u.test(text)) return required ? {error: 'required'} : undefined;

  if (kind === 'money') {
    const dollars = parseMoney(text);
    if (typeof dollars === 'string') return {error: dollars};
    return dollars > max ? {error: 'too_large'} : {value: dollars};
  }
  if (kind === 'flag') return {value: text === 'true'};
  const value = kind === 'email' ? readEmail(text) : kind === 'phone' ? readPhone(text) : text;
  if (value === undefined) return {error: kind === 'phone' && lacksPlus(text) ? 'no_plus' : 'invalid'};
  // The length is checked before the pattern, because no pattern is meant for a longer text.
  if (characters(value) > max) return {error: 'too_long'};
  if (pattern?.test(value) === false || choices?.includes(value) === false) return {error: 'invalid'};
  return {value};
}

/** @returns what is wrong with these fields, and the values of those that can be sent */
export function readFields(names: readonly FieldName[], values: Values, rows = fieldTable) {
  const errors: Errors = {};
  const lead: Record<string, string | number | boolean> = {};
  for (const name of names) {
    const read = readField(rows[name], values[name]);
    if (!read) continue;
    if ('error' in read) errors[name] = read.error;
    else lead[name] = read.value;
  }
  return {errors, lead};
}
