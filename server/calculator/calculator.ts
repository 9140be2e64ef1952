/**
 * The calculator: a pure function that computes the amounts of a lead by the figures of a policy, with integers only.
 */
import {
  amountParts,
  type AmountPart,
  type Amounts,
  type Reason,
  type Reasons,
} from '../../contract/amounts.ts';
import type {Lead, PrequalificationLead} from '../leads/lead-schema.ts';
import type {Answer} from '../leads/stored-lead.ts';
import type {Policy} from '../config/policy.ts';

export type Finances = Pick<PrequalificationLead, 'credit_score' | 'retirement' | 'cash' | 'investments'> & {
  bankruptcy?: boolean | undefined;
};

type Part = {amount: number; reason?: Reason};

/** Divides and rounds down, without the rounding errors of a floating-point division. */
const divideDown = (dividend: number, divisor: number) => (dividend - (dividend % divisor)) / divisor;

function rollover({retirement}: Finances, {rollover: {minimum}}: Policy): Part {
  return retirement >= minimum && retirement > 0
    ? {amount: retirement}
    : {amount: 0, reason: 'below_minimum'};
}

function sba(finances: Finances, rolledOver: number, {sba: rule}: Policy): Part {
  const downPayment = rule.down_payment_percent[finances.credit_score];
  if (downPayment === undefined) return {amount: 0, reason: 'credit_score'};
  const capital = finances.cash + rolledOver;
  const loan = Math.min(divideDown(capital * (100 - downPayment), downPayment), rule.maximum);
  return loan > 0 && loan >= rule.minimum ? {amount: loan} : {amount: 0, reason: 'below_minimum'};
}

function unsecured({credit_score}: Finances, {unsecured: {amount}}: Policy): Part {
  const loan = amount[credit_score] ?? 0;
  return loan > 0 ? {amount: loan} : {amount: 0, reason: 'credit_score'};
}

function portfolioLoan({investments}: Finances, {portfolio_loan: rule}: Policy): Part {
  const loan = divideDown(investments * rule.percent_of_investments, 100);
  return loan > 0 ? {amount: loan} : {amount: 0, reason: 'nothing_to_borrow_against'};
}

/**
 * For loans that depend on credit: the amount is 0 after a bankruptcy. If the lead does not say whether there was a
 * bankruptcy, the policy says what is assumed. If none is assumed, the reason says so.
 */
function unlessBankrupt(finances: Finances, policy: Policy, part: Part): Part {
  if (finances.bankruptcy ?? policy.bankruptcy_not_stated) return {amount: 0, reason: 'bankruptcy'};
  const assumed = finances.bankruptcy === undefined && part.amount > 0;
  return assumed ? {...part, reason: 'assumes_no_bankruptcy'} : part;
}

/** The amounts in whole US dollars, and reasons for those that need an explanation. */
export function calculate(finances: Finances, policy: Policy): {amounts: Amounts; reasons: Reasons} {
  const rolledOver = rollover(finances, policy);
  const parts: Record<AmountPart, Part> = {
    rollover_amount: rolledOver,
    sba_qualified_amount: unlessBankrupt(finances, policy, sba(finances, rolledOver.amount, policy)),
    unsecured_amount: unlessBankrupt(finances, policy, unsecured(finances, policy)),
    portfolio_loan_qualified_amount: portfolioLoan(finances, policy),
  };
  const reasons: Reasons = {};
  let total = 0;
  for (const name of amountParts) {
    const {amount, reason} = parts[name];
    total += amount;
    if (reason) reasons[name] = reason;
  }
  const amounts: Required<Amounts> = {
    rollover_amount: parts.rollover_amount.amount,
    sba_qualified_amount: parts.sba_qualified_amount.amount,
    unsecured_amount: parts.unsecured_amount.amount,
    portfolio_loan_qualified_amount: parts.portfolio_loan_qualified_amount.amount,
    total_qualified_amount: total,
  };
  return {amounts, reasons};
}

/** The answer to a lead that no upstream answers. A standard lead has no amounts. */
export function calculatedAnswer(lead: Lead, policy: Policy): Answer {
  if (lead.lead_type === 'standard') {
    return {status: 'done', amounts: null, reasons: {}, policyVersion: null};
  }
  return {status: 'done', ...calculate(lead, policy), policyVersion: policy.version};
}

/** The smallest amounts above zero that the policy allows. The form names them where it explains an amount of zero. */
export const minimums = ({rollover, sba}: Policy): Partial<Record<AmountPart, number>> => ({
  rollover_amount: rollover.minimum,
  sba_qualified_amount: sba.minimum,
});
