import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../support/properties.ts';
import {amountParts, totalAmount, type Prequalification} from '../../contract/amounts.ts';
import {tableOf} from '../../contract/table-of.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';

const partsOf = (amounts: Prequalification) => amountParts.map((part) => amounts[part] ?? 0);
const amountsOf = (dollars: readonly number[]): Prequalification => ({
  first_name: 'Maria',
  ...tableOf(amountParts, (part) => dollars[amountParts.indexOf(part)] ?? 0),
  [totalAmount]: dollars.reduce((sum, part) => sum + part),
});
const shown = (dollars: readonly number[], rounding_increment: number) =>
  shownAmounts({prequalification: amountsOf(dollars), explanation: {rounding_increment}});

suite('shown amounts', () => {
  const rows: [increment: number, exact: number[], rounded: number[]][] = [
    [1_000, [120_000, 560_000, 150_000, 30_000], [120_000, 560_000, 150_000, 30_000]],
    [1_000, [120_999, 483_996, 75_000, 12_000], [120_000, 483_000, 75_000, 12_000]],
    [1_000, [0, 116_671, 0, 600], [0, 116_000, 0, 600]],
    [1_000, [0, 0, 0, 1], [0, 0, 0, 1]],
    [5_000, [52_000, 4_999_996, 0, 5_000], [50_000, 4_995_000, 0, 5_000]],
    [1, [120_999, 483_996, 75_001, 7], [120_999, 483_996, 75_001, 7]],
  ];
  for (const [increment, exact, rounded] of rows) {
    test(`by ${increment}, ${exact.join(', ')} are shown as ${rounded.join(', ')}, with their sum`, () => {
      assert.deepEqual(shown(exact, increment), amountsOf(rounded));
    });
  }

  test('amounts without an explanation are shown as they are, also if they do not add up', () => {
    const amounts = {...amountsOf([1_234, 5_678, 9, 0]), [totalAmount]: 999};
    assert.deepEqual(shownAmounts({prequalification: amounts}), amounts);
  });

  test('an answer without amounts shows none', () => {
    const explanation = {rounding_increment: 1_000, parts: {}};
    assert.equal(shownAmounts({prequalification: null, explanation}), null);
  });

  test('no amount is shown as more than it is, or as nothing, and the total is the sum', () => {
    const dollars = fc.array(fc.nat({max: 5_000_000}), {minLength: 4, maxLength: 4});
    fc.assert(
      fc.property(dollars, fc.integer({min: 1, max: 100_000}), (exact, increment) => {
        const amounts = shown(exact, increment);
        assert.ok(amounts);
        const sum = partsOf(amounts).reduce((total, part) => total + part);
        assert.equal(amounts[totalAmount], sum);
        for (const [index, part] of partsOf(amounts).entries()) {
          const given = exact[index] ?? 0;
          assert.ok(part <= given && given - part < increment && part > 0 === given > 0);
        }
      }),
    );
  });
});
