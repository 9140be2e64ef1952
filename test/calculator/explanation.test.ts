import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../support/properties.ts';
import {amountParts, type AmountPart, type PartExplanation} from '../../contract/amounts.ts';
import {creditScores, type CreditScore} from '../../contract/fields.ts';
import {calculate, ownCapital, type Finances} from '../../calculator/calculator.ts';
import {explain} from '../../calculator/explanation.ts';
import {defaultPolicy, type Policy} from '../../calculator/policy.ts';
import {fundsBehind} from '../../form/funds-behind.ts';
import {finances, policies} from '../support/any-finances.ts';

const sample: Finances = {
  credit_score: 'Above 720',
  bankruptcy: false,
  retirement: 100_000,
  cash: 50_000,
  investments: 200_001,
};

const explained = (changes: Partial<Finances>, policy: Policy = defaultPolicy) => {
  const own = {...sample, ...changes};
  return explain(own, calculate(own, policy), policy);
};

const [rollover, sba, unsecured, portfolio] = amountParts;

/** By the default policy. */
const rows: [what: string, finances: Partial<Finances>, part: AmountPart, expected: PartExplanation][] = [
  ['a rollover', {retirement: 50_000}, rollover, {method: 'whole_balance'}],
  ['no rollover', {retirement: 49_999}, rollover, {minimum_funds: 50_000}],
  ['an SBA loan above 720', {retirement: 120_000, cash: 50_000}, sba, {method: 'down_payment', percent: 20}],
  [
    'an SBA loan for 680 - 720, without retirement funds that are too few for a rollover',
    {credit_score: '680 - 720', retirement: 49_999, cash: 50_002},
    sba,
    {method: 'down_payment', percent: 30},
  ],
  ['the largest SBA loan', {retirement: 0, cash: 1_250_000}, sba, {method: 'maximum'}],
  ['too little capital for an SBA loan above 720', {retirement: 0, cash: 0}, sba, {minimum_funds: 18_750}],
  [
    'too little capital for an SBA loan for 680 - 720',
    {credit_score: '680 - 720', retirement: 0, cash: 0},
    sba,
    {minimum_funds: 32_143},
  ],
  [
    'a score that is too low for an SBA loan',
    {credit_score: '620 - 679', cash: 50_000},
    sba,
    {minimum_score: 680},
  ],
  [
    'a score and capital that are too low for an SBA loan',
    {credit_score: 'Below 620', retirement: 0, cash: 20_000},
    sba,
    {minimum_score: 680, minimum_funds: 32_143},
  ],
  ['an SBA loan after a bankruptcy', {bankruptcy: true}, sba, {}],
  ['unsecured funding', {}, unsecured, {}],
  ['no unsecured funding', {credit_score: 'Below 620'}, unsecured, {minimum_score: 620}],
  ['a portfolio loan', {investments: 100_001}, portfolio, {method: 'percentage', percent: 60}],
  ['no portfolio loan', {investments: 300}, portfolio, {minimum_funds: 100_000}],
];

suite('the explanation', () => {
  for (const [what, finances, part, expected] of rows) {
    test(`of ${what} has the figures of the policy`, () => {
      assert.deepEqual(explained(finances)?.parts[part], expected);
    });
  }
  test('says how far shown amounts are rounded down', () => {
    assert.equal(explained({})?.rounding_increment, 1_000);
    assert.equal(explained({}, {...defaultPolicy, display_rounding_increment: 1})?.rounding_increment, 1);
  });
  test('amounts that the policy does not give have no explanation', () => {
    const changed = {...defaultPolicy, portfolio_loan: {minimum: 0, percent_of_investments: 50}};
    assert.equal(explain(sample, calculate(sample, defaultPolicy), changed), undefined);
  });
});

const fundOf: Partial<Record<AmountPart, 'retirement' | 'investments'>> = {
  rollover_amount: 'retirement',
  portfolio_loan_qualified_amount: 'investments',
};
const lowest: Record<CreditScore, number> = {
  'Above 720': 721,
  '680 - 720': 680,
  '620 - 679': 620,
  'Below 620': 300,
};

suite('for every lead and every policy', () => {
  const holds = (
    property: (
      found: PartExplanation,
      part: AmountPart,
      lead: Finances,
      policy: Policy,
      amount: number,
    ) => void,
  ) =>
    fc.assert(
      fc.property(finances, policies, (lead, policy) => {
        const explanation = explained(lead, policy);
        const {amounts} = calculate(lead, policy);
        for (const part of amountParts)
          property(explanation?.parts[part] ?? {}, part, lead, policy, amounts[part]);
      }),
      {numRuns: 1_000},
    );

  test('the arithmetic of the explanation gives the amount', () => {
    holds((found, part, lead, policy, amount) => {
      const {method, percent = 0} = found;
      const funds = fundsBehind(found, amount) ?? 0;
      assert.ok(amount > 0 || method === undefined, part);
      if (method === 'whole_balance') assert.equal(amount, lead.retirement);
      if (method === 'maximum') assert.equal(amount, policy.sba.maximum);
      if (method === 'percentage') assert.equal(amount, Number((BigInt(funds) * BigInt(percent)) / 100n));
      if (method === 'down_payment') {
        assert.equal(amount, Number((BigInt(funds) * BigInt(100 - percent)) / BigInt(percent)));
      }
      const own = method === 'percentage' ? lead.investments : ownCapital(lead, policy);
      assert.ok(funds <= own, 'no more than the visitor owns');
      if (method === 'down_payment' && percent < 50) assert.equal(funds, own);
    });
  });

  test('a zero becomes more with the score and funds that its explanation names, not with less', () => {
    holds((found, part, lead, policy, amount) => {
      const {minimum_score: score, minimum_funds: funds} = found;
      if (score === undefined && funds === undefined) return;
      assert.equal(amount, 0);
      const fund = fundOf[part] ?? 'cash';
      const rollover = fund === 'cash' ? calculate(lead, policy).amounts.rollover_amount : 0;
      const credit_score = creditScores.find((range) => lowest[range] === score) ?? lead.credit_score;
      const enough = {...lead, credit_score, ...(funds !== undefined && {[fund]: funds - rollover})};
      assert.ok(calculate(enough, policy).amounts[part] > 0, `${part} with what it needs`);
      if (funds !== undefined) {
        const less = {...enough, [fund]: enough[fund] - 1};
        assert.equal(calculate(less, policy).amounts[part], 0, `${part} with a dollar less`);
      }
      const worse = creditScores[creditScores.indexOf(credit_score) + 1];
      if (score !== undefined && worse) {
        assert.equal(
          calculate({...enough, credit_score: worse}, policy).amounts[part],
          0,
          `${part}, worse score`,
        );
      }
    });
  });
});
