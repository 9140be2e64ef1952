import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../../support/properties.ts';
import {creditScores} from '../../../contract/fields.ts';
import {calculate} from '../../../calculator/calculator.ts';
import {defaultPolicy} from '../../../calculator/policy.ts';
import {readWith} from '../../support/wrong-settings.ts';

const read = (policy: object) => readWith({policy}).policy;

type Change = (policy: Record<string, Record<string, unknown>>) => void;
const changed = (change: Change) => {
  const copy = structuredClone(defaultPolicy) as unknown as Parameters<Change>[0];
  change(copy);
  return copy;
};

suite('a policy file', () => {
  test('may be the default policy', () => assert.deepEqual(read(defaultPolicy), defaultPolicy));

  const good: Record<string, Change> = {
    'without sources': (policy) => delete policy['rollover']!['source'],
    'without any loan': (policy) => {
      policy['sba']!['down_payment_percent'] = {};
      policy['unsecured']!['amount'] = {};
    },
    'in which scores earn the same': (policy) => {
      policy['unsecured']!['amount'] = {'Above 720': 5, '680 - 720': 5, '620 - 679': 5, 'Below 620': 5};
    },
    'with figures of zero': (policy) => {
      policy['rollover']!['minimum'] = 0;
      policy['portfolio_loan']!['percent_of_investments'] = 0;
    },
  };
  for (const [name, change] of Object.entries(good)) {
    test(`is read ${name}`, () => assert.deepEqual(read(changed(change)), changed(change)));
  }

  test('of version 1.0.0, which does not say how shown amounts are rounded, is read', () => {
    const old = changed((policy) => delete policy['display_rounding_increment']);
    assert.deepEqual(read(old), {...defaultPolicy, display_rounding_increment: 1_000});
  });
  test('from before 1.6.0 lends against any investments', () => {
    const {source, percent_of_investments} = defaultPolicy.portfolio_loan;
    const old = {...defaultPolicy, portfolio_loan: {source, percent_of_investments}};
    assert.deepEqual(read(old).portfolio_loan, {...old.portfolio_loan, minimum: 0});
  });

  const percents =
    (value: unknown): Change =>
    (policy) =>
      (policy['sba']!['down_payment_percent'] = value);
  const unsecured =
    (value: unknown): Change =>
    (policy) =>
      (policy['unsecured']!['amount'] = value);
  const bad: Record<string, [change: Change, names: RegExp]> = {
    'lacks the version': [(policy) => delete policy['version'], /version/],
    'lacks a part': [(policy) => delete policy['portfolio_loan'], /portfolio_loan/],
    'lacks a figure': [(policy) => delete policy['sba']!['maximum'], /sba\.maximum/],
    'has an unknown part': [(policy) => (policy['gold'] = {}), /gold/],
    'has an unknown figure': [(policy) => (policy['sba']!['maximun'] = 5), /sba.*maximun/],
    'has cents': [(policy) => (policy['rollover']!['minimum'] = 0.5), /rollover\.minimum/],
    'has a negative figure': [(policy) => (policy['sba']!['minimum'] = -1), /sba\.minimum/],
    'has a figure as a text': [(policy) => (policy['sba']!['minimum'] = '75000'), /sba\.minimum/],
    'has a figure that is null': [(policy) => (policy['sba']!['minimum'] = null), /sba\.minimum/],
    'lends more than all': [
      (policy) => (policy['portfolio_loan']!['percent_of_investments'] = 101),
      /portfolio_loan\.percent_of_investments/,
    ],
    'rounds to nothing': [
      (policy) => Object.assign(policy, {display_rounding_increment: 0}),
      /display_rounding_increment/,
    ],
    'asks for no down payment': [percents({'Above 720': 0}), /sba\.down_payment_percent\.Above 720/],
    'asks for more than all': [percents({'Above 720': 101}), /sba\.down_payment_percent\.Above 720/],
    'has an unknown score': [percents({'Above 800': 20}), /sba\.down_payment_percent.*Above 800/],
    'asks more of a better score': [
      percents({'Above 720': 30, '680 - 720': 20}),
      /sba\.down_payment_percent\.680 - 720/,
    ],
    'lends to a worse score only': [percents({'680 - 720': 20}), /sba\.down_payment_percent\.680 - 720/],
    'gives a better score less': [
      unsecured({'Above 720': 10, '680 - 720': 20}),
      /unsecured\.amount\.680 - 720/,
    ],
    'gives a worse score alone': [unsecured({'Below 620': 1}), /unsecured\.amount\.Below 620/],
    'does not say what an unstated bankruptcy is': [
      (policy) => delete policy['bankruptcy_not_stated'],
      /bankruptcy_not_stated/,
    ],
  };
  for (const [what, [change, names]] of Object.entries(bad)) {
    test(`that ${what} is refused by the name of the field`, () => {
      assert.throws(() => read(changed(change)), {message: names});
    });
  }

  test('is refused with all that is wrong at once', () => {
    const twice = changed((policy) => {
      policy['sba']!['minimum'] = -1;
      policy['rollover']!['minimum'] = 'x';
    });
    assert.throws(() => read(twice), {message: /rollover\.minimum.*sba\.minimum/s});
  });
});

test('a policy that is accepted never gives a better score less', () => {
  const byScore = (worth: fc.Arbitrary<number>) =>
    fc.dictionary(fc.constantFrom(...creditScores), worth, {maxKeys: 4}).map((figures) => ({...figures}));
  const generated = fc.record({
    percents: byScore(fc.integer({min: 0, max: 101})),
    unsecured: byScore(fc.nat({max: 200_000})),
    cash: fc.nat({max: 999_999_999}),
  });
  fc.assert(
    fc.property(generated, ({percents, unsecured, cash}) => {
      let policy;
      try {
        policy = read({
          ...defaultPolicy,
          sba: {minimum: 0, maximum: 1_000_000_000, down_payment_percent: percents},
          unsecured: {amount: unsecured},
        });
      } catch {
        return;
      }
      const totals = creditScores.map((credit_score) => {
        const finances = {credit_score, bankruptcy: false, retirement: 0, cash, investments: 0};
        return calculate(finances, policy).amounts.total_qualified_amount;
      });
      assert.deepEqual(
        totals,
        totals.toSorted((a, b) => b - a),
      );
    }),
    {numRuns: 500},
  );
});
