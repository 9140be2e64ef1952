/** Every word from sending to the result. Another language is another file of this shape. */
import type {AmountPart, LeadStatus, Reason} from '../../contract/api.ts';
import type {Notice} from './types.ts';

const names: Record<AmountPart, string> = {
  rollover_amount: 'Retirement rollover',
  sba_qualified_amount: 'SBA loan',
  unsecured_amount: 'Unsecured funding',
  portfolio_loan_qualified_amount: 'Portfolio loan',
};

const about: Record<AmountPart, string> = {
  rollover_amount: 'Your own retirement funds put to work in your business, without a loan.',
  sba_qualified_amount: 'A bank loan backed by the Small Business Administration, based on your own capital.',
  unsecured_amount: 'Loans and credit lines based on your credit, with nothing pledged.',
  portfolio_loan_qualified_amount: 'A loan secured by your investments, which stay invested.',
};

/** Which of the visitor's answers an amount rests on: more of it would change a zero. */
const needs: Record<AmountPart, string> = {
  rollover_amount: 'retirement funds',
  sba_qualified_amount: 'cash or retirement funds',
  unsecured_amount: 'income or credit',
  portfolio_loan_qualified_amount: 'investments outside of retirement accounts',
};

/** Why an amount is zero, or what a larger one assumes. `minimum`: the smallest amount of its kind, as money. */
function reason(part: AmountPart, code: Reason | undefined, minimum: string | undefined): string {
  switch (code) {
    case 'below_minimum':
      if (part === 'sba_qualified_amount') {
        return `Starts at ${minimum ?? 'a larger amount'}: more ${needs[part]} would get you there.`;
      }
      return minimum ? `Needs at least ${minimum} in ${needs[part]}.` : `Needs more in ${needs[part]}.`;
    case 'credit_score':
      return 'Needs a higher credit score.';
    case 'bankruptcy':
      return 'Not available after a bankruptcy.';
    case 'nothing_to_borrow_against':
      return `Needs ${needs[part]}.`;
    case 'assumes_no_bankruptcy':
      return 'Assumes no bankruptcy.';
    case undefined:
      return 'Not part of this estimate.';
  }
}

/** The states that end without amounts. */
const ends: Record<'thanks' | Exclude<LeadStatus, 'done'>, (firstName: string) => Notice> = {
  thanks: (name) => ({
    title: `Thank you, ${name}`,
    text: 'We have your details and will be in touch soon.',
  }),
  pending: (name) => ({
    title: `Thank you, ${name}. We have your answers`,
    text: 'Working out your amounts takes a little longer than usual. They will follow; there is no need to send anything again.',
  }),
  refused: (name) => ({
    title: `${name}, we could not prepare an estimate`,
    text: 'These answers were not accepted. Please check them, and change what is not right.',
  }),
};

const notSent = 'We could not send your answers';
const kept = 'Everything you typed is still here.';

/** `seconds`: how long the server asked to wait, when it did. */
function failure(code: string, seconds: number | undefined): Notice {
  switch (code) {
    case 'network':
      return {title: notSent, text: `Please check your connection and try again. ${kept}`};
    case 'timeout':
      return {title: notSent, text: `There was no answer in time. Please try again. ${kept}`};
    case 'idempotency-key-in-progress':
      return {title: 'We are still working on it', text: `Please try again in a moment. ${kept}`};
    case 'too-many-requests':
      return {title: 'Too many attempts', text: `Please try again ${wait(seconds)}. ${kept}`};
    case 'refused':
      return {
        title: 'This form is not available right now',
        text: 'Your answers were not sent. Please get in touch with us another way.',
      };
    default:
      return {title: 'Something went wrong on our side', text: `Please try again in a moment. ${kept}`};
  }
}

function wait(seconds = 0) {
  if (seconds <= 0) return 'in a moment';
  if (seconds < 60) return `in ${seconds} second${seconds === 1 ? '' : 's'}`;
  const minutes = Math.ceil(seconds / 60);
  return `in ${minutes} minute${minutes === 1 ? '' : 's'}`;
}

export const en = {
  names,
  about,
  reason,
  ends,
  failure,
  upTo: (name: string) => `${name}, you may qualify for up to`,
  nothing: (name: string) => `${name}, we found no funding for these answers yet`,
  bar: 'Your estimate by kind of funding',
  kind: 'Kind of funding',
  amount: 'Amount',
  total: 'Total',
  estimate: 'This is an estimate from your own answers, not an offer or a commitment to lend.',
  change: 'Change my answers',
  startOver: 'Start over',
};
