/**
 * Reads telephone numbers and e-mail addresses, wherever one comes from outside: first as callers of the API always could
 * write them, so that nothing is read differently than before, and then as people paste them, by the rules of the form.
 */
import {parsePhoneNumberFromString} from 'libphonenumber-js/min';
import {extension, toE164} from '../../contract/phone.ts';
import {readEmail} from '../../form/email.ts';
import {readPhone} from '../../form/phone.ts';
import type {Person} from './persons.ts';

/** The ordinary space, and the other spaces of Unicode (category Zs). Tabs and line breaks are none of them. */
const space = ' \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000';
const separator = `-.${space}()/·•`;
/** Seven or more digits with common separators, and perhaps an extension. */
const phonePattern = new RegExp(
  `^(?:[${separator}]*\\+)?(?:[${separator}]*\\d){7,}(?:[${separator},;]*(?:x|ext\\p{L}*|#)[${space}.:=]*\\d+)?[${separator}]*$`,
  'iu',
);

/**
 * The number in E.164, or `undefined`. North American numbers are read by the rule that the form has, too. All others are
 * first read by libphonenumber, which knows how each country writes its numbers, such as `+44 (0)20 7946 0958`. Its list
 * of valid numbers becomes outdated, so a number that it does not know is then read by the rule of the form.
 */
function normalizedPhone(typed: string): string | undefined {
  const plain = toE164(typed);
  if (plain?.startsWith('+1')) return plain;
  const number = parsePhoneNumberFromString(typed, {defaultCountry: 'US', extract: false});
  if (!number || number.countryCallingCode === '1') return plain ?? (number && toE164(number.nationalNumber));
  return number.isValid() ? number.number : plain;
}

/** The number in E.164, and as programs write it that know nothing of what people paste; `undefined` if it is none. */
export function phoneOf(typed: string): {plain: string; e164: string} | undefined {
  const sent = typed.trim();
  for (const plain of [phonePattern.test(sent) && sent, readPhone(sent)]) {
    const e164 = plain ? normalizedPhone(plain) : undefined;
    if (plain && e164 !== undefined) return {plain, e164};
  }
  return undefined;
}

/** The digits of what may be an extension. */
export const extensionIn = (typed: string): string | undefined =>
  /\d+(?=\D*$)/.exec(extension.exec(phoneOf(typed)?.plain ?? typed)?.[0] ?? '')?.[0];

export const noSpaces = /^[^\s\p{Cc}\p{Cs}]+$/u;
/** One `@`, and a domain with a dot. It is published, so it means the same in every language and without flags. */
export const addressPattern = /^[^@]+@[^@.]+(?:\.[^@.]+)+$/;
/** Characters in which an address is looked for. */
const longest = 1_000;

const isAddress = (text: string) => noSpaces.test(text) && addressPattern.test(text);

/** The address as callers always could send it, or else the one in the text, or else the text as it is. */
export const addressOf = (typed: string): string =>
  typed.length > longest || isAddress(typed) ? typed : (readEmail(typed) ?? typed);

export const comparableEmail = (email: string) => email.toLowerCase();

/** Whom an address names that somebody looks for: callers may have sent it just as it was pasted. */
export function personOf(typed: string): Pick<Person, 'email' | 'emailAsTyped'> | undefined {
  const sent = addressOf(typed.trim());
  if (sent.length > longest || !isAddress(sent)) return undefined;
  const email = readEmail(sent) ?? sent;
  return {email: comparableEmail(email), ...(sent !== email && {emailAsTyped: comparableEmail(sent)})};
}
