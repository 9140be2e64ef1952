/** English. It defines which words there are: the types of all other languages are made from these tables. */
import type {AmountPart, Method, Reason} from '../../contract/amounts.ts';
import type {FieldKind, formFields} from '../../contract/fields.ts';
import type {ProblemCode} from '../../contract/problems.ts';
import type {FieldName, OptionTexts, StepTitle} from '../pages.ts';
import type {InputError} from '../read-fields.ts';

/** The texts of an error: for single fields, for all fields of a kind, and for all other fields. */
export type ErrorTexts = Partial<Record<FieldName | FieldKind, string>> & {other: string};
type Notice = {title: string; text: string};

/** The words that a visitor can see before the first touch. They are part of the script that a page embeds. */
export const firstScreen = {
  /** The language tag for writing numbers, money, dates and waiting times. */
  locale: 'en-US',
  /** What stands above the options of a choice. Errors use its label, which is shorter. */
  questions: {
    credit_score: 'What is your credit score?',
  } satisfies Partial<Record<FieldName, string>>,
  help: {
    credit_score: 'Your best guess is fine.',
  } satisfies Partial<Record<FieldName, string>>,
  /** The options of each choice. */
  options: {
    credit_score: {
      'Above 720': 'Above 720',
      '680 - 720': '680 to 720',
      '620 - 679': '620 to 679',
      'Below 620': 'Below 620',
    },
  } satisfies OptionTexts,
  /** What stands beside an option. */
  asides: {
    credit_score: {
      'Above 720': 'Excellent',
      '680 - 720': 'Good',
      '620 - 679': 'Fair',
      'Below 620': 'Building',
    },
  } satisfies Partial<OptionTexts>,
  step: 'Step {step} of {of}',
  next: 'Next',
  /** The visitor has pressed the button, and a file that the form needs is still on its way. */
  loading: 'One moment…',
  tryAgain: 'Try again',
  /** For screen readers, when a notice goes that asked for the connection. */
  online: 'You are connected again.',
  /** Above the first of several buttons: each order has three steps. */
  short: '3 short steps. No credit check.',
  privacy: 'Privacy policy',
  /** A file that the form needs did not arrive. The link `openForm` stands after the text. */
  loadFailed: {
    title: 'We could not load all of the form',
    text: 'Please check your connection and try again.',
  } satisfies Notice,
  /** The link to the apply page, where the form stands alone. */
  openForm: 'Continue on our own page',
};

/** All other words of form and answer. They come with the file `rest`. */
export const afterTouch = {
  labels: {
    credit_score: 'Credit score',
    bankruptcy: 'Bankruptcy',
    retirement: 'Retirement funds',
    cash: 'Cash',
    investments: 'Investments',
    first_name: 'First name',
    last_name: 'Last name',
    email: 'Email',
    phone: 'Phone',
  } satisfies Record<keyof typeof formFields, string>,
  questions: {
    bankruptcy: 'Have you ever filed for bankruptcy?',
  } satisfies Partial<Record<FieldName, string>>,
  help: {
    phone: 'With the country code if it is not a US number.',
    retirement: '401(k), IRA',
    cash: 'that you could put in',
    investments: 'outside of retirement',
  } satisfies Partial<Record<FieldName, string>>,
  /**
   * Each text names its field, because the summary lists it without the field. `{label}` is the name of the field,
   * `{max}` the most that it takes.
   */
  errors: {
    required: {
      first_name: 'Enter your first name.',
      last_name: 'Enter your last name.',
      email: 'Enter your email address.',
      phone: 'Enter your phone number.',
      credit_score: 'Choose your credit score. A guess is fine.',
      money: '{label}: enter an amount, or 0 if you have none.',
      other: '{label} is missing.',
    },
    negative: {other: '{label} must be $0 or more.'},
    range: {other: '{label}: enter one amount, the least that you are sure of, like 50,000.'},
    fraction: {other: '{label}: enter the whole amount, like 50,000 or 1.5 million.'},
    no_plus: {other: 'Add + if the number begins with a country code, like +52\u00a055\u00a01234\u00a05678.'},
    too_long: {other: '{label} must have {max} characters or fewer.'},
    too_large: {other: '{label} must be {max} or less.'},
    invalid: {
      email: 'Enter an email address like name@example.com.',
      // With a space and a hyphen at which no line breaks.
      phone: 'Enter a US number like (415)\u00a0555\u20110132, or begin with + and the country code.',
      money: '{label}: enter one amount in US dollars, like 50,000.',
      other: '{label} has a character that we cannot accept.',
    },
    /** Whoever answers the lead did not accept the value, and did not say why. */
    refused: {other: '{label} was not accepted. Please check it.'},
  } satisfies Record<InputError, ErrorTexts>,
  /** The titles of the steps. A step with a single question has that as its title. */
  steps: {
    credit: 'Credit history',
    funds: 'Your funds',
    contact: 'About you',
    /** The contact data, where it is the last step. */
    /** The contact data, where the estimate follows from the answers before. */
    estimate: 'Your estimate is ready',
  } satisfies Record<StepTitle, string>,
  /** That title, where the partner shows the total before the contact data. */
  estimateOf: '{title}: about {amount}',
  /** Beside the label of a field that may be left empty. */
  optional: 'optional',
  /** On the folded line, which a press opens: the questions that the partner asks for besides. */
  more: 'Tell us more',
  /** Above the button of another step than the first, and on a single page, which has no steps to count. */
  noCreditCheck: 'This does not affect your credit.',
  /** Where the contact data is asked for, and above the button that sends. */
  use: 'We use your details to contact you.',
  send: 'Send',
  /** Where the browser sends Global Privacy Control. */
  optOut: "Your browser's opt-out signal is passed on.",
  /** The total, while the visitor still answers, where the partner shows it. */
  soFar: 'So far: about {amount}',
  /** In its place, as long as that is nothing. */
  soFarNothing: 'Your estimate grows here.',
  /** Below that, what a bankruptcy has to do with it. */
  assumesNoBankruptcy: 'if you never filed for bankruptcy',
  loweredByBankruptcy: 'A bankruptcy lowers it.',
  yes: 'Yes',
  no: 'No',
  ratherNotSay: 'Rather not say',
  /** Said of these three before a tap on one of them goes to the next step. */
  tapGoesOn: 'A tap or click goes on.',
  none: 'None',
  /** The amounts below a field, such as "$25k", as a group and each. */
  chooseAmount: 'Choose an amount',
  amountFor: 'for {label}',
  amountChosen: '{label}: {amount}',
  /** For people who use a keyboard or a screen reader: the keyboard does not stop at the amounts to choose. */
  typeZero: 'None? Type 0.',
  didYouMean: 'Did you mean {email}?',
  /** The form asks this about an amount that may be meant as thousands. */
  thousands: '{label}: {amount}, or {thousands}?',
  back: 'Back',
  seeEstimate: 'See my estimate',
  sending: 'Sending…',
  summary: 'Please check your answers',
  /** Sending takes longer than four seconds. */
  stillSending: 'This takes longer than usual. Please stay on this page.',
  consentErrors: {
    required: 'Tick the box to show that you agree.',
    /** The partner's consent text has changed since the visitor saw it. */
    outdated: 'Please read the new terms above the button.',
  },
  /** The names of the amounts. */
  names: {
    rollover_amount: 'Retirement rollover',
    sba_qualified_amount: 'SBA loan',
    unsecured_amount: 'Unsecured loan',
    portfolio_loan_qualified_amount: 'Portfolio loan',
  } satisfies Record<AmountPart, string>,
  about: {
    rollover_amount: 'Your own retirement funds put to work in your business, without a loan.',
    sba_qualified_amount:
      'A bank loan backed by the Small Business Administration, based on your cash and retirement rollover.',
    unsecured_amount: 'Loans and credit lines based on your credit, with nothing pledged.',
    portfolio_loan_qualified_amount: 'A loan secured by your investments, which stay invested.',
  } satisfies Record<AmountPart, string>,
  /**
   * The arithmetic of an amount. `{funds}`: the visitor's own money that it is computed from. `{percent}`: the share of
   * it, or the share that the visitor pays down. `{rest}`: the share that is left to 100.
   */
  methods: {
    whole_balance: 'The whole balance may be used.',
    down_payment: '{rest}% of a project, with {funds} of your own as the {percent}% down.',
    maximum: 'This is the most that such a loan can be.',
    percentage: '{percent}% of your {funds}.',
  } satisfies Record<Method, string>,
  /** Which of the visitor's answers an amount is computed from, for `{needs}`: more of it would change a zero. */
  needs: {
    rollover_amount: 'retirement funds',
    sba_qualified_amount: 'cash or rolled-over retirement funds',
    unsecured_amount: 'income or credit',
    portfolio_loan_qualified_amount: 'investments outside of retirement accounts',
  } satisfies Record<AmountPart, string>,
  /**
   * What it would take where an amount is zero, or what a larger one assumes. `{minimum}`: the least money that it takes.
   * `{score}`: the lowest credit score.
   */
  reasons: {
    below_minimum: 'Needs at least {minimum} in {needs}.',
    /** Where the minimum is not known. */
    below_some_minimum: 'Needs more in {needs}.',
    from_score: 'From a credit score of {score}.',
    /** Where the lowest score is not known. */
    credit_score: 'Needs a higher credit score.',
    bankruptcy: 'Lenders seldom offer this after a bankruptcy. Ask us what is possible.',
    nothing_to_borrow_against: 'Needs {needs}.',
    assumes_no_bankruptcy: 'Assumes no bankruptcy.',
    unknown: 'Not part of this estimate.',
  } satisfies Record<Reason | 'below_some_minimum' | 'from_score' | 'unknown', string>,
  /** The title of an answer without amounts, if the visitor's first name is known. */
  named: '{title}, {name}',
  thanks: {
    title: 'Thank you',
    text: 'We have your details and will be in touch soon.',
  } satisfies Notice,
  pending: {
    title: 'We have your answers',
    text: 'Your amounts take longer than usual. They will appear here. If you leave this page, we will be in touch, and there is no need to send anything again.',
  } satisfies Notice,
  /** The lead has been pending for ten minutes, and the form has stopped asking for its amounts. */
  late: {
    title: 'We have your answers',
    text: 'Your amounts take too long to wait for. We will be in touch, and there is no need to send anything again.',
  } satisfies Notice,
  refused: {
    title: 'We could not prepare an estimate',
    text: 'These answers were not accepted. You can change them and send them again. Or get in touch with us and give this reference: a person can help.',
  } satisfies Notice,
  /** A standard lead, which has no estimate. */
  refusedContact: {
    title: 'We could not accept your details',
    text: 'You can change them and send them again. Or get in touch with us and give this reference: a person can help.',
  } satisfies Notice,
  /** In the place of these texts, if it is known which answers were not accepted. */
  refusedFields:
    'Not accepted: {fields}. You can change your answers and send the form again. If they are right, get in touch with us and give this reference: a person can help.',
  /** Why nothing was sent, by the problem's code. `{wait}`: how long the server asked to wait, or the word `soon`. */
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
      title: 'This page cannot send your answers yet',
      text: 'Your answers were not sent. Please get in touch with us.',
    },
    other: {
      title: 'Something went wrong on our side',
      text: 'Please try again in a moment. Everything you typed is still here.',
    },
  } satisfies Partial<Record<ProblemCode | 'network' | 'timeout' | 'forbidden' | 'other', Notice>>,
  /** On the buttons that call the partner or write to it. `{way}` is its number or its address. */
  call: 'Call {way}',
  write: 'Email {way}',
  /** Below a button that did not help, before one of these. */
  or: 'or',
  soon: 'in a moment',
  upTo: '{name}, you may qualify for up to',
  nothing: '{name}, we found no funding for these answers yet',
  /** Below that, if it is not known what would change it. */
  nothingKnown:
    'This comes from your answers alone. You can change them, or ask us: a person may find another way.',
  bar: 'Your estimate by kind of funding',
  kind: 'Kind of funding',
  amount: 'Amount',
  total: 'Total',
  /** Above the amounts that are zero, with what it would take for each. */
  unlock: 'How to unlock more',
  rounded: 'Amounts are rounded down.',
  disclaimer: 'This is an estimate from your own answers, not an offer or a commitment to lend.',
  whatNext: 'What happens next',
  /** Where the partner's configuration does not say what happens next. */
  weContact: 'We will contact you about this estimate at {phone}.',
  /** Shown instead if no funding was found. */
  weContactAnyway: 'We will contact you about your answers at {phone}.',
  /** In the place of `{phone}` after a reload, when the number is not known. */
  yourNumber: 'the number you gave',
  reference: 'Your reference: {reference}',
  change: 'Change my answers',
  /** After a reload, when the fields are empty. */
  answerAgain: 'Enter my answers again',
  notKept: 'For your privacy, this page forgets what you typed when it is loaded again.',
  startOver: 'Start over',
  erase: 'Erase this result',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'It could not be copied',
  print: 'Print or save as PDF',
  madeOn: 'Made on {date}.',
  /** The button that closes the form, if it is shown in a dialog. */
  close: 'Close',
  /**
   * Shown on a page from which the server takes no lead: title and text, then the link `openForm`. It is shown in place of the
   * form in an opaque frame, with `address` below the link, where `{address}` is that of the apply page.
   */
  opaqueFrame: {
    title: 'This page cannot send your answers',
    text: 'The same form stands on our own page.',
    address: 'If that does not work, go to {address}.',
  },
};
