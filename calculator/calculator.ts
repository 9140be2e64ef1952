/**
 * The calculator: a pure function that computes the amounts of a lead by the figures of a policy, with integers only.
 */
import {
  amountParts,
  totalAmount,
  type AmountPart,
  type Amounts,
  type Reason,
  type Reasons,
} from '../contract/amounts.ts';
import type {CreditScore} from '../contract/fields.ts';
import {tableOf} from '../contract/table-of.ts';
import type {PolicyFigures} from '../contract/policy.ts';

/** What the amounts of a pre-qualification lead depend on. Funds are whole US dollars. */
export type Finances = {
  credit_score: CreditScore;
  /** Undefined if the lead does not say. */
  bankruptcy?: boolean | undefined;
  retirement: number;
  cash: number;
  investments: number;
};

type Part = {amount: number; reason?: Reason};

/** Divides and rounds down, without the rounding errors of a floating-point division. */
const divideDown = (dividend: number, divisor: number) => (dividend - (dividend % divisor)) / divisor;

function rollover({retirement}: Finances, {rollover: {minimum}}: PolicyFigures): Part {
  return retirement >= minimum && retirement > 0
    ? {amount: retirement}
    : {amount: 0, reason: 'below_minimum'};
}

/** The dollars that a lead can put into a project of its own: the down payment of an SBA loan. */
export const ownCapital = (finances: Finances, policy: PolicyFigures): number =>
  finances.cash + rollover(finances, policy).amount;

function sba(finances: Finances, policy: PolicyFigures): Part {
  const rule = policy.sba;
  const downPayment = rule.down_payment_percent[finances.credit_score];
  if (downPayment === undefined) return {amount: 0, reason: 'credit_score'};
  const loan = Math.min(
    divideDown(ownCapital(finances, policy) * (100 - downPayment), downPayment),
    rule.maximum,
  );
  return loan > 0 && loan >= rule.minimum ? {amount: loan} : {amount: 0, reason: 'below_minimum'};
}

function unsecured({credit_score}: Finances, {unsecured: {amount}}: PolicyFigures): Part {
  const loan = amount[credit_score] ?? 0;
  return loan > 0 ? {amount: loan} : {amount: 0, reason: 'credit_score'};
}

function portfolioLoan({investments}: Finances, {portfolio_loan: rule}: PolicyFigures): Part {
  const loan = divideDown(investments * rule.percent_of_investments, 100);
  // A server before 1.6 sends the form no minimum.
  if (loan > 0 && investments < rule.minimum) return {amount: 0, reason: 'below_minimum'};
  return loan > 0 ? {amount: loan} : {amount: 0, reason: 'nothing_to_borrow_against'};
}

/**
 * For loans that depend on credit: the amount is 0 after a bankruptcy. If the lead does not say whether there was a
 * bankruptcy, the policy says what is assumed. If none is assumed, the reason says so.
 */
function unlessBankrupt(finances: Finances, policy: PolicyFigures, part: Part): Part {
  if (finances.bankruptcy ?? policy.bankruptcy_not_stated) return {amount: 0, reason: 'bankruptcy'};
  const assumed = finances.bankruptcy === undefined && part.amount > 0;
  return assumed ? {...part, reason: 'assumes_no_bankruptcy'} : part;
}

type Rule = {
  /** How the amount is computed, for the documentation. Names in backticks are those of the lead and of the policy. */
  description: string;
  compute: (finances: Finances, policy: PolicyFigures) => Part;
  /**
   * The smallest loan, or the least funds for it. The form of version 1.0.0 names it where the reason is `below_minimum`.
   * Undefined if the rule never gives that reason.
   */
  minimum: ((policy: PolicyFigures) => number | undefined) | undefined;
};

export const rules: Readonly<Record<AmountPart, Rule>> = {
  rollover_amount: {
    description: 'all of `retirement` from `rollover.minimum` on, else 0',
    compute: rollover,
    minimum: ({rollover}) => rollover.minimum,
  },
  sba_qualified_amount: {
    description:
      'own capital (`cash` + rollover) × (100 − d) ÷ d, where d is `sba.down_payment_percent` for the score; at most `sba.maximum`; below `sba.minimum`: 0. A bankruptcy, or a score that is not listed: 0',
    compute: (finances, policy) => unlessBankrupt(finances, policy, sba(finances, policy)),
    minimum: ({sba}) => sba.minimum,
  },
  unsecured_amount: {
    description: '`unsecured.amount` for the score. A bankruptcy, or a score that is not listed: 0',
    compute: (finances, policy) => unlessBankrupt(finances, policy, unsecured(finances, policy)),
    minimum: undefined,
  },
  portfolio_loan_qualified_amount: {
    description:
      '`portfolio_loan.percent_of_investments` of `investments` from `portfolio_loan.minimum` on, else 0, without a look at the credit',
    compute: portfolioLoan,
    minimum: ({portfolio_loan: {minimum}}) => minimum || undefined,
  },
};

type Calculation = {amounts: Required<Amounts>; reasons: Reasons};

/** The amounts in whole US dollars, and reasons for those that need an explanation. */
export function calculate(finances: Finances, policy: PolicyFigures): Calculation {
  const parts = tableOf(amountParts, (name) => rules[name].compute(finances, policy));
  const reasons: Reasons = {};
  let total = 0;
  for (const name of amountParts) {
    const {amount, reason} = parts[name];
    total += amount;
    if (reason) reasons[name] = reason;
  }
  const amounts = tableOf(amountParts, (name) => parts[name].amount);
  return {amounts: {...amounts, [totalAmount]: total}, reasons};
}

/** The minimums of the policy, for the form of version 1.0.0 (`EmbedConfig.minimums`). */
export function minimums(policy: PolicyFigures): Partial<Record<AmountPart, number>> {
  const smallest: Partial<Record<AmountPart, number>> = {};
  for (const name of amountParts) {
    const minimum = rules[name].minimum?.(policy);
    if (minimum !== undefined) smallest[name] = minimum;
  }
  return smallest;
}
