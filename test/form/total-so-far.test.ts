import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {calculate, type Finances} from '../../calculator/calculator.ts';
import {defaultPolicy, figuresOf, type Policy} from '../../calculator/policy.ts';
import {totalAmount} from '../../contract/amounts.ts';
import {totalSoFar} from '../../form/total-so-far.ts';
import type {Values} from '../../form/read-fields.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';
import {dollars, finances, policies} from '../support/any-finances.ts';
import fc from '../support/properties.ts';

const figures = figuresOf(defaultPolicy);
/** What stands in a field after each digit. */
const prefixes = (text: string) => [...text].map((_, index) => text.slice(0, index + 1));

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

suite('the total so far', () => {
  const rows: [what: string, values: Values, total: number, bankruptcy?: string][] = [
    ['nothing', {}, 0],
    ['a score', {credit_score: 'Above 720'}, 150_000, 'assumesNoBankruptcy'],
    ['a score without a bankruptcy', {credit_score: 'Above 720', bankruptcy: 'false'}, 150_000],
    [
      'a score, and "rather not say"',
      {credit_score: 'Above 720', bankruptcy: ''},
      150_000,
      'assumesNoBankruptcy',
    ],
    [
      'a score whose loan a bankruptcy takes',
      {credit_score: 'Above 720', bankruptcy: 'true'},
      0,
      'loweredByBankruptcy',
    ],
    [
      'a score that gives nothing',
      {credit_score: 'Below 620', bankruptcy: 'true', retirement: '60k'},
      60_000,
    ],
    ['retirement funds alone', {retirement: '120,000'}, 120_000],
    ['investments alone, rounded down', {investments: '$102,501'}, 61_000],
    ['investments that are too few for a loan', {investments: '99,999'}, 0],
    ['an amount that cannot be read', {retirement: '120,000', cash: 'some'}, 120_000],
  ];
  for (const [what, values, total, bankruptcy] of rows) {
    test(`after ${what} is ${total}`, () =>
      assert.deepEqual(totalSoFar(values, figures), {total, bankruptcy}));
  }

  test('at every digit, it is what the calculator says, with no bankruptcy until that is answered', () => {
    const none = {retirement: 0, cash: 0, investments: 0};
    fc.assert(
      fc.property(finances, fc.shuffledSubarray(['bankruptcy', ...Object.keys(none)]), (lead, way) => {
        const so: Finances = {credit_score: lead.credit_score, bankruptcy: false, ...none};
        const values: Values = {credit_score: lead.credit_score};
        for (const name of way as (keyof Finances)[]) {
          const text = String(lead[name] ?? '');
          for (const digits of name === 'bankruptcy' ? [text] : prefixes(text)) {
            values[name] = digits;
            Object.assign(so, {[name]: name === 'bankruptcy' ? lead.bankruptcy : Number(digits)});
            const {total, bankruptcy} = totalSoFar(values, figures);
            assert.equal(total, shownResult({...so, bankruptcy: so.bankruptcy ?? false}, defaultPolicy));
            // What the line says of a bankruptcy holds: an answer would change the total so.
            const withOne = shownResult({...so, bankruptcy: true}, defaultPolicy) ?? 0;
            const without = shownResult({...so, bankruptcy: false}, defaultPolicy) ?? 0;
            const isOpen = values.bankruptcy === undefined || values.bankruptcy === '';
            assert.equal(bankruptcy === 'assumesNoBankruptcy', isOpen && withOne < total);
            assert.equal(bankruptcy === 'loweredByBankruptcy', so.bankruptcy === true && without > total);
          }
        }
      }),
      {numRuns: 2_000},
    );
  });

  test('for every lead and policy, line and result say the same once all is answered or passed', () => {
    fc.assert(
      fc.property(finances, policies, (lead, policy) => {
        const {total, bankruptcy} = totalSoFar(typed(lead), figuresOf(policy));
        assert.equal(total, shownResult(lead, policy));
        const {reasons} = calculate(lead, policy);
        assert.equal(
          bankruptcy === 'assumesNoBankruptcy',
          Object.values(reasons).includes('assumes_no_bankruptcy'),
        );
      }),
      {numRuns: 2_000},
    );
  });

  test('for every lead and policy, it does not fall while money is added', () => {
    const funds = fc.constantFrom('retirement', 'cash', 'investments');
    fc.assert(
      fc.property(finances, policies, funds, dollars, (lead, policy, fund, more) => {
        const before = totalSoFar(typed(lead), figuresOf(policy)).total;
        const richer = {...lead, [fund]: Math.min(999_999_999, lead[fund] + more)};
        assert.ok(totalSoFar(typed(richer), figuresOf(policy)).total >= before);
      }),
      {numRuns: 1_000},
    );
  });
});
