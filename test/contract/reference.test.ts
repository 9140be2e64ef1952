import assert from 'node:assert/strict';
import {randomUUIDv7} from 'node:crypto';
import {suite, test} from 'node:test';
import fc from '../support/properties.ts';
import {referenceOf} from '../../contract/reference.ts';

const idWith = (last: string) => `01934b2c-0000-7000-80${last.slice(0, 2)}-00${last}`;

const rows: [last40Bits: string, reference: string][] = [
  ['0000000000', '0000-0000'],
  ['0000000001', '0000-0001'],
  ['000000001f', '0000-000Z'],
  ['0000000020', '0000-0010'],
  ['99ef41762d', 'K7QM-2XHD'],
  ['8000000000', 'G000-0000'],
  ['ffffffffff', 'ZZZZ-ZZZZ'],
];

suite('the reference of a lead', () => {
  for (const [last, reference] of rows) {
    test(`whose id ends in ${last} is ${reference}`, () => {
      assert.equal(referenceOf(idWith(last)), reference);
    });
  }
  test('a reference has eight signs in two groups, none of which is mistaken for another', () => {
    for (let count = 0; count < 1_000; count++) {
      assert.match(referenceOf(randomUUIDv7()), /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    }
  });
  test('two ids have the same reference only if their last 40 bits are the same', () => {
    const last40Bits = fc
      .bigInt({min: 0n, max: 2n ** 40n - 1n})
      .map((bits) => bits.toString(16).padStart(10, '0'));
    fc.assert(
      fc.property(last40Bits, last40Bits, (one, other) => {
        assert.equal(referenceOf(idWith(one)) === referenceOf(idWith(other)), one === other);
      }),
      {numRuns: 1_000},
    );
  });
});
