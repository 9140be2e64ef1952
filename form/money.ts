/** Reads amounts of money as people write them, in whole US dollars. */
import {normalized} from '../contract/normalized.ts';
import {plainText} from './plain-text.ts';

/**
 * - `range`: more than one amount, or only an upper limit
 * - `fraction`: `1.5`, which may mean millions, `50.5`, which may mean thousands, and `50,00`
 */
export type MoneyError = 'required' | 'negative' | 'range' | 'fraction' | 'invalid';

/** The currency, before or after the number. It is removed. Other currencies stay in the text, which makes it an error. */
const usDollars = /(?:u\.?s\.? ?)?\$|(?:u\.?s\.? ?|de )?(?:dollars?|dolar(?:es)?|bucks)|usd|dlls?/g;
/** A dash, a zero, or what people write in place of it. Only whole texts count: `no idea` is not a zero. */
const nothing =
  /^(?:[- ]*-|[-(]*0[0.,]*[-)]*|["'(]?(?:i have |por ahora )?(?:no(?:ne|pe|thing)?|zero|nil|n[/.]?a|not applicable|no (?:money|aplica)|(?:i )?do(?:n'?t| not) have(?: any)?|nada|cero|ningun[oa]?|no tengo(?: nada| ningun[oa]?| dinero)?|sin fondos)(?: yet| right now| at all| por ahora)?["').!]?)$/;
/** The visitor knows the amount only roughly, or has more. A rough amount is enough. */
const roughly =
  /^(?:[~≈+>]|(?:about|around|app?rox[a-z]*\.?|roughly|almost|nearly|maybe|over|more than|at least|unos|casi|mas de|mas o menos|cerca de|al menos|por lo menos)(?![a-z])) ?/;
/** `50k+`, `50k or so`, `50,000.-`, and the punctuation of a sentence. */
const ending =
  /[ -]?(?:\+|plus|ish|or so|or more|more or less|o mas|mas o menos|app?rox[a-z]{0,9}\.?|[.,]-*)$/;
const range =
  /\d\D{0,12}?(?:[-~]| (?:to|or|a|o) )\D{0,12}\d|^(?:<|(?:between|entre|up to|less than|under|below|at most|no more than|hasta|menos de|no mas de|max[a-z]*)(?![a-z]))|(?:or less|o menos| max)$/;
/** A currency stands beside an amount, and never within one. */
const twoPrices = /\d[ ,.]*\$[ ,.]*\d/;
const unit = / ?(?:(k|g|thousand|grand|mil)|mm?|mill(?:ions?|on|ones)?)$/;
/** The number before a unit, where it is a word. Other numbers in words are errors, which say how to write them. */
const numberWords: Readonly<Record<string, string>> = {
  half: '.5',
  medio: '.5',
  '1/2': '.5',
  quarter: '.25',
  cuarto: '.25',
  a: '1',
  one: '1',
  un: '1',
  two: '2',
  dos: '2',
  three: '3',
  tres: '3',
  four: '4',
  five: '5',
  cinco: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  diez: '10',
  twenty: '20',
  veinte: '20',
  thirty: '30',
  treinta: '30',
  forty: '40',
  cuarenta: '40',
  fifty: '50',
  cincuenta: '50',
  hundred: '100',
  cien: '100',
};
/** `a` quarter, a quarter `of a` million. */
const article = /^(?:an?|one|un) (?=.)| (?:of a|of|a|de)$/g;

/**
 * Groups of three digits, or of two and three as in India, and perhaps decimals. The groups are separated by the same
 * sign throughout, which does not separate decimals: `50,000.00`, `50.000,00`, `50 000,00` and `50, 000`, but not
 * `1,000 20,000`, which are two cells of a spreadsheet.
 */
const grouped =
  /^(?!\d{3},\d\d,|0+\.)(?<whole>\d{1,3}([,.] ?|[' ])(?:(?:\d{3}\2)*|(?:\d\d\2)+)\d{3})(?:(?!\2)[.,](?<decimals>\d*))?$/;
const plainNumber = /^(?=\.?\d)(?<whole>\d*)(?:\.(?<decimals>\d*))?$/;
/** `1,2m`: before a unit, a comma can also separate decimals. */
const decimalComma = /^(?<whole>\d+),(?<decimals>\d+)$/;

/**
 * Understands `$50,000.00`, `50k`, `1.2 m`, `50 000`, `50 mil`, `~US$ 50,000`, `half a million`, `none` and digits of
 * other scripts. Drops cents. In every language of the form, three digits after a point or comma are thousands, because
 * nobody writes tenths of a cent. A text with two possible meanings (`50,00`, `1.5`, and `401k`, which is an account) is
 * an error, because a guess may be wrong. An empty text is an error and not 0, because nobody has typed a 0.
 *
 * @returns whole US dollars, not limited upwards, or what is wrong
 */
export function parseMoney(typed: string): number | MoneyError {
  const raw = normalized(plainText(typed).toLowerCase(), 'NFD').replace(/\p{M}/gu, '').replace(/’/g, "'");
  const inDollars = raw.replace(usDollars, '$');
  if (twoPrices.test(inDollars)) return 'range';
  const named = inDollars.replace(/\$/g, ' ').replace(/ +/g, ' ').trim();
  if (nothing.test(named)) return 0;
  const text = named.replace(roughly, '').replace(ending, '').trim();
  if (text === '') return 'required';
  if (/^[-(]/.test(text)) return 'negative';
  if (range.test(text)) return 'range';
  return /^(?:.* )?401 ?k$/.test(raw) ? 'invalid' : readAmount(text);
}

/** @param text one amount, without its currency */
function readAmount(text: string): number | MoneyError {
  const [end = '', thousand] = unit.exec(text) ?? [];
  const zeros = thousand ? 3 : end ? 6 : 0;
  const typed = text.slice(0, text.length - end.length).replace(/٬/g, ',');
  const word = typed.replace(article, '').replace('⁄', '/');
  // A letter alone is no amount, and a unit does not touch a word.
  const isWord = end ? end.startsWith(' ') : word.length > 2;
  const number = (isWord && readWords(word)) || typed;
  // `0,500 million` is half a million, and `0,500` alone the digits 0500.
  const beforeUnit = number.startsWith('0')
    ? [plainNumber, decimalComma]
    : [plainNumber, grouped, decimalComma];
  for (const shape of zeros ? beforeUnit : [grouped, plainNumber]) {
    const {whole, decimals = ''} = shape.exec(number)?.groups ?? {};
    if (whole === undefined) continue;
    // Shifting digits keeps 1.001k exact, where multiplying gives 1000.9999999999999.
    const dollars = Number(whole.replace(/\D/g, '') + decimals.slice(0, zeros).padEnd(zeros, '0'));
    if (zeros > 0) return dollars;
    // Two decimals are cents, unless the whole is a small number.
    const hasCents = decimals.length === 2 && dollars >= 10;
    if (dollars < 1_000 && !hasCents && /[1-9]/.test(decimals)) return 'fraction';
    // 1234.567 has a point where a comma was meant.
    return decimals.length === 3 ? 'invalid' : dollars;
  }
  return decimalComma.test(number) ? 'fraction' : 'invalid';
}

/** Reads `fifty`, and `two hundred`. */
function readWords(text: string) {
  const word = text.replace(/ hundred$/, '');
  const number = Object.hasOwn(numberWords, word) ? numberWords[word] : undefined;
  if (word === text) return number;
  return number?.length === 1 ? `${number}00` : undefined;
}

/** From here on, in whole US dollars, three digits may be too many. */
const manyDollars = 10_000_000;

/**
 * Whether another amount may be meant: a thousand times as much as `50`, and on an English page as `2 mil`, which is two
 * thousand in Spanish, and two million in the English of many; or a thousandth of `50,000,000`. Nobody means billions.
 */
export function isUnclear(typed: string, locale: string): boolean {
  const dollars = Number(parseMoney(typed));
  const end = locale.startsWith('en') && /mil\b/i.test(typed) ? 1_000_000 : 1_000;
  return dollars > 0 && (dollars < end || dollars >= manyDollars);
}

/** What may be meant in place of an unclear amount, in whole US dollars. */
export const alsoMeant = (dollars: number) =>
  dollars < manyDollars ? dollars * 1_000 : Math.floor(dollars / 1_000);
