/** What visitors read about the form before it is there, in each language of the form. */
import type {LeadType} from '../../contract/fields.ts';
import type {LanguageTag} from '../../form/words/languages.ts';

export type PageLanguage = 'en' | LanguageTag;

type Words = {
  /** What the form is about: amounts, or a call. It is the title of apply pages, and the text of links to the form. */
  title: Readonly<Record<LeadType, string>>;
  /** Where the form does not load. `{ways}` are `open`, `call` and `write`, with "or" between them. */
  withoutForm: {instead: string; below: string; open: string; call: string; write: string};
};

export const formWords: Readonly<Record<PageLanguage, Words>> = {
  en: {
    title: {prequalification: 'How much funding can you get?', standard: 'Talk to us about funding'},
    withoutForm: {
      instead: 'The form has not loaded. You can {ways}.',
      below: 'If the form does not appear, you can {ways}.',
      open: 'open it on its own page',
      call: 'call {phone}',
      write: 'write to {email}',
    },
  },
  es: {
    title: {
      prequalification: '¿Cuánto financiamiento puede obtener?',
      standard: 'Hable con nosotros sobre financiamiento',
    },
    withoutForm: {
      instead: 'El formulario no se ha cargado. Puede {ways}.',
      below: 'Si el formulario no aparece, puede {ways}.',
      open: 'abrirlo en una página aparte',
      call: 'llamar al {phone}',
      write: 'escribir a {email}',
    },
  },
};
