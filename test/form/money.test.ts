import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {parseMoney, type MoneyError} from '../../form/money.ts';

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
  // an empty text is not zero
  ['', 'required'],
  ['   ', 'required'],
  ['$', 'required'],
  ['\u00a0', 'required'],
  // below zero, in four ways of writing it
  ['-1', 'negative'],
  ['−50', 'negative'],
  ['–50', 'negative'],
  ['(5,000)', 'negative'],
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
