import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {contactFields, financialFields} from '../../contract/fields.ts';
import {
  contactNames,
  defaultPages,
  fieldsOf,
  orders,
  pagesOf,
  withBankruptcyBelowScore,
} from '../../form/pages.ts';

const layouts = ['steps', 'single'];
/** Without those that only some partners ask for. */
const always = {...contactFields, ...financialFields};

suite('pagesOf', () => {
  for (const order of orders) {
    for (const layout of layouts) {
      test(`the pages of ${order}, ${layout}, have each usual field of the contract once`, () => {
        const names = pagesOf('prequalification', {order, layout}).flatMap(fieldsOf);
        assert.deepEqual(names.toSorted(), Object.keys(always).toSorted());
      });
    }
  }

  test('by default the first page has the credit score alone, and the last the contact data', () => {
    const pages = pagesOf('prequalification', {order: 'funds-first', layout: 'steps'});
    assert.equal(pages, defaultPages);
    assert.deepEqual(pages.map(fieldsOf), [
      ['credit_score'],
      ['bankruptcy', 'retirement', 'cash', 'investments'],
      contactNames,
    ]);
  });

  test('the question about a bankruptcy moves below the score where that has a page of its own', () => {
    assert.deepEqual(withBankruptcyBelowScore(defaultPages).map(fieldsOf), [
      ['credit_score', 'bankruptcy'],
      ['retirement', 'cash', 'investments'],
      contactNames,
    ]);
    const single = pagesOf('prequalification', {order: 'funds-first', layout: 'single'});
    const contactFirst = pagesOf('prequalification', {order: 'contact-first', layout: 'steps'});
    for (const pages of [single, contactFirst]) assert.equal(withBankruptcyBelowScore(pages), pages);
  });

  test('an order or a layout that is unknown is that of the default', () => {
    assert.equal(pagesOf('prequalification', {order: 'newest-first', layout: 'spiral'}), defaultPages);
  });

  test('contact-first has the pages that every form had until 1.3.0, in the order of the contract', () => {
    const pages = pagesOf('prequalification', {order: 'contact-first', layout: 'steps'});
    assert.deepEqual(
      pages.map((page) => page.map(({name}) => name)),
      [['contact'], ['credit'], ['funds']],
    );
    assert.deepEqual(pages.flatMap(fieldsOf), Object.keys(always));
  });

  test('the single layout has the steps of each order on one page', () => {
    for (const order of orders) {
      const [page, ...others] = pagesOf('prequalification', {order, layout: 'single'});
      assert.deepEqual(page, pagesOf('prequalification', {order, layout: 'steps'}).flat());
      assert.deepEqual(others, []);
    }
  });

  test('the pages of a standard lead have only contact details', () => {
    for (const order of orders) {
      for (const layout of layouts) {
        const pages = pagesOf('standard', {order, layout});
        assert.deepEqual(pages.flatMap(fieldsOf), Object.keys(contactFields));
      }
    }
  });
});
