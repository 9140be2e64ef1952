/** Generates finances of leads, and policies, for tests of what holds for all of them. */
import fc from './properties.ts';
import {creditScores} from '../../contract/fields.ts';
import type {Finances} from '../../calculator/calculator.ts';
import {defaultPolicy, type Policy} from '../../calculator/policy.ts';

export const dollars = fc.oneof(
  fc.integer({min: 0, max: 999_999_999}),
  fc.integer({min: 0, max: 200_000}),
  fc.constantFrom(0, 50_000, 999_999_999),
);
export const finances: fc.Arbitrary<Finances> = fc.record({
  credit_score: fc.constantFrom(...creditScores),
  bankruptcy: fc.constantFrom(true, false, undefined),
  retirement: dollars,
  cash: dollars,
  investments: dollars,
});

/** Any policy that the schema takes: what a better score earns is never less. */
const byFallingScore = (best: fc.Arbitrary<number>, rising: boolean) =>
  fc.uniqueArray(best, {minLength: 0, maxLength: 4, comparator: () => false}).map((values) => {
    const sorted = values.sort((a, b) => (rising ? a - b : b - a));
    return Object.fromEntries(sorted.map((value, index) => [creditScores[index]!, value]));
  });
const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  version: fc.constant('any'),
  bankruptcy_not_stated: fc.boolean(),
  display_rounding_increment: fc.constantFrom(1, 1_000),
  rollover: fc.record({minimum: dollars}),
  sba: fc.record({
    minimum: dollars,
    maximum: dollars,
    down_payment_percent: byFallingScore(fc.integer({min: 1, max: 100}), true),
  }),
  unsecured: fc.record({amount: byFallingScore(dollars, false)}),
  portfolio_loan: fc.record({minimum: dollars, percent_of_investments: fc.integer({min: 0, max: 100})}),
});
export const policies = fc.oneof(fc.constant(defaultPolicy), anyPolicy);
