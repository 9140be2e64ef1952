/** The reference of a lead: a short code that people can say on the phone instead of the lead's id. */

/** Crockford's base 32. It has no I, L, O and U, because they are mistaken for other signs. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Eight characters in two groups, such as `K7QM-2XHD`. They are the last 40 bits of the id, which are random in a UUID
 * of version 7. The chance that any two of 100,000 leads have the same reference is 1 in 220.
 *
 * @param id a UUID
 */
export function referenceOf(id: string): string {
  const digits = parseInt(id.slice(-10), 16).toString(32).padStart(8, '0');
  return digits.replace(/./g, (digit, place) => (place === 4 ? '-' : '') + alphabet[parseInt(digit, 32)]);
}

/**
 * The last ten digits of the ids that have this reference, or undefined if the text is not a reference. People may
 * leave out the dash, write small letters, and confuse O with 0, and I and L with 1, as Crockford's base 32 allows.
 */
export function endOfId(reference: string): string | undefined {
  const signs = reference.replace(/[-\s]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
  const digits = [...signs].map((sign) => alphabet.indexOf(sign));
  if (digits.length !== 8 || digits.includes(-1)) return undefined;
  return digits
    .reduce((number, digit) => number * 32 + digit, 0)
    .toString(16)
    .padStart(10, '0');
}
