/** Reads and writes amounts of money, in whole US dollars. */

export type MoneyError = 'required' | 'negative' | 'invalid';

/** With `,` or a space between groups of three (or, in India, of two and three), and perhaps cents. */
const grouped = /^(\d{1,3}(?:,\d{2,3})*,\d{3})(?:\.(\d*))?$/;
const plain = /^(\d+)(?:\.(\d*))?$/;
/**
 * `50.000,00`, and also `50.000`, because nobody writes tenths of a cent. In every language of the form, three digits
 * after a point or comma are thousands, digits after the other sign are cents, and anything else is an error.
 */
const continental = /^(\d{1,3}(?:\.\d{3})+)(?:,(\d*))?$/;
/** `1,2m`: before a unit, a comma can also separate decimals. */
const decimalComma = /^(\d+),(\d+)$/;

/** The number of zeros that a unit stands for. */
const zerosOf: Readonly<Record<string, number>> = {k: 3, thousand: 3, m: 6, million: 6};

/**
 * Understands `$50,000.00`, `50k`, `1.2 m`, `50 000`, `US$ 50,000` and full-width digits. Drops cents. A text with two
 * possible meanings (`50,00`) is an error, because a guess may be wrong. An empty text is an error and not 0, because
 * nobody has typed a 0.
 *
 * @returns whole US dollars, not limited upwards, or what is wrong
 */
export function parseMoney(typed: string): number | MoneyError {
  const text = typed
    .normalize('NFKC')
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .toLowerCase()
    .replace(/us\$|usd|\$|dollars?/g, ' ')
    .trim();
  if (text === '') return 'required';
  if (/^[-−–(]/.test(text)) return 'negative';

  const [unit = ''] = /(?:k|thousand|m|million)$/.exec(text) ?? [];
  const number = text.slice(0, text.length - unit.length).trimEnd();
  const separated = number.replace(/[\s'’٬]+/g, ',');
  const shapes = unit ? [plain, grouped, decimalComma] : [continental, plain, grouped];
  for (const shape of shapes) {
    const [, whole, decimals = ''] = shape.exec(separated) ?? [];
    if (whole === undefined) continue;
    // Shifting digits keeps 1.001k exact, where multiplying gives 1000.9999999999999.
    const zeros = zerosOf[unit] ?? 0;
    return Number(whole.replace(/[,.]/g, '') + decimals.slice(0, zeros).padEnd(zeros, '0'));
  }
  return 'invalid';
}

/** Writes an amount with the currency sign. */
export const formatMoney = (dollars: number, locale: string) =>
  dollars.toLocaleString(locale, {style: 'currency', currency: 'USD', maximumFractionDigits: 0});
