/** From what stands in the fields to the lead that is sent, or to what is wrong with it. */
import {characters, type FieldErrorCode} from '../contract/fields.ts';
import {parseMoney} from './money.ts';
import {fieldTable, type FieldName} from './pages.ts';

/**
 * As typed. A flag is `true`, `false`, or empty for "rather not say"; the consent is the version of its
 * text. `website` is a trap: no person sees that field.
 */
export type Values = Partial<Record<FieldName, string>> & {website?: string};

export type InputError = FieldErrorCode | 'negative';
export type Errors = {[Name in FieldName]?: InputError | undefined};

type Read = {value: string | number | boolean} | {error: InputError} | undefined;

/** Only what the contract's row says; `undefined` is a field that may stay empty and did. */
function readField(name: FieldName, typed: unknown): Read {
  const {kind, required, max = Infinity, pattern, choices} = fieldTable[name];
  const text = typeof typed === 'string' ? typed.trim().normalize('NFC') : '';
  if (text === '') return required ? {error: 'required'} : undefined;

  if (kind === 'money') {
    const dollars = parseMoney(text);
    if (typeof dollars === 'string') return {error: dollars};
    return dollars > max ? {error: 'too_large'} : {value: dollars};
  }
  if (kind === 'flag') return {value: text === 'true'};
  // Length before pattern: no pattern is meant for a text longer than its limit.
  if (characters(text) > max) return {error: 'too_long'};
  if (pattern?.test(text) === false || choices?.includes(text) === false) return {error: 'invalid'};
  return {value: text};
}

/** Whatever is wrong in these fields, and what can be sent of them. */
export function readFields(names: readonly FieldName[], values: Values) {
  const errors: Errors = {};
  const lead: Record<string, string | number | boolean> = {};
  for (const name of names) {
    // Nobody agrees to what was not shown.
    if (name === 'consent' && values.consent === undefined) continue;
    const read = readField(name, values[name]);
    if (!read) continue;
    if ('error' in read) errors[name] = read.error;
    else lead[name] = read.value;
  }
  return {errors, lead};
}
