/** Every English word that a visitor can meet before the answer. */
import type {CreditScore, FieldKind} from '../../contract/fields.ts';
import type {InputError} from '../read-fields.ts';
import type {FieldName, StepName} from '../pages.ts';

const labels: Record<FieldName, string> = {
  first_name: 'First name',
  last_name: 'Last name',
  email: 'Email',
  phone: 'Phone',
  credit_score: 'Credit score',
  bankruptcy: 'Bankruptcy',
  retirement: 'Retirement funds',
  cash: 'Cash',
  investments: 'Investments',
  consent: 'Consent',
};

/** Of one field, of all fields of one kind, or of any other; each names its field, for the summary lists it. */
type ErrorTexts = Partial<Record<FieldName | FieldKind, string>> & {other: string};

/** `{label}`, and `{max}`: the most that the field takes. */
const errors: Record<InputError, ErrorTexts> = {
  required: {
    first_name: 'Enter your first name.',
    last_name: 'Enter your last name.',
    email: 'Enter your email address.',
    phone: 'Enter your phone number.',
    credit_score: 'Choose your credit score. A guess is fine.',
    money: '{label}: enter an amount, or choose None.',
    other: '{label} is missing.',
  },
  negative: {other: '{label} must be $0 or more.'},
  too_long: {other: '{label} must have {max} characters or fewer.'},
  too_large: {other: '{label} must be {max} or less.'},
  invalid: {
    email: 'Enter an email address like name@example.com.',
    phone: 'Enter a phone number like (415) 555-0132.',
    money: '{label}: enter dollars, like 50,000.',
    other: '{label} has a character that we cannot accept.',
  },
};

export const formEn = {
  /** For numbers and currency. */
  locale: 'en-US',
  labels,
  help: {
    phone: 'With the country code if it is not a US number.',
    credit_score: 'Your best guess is fine. This does not check or affect your credit.',
    bankruptcy: 'Have you ever filed for bankruptcy?',
    retirement: '401(k), IRA and similar accounts.',
    cash: 'Checking, savings and other money you could put in.',
    investments: 'Stocks, bonds and funds outside of retirement accounts.',
  } as Partial<Record<FieldName, string>>,
  errors,
  /** Each score range, and what it is called. */
  scores: {
    'Above 720': 'Above 720',
    '680 - 720': '680 to 720',
    '620 - 679': '620 to 679',
    'Below 620': 'Below 620',
  } satisfies Record<CreditScore, string>,
  ratings: {
    'Above 720': 'Excellent',
    '680 - 720': 'Good',
    '620 - 679': 'Fair',
    'Below 620': 'Poor',
  } satisfies Record<CreditScore, string>,
  steps: {contact: 'About you', credit: 'Credit history', funds: 'Your funds'} satisfies Record<
    StepName,
    string
  >,
  step: 'Step {step} of {of}',
  optional: 'optional',
  yes: 'Yes',
  no: 'No',
  ratherNotSay: 'Rather not say',
  none: 'None',
  noneFor: 'for {label}',
  noneChosen: '{label}: $0',
  next: 'Next',
  back: 'Back',
  seeEstimate: 'See my estimate',
  send: 'Send',
  sending: 'Sending…',
  tryAgain: 'Try again',
  summary: 'Please check your answers',
  use: 'We use your answers to prepare your estimate and to contact you about it.',
  useContact: 'We use your details to contact you.',
  privacy: 'Privacy policy',
  loadFailed: {
    title: 'We could not send your answers',
    text: 'Please check your connection and try again. Everything you typed is still here.',
  },
};

export type FormWords = typeof formEn;
