/**
 * The English words that only the server says or sends, so no file of the form has them. They define which words there are:
 * the type of all other languages is made from them.
 */
import type {LeadType} from '../../../contract/fields.ts';

type ByLeadType = Readonly<Record<LeadType, string>>;

export const serverWords = {
  /** Where the form asks for the contact data. `{name}` is the partner, which may have none. */
  about: {
    ready: 'Tell {name} who it is for, and see all of it.',
    readyUnnamed: 'Tell us who it is for, and see all of it.',
    mailed: 'We also email it to you.',
    only: 'Only {name} gets this.',
    /** Before the partner's number. */
    talk: 'Talk first?',
  },
  /** What visitors read around the form: in its place, and on apply pages. */
  page: {
    /** The language in its own words, for the link that changes to it. */
    language: 'English',
    /** The language and the country, as link previews name them. */
    locale: 'en_US',
    /**
     * What the form is about, which is the title of apply pages, and the text of links to the form. For a partner that
     * takes pre-qualification leads it is about amounts, for one that only takes contact data about a call.
     */
    title: {
      prequalification: 'How much funding can you get?',
      standard: 'Talk to us about funding',
    } satisfies ByLeadType,
    /** The sentence below the name, which is also the description in link previews. */
    intro: {
      prequalification:
        'See how much funding you may qualify for, from your own answers. It takes about a minute.',
      standard: 'Leave your details, and we will contact you.',
    } satisfies ByLeadType,
    /** Describes the picture of a link preview. */
    picture: 'The question how much funding you can get, and the first step of the form.',
    privacy: 'Privacy policy',
    /** Where the form does not load on a partner's page. `{ways}` are `open`, `call` and `write`, with "or" between them. */
    withoutForm: {
      instead: 'The form has not loaded. You can {ways}.',
      below: 'If the form does not appear, you can {ways}.',
      open: 'open it on its own page',
      call: 'call {phone}',
      write: 'write to {email}',
    },
    /** Below the text of an error. `{ways}` are `call` and `write` of `withoutForm`, `{name}` is that of the partner. */
    reach: 'You can also {ways} to reach {name}.',
    /** The form was open for a long time, or the browser does not say that the visitor has sent it. */
    sendAgain: {
      title: 'Please send your answers once more',
      text: 'Nothing was sent yet. Everything you typed is still here.',
    },
    notFound: {
      title: 'There is no form at this address',
      text: 'Please check the address. If a link or a code brought you here, tell whoever gave it to you that it does not work.',
    },
    tooMany: {
      title: 'This page is not available right now',
      text: 'Too many wrong addresses were opened from your network. Please try again later.',
    },
  },
  /** The page on which a visitor says stop. `{name}` is the partner, `{day}` when the answers came. */
  revoke: {
    title: 'Stop calls and messages',
    about: 'This is about the answers that you sent to {name} on {day}, with the code {reference}.',
    stop: 'Stop calls and messages',
    stopWords: '{name}, and all who got your answers for it, are told not to call or write to you any more.',
    stopped:
      'You said stop on {day}. Within a minute, nothing more is sent from here, and {name} and all who got your answers for it are told.',
    /** Beside `stopped`, of whom nothing is kept. */
    numberUnknown:
      'Your telephone number is not known here any more. If you send answers again, say stop again.',
    erase: 'Ask to erase my data',
    eraseWords: 'A person looks at this, and erases what is kept of you as far as the law lets them.',
    requested: 'You asked on {day} to have your data erased. A person looks at this.',
    erased:
      'Your data was erased on {day}. What the law says must be kept of your consent stays until its time is over.',
    notFound: {
      title: 'This link does not work',
      text: 'Perhaps it was cut off. You can say stop in any other way, too: tell whoever calls or writes to you.',
    },
  },
  /** What confirmations say besides words of the form. `{company}` is who sends them. */
  confirmation: {
    subject: '{company} received your answers ({reference})',
    hello: 'Hello,',
    helloName: 'Hello {name},',
    received: '{company} has received what you sent with its form.',
    estimate: 'Your estimate',
    /** The title above the telephone number and the e-mail address of the partner. */
    reach: 'How to reach {company}',
    notYou:
      'If you did not send anything to {company}, somebody has probably mistyped an e-mail address. You do not have to do anything.',
    automatic: 'This e-mail was sent automatically.',
    /** Before the link. */
    stop: 'To stop calls and messages, or to have your data erased:',
    testSubject: 'Test: ',
    test: 'This is a test for the operators of the form, with a made-up lead. Visitors get what is below.',
  },
  /** In the place of `{reference}` for forms before 1.5, which show the reference below the text. */
  referenceBelow: 'the code below',
};

export type ServerWords = typeof serverWords;
