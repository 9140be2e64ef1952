/**
 * The languages of the form: this registry is where a further language is added. Each of its tables has the languages by the
 * tag that a page has in `lang`, in lower case, and does not compile if one is missing.
 */
import {serverWords as english} from './server/en.ts';
import {serverWords as spanish} from './server/es.ts';
import {tagFor} from './text-in-language.ts';
import type {LanguageWords} from './words.ts';

/** The languages besides English. The form loads each as a file of its own (widget/loading/later-files.ts). */
export const languages = {
  es: () => import('./es.ts'),
} satisfies Record<string, () => Promise<LanguageWords>>;

export type LanguageTag = keyof typeof languages;
export type FormLanguage = 'en' | LanguageTag;

type SandboxWords = {
  readonly sample: string;
  readonly explained: string;
  /** Stands where the partner's consent text would be. */
  readonly consent: string;
};

/**
 * The words of a sample (`sandbox`). They are apart from the other words, because a page may replace those, but must not
 * be able to take away the line that says that this is a sample.
 */
export const sandboxes: Readonly<Record<FormLanguage, SandboxWords>> = {
  en: {
    sample: 'Sample.',
    explained: 'Nothing you type is sent or kept, and the amounts are made up.',
    consent:
      'This is where the consent text of your configuration stands: what the visitor agrees to, and with whom.',
  },
  es: {
    sample: 'Muestra.',
    explained: 'Nada de lo que escriba se envía ni se guarda, y los montos son inventados.',
    consent:
      'Aquí va el texto de consentimiento de su configuración: a qué da su acuerdo el visitante, y con quién.',
  },
};

/** What only the server says or sends. The build leaves it out of the files of the form, which do not use it. */
export const serverWords: Readonly<Record<FormLanguage, typeof english>> = {en: english, es: spanish};

/** The default first. */
export const formLanguages = /* @__PURE__ */ Object.keys(serverWords) as FormLanguage[];

/** @param tag such as `es-US`. English stands for the languages that the form does not have */
export const formLanguageOf = (tag: string) => tagFor(serverWords, tag) as FormLanguage;
