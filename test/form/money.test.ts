import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {formatDollars, formatMoney} from '../../form/format-money.ts';
import {alsoMeant, isUnclear, parseMoney, type MoneyError} from '../../form/money.ts';
import {firstScreen} from '../../form/words/en.ts';
import {languages} from '../../form/words/languages.ts';

/** Texts with `|` between them, by what they mean. */
const meanings: readonly (readonly [meaning: number | MoneyError, texts: string])[] = [
  // plain, and as pasted from statements and spreadsheets
  [0, '0 | 00'],
  [50_000, '50000 | 50,000 | $50,000.00 | $ 50,000 | US$50,000 | 50,000 USD | 50000 dollars'],
  [50_000, 'USD50,000 | USD 50,000.00 | 50K USD | U.S. $50,000 | 50,000 US dollars | 50,000.-'],
  [50_000, '50,000.— | 50,000.00.'],
  [1_234_567, "1,234,567 | 1'234'567"],
  [500_000, '5,00,000'],
  // spaces of every kind between groups
  [50_000, '50 000 | ５０，０００'],
  // digits of Arabic and Persian keyboards
  [50_000, '٥٠٬٠٠٠ | ۵۰٬۰۰۰ | ٥٠ ٠٠٠'],
  [50, '＄５０'],
  // cents are dropped, not rounded up
  [1_234, '1234.99 | 1,234.99'],
  [1_500, '1500.5'],
  [50, '50.00'],
  [50_000, "50,000. | 50.000,00 | 50.000 | 50 000,00 | 50'000.00"],
  [1_234_567, '1.234.567 | 1.234.567,89 | 1’234’567.89'],
  // thousands and millions
  [50_000, '50k | 50 K | 50 grand'],
  [1_200_000, '$1.2m | 1.2 million | 1,2m | 1,200k | 1.2mm'],
  [3_000, '3 thousand'],
  [1_001, '1.001k | 1.0019k'],
  [2_000_000, '2 millions'],
  // in Spanish
  [50_000, '50 mil | 50mil | 50 MIL | 50 mil dólares | 50 mil dlls | US$ 50.000,00'],
  [1_000_000, '1 millón | 1 millon'],
  [1_500_000, '1.5 millones | 1,5 millones | 1.5 millones de dólares'],
  // roughly
  [50_000, '~50k | ≈ 50,000 | ~$50k | 50k+ | $50,000+ | +50,000 | about 50,000 | Around $50k'],
  [50_000, 'approx. 50k | aprox. 50k | aproximadamente 50 mil | unos 50 mil | más de 50 mil'],
  [50_000, 'approximately 50k | approx 50k | 50k approx. | 50k or so | 50,000 more or less'],
  [50_000, '50 mil más o menos | mas o menos 50 mil | cerca de 50 mil | almost 50k | maybe 50k'],
  [100_000, '100k ish | 100kish | 100k-ish | 100k plus'],
  // not less than that
  [100_000, 'over 100k | Over $100,000 | more than 100k'],
  [20_000, 'at least 20k | >20k | 20k or more | al menos 20 mil | por lo menos 20 mil | 20 mil o más'],
  [50_000, 'mas de $50,000 | más de US$ 50.000'],
  // in words, as far as a small table goes
  [500_000, 'half a million | Half million | half of a million | 1/2 million | ½ million'],
  [500_000, 'medio millón | medio millon de dólares | .5m | .5 million | 0.5m'],
  [250_000, 'quarter million | a quarter of a million | a quarter million dollars'],
  [250_000, 'un cuarto de millón'],
  [1_000_000, 'a million | one million dollars | un millón | Un millón de dólares'],
  [2_000_000, 'two million | dos millones'],
  [100_000, 'a hundred thousand | one hundred thousand | hundred thousand dollars | 100 thousand'],
  [100_000, 'cien mil'],
  [50_000, 'fifty thousand | 50g | 50 G | Fifty K | about fifty thousand dollars | cincuenta mil'],
  [50, 'fifty'],
  [100, 'hundred'],
  [200_000, 'two hundred thousand'],
  [900, 'Nine hundred'],
  ['invalid', 'half hundred thousand | fifty sixty thousand'],
  ['fraction', 'half'],
  [10_000, 'unos diez mil dólares'],
  // written carelessly
  [50_000, '50, 000 | 50. 000 | 50,000, | 50k usd | 50 k | 50 thousand dollars | $50,000 dollars'],
  [1_234_567, '1, 234, 567'],
  [50, '50 bucks'],
  // none
  [0, 'none | None. | NONE | none yet | none at all | None! | none right now | zero | zero dollars'],
  [0, 'nothing | nothing yet | nil | n/a | N/A | na | n.a. | not applicable | no | nope | no money'],
  [0, "don't have any | dont have any | I don’t have any | I do not have any | i have none"],
  [0, 'I have nothing | nada | cero | cero dólares | ninguno | ninguna | ningún | no tengo'],
  [0, 'No tengo nada | no tengo ninguno | no tengo dinero | no aplica | por ahora nada'],
  [0, 'nada por ahora | sin fondos | - | -- | ---'],
  [0, '- - | -0- | -0 | (0) | $0 | $0.00 | $0,00 | 0.00 | (none) | "none" | 0 dollars'],
  // an iPhone makes one sign of two dashes
  [0, '—'],
  // an empty text is not zero
  ['required', '$ | USD | approx.'],
  // below zero
  ['negative', '-1 | −50 | –50 | (5,000) | ($5,000.00) | $(500.00) | -$500 | $-500 | -50k'],
  // not one amount, or not clearly one
  ['invalid', 'abc | 50 60 | 1e5 | 0x10 | 50kk | 1.2.3 | Infinity | 50k 60k | 50- | k | mil | a'],
  ['invalid', '50k/yr | $50K a year | 20k and 30k | 20k + 30k | 1 1/2 million | 5 0 0 0 0'],
  ['invalid', '1,000,20,000 | 500,00,000'],
  ['fraction', '5,0000'],
  // a zero would be a guess
  ['invalid', "no idea | not sure | no sé | I don't know | no less than fifty | none of your business"],
  ['invalid', 'unknown | ?'],
  ['required', '.'],
  // the name of an account
  ['invalid', '401k | 401 K | 401(k)'],
  [401_000, '$401k'],
  // a comma or a point in place of another
  ['invalid', '1234.567 | 1,234.567'],
  // more than one amount: the lower one counts
  ['range', '50-60k | 50k-60k | 50k - 60k | 50–60k | $50,000-$60,000 | 50,000 - 60,000 | 50k to 60k'],
  ['range', '50 to 60 thousand | $50k to $60k | 50k or 60k | 500~600k | 50k ~ 60k'],
  ['range', 'between 50 and 60k | between $50,000 and $60,000 | from 50k to 60k | entre 50 y 60 mil'],
  ['range', 'entre $50 y $60 mil | de 50 a 60 mil | 50 a 60 mil | 50 mil o 60 mil'],
  ['range', '50 mil a 60 mil dólares | unos 50-60 mil'],
  // at most
  ['range', 'up to 50k | less than 10k | Less than $10,000 | under 10k | below 10k | at most 10k'],
  ['range', 'no more than 10k | max 10k | < 10k | <$10,000 | 10k or less | 10k max | hasta 50 mil'],
  ['range', 'menos de 10 mil | menos de $10,000 | no más de 10 mil | máximo 10 mil | 10 mil o menos'],
  // 1.5 may mean millions, and 50.5 thousands
  ['fraction', '1.5 | 0.5 | .5 | 0.99 | 1.99 | 50.5 | $50.5 | 1,5 | 0,5 | 50,5 | 1.25 | $999.5'],
  ['fraction', '0.500 | .250'],
  // cents
  [850, '$850.75'],
  [12, '12.50'],
  [999, '999.99'],
  [500_000, '0,500 millones'],
  [500, '0,500'],
  // a currency between two amounts
  ['range', '$500, $600 | $50 $100 | $10, $200, $300 | 20 dollars 500 | 500 usd 250 usd | $1.5 $2'],
  // the account, with a number before it
  ['invalid', '1 401k | 100 401k | 401 k'],
  // 50.00, or 50,000 without its last zero
  ['fraction', '50,00'],
  // two cells of a spreadsheet
  ['invalid', '1,000 20,000'],
  // another currency
  ['invalid', '€50 000 | 50.000 € | £50,000 | ¥5,000,000 | C$50,000 | MX$50,000 | 50,000 EUR'],
  ['invalid', '50 mil pesos'],
];

const cases: readonly (readonly [typed: string, meaning: number | MoneyError])[] = [
  ...meanings.flatMap(([meaning, texts]) => texts.split(' | ').map((typed) => [typed, meaning] as const)),
  // with spaces and signs that are not seen
  ['  50,000\t', 50_000],
  ['$ 50,000.00 ', 50_000],
  ['\u202a50,000\u202c', 50_000],
  ['50\u00a0000', 50_000],
  ['1\u202f234\u2009567', 1_234_567],
  ['1 millo\u0301n', 1_000_000],
  ['$ - ', 0],
  ['', 'required'],
  ['   ', 'required'],
  ['\u00a0', 'required'],
  ['\u202c', 'required'],
  ['1,000\t20,000', 'invalid'],
  ['100\t200', 'invalid'],
];

suite('parseMoney', () => {
  for (const [typed, meaning] of cases) {
    test(`reads ${JSON.stringify(typed)} as ${meaning}`, () => {
      assert.equal(parseMoney(typed), meaning);
    });
  }

  test('reads 400 digits as infinite, so that the field says that the amount is too large', () => {
    assert.equal(parseMoney('9'.repeat(400)), Infinity);
  });
});

suite('isUnclear', () => {
  const thousands = ['1', '50', '999', '$50', '50 dollars', '~50', '50.00', '50,', '５０', 'fifty'];
  const clear = ['', '0', '00', '1,000', '1000', '50k', '50,000', '2 million', '-50', '50 €', 'abc', '1.5'];
  for (const [texts, expected] of [
    [thousands, true],
    [[...clear, 'none'], false],
  ] as const) {
    for (const typed of texts) {
      test(`${JSON.stringify(typed)} ${expected ? 'may mean' : 'does not mean'} thousands`, () => {
        assert.equal(isUnclear(typed, 'en-US'), expected);
        assert.equal(isUnclear(typed, 'es-US'), expected);
      });
    }
  }

  test('from ten million on, a thousandth may be meant', () => {
    assert.deepEqual(
      ['9999999', '10m', '999,999,999'].map((typed) => isUnclear(typed, 'en-US')),
      [false, true, true],
    );
    assert.deepEqual(
      [50, 2_000, 10_000_000, 999_999_999].map(alsoMeant),
      [50_000, 2_000_000, 10_000, 999_999],
    );
  });

  test('"2 mil" may mean millions on an English page, and is clear on a Spanish one', () => {
    assert.equal(isUnclear('2 mil', 'en-US'), true);
    assert.equal(isUnclear('2 mil', 'es-US'), false);
    assert.equal(isUnclear('2000 mil', 'en-US'), false);
    assert.equal(isUnclear('half a mil', 'en-US'), true);
    assert.equal(isUnclear('1.5 mil', 'en-US'), true);
  });
});

suite('formatMoney and formatDollars', () => {
  const amounts = [0, 7, 999, 1_000, 12_345, 999_999, 1_234_567, 1_605_149_998, Number.MAX_SAFE_INTEGER];

  for (const locale of ['en-US', 'es-US', 'es', 'de', 'fr-CA', 'es-MX', 'ar-EG', 'en-IN']) {
    test(`write amounts as Intl does in "${locale}"`, () => {
      for (const dollars of amounts) {
        const money = {style: 'currency', currency: 'USD', maximumFractionDigits: 0} as const;
        assert.equal(formatMoney(dollars, locale), dollars.toLocaleString(locale, money));
        assert.equal(
          formatDollars(dollars, locale),
          dollars.toLocaleString(locale, {numberingSystem: 'latn'}),
        );
      }
    });
  }

  test('the languages of the form write amounts without Intl, whose first use makes a phone wait', async (t) => {
    const loaded = await Promise.all(Object.values(languages).map((load) => load()));
    const locales = [firstScreen.locale, ...loaded.map((words) => words.firstScreen.locale)];
    // Where amounts are written in another way, only `Intl` knows it.
    const withCommas = locales.filter((locale) => (50_000).toLocaleString(locale) === '50,000');
    assert.ok(withCommas.length >= 2);
    const toLocaleString = t.mock.method(Number.prototype, 'toLocaleString');
    for (const locale of withCommas) {
      formatMoney(50_000, locale);
      formatDollars(50_000, locale);
    }
    assert.equal(toLocaleString.mock.callCount(), 0);
  });
});
