/** What readFields makes of each kind of field. E-mail addresses, telephone numbers and amounts have files of their own. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {FormFieldName} from '../../contract/fields.ts';
import {readFields, type InputError} from '../../form/read-fields.ts';

type Case = readonly [
  name: FormFieldName,
  typed: string | undefined,
  value: string | number | boolean | undefined,
];

const accepted: readonly Case[] = [
  ['first_name', ' Maria ', 'Maria'],
  ['first_name', '李', '李'],
  ['first_name', 'Zoe\u0301', 'Zoé'],
  ['last_name', "O'Brien-Núñez", "O'Brien-Núñez"],
  ['last_name', 'x'.repeat(80), 'x'.repeat(80)],
  ['last_name', '😀'.repeat(80), '😀'.repeat(80)],
  ['credit_score', '680 - 720', '680 - 720'],
  ['bankruptcy', 'true', true],
  ['bankruptcy', 'false', false],
  ['bankruptcy', '', undefined],
  ['bankruptcy', undefined, undefined],
  ['cash', '50k', 50_000],
  ['cash', '0', 0],
  ['cash', '999,999,999', 999_999_999],
];

const refused: readonly (readonly [name: FormFieldName, typed: string | undefined, error: InputError])[] = [
  ['first_name', '', 'required'],
  ['first_name', ' \t', 'required'],
  ['first_name', '\u200b \u2060', 'required'],
  ['first_name', undefined, 'required'],
  ['first_name', 'x'.repeat(81), 'too_long'],
  ['first_name', 'a\u0000b', 'invalid'],
  ['email', `${'x'.repeat(250)}@example.com`, 'too_long'],
  ['credit_score', undefined, 'required'],
  ['credit_score', '700', 'invalid'],
  ['retirement', '', 'required'],
  ['retirement', '-1', 'negative'],
  ['retirement', 'abc', 'invalid'],
  ['retirement', '1,000,000,000', 'too_large'],
];

/** The start of a text, because some texts are long. */
const inTitle = (typed: string | undefined) => JSON.stringify(typed)?.slice(0, 30);

suite('readFields', () => {
  for (const [name, typed, value] of accepted) {
    test(`reads the ${name} ${inTitle(typed)} as ${inTitle(String(value))}`, () => {
      const {errors, lead} = readFields([name], {[name]: typed});
      assert.deepEqual(errors, {});
      assert.deepEqual(lead, value === undefined ? {} : {[name]: value});
    });
  }

  for (const [name, typed, error] of refused) {
    test(`reports ${error} for the ${name} ${inTitle(typed)}, and leaves it out of the lead`, () => {
      const {errors, lead} = readFields([name], {[name]: typed});
      assert.deepEqual(errors, {[name]: error});
      assert.deepEqual(lead, {});
    });
  }

  test('reads only the fields that it is asked for', () => {
    const {errors, lead} = readFields(['first_name'], {first_name: 'Maria', cash: 'abc'});
    assert.deepEqual(errors, {});
    assert.deepEqual(lead, {first_name: 'Maria'});
  });

  // In these, a pattern that tries each beginning with each end would take minutes.
  test('is not held up by a paste of 200,000 characters', () => {
    const long = [' to ', 'approx', 'cell ', 'a half a half ', ', ', '1 ', '1,', 'ext', 'a.', 'a-'];
    for (const part of [...' \t.,-~(xk@<', ...long]) {
      const pasted = `5${part.repeat(200_000 / part.length)}!`;
      for (const name of ['first_name', 'email', 'phone', 'cash'] as const) {
        assert.notDeepEqual(readFields([name], {[name]: pasted}).errors, {}, `${name} ${part}`);
      }
    }
  });
});
