import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {formatDollars, formatMoney} from '../../form/format-money.ts';
import {mayMeanThousands, parseMoney, type MoneyError} from '../../form/money.ts';
import {firstScreen} from '../../form/words/en.ts';
import {firstScreens} from '../../form/words/languages.ts';

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
  ['1.5', 1],
  ['0.99', 0],
  ['1.99', 1],
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
  // an empty text is not zero
  ['', 'required'],
  ['   ', 'required'],
  ['$', 'required'],
  ['\u00a0', 'required'],
  ['\u202c', 'required'],
  ['USD', 'required'],
  // the zero of a spreadsheet, which no visitor has chosen
  ['$ - ', 'required'],
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
  ['none', 'invalid'],
  ['50,00', 'invalid'],
  ['5,0000', 'invalid'],
  ['50 60', 'invalid'],
  ['50-60k', 'invalid'],
  ['50k-60k', 'invalid'],
  ['1e5', 'invalid'],
  ['0x10', 'invalid'],
  ['.5', 'invalid'],
  ['50kk', 'invalid'],
  ['1.2.3', 'invalid'],
  ['Infinity', 'invalid'],
  ['50k or 60k', 'invalid'],
  ['50k 60k', 'invalid'],
  ['500~600k', 'invalid'],
  ['50-', 'invalid'],
  ['k', 'invalid'],
  ['mil', 'invalid'],
  ['un millón', 'invalid'],
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
    test(`parseMoney reads ${JSON.stringify(typed)} as ${meaning}`, () => {
      assert.equal(parseMoney(typed), meaning);
    });
  }

  test('parseMoney reads 400 digits as infinite, so that the field says that the amount is too large', () => {
    assert.equal(parseMoney('9'.repeat(400)), Infinity);
  });
});

suite('mayMeanThousands', () => {
  const thousands = ['1', '50', '999', '$50', '50 dollars', '~50', '50.00', '1.5', '５０'];
  const clear = ['', '0', '00', '1,000', '1000', '50k', '50,000', '2 million', '-50', '50 €', 'abc'];
  for (const [texts, expected] of [
    [thousands, true],
    [clear, false],
  ] as const) {
    for (const typed of texts) {
      test(`${JSON.stringify(typed)} ${expected ? 'may mean' : 'does not mean'} thousands`, () => {
        assert.equal(mayMeanThousands(typed, 'en-US'), expected);
        assert.equal(mayMeanThousands(typed, 'es-US'), expected);
      });
    }
  }

  test('"2 mil" may mean millions on an English page, and is clear on a Spanish one', () => {
    assert.equal(mayMeanThousands('2 mil', 'en-US'), true);
    assert.equal(mayMeanThousands('2 mil', 'es-US'), false);
    assert.equal(mayMeanThousands('2000 mil', 'en-US'), false);
  });
});

suite('formatMoney and formatDollars', () => {
  const amounts = [0, 7, 999, 1_000, 12_345, 999_999, 1_234_567, 1_605_149_998, Number.MAX_SAFE_INTEGER];

  for (const locale of ['en-US', 'es-US', 'es', 'de', 'fr-CA', 'es-MX', 'ar-EG', 'en-IN']) {
    test(`formatMoney and formatDollars write amounts as Intl does in "${locale}"`, () => {
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

  test('the languages of the form write amounts without Intl, whose first use makes a phone wait', (t) => {
    const toLocaleString = t.mock.method(Number.prototype, 'toLocaleString');
    for (const {locale} of [firstScreen, ...Object.values(firstScreens)]) {
      formatMoney(50_000, locale);
      formatDollars(50_000, locale);
    }
    assert.equal(toLocaleString.mock.callCount(), 0);
  });
});
