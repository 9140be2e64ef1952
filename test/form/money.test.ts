import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {formatDollars, formatMoney} from '../../form/format-money.ts';
import {alsoMeant, isUnclear, parseMoney, type MoneyError} from '../../form/money.ts';
import {firstScreen} from '../../form/words/en.ts';
import {languages} from '../../form/words/languages.ts';

const cases: readonly (readonly [typed: string, meaning: number | MoneyError])[] = [
  // plain, and as pasted from statements and spreadsheets
  ['0', 0],
  ['00', 0],
  ['50000', 50_000],
  ['50,000', 50_000],
  ['$50,000.00', 50_000],
  ['$ 50,000', 50_000],
  ['US$50,000', 50_000],
  ['50,000 USD', 50_000],
  ['50000 dollars', 50_000],
  ['1,234,567', 1_234_567],
  ["1'234'567", 1_234_567],
  ['5,00,000', 500_000],
  ['  50,000\t', 50_000],
  ['$ 50,000.00 ', 50_000],
  ['USD50,000', 50_000],
  ['USD 50,000.00', 50_000],
  ['50K USD', 50_000],
  ['U.S. $50,000', 50_000],
  ['50,000 US dollars', 50_000],
  ['50,000.-', 50_000],
  ['50,000.—', 50_000],
  ['50,000.00.', 50_000],
  ['\u202a50,000\u202c', 50_000],
  // spaces of every kind between groups
  ['50 000', 50_000],
  ['50\u00a0000', 50_000],
  ['1\u202f234\u2009567', 1_234_567],
  ['５０，０００', 50_000],
  // digits of Arabic and Persian keyboards
  ['٥٠٬٠٠٠', 50_000],
  ['۵۰٬۰۰۰', 50_000],
  ['٥٠ ٠٠٠', 50_000],
  ['＄５０', 50],
  // cents are dropped, not rounded up
  ['1234.99', 1_234],
  ['1,234.99', 1_234],
  ['1500.5', 1_500],
  ['50.00', 50],
  ['50,000.', 50_000],
  ['50.000,00', 50_000],
  ['50.000', 50_000],
  ['1.234.567', 1_234_567],
  ['1.234.567,89', 1_234_567],
  ['50 000,00', 50_000],
  ["50'000.00", 50_000],
  ['1’234’567.89', 1_234_567],
  // thousands and millions
  ['50k', 50_000],
  ['50 K', 50_000],
  ['$1.2m', 1_200_000],
  ['1.2 million', 1_200_000],
  ['1,2m', 1_200_000],
  ['3 thousand', 3_000],
  ['1.001k', 1_001],
  ['1.0019k', 1_001],
  ['1,200k', 1_200_000],
  ['50 grand', 50_000],
  ['1.2mm', 1_200_000],
  ['2 millions', 2_000_000],
  // in Spanish
  ['50 mil', 50_000],
  ['50mil', 50_000],
  ['50 MIL', 50_000],
  ['50 mil dólares', 50_000],
  ['50 mil dlls', 50_000],
  ['US$ 50.000,00', 50_000],
  ['1 millón', 1_000_000],
  ['1 millon', 1_000_000],
  ['1 millo\u0301n', 1_000_000],
  ['1.5 millones', 1_500_000],
  ['1,5 millones', 1_500_000],
  ['1.5 millones de dólares', 1_500_000],
  // roughly
  ['~50k', 50_000],
  ['≈ 50,000', 50_000],
  ['~$50k', 50_000],
  ['50k+', 50_000],
  ['$50,000+', 50_000],
  ['+50,000', 50_000],
  ['about 50,000', 50_000],
  ['Around $50k', 50_000],
  ['approx. 50k', 50_000],
  ['aprox. 50k', 50_000],
  ['aproximadamente 50 mil', 50_000],
  ['unos 50 mil', 50_000],
  ['más de 50 mil', 50_000],
  ['approximately 50k', 50_000],
  ['approx 50k', 50_000],
  ['50k approx.', 50_000],
  ['100k ish', 100_000],
  ['100kish', 100_000],
  ['100k-ish', 100_000],
  ['100k plus', 100_000],
  ['50k or so', 50_000],
  ['50,000 more or less', 50_000],
  ['50 mil más o menos', 50_000],
  ['mas o menos 50 mil', 50_000],
  ['cerca de 50 mil', 50_000],
  ['almost 50k', 50_000],
  ['maybe 50k', 50_000],
  // not less than that
  ['over 100k', 100_000],
  ['Over $100,000', 100_000],
  ['more than 100k', 100_000],
  ['at least 20k', 20_000],
  ['>20k', 20_000],
  ['20k or more', 20_000],
  ['mas de $50,000', 50_000],
  ['más de US$ 50.000', 50_000],
  ['al menos 20 mil', 20_000],
  ['por lo menos 20 mil', 20_000],
  ['20 mil o más', 20_000],
  // in words, as far as a small table goes
  ['half a million', 500_000],
  ['Half million', 500_000],
  ['half of a million', 500_000],
  ['1/2 million', 500_000],
  ['½ million', 500_000],
  ['medio millón', 500_000],
  ['medio millon de dólares', 500_000],
  ['quarter million', 250_000],
  ['a quarter of a million', 250_000],
  ['a quarter million dollars', 250_000],
  ['un cuarto de millón', 250_000],
  ['.5m', 500_000],
  ['.5 million', 500_000],
  ['0.5m', 500_000],
  ['a million', 1_000_000],
  ['one million dollars', 1_000_000],
  ['un millón', 1_000_000],
  ['Un millón de dólares', 1_000_000],
  ['two million', 2_000_000],
  ['dos millones', 2_000_000],
  ['a hundred thousand', 100_000],
  ['one hundred thousand', 100_000],
  ['hundred thousand dollars', 100_000],
  ['100 thousand', 100_000],
  ['cien mil', 100_000],
  ['fifty thousand', 50_000],
  ['fifty', 50],
  ['hundred', 100],
  ['two hundred thousand', 200_000],
  ['Nine hundred', 900],
  ['half hundred thousand', 'invalid'],
  ['fifty sixty thousand', 'invalid'],
  ['half', 'fraction'],
  ['50g', 50_000],
  ['50 G', 50_000],
  ['Fifty K', 50_000],
  ['about fifty thousand dollars', 50_000],
  ['cincuenta mil', 50_000],
  ['unos diez mil dólares', 10_000],
  // written carelessly
  ['50, 000', 50_000],
  ['1, 234, 567', 1_234_567],
  ['50. 000', 50_000],
  ['50,000,', 50_000],
  ['50k usd', 50_000],
  ['50 k', 50_000],
  ['50 thousand dollars', 50_000],
  ['50 bucks', 50],
  ['$50,000 dollars', 50_000],
  // none
  ...[
    'none',
    'None.',
    'NONE',
    'none yet',
    'none at all',
    'None!',
    'none right now',
    'zero',
    'zero dollars',
    'nothing',
    'nothing yet',
    'nil',
    'n/a',
    'N/A',
    'na',
    'n.a.',
    'not applicable',
    'no',
    'nope',
    'no money',
    "don't have any",
    'dont have any',
    'I don’t have any',
    'I do not have any',
    'i have none',
    'I have nothing',
    'nada',
    'cero',
    'cero dólares',
    'ninguno',
    'ninguna',
    'ningún',
    'no tengo',
    'No tengo nada',
    'no tengo ninguno',
    'no tengo dinero',
    'no aplica',
    'por ahora nada',
    'nada por ahora',
    'sin fondos',
    '-',
    '--',
    '---',
    // an iPhone makes one sign of two dashes
    '—',
    '- -',
    '$ - ',
    '-0-',
    '-0',
    '(0)',
    '$0',
    '$0.00',
    '$0,00',
    '0.00',
    '(none)',
    '"none"',
    '0 dollars',
  ].map((typed) => [typed, 0] as const),
  // an empty text is not zero
  ['', 'required'],
  ['   ', 'required'],
  ['$', 'required'],
  ['\u00a0', 'required'],
  ['\u202c', 'required'],
  ['USD', 'required'],
  ['approx.', 'required'],
  // below zero
  ['-1', 'negative'],
  ['−50', 'negative'],
  ['–50', 'negative'],
  ['(5,000)', 'negative'],
  ['($5,000.00)', 'negative'],
  ['$(500.00)', 'negative'],
  ['-$500', 'negative'],
  ['$-500', 'negative'],
  ['-50k', 'negative'],
  // not one amount, or not clearly one
  ['abc', 'invalid'],
  ['5,0000', 'fraction'],
  ['50 60', 'invalid'],
  ['1e5', 'invalid'],
  ['0x10', 'invalid'],
  ['50kk', 'invalid'],
  ['1.2.3', 'invalid'],
  ['Infinity', 'invalid'],
  ['50k 60k', 'invalid'],
  ['50-', 'invalid'],
  ['k', 'invalid'],
  ['mil', 'invalid'],
  ['a', 'invalid'],
  ['50k/yr', 'invalid'],
  ['$50K a year', 'invalid'],
  ['20k and 30k', 'invalid'],
  ['20k + 30k', 'invalid'],
  ['1 1/2 million', 'invalid'],
  ['5 0 0 0 0', 'invalid'],
  ['1,000,20,000', 'invalid'],
  ['500,00,000', 'invalid'],
  // a zero would be a guess
  ['no idea', 'invalid'],
  ['not sure', 'invalid'],
  ['no sé', 'invalid'],
  ["I don't know", 'invalid'],
  ['no less than fifty', 'invalid'],
  ['none of your business', 'invalid'],
  ['unknown', 'invalid'],
  ['?', 'invalid'],
  ['.', 'required'],
  // the name of an account
  ['401k', 'invalid'],
  ['401 K', 'invalid'],
  ['401(k)', 'invalid'],
  ['$401k', 401_000],
  // a comma or a point in place of another
  ['1234.567', 'invalid'],
  ['1,234.567', 'invalid'],
  // more than one amount: the lower one counts
  ...[
    '50-60k',
    '50k-60k',
    '50k - 60k',
    '50–60k',
    '$50,000-$60,000',
    '50,000 - 60,000',
    '50k to 60k',
    '50 to 60 thousand',
    '$50k to $60k',
    '50k or 60k',
    '500~600k',
    '50k ~ 60k',
    'between 50 and 60k',
    'between $50,000 and $60,000',
    'from 50k to 60k',
    'entre 50 y 60 mil',
    'entre $50 y $60 mil',
    'de 50 a 60 mil',
    '50 a 60 mil',
    '50 mil o 60 mil',
    '50 mil a 60 mil dólares',
    'unos 50-60 mil',
    // at most
    'up to 50k',
    'less than 10k',
    'Less than $10,000',
    'under 10k',
    'below 10k',
    'at most 10k',
    'no more than 10k',
    'max 10k',
    '< 10k',
    '<$10,000',
    '10k or less',
    '10k max',
    'hasta 50 mil',
    'menos de 10 mil',
    'menos de $10,000',
    'no más de 10 mil',
    'máximo 10 mil',
    '10 mil o menos',
  ].map((typed) => [typed, 'range'] as const),
  // 1.5 may mean millions, and 50.5 thousands
  ...[
    '1.5',
    '0.5',
    '.5',
    '0.99',
    '1.99',
    '50.5',
    '$50.5',
    '1,5',
    '0,5',
    '50,5',
    '1.25',
    '$999.5',
    '0.500',
    '.250',
  ].map((typed) => [typed, 'fraction'] as const),
  // cents
  ['$850.75', 850],
  ['12.50', 12],
  ['999.99', 999],
  ['0,500 millones', 500_000],
  ['0,500', 500],
  // a currency between two amounts
  ...['$500, $600', '$50 $100', '$10, $200, $300', '20 dollars 500', '500 usd 250 usd', '$1.5 $2'].map(
    (typed) => [typed, 'range'] as const,
  ),
  // the account, with a number before it
  ...['1 401k', '100 401k', '401 k'].map((typed) => [typed, 'invalid'] as const),
  // 50.00, or 50,000 without its last zero
  ['50,00', 'fraction'],
  // two cells of a spreadsheet
  ['1,000 20,000', 'invalid'],
  ['1,000\t20,000', 'invalid'],
  ['100\t200', 'invalid'],
  // another currency
  ['€50 000', 'invalid'],
  ['50.000 €', 'invalid'],
  ['£50,000', 'invalid'],
  ['¥5,000,000', 'invalid'],
  ['C$50,000', 'invalid'],
  ['MX$50,000', 'invalid'],
  ['50,000 EUR', 'invalid'],
  ['50 mil pesos', 'invalid'],
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
  const clear = [
    '',
    '0',
    '00',
    '1,000',
    '1000',
    '50k',
    '50,000',
    '2 million',
    '-50',
    '50 €',
    'abc',
    '1.5',
    'none',
  ];
  for (const [texts, expected] of [
    [thousands, true],
    [clear, false],
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
