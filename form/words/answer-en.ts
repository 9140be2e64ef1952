/** Every English word from sending to the result. */
import type {AmountPart, Reason} from '../../contract/amounts.ts';

export const words = {
  names: {
    rollover_amount: 'Retirement rollover',
    sba_qualified_amount: 'SBA loan',
    unsecured_amount: 'Unsecured funding',
    portfolio_loan_qualified_amount: 'Portfolio loan',
  } satisfies Record<AmountPart, string>,
  about: {
    rollover_amount: 'Your own retirement funds put to work in your business, without a loan.',
    sba_qualified_amount:
      'A bank loan backed by the Small Business Administration, based on your own capital.',
    unsecured_amount: 'Loans and credit lines based on your credit, with nothing pledged.',
    portfolio_loan_qualified_amount: 'A loan secured by your investments, which stay invested.',
  } satisfies Record<AmountPart, string>,
  /** Which of the visitor's answers an amount rests on, `{needs}`: more of it would change a zero. */
  needs: {
    rollover_amount: 'retirement funds',
    sba_qualified_amount: 'cash or retirement funds',
    unsecured_amount: 'income or credit',
    portfolio_loan_qualified_amount: 'investments outside of retirement accounts',
  } satisfies Record<AmountPart, string>,
  /** Why an amount is zero, or what a larger one assumes. `{minimum}`: the smallest of its kind, as money. */
  reasons: {
    below_minimum: 'Needs at least {minimum} in {needs}.',
    /** Where the minimum is of the loan, not of what it rests on. */
    below_minimum_loan: 'Starts at {minimum}: more {needs} would get you there.',
    /** Where the configuration does not tell the minimum. */
    below_some_minimum: 'Needs more in {needs}.',
    credit_score: 'Needs a higher credit score.',
    bankruptcy: 'Not available after a bankruptcy.',
    nothing_to_borrow_against: 'Needs {needs}.',
    assumes_no_bankruptcy: 'Assumes no bankruptcy.',
    unknown: 'Not part of this estimate.',
  } satisfies Record<Reason, string> & Record<string, string>,
  /** A title of the states that end without amounts, where the first name is known. */
  named: '{title}, {name}',
  thanks: {
    title: 'Thank you',
    text: 'We have your details and will be in touch soon.',
  },
  pending: {
    title: 'We have your answers',
    text: 'Working out your amounts takes a little longer than usual. They will appear here. If you leave this page, nothing is lost: we will be in touch, and there is no need to send anything again.',
  },
  /** Pending for ten minutes. */
  late: {
    title: 'We have your answers',
    text: 'Your amounts take longer than we want to keep you waiting. We will be in touch, and there is no need to send anything again.',
  },
  refused: {
    title: 'We could not prepare an estimate',
    text: 'These answers were not accepted. Please check them, and change what is not right.',
  },
  /** Why nothing was sent. `{wait}`: how long the server asked to wait, or the word `soon`. */
  failures: {
    network: {
      title: 'We could not send your answers',
      text: 'Please check your connection and try again. Everything you typed is still here.',
    },
    timeout: {
      title: 'We could not send your answers',
      text: 'There was no answer in time. Please try again. Everything you typed is still here.',
    },
    'idempotency-key-in-progress': {
      title: 'We are still working on it',
      text: 'Please try again in a moment. Everything you typed is still here.',
    },
    'too-many-requests': {
      title: 'Too many attempts',
      text: 'Please try again {wait}. Everything you typed is still here.',
    },
    forbidden: {
      title: 'This form is not available right now',
      text: 'Your answers were not sent. Please get in touch with us another way.',
    },
    other: {
      title: 'Something went wrong on our side',
      text: 'Please try again in a moment. Everything you typed is still here.',
    },
  } satisfies Record<string, {title: string; text: string}>,
  errors: {
    required: {consent: 'Tick the box to show that you agree.'},
    invalid: {consent: 'Please read the new terms above the button.'},
  },
  soon: 'in a moment',
  didYouMean: 'Did you mean {email}?',
  upTo: '{name}, you may qualify for up to',
  nothing: '{name}, we found no funding for these answers yet',
  bar: 'Your estimate by kind of funding',
  kind: 'Kind of funding',
  amount: 'Amount',
  total: 'Total',
  disclaimer: 'This is an estimate from your own answers, not an offer or a commitment to lend.',
  change: 'Change my answers',
  /** After a reload, when the fields are empty. */
  answerAgain: 'Enter my answers again',
  notKept: 'For your privacy, this page does not keep what you typed when it is loaded again.',
  startOver: 'Start over',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'It could not be copied',
  print: 'Print or save as PDF',
  madeOn: 'Made on {date}.',
};

export type AnswerWords = typeof words;
