/**
 * Which telephone numbers are taken: one rule for the server and for the form, so that the form never takes a number
 * that the server refuses after the last step.
 */

/**
 * What may stand at the end of a number: `x12`, `ext. 12`, `#12`, and `;ext=12` in a link. Of the signs before it only a
 * few belong to the match, because looking for any number of them would take quadratic time.
 */
export const extension = /[-.\s()/·•,;]{0,9}(?:x|ext\p{L}{0,8}|#)[\s.:=]{0,9}\d+[-.\s()]*$/iu;
/** Between the digits, also as business cards and other countries write them. */
const separators = /[-.\s()/·•]/g;

/**
 * Ten digits, with or without the country code 1. Only the form of a number is checked, because a list of area
 * codes would become outdated, and refuse visitors from a new area code.
 */
const northAmerican = /^(?:\+?1)?([2-9]\d{9})$/;

/**
 * 7 to 15 digits after a plus, as ITU-T E.164 allows. Countries change their numbers at any time, so only the beginning is
 * checked: no country code is 999, or begins with 0, 28, 83 or 89. Numbers with the country code 1 have the rule above.
 */
const international = /^\+(?![01]|28|83|89|999)\d{7,15}$/;

/**
 * @param typed with common separators, and perhaps an extension
 * @returns the number in E.164, or `undefined` if there can be no such number
 */
export function toE164(typed: string): string | undefined {
  const digits = typed.replace(extension, '').replace(separators, '');
  const [, national] = northAmerican.exec(digits) ?? [];
  if (national) return `+1${national}`;
  return international.test(digits) ? digits : undefined;
}
