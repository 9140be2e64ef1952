/** Reads amounts of money as people write them, in whole US dollars. */
import {plainText} from './plain-text.ts';

export type MoneyError = 'required' | 'negative' | 'invalid';

/** The currency, before or after the number. It is removed. Other currencies stay in the text, which makes it an error. */
const usDollars = /(?:u\.?s\.? ?|de )?(?:\$|dollars?|d[oó]lar(?:es)?)|usd|dlls?/g;
/** The visitor knows the amount only roughly, and a rough amount is enough. */
const roughly = /^(?:[~≈+]|about|around|roughly|app?rox\p{L}*\.?|unos|más de) ?/u;
/** `50k+`, `50,000.-`, and the full stop of a sentence. */
const ending = /(?: ?\+|[.,]-+|\.)$/;
const unit = / ?(?:(k|thousand|grand|mil)|mm?|mill(?:ions?|[oó]n|ones)?)$/;

/**
 * Groups of three digits, or of two and three as in India, and perhaps decimals. The groups are separated by the same
 * sign throughout, which does not separate decimals: `50,000.00`, `50.000,00` and `50 000,00`, but not `1,000 20,000`,
 * which are two cells of a spreadsheet.
 */
const grouped = /^(?<whole>\d{1,3}([,.' ])(?:\d{2,3}\2)*\d{3})(?:(?!\2)[.,](?<decimals>\d*))?$/;
const plain = /^(?<whole>\d+)(?:\.(?<decimals>\d*))?$/;
/** `1,2m`: before a unit, a comma can also separate decimals. */
const decimalComma = /^(?<whole>\d+),(?<decimals>\d+)$/;

/**
 * Understands `$50,000.00`, `50k`, `1.2 m`, `50 000`, `50 mil`, `~US$ 50,000` and digits of other scripts. Drops cents.
 * In every language of the form, three digits after a point or comma are thousands, because nobody writes tenths of a
 * cent. A text with two possible meanings (`50,00`) is an error, because a guess may be wrong. An empty text is an error
 * and not 0, because nobody has typed a 0.
 *
 * @returns whole US dollars, not limited upwards, or what is wrong
 */
export function parseMoney(typed: string): number | MoneyError {
  const text = plainText(typed)
    .toLowerCase()
    .replace(usDollars, ' ')
    .trim()
    .replace(roughly, '')
    .replace(ending, '')
    .trim();
  // Spreadsheets show a zero as a dash.
  if (/^-?$/.test(text)) return 'required';
  if (/^[-(]/.test(text)) return 'negative';

  const [named, thousand] = unit.exec(text) ?? [];
  const zeros = thousand ? 3 : named ? 6 : 0;
  const number = text
    .slice(0, text.length - (named?.length ?? 0))
    .replace(/’/g, "'")
    .replace(/٬/g, ',');
  for (const shape of zeros ? [plain, grouped, decimalComma] : [grouped, plain]) {
    const {whole, decimals = ''} = shape.exec(number)?.groups ?? {};
    // Shifting digits keeps 1.001k exact, where multiplying gives 1000.9999999999999.
    if (whole) return Number(whole.replace(/\D/g, '') + decimals.slice(0, zeros).padEnd(zeros, '0'));
  }
  return 'invalid';
}

/**
 * Whether the amount may be meant as a thousand times as much: `50`, and on an English page `2 mil`, which is two
 * thousand in Spanish, and two million in the English of many. Nobody means billions.
 */
export function mayMeanThousands(typed: string, locale: string): boolean {
  const dollars = Number(parseMoney(typed));
  const end = locale.startsWith('en') && /mil\b/i.test(typed) ? 1_000_000 : 1_000;
  return dollars > 0 && dollars < end;
}
