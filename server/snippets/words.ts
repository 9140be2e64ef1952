/** What visitors read about the form before it is there, in each language of the form. */
import type {LeadType} from '../../contract/fields.ts';
import type {LanguageTag} from '../../form/words/languages.ts';

export type PageLanguage = 'en' | LanguageTag;

type Words = {
  /** What the form is about: amounts, or a call. It is the title of apply pages, and the text of links to the form. */
  title: Readonly<Record<LeadType, string>>;
  /** HTML for browsers without JavaScript. The partner replaces the address. */
  withoutScript: string;
};

export const formWords: Readonly<Record<PageLanguage, Words>> = {
  en: {
    title: {prequalification: 'How much funding can you get?', standard: 'Talk to us about funding'},
    withoutScript: 'Please <a href="/contact">write to us</a>: this form needs JavaScript.',
  },
  es: {
    title: {
      prequalification: '¿Cuánto financiamiento puede obtener?',
      standard: 'Hable con nosotros sobre financiamiento',
    },
    withoutScript: 'Este formulario necesita JavaScript: <a href="/contact">escríbanos</a>, por favor.',
  },
};
