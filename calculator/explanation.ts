/**
 * Explains the amounts of a lead by the figures of the policy: how each amount above zero was calculated, and what it
 * would take for each amount of zero.
 */
import {
  amountParts,
  type AmountPart,
  type Amounts,
  type Explanation,
  type PartExplanation,
  type Reasons,
} from '../contract/amounts.ts';
import {creditScores, type CreditScore} from '../contract/fields.ts';
import {tableOf} from '../contract/table-of.ts';
import {calculate, ownCapital, type Finances} from './calculator.ts';
import type {Policy} from './policy.ts';

/** The lowest score of each range. */
const lowestScores: Readonly<Record<CreditScore, number>> = {
  'Above 720': 721,
  '680 - 720': 680,
  '620 - 679': 620,
  'Below 620': 300,
};

/** The worst credit score that is enough. A policy gives no better score less, so every better score is enough, too. */
const worstScore = (isEnough: (score: CreditScore) => boolean) => creditScores.findLast(isEnough);

/** The least capital of one's own for an SBA loan at this score. Undefined if no capital is enough. */
function leastCapital(score: CreditScore | undefined, {sba}: Policy): number | undefined {
  const downPayment = score && sba.down_payment_percent[score];
  const smallestLoan = Math.max(sba.minimum, 1);
  if (downPayment === undefined || downPayment === 100 || sba.maximum < smallestLoan) return undefined;
  return Math.ceil((smallestLoan * downPayment) / (100 - downPayment));
}

type Explain = (finances: Finances, policy: Policy, amount: number) => PartExplanation;

/** How each amount above zero was calculated. */
const derivations: Readonly<Record<AmountPart, Explain>> = {
  rollover_amount: () => ({method: 'whole_balance'}),
  sba_qualified_amount(finances, policy, amount) {
    const percent = policy.sba.down_payment_percent[finances.credit_score];
    if (amount === policy.sba.maximum || percent === undefined) return {method: 'maximum'};
    return {method: 'down_payment', percent};
  },
  unsecured_amount: () => ({}),
  portfolio_loan_qualified_amount: (_, {portfolio_loan}) => ({
    method: 'percentage',
    percent: portfolio_loan.percent_of_investments,
  }),
};

/** What it would take for each amount of zero that more money or a better score would change. */
const requirements: Readonly<Record<AmountPart, Explain>> = {
  // A minimum of 0 is not worth a figure: any balance is enough.
  rollover_amount: (_, {rollover: {minimum}}) => (minimum > 0 ? {minimum_funds: minimum} : {}),
  sba_qualified_amount(finances, policy) {
    const own = leastCapital(finances.credit_score, policy);
    const worst = worstScore((score) => leastCapital(score, policy) !== undefined);
    const capital = own ?? leastCapital(worst, policy);
    return {
      ...(own === undefined && worst && {minimum_score: lowestScores[worst]}),
      ...(capital !== undefined && capital > ownCapital(finances, policy) && {minimum_funds: capital}),
    };
  },
  unsecured_amount(_, {unsecured}) {
    const listed = worstScore((score) => (unsecured.amount[score] ?? 0) > 0);
    return listed ? {minimum_score: lowestScores[listed]} : {};
  },
  portfolio_loan_qualified_amount: (_, {portfolio_loan: {minimum, percent_of_investments: percent}}) =>
    minimum > 0 && percent > 0 ? {minimum_funds: Math.max(minimum, Math.ceil(100 / percent))} : {},
};

/** @returns nothing if the policy gives other amounts: it has changed since they were calculated */
export function explain(
  finances: Finances,
  {amounts, reasons}: {amounts: Amounts; reasons: Reasons},
  policy: Policy,
): Explanation | undefined {
  const calculated = calculate(finances, policy).amounts;
  if (amountParts.some((part) => amounts[part] !== calculated[part])) return undefined;
  const parts = tableOf(amountParts, (part) => {
    const amount = calculated[part];
    if (amount > 0) return derivations[part](finances, policy, amount);
    return reasons[part] === 'bankruptcy' ? {} : requirements[part](finances, policy, amount);
  });
  return {rounding_increment: policy.display_rounding_increment, parts};
}
