import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {FieldKind} from '../../contract/fields.ts';
import {tidy} from '../../form/tidy.ts';

const cases: readonly (readonly [kind: FieldKind, typed: string, shown: string])[] = [
  ['money', '50000', '50,000'],
  ['money', '$50,000.99', '50,000'],
  ['money', '1.2m', '1,200,000'],
  ['money', '0', '0'],
  ['money', '', ''],
  ['money', 'abc', 'abc'],
  ['money', '-5', '-5'],
  ['money', '9'.repeat(30), '9'.repeat(30)],

  ['phone', '4155550132', '(415) 555-0132'],
  ['phone', '415-555-0132 ext. 12', '(415) 555-0132 ext. 12'],
  ['phone', 'call me', 'call me'],

  ['name', ' Maria ', ' Maria '],
  ['email', 'M@Example.com', 'M@Example.com'],
  ['email', ' Maria <maria@example.com> ', 'maria@example.com'],
  ['email', 'maria@example', 'maria@example'],
];

suite('tidy', () => {
  for (const [kind, typed, shown] of cases) {
    test(`shows the ${kind} ${JSON.stringify(typed)} as ${JSON.stringify(shown)}, and keeps that`, () => {
      assert.equal(tidy(kind, typed, 'en-US'), shown);
      assert.equal(tidy(kind, shown, 'en-US'), shown);
    });
  }
});
