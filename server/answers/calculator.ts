/** The embedded calculator: pure, integers only, one policy in, amounts and reasons out. */
import type {AmountPart, Amounts, Reason, Reasons} from '../../contract/api.ts';
import type {Lead, PrequalificationLead} from '../../contract/lead-schema.ts';
import type {Answer} from '../answer.ts';
import type {Policy} from './policy.ts';

export type Finances = Pick<PrequalificationLead, 'credit_score' | 'retirement' | 'cash' | 'investments'> & {
  bankruptcy?: boolean | undefined;
};

type Part = {amount: number; reason?: Reason};

/** Whole dollars, rounded down, without a floating-point quotient. */
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

/** Loans on credit: a bankruptcy rules them out, and one that was not stated is named as an assumption. */
function unlessBankrupt(finances: Finances, policy: Policy, part: Part): Part {
  if (finances.bankruptcy ?? policy.bankruptcy_not_stated) return {amount: 0, reason: 'bankruptcy'};
  const assumed = finances.bankruptcy === undefined && part.amount > 0;
  return assumed ? {...part, reason: 'assumes_no_bankruptcy'} : part;
}

/** Amounts in whole US dollars, and for each that needs one the reason. */
export function calculate(finances: Finances, policy: Policy): {amounts: Amounts; reasons: Reasons} {
  const rolledOver = rollover(finances, policy);
  const parts = {
    rollover_amount: rolledOver,
    sba_qualified_amount: unlessBankrupt(finances, policy, sba(finances, rolledOver.amount, policy)),
    unsecured_amount: unlessBankrupt(finances, policy, unsecured(finances, policy)),
    portfolio_loan_qualified_amount: portfolioLoan(finances, policy),
  };
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const reasons: Reasons = {};
  let total = 0;
  for (const name of names) {
    const {amount, reason} = parts[name];
    total += amount;
    if (reason) reasons[name] = reason;
  }
  const amounts = Object.fromEntries(names.map((name) => [name, parts[name].amount]));
  return {amounts: {...amounts, total_qualified_amount: total} as Amounts, reasons};
}

/** What can be said of a lead without asking anyone. A standard lead has no amounts. */
export function calculatedAnswer(lead: Lead, policy: Policy): Answer {
  if (lead.lead_type === 'standard') {
    return {status: 'done', amounts: null, reasons: {}, policyVersion: null};
  }
  return {status: 'done', ...calculate(lead, policy), policyVersion: policy.version};
}

/** For the sentence that explains an amount of zero. */
export const minimums = ({rollover, sba}: Policy): Partial<Record<AmountPart, number>> => ({
  rollover_amount: rollover.minimum,
  sba_qualified_amount: sba.minimum,
});
