import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../support/properties.ts';
import {amountParts, totalAmount} from '../../contract/amounts.ts';
import {creditScores} from '../../contract/fields.ts';
import {calculate, minimums, type Finances} from '../../calculator/calculator.ts';
import {defaultPolicy, type Policy} from '../../calculator/policy.ts';
import {dollars, finances, policies} from '../support/any-finances.ts';

const max = 999_999_999;
const [above720, from680, from620, below620] = creditScores;
type Row = [
  score: Finances['credit_score'],
  bankruptcy: boolean | undefined,
  funds: [retirement: number, cash: number, investments: number],
  amounts: [rollover: number, sba: number, unsecured: number, portfolio: number],
  reasons: ReturnType<typeof calculate>['reasons'],
];
const poor = 'below_minimum';
const nothing = 'nothing_to_borrow_against';
const noLoans = (reason: 'credit_score' | 'bankruptcy') =>
  ({sba_qualified_amount: reason, unsecured_amount: reason}) as const;
const assumed = {
  sba_qualified_amount: 'assumes_no_bankruptcy',
  unsecured_amount: 'assumes_no_bankruptcy',
} as const;
const noRollover = {rollover_amount: poor} as const;
const noRolloverNorLoan = {...noRollover, sba_qualified_amount: poor} as const;
const cashAlone = {...noRollover, portfolio_loan_qualified_amount: nothing} as const;

// Worked out by hand from the table of the rules, with the default policy.
const table: Row[] = [
  [above720, false, [100_000, 50_000, 200_001], [100_000, 600_000, 150_000, 120_000], {}],
  [from680, false, [100_000, 50_000, 200_000], [100_000, 350_000, 75_000, 120_000], {}],
  [
    from620,
    false,
    [100_000, 50_000, 200_000],
    [100_000, 0, 25_000, 120_000],
    {sba_qualified_amount: 'credit_score'},
  ],
  [below620, false, [100_000, 50_000, 200_000], [100_000, 0, 0, 120_000], noLoans('credit_score')],
  [above720, true, [100_000, 50_000, 200_000], [100_000, 0, 0, 120_000], noLoans('bankruptcy')],
  [below620, true, [100_000, 50_000, 200_000], [100_000, 0, 0, 120_000], noLoans('bankruptcy')],
  [above720, undefined, [100_000, 50_000, 200_000], [100_000, 600_000, 150_000, 120_000], assumed],
  [below620, undefined, [100_000, 50_000, 200_000], [100_000, 0, 0, 120_000], noLoans('credit_score')],
  // the rollover's minimum, and that a balance below it is no capital either
  [above720, false, [50_000, 0, 100_000], [50_000, 200_000, 150_000, 60_000], {}],
  [above720, false, [49_999, 18_750, 100_000], [0, 75_000, 150_000, 60_000], noRollover],
  // the least investments
  [
    below620,
    true,
    [50_000, 0, 99_999],
    [50_000, 0, 0, 0],
    {...noLoans('bankruptcy'), portfolio_loan_qualified_amount: poor},
  ],
  // the loan's minimum, on either side, for both down payments
  [above720, false, [0, 18_749, 100_000], [0, 0, 150_000, 60_000], noRolloverNorLoan],
  [from680, false, [0, 32_143, 100_000], [0, 75_000, 75_000, 60_000], noRollover],
  [from680, false, [0, 32_142, 100_000], [0, 0, 75_000, 60_000], noRolloverNorLoan],
  // rounded down to whole dollars
  [from680, false, [0, 50_002, 100_001], [0, 116_671, 75_000, 60_000], noRollover],
  [from680, false, [0, 50_002, 100_002], [0, 116_671, 75_000, 60_001], noRollover],
  // the loan's maximum
  [above720, false, [0, 1_249_999, 0], [0, 4_999_996, 150_000, 0], cashAlone],
  [above720, false, [0, 1_250_000, 0], [0, 5_000_000, 150_000, 0], cashAlone],
  [above720, false, [0, 1_250_001, 0], [0, 5_000_000, 150_000, 0], cashAlone],
  // the ends
  [below620, true, [0, 0, 0], [0, 0, 0, 0], {...noLoans('bankruptcy'), ...cashAlone}],
  [above720, false, [max, max, max], [max, 5_000_000, 150_000, 599_999_999], {}],
];

suite('the default policy', () => {
  for (const [credit_score, bankruptcy, [retirement, cash, investments], expected, reasons] of table) {
    const bankrupt = {true: 'bankrupt', false: 'not bankrupt', undefined: 'not stated'}[`${bankruptcy}`];
    test(`${credit_score}, ${bankrupt}, ${retirement}, ${cash}, ${investments} gives ${expected.join(', ')}`, () => {
      const finances = {credit_score, bankruptcy, retirement, cash, investments};
      const answer = calculate(finances, defaultPolicy);
      const total = expected.reduce((sum, amount) => sum + amount);
      assert.deepEqual(Object.entries(answer.amounts), [
        ...amountParts.map((name, index) => [name, expected[index]]),
        [totalAmount, total],
      ]);
      assert.deepEqual(answer.reasons, reasons);
    });
  }
});

const noneLower = (lower: Finances, higher: Finances, policy: Policy) => {
  const [before, after] = [calculate(lower, policy).amounts, calculate(higher, policy).amounts];
  for (const name of [...amountParts, totalAmount] as const) assert.ok(after[name] >= before[name], name);
};
const holds = (property: (finances: Finances, policy: Policy) => void) =>
  fc.assert(fc.property(finances, policies, property), {numRuns: 500});

suite('for every lead and every policy', () => {
  test('the total is the sum, and every amount a whole number that is not negative', () => {
    holds((lead, policy) => {
      const {amounts} = calculate(lead, policy);
      const sum = amountParts.reduce((total, name) => total + amounts[name], 0);
      assert.equal(amounts.total_qualified_amount, sum);
      assert.ok(Object.values(amounts).every((amount) => Number.isSafeInteger(amount) && amount >= 0));
    });
  });
  test('more money never lowers an amount', () => {
    fc.assert(
      fc.property(
        finances,
        policies,
        fc.constantFrom('retirement', 'cash', 'investments'),
        dollars,
        (lead, policy, fund, more) => {
          noneLower(lead, {...lead, [fund]: Math.min(max, lead[fund] + more)}, policy);
        },
      ),
      {numRuns: 1_000},
    );
  });
  test('a better score never lowers an amount', () => {
    holds((lead, policy) => {
      for (const [index, better] of creditScores.entries()) {
        const worse = creditScores[index + 1];
        if (worse) noneLower({...lead, credit_score: worse}, {...lead, credit_score: better}, policy);
      }
    });
  });
  test('a bankruptcy never raises an amount', () => {
    holds((lead, policy) => noneLower({...lead, bankruptcy: true}, {...lead, bankruptcy: false}, policy));
  });
  test('a bankruptcy that is not stated counts as the policy says', () => {
    holds((lead, policy) => {
      const unstated = calculate({...lead, bankruptcy: undefined}, policy);
      const stated = calculate({...lead, bankruptcy: policy.bankruptcy_not_stated}, policy);
      assert.deepEqual(unstated.amounts, stated.amounts);
    });
  });
  test('an amount of zero has a reason, and an amount above zero at most an assumption', () => {
    holds((lead, policy) => {
      const {amounts, reasons} = calculate(lead, policy);
      for (const name of amountParts) {
        if (amounts[name] === 0) assert.ok(reasons[name] && reasons[name] !== 'assumes_no_bankruptcy', name);
        else assert.ok([undefined, 'assumes_no_bankruptcy'].includes(reasons[name]), name);
      }
    });
  });
  test('an amount that is below its minimum has one that the form can name', () => {
    holds((lead, policy) => {
      const named = minimums(policy);
      for (const [name, reason] of Object.entries(calculate(lead, policy).reasons)) {
        if (reason === 'below_minimum') assert.ok(Object.hasOwn(named, name), name);
      }
    });
  });
  test('the same lead gets the same amounts, and is left as it was', () => {
    holds((lead, policy) => {
      const before = structuredClone(lead);
      assert.deepEqual(calculate(Object.freeze(lead), policy), calculate(before, policy));
    });
  });
});

test('the calculator says the smallest amounts', () => {
  assert.deepEqual(minimums(defaultPolicy), {
    rollover_amount: 50_000,
    sba_qualified_amount: 75_000,
    portfolio_loan_qualified_amount: 100_000,
  });
});
