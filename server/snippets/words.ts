/** What visitors read around the form, in each language of the form: in its place, and on apply pages. */
import type {LeadType} from '../../contract/fields.ts';
import type {LanguageTag} from '../../form/words/languages.ts';

export type PageLanguage = 'en' | LanguageTag;

type PageWords = {
  /** The language in its own words, for the link that changes to it. */
  language: string;
  /** The language and the country, as link previews name them. */
  locale: string;
  /**
   * What the form is about, which is the title of apply pages, and the text of links to the form. For a partner that takes
   * pre-qualification leads it is about amounts, for one that only takes contact data about a call.
   */
  title: Readonly<Record<LeadType, string>>;
  /** The sentence below the name, which is also the description in link previews. */
  intro: Readonly<Record<LeadType, string>>;
  /** Describes the picture of a link preview. */
  picture: string;
  privacy: string;
  /** Where the form does not load on a partner's page. `{ways}` are `open`, `call` and `write`, with "or" between them. */
  withoutForm: {instead: string; below: string; open: string; call: string; write: string};
  /** Below the text of an error. `{ways}` are `call` and `write` of `withoutForm`, `{name}` is that of the partner. */
  reach: string;
  /** The form was open for a long time, or the browser does not say that the visitor has sent it. */
  sendAgain: {title: string; text: string};
  notFound: {title: string; text: string};
  tooMany: {title: string; text: string};
};

export const pageWords: Readonly<Record<PageLanguage, PageWords>> = {
  en: {
    language: 'English',
    locale: 'en_US',
    title: {prequalification: 'How much funding can you get?', standard: 'Talk to us about funding'},
    intro: {
      prequalification:
        'See how much funding you may qualify for, from your own answers. It takes about a minute.',
      standard: 'Leave your details, and we will contact you.',
    },
    picture: 'The question how much funding you can get, and the first step of the form.',
    privacy: 'Privacy policy',
    withoutForm: {
      instead: 'The form has not loaded. You can {ways}.',
      below: 'If the form does not appear, you can {ways}.',
      open: 'open it on its own page',
      call: 'call {phone}',
      write: 'write to {email}',
    },
    reach: 'You can also {ways} to reach {name}.',
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
  es: {
    language: 'Español',
    locale: 'es_US',
    title: {
      prequalification: '¿Cuánto financiamiento puede obtener?',
      standard: 'Hable con nosotros sobre financiamiento',
    },
    intro: {
      prequalification:
        'Vea para cuánto financiamiento podría calificar según sus propias respuestas. Toma cerca de un minuto.',
      standard: 'Déjenos sus datos y nos comunicaremos con usted.',
    },
    picture: 'La pregunta de cuánto financiamiento puede obtener y el primer paso del formulario.',
    privacy: 'Política de privacidad',
    withoutForm: {
      instead: 'El formulario no se ha cargado. Puede {ways}.',
      below: 'Si el formulario no aparece, puede {ways}.',
      open: 'abrirlo en una página aparte',
      call: 'llamar al {phone}',
      write: 'escribir a {email}',
    },
    reach: 'También puede {ways} para comunicarse con {name}.',
    sendAgain: {
      title: 'Envíe sus respuestas una vez más',
      text: 'Todavía no se envió nada. Todo lo que escribió sigue aquí.',
    },
    notFound: {
      title: 'No hay ningún formulario en esta dirección',
      text: 'Revise la dirección. Si llegó aquí por un enlace o un código, avise a quien se lo dio que no funciona.',
    },
    tooMany: {
      title: 'Esta página no está disponible en este momento',
      text: 'Desde su red se abrieron demasiadas direcciones incorrectas. Inténtelo de nuevo más tarde.',
    },
  },
};

export const pageLanguages = Object.keys(pageWords) as PageLanguage[];
