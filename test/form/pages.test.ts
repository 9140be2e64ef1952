import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {contactFields, formFields} from '../../contract/fields.ts';
import {fieldsOf, pagesOf} from '../../form/pages.ts';

suite('pagesOf', () => {
  test('the pages have each field of the contract once, in its order', () => {
    const all = Object.keys(formFields);
    for (const single of [false, true]) {
      assert.deepEqual(pagesOf('prequalification', single).flatMap(fieldsOf), all);
    }
  });

  test('the pages of the steps layout are contact, credit and funds', () => {
    const names = pagesOf('prequalification', false).map((page) => page.map(({name}) => name));
    assert.deepEqual(names, [['contact'], ['credit'], ['funds']]);
  });

  test('the single layout has all sections on one page', () => {
    assert.equal(pagesOf('prequalification', true).length, 1);
  });

  test('the pages of a standard lead have only contact details', () => {
    for (const single of [false, true]) {
      assert.deepEqual(pagesOf('standard', single).flatMap(fieldsOf), Object.keys(contactFields));
    }
  });
});
