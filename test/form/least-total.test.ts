import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {calculate, type Finances} from '../../calculator/calculator.ts';
import {defaultPolicy, figuresOf, type Policy} from '../../calculator/policy.ts';
import {totalAmount} from '../../contract/amounts.ts';
import {leastTotal} from '../../form/least-total.ts';
import type {Values} from '../../form/read-fields.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';
import {dollars, finances, policies} from '../support/any-finances.ts';
import fc from '../support/properties.ts';

const figures = figuresOf(defaultPolicy);
const names = ['credit_score', 'bankruptcy', 'retirement', 'cash', 'investments'];

/** What the form shows once the server has calculated. */
function shownResult(lead: Finances, policy: Policy) {
  const {amounts} = calculate(lead, policy);
  const explanation = {rounding_increment: policy.display_rounding_increment, parts: {}};
  return shownAmounts({prequalification: {first_name: '', ...amounts}, explanation})?.[totalAmount];
}

const typed = ({credit_score, bankruptcy, ...funds}: Finances): Values => ({
  credit_score,
  ...(bankruptcy !== undefined && {bankruptcy: String(bankruptcy)}),
  ...Object.fromEntries(Object.entries(funds).map(([name, amount]) => [name, String(amount)])),
});

suite('the least total', () => {
  const rows: [what: string, values: Values, isOpen: boolean, total: number][] = [
    ['nothing', {}, true, 0],
    ['a score whose loan a bankruptcy would take', {credit_score: 'Above 720'}, true, 0],
    ['a score without a bankruptcy', {credit_score: 'Above 720', bankruptcy: 'false'}, true, 150_000],
    ['a score, and "rather not say"', {credit_score: 'Above 720', bankruptcy: ''}, true, 150_000],
    ['a score, and a question that was passed over', {credit_score: 'Above 720'}, false, 150_000],
    ['retirement funds alone', {retirement: '120,000'}, true, 120_000],
    ['investments alone, rounded down', {investments: '$102,501'}, true, 61_000],
    ['investments that are too few for a loan', {investments: '99,999'}, true, 0],
    ['an amount that cannot be read', {retirement: '120,000', cash: 'some'}, true, 120_000],
    ['a bankruptcy', {credit_score: 'Above 720', bankruptcy: 'true', retirement: '60k'}, false, 60_000],
  ];
  for (const [what, values, isOpen, total] of rows) {
    test(`after ${what} is ${total}`, () => assert.equal(leastTotal(values, figures, isOpen), total));
  }

  test('for every lead and policy, it is the total of the result once all is answered', () => {
    fc.assert(
      fc.property(finances, policies, (lead, policy) => {
        assert.equal(leastTotal(typed(lead), figuresOf(policy), false), shownResult(lead, policy));
      }),
      {numRuns: 1_000},
    );
  });

  test('for every lead and policy, it is never more than the result, whatever is still open', () => {
    fc.assert(
      fc.property(finances, policies, fc.subarray(names), (lead, policy, answered) => {
        const values = Object.fromEntries(
          Object.entries(typed(lead)).filter(([name]) => answered.includes(name)),
        );
        const total = leastTotal(values, figuresOf(policy), true);
        assert.ok(total <= (shownResult(lead, policy) ?? 0));
      }),
      {numRuns: 1_000},
    );
  });

  test('for every lead and policy, it does not fall while money is added', () => {
    const funds = fc.constantFrom('retirement', 'cash', 'investments');
    fc.assert(
      fc.property(finances, policies, funds, dollars, fc.boolean(), (lead, policy, fund, more, isOpen) => {
        const before = leastTotal(typed(lead), figuresOf(policy), isOpen);
        const richer = {...lead, [fund]: Math.min(999_999_999, lead[fund] + more)};
        assert.ok(leastTotal(typed(richer), figuresOf(policy), isOpen) >= before);
      }),
      {numRuns: 1_000},
    );
  });
});
