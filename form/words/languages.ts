/**
 * The languages of the form besides English, by the tag that a page has in `lang`, in lower case: this registry is where a
 * further language is added. The form loads each language as a file of its own (widget/loading/later-files.ts).
 */
import type {LanguageWords} from './words.ts';

export const languages = {
  es: () => import('./es.ts'),
} satisfies Record<string, () => Promise<LanguageWords>>;

export type LanguageTag = keyof typeof languages;

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
export const sandboxes: Readonly<Record<'en' | LanguageTag, SandboxWords>> = {
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
