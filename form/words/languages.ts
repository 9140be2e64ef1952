/**
 * The languages of the form besides English, by the tag that a page has in `lang`, in lower case. A further language is
 * a file of words in this folder, an import here and an entry in both tables. The form loads each language as a file of its
 * own (widget/loading/later-files.ts).
 */
import * as es from './es.ts';
import type {LanguageWords, SandboxWords} from './words.ts';

export const languages = {es} satisfies Record<string, LanguageWords>;

export type LanguageTag = keyof typeof languages;

/** Apart from the other words, because a sample has these of all languages, and only these. */
export const sandboxes: Record<LanguageTag, SandboxWords> = {
  es: es.sandbox,
};
