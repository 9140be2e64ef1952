import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../support/properties.ts';
import {roundMinimum} from '../../form/say-minimum.ts';

suite('a minimum as a person says it', () => {
  for (const [exact, said] of [
    [32_143, 33_000],
    [21_429, 22_000],
    [18_750, 19_000],
    [12_345, 12_500],
    [128_572, 130_000],
    [112_500, 115_000],
    [214_286, 220_000],
    [1_285_715, 1_300_000],
    [7_143, 7_200],
    [5_357, 5_400],
    [643, 650],
    [99, 99],
    [1, 1],
  ] as const) {
    test(`a minimum of ${exact} is said as ${said}`, () => assert.equal(roundMinimum(exact), said));
  }

  for (const round of [500, 7_500, 32_500, 50_000, 75_000, 125_000, 350_000, 1_000_000, 2_500_000]) {
    test(`a minimum of ${round} is said as it is`, () => assert.equal(roundMinimum(round), round));
  }

  test('a minimum is never said as less, nor as more than 5 % more', () => {
    fc.assert(
      fc.property(fc.integer({min: 1, max: 999_999_999}), (dollars) => {
        const said = roundMinimum(dollars);
        assert.ok(said >= dollars && said < dollars * 1.05 + 1, `${dollars}: ${said}`);
        assert.ok(Number.isInteger(said));
      }),
    );
  });
});
