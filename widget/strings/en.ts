/** Every word that a visitor can meet before the answer. Another language is another file of this shape. */
import type {CreditScore, FormFieldName} from '../../contract/fields.ts';
import type {InputError} from '../read-lead.ts';
import {fieldTable, type StepName} from '../steps.ts';

const labels = Object.fromEntries(
  Object.entries(fieldTable).map(([name, {label}]) => [name, label]),
) as Record<FormFieldName, string>;

const help: Partial<Record<FormFieldName, string>> = {
  phone: 'With the country code if it is not a US number.',
  credit_score: 'Your best guess is fine. This does not check or affect your credit.',
  bankruptcy: 'Have you ever filed for bankruptcy?',
  retirement: '401(k), IRA and similar accounts.',
  cash: 'Checking, savings and other money you could put in.',
  investments: 'Stocks, bonds and funds outside of retirement accounts.',
};

const required: Partial<Record<FormFieldName, string>> = {
  first_name: 'Enter your first name.',
  last_name: 'Enter your last name.',
  email: 'Enter your email address.',
  phone: 'Enter your phone number.',
  credit_score: 'Choose your credit score. A guess is fine.',
};

/** Each names its field: it stands in the summary as well as below the field. */
function error(name: FormFieldName, code: InputError): string {
  const {kind, label, max = 0} = fieldTable[name];
  const most = max.toLocaleString('en-US');
  switch (code) {
    case 'required':
      return required[name] ?? `Enter your ${label.toLowerCase()}, or choose None.`;
    case 'negative':
      return `${label} must be $0 or more.`;
    case 'too_long':
      return `${label} must have ${most} characters or fewer.`;
    case 'too_large':
      return `${label} must be $${most} or less.`;
    case 'invalid':
      return kind === 'email'
        ? 'Enter an email address like name@example.com.'
        : kind === 'phone'
          ? 'Enter a phone number like (415) 555-0132.'
          : kind === 'money'
            ? `Enter your ${label.toLowerCase()} in dollars, like 50,000.`
            : `${label} has a character that we cannot accept.`;
  }
}

/** A score range and what it is called. */
const scores: Record<CreditScore, readonly [range: string, quality: string]> = {
  'Above 720': ['Above 720', 'Excellent'],
  '680 - 720': ['680 to 720', 'Good'],
  '620 - 679': ['620 to 679', 'Fair'],
  'Below 620': ['Below 620', 'Poor'],
};

const steps: Record<StepName, string> = {
  contact: 'About you',
  credit: 'Credit history',
  funds: 'Your funds',
};

export const en = {
  /** For numbers and currency. */
  locale: 'en-US',
  labels,
  help,
  error,
  scores,
  steps,
  step: (step: number, of: number) => `Step ${step} of ${of}`,
  optional: 'optional',
  yes: 'Yes',
  no: 'No',
  ratherNotSay: 'Rather not say',
  none: 'None',
  noneFor: (label: string) => `for ${label}`,
  noneChosen: (label: string) => `${label}: $0`,
  next: 'Next',
  back: 'Back',
  estimate: 'See my estimate',
  send: 'Send',
  sending: 'Sending…',
  tryAgain: 'Try again',
  summary: (count: number) =>
    count === 1 ? 'Please check one of your answers' : `Please check ${count} of your answers`,
  use: 'We use your answers to prepare your estimate and to contact you about it.',
  useContact: 'We use your details to contact you.',
  privacy: 'Privacy policy',
  loadFailed: {
    title: 'We could not send your answers',
    text: 'Please check your connection and try again. Everything you typed is still here.',
  },
};

export type Strings = typeof en;
