/**
 * The one place where texts are normalised, for the server and for the form; lint forbids `normalize` elsewhere.
 * Normalising sorts each run of combining marks, which takes quadratic time, 30 ms for 16 kB of marks. And NFKC writes
 * some signs as up to eighteen letters, all of which have to be read afterwards.
 */

/**
 * More marks after each other than the Stream-Safe Text Format of Unicode allows (UAX #15), and than any language needs.
 * A run is tried from its first mark alone, so that looking for one takes linear time. The narrow signs of Japanese, U+FF9E and
 * U+FF9F, are letters that NFKC makes marks of.
 */
const manyMarks = /(^|[^\p{M}ﾞﾟ])[\p{M}ﾞﾟ]{31}/u;
/** How many times as long a text may become. Signs for units and currencies stand for four letters at most. */
const growth = 4;

/** A text that nobody writes, with more marks or more such signs, stays as it is. */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  const normal = manyMarks.test(text) ? text : text.normalize(form);
  return normal.length > growth * text.length ? text : normal;
}
