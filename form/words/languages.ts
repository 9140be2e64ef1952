/**
 * The languages of the form besides English, by the tag that a page has in `lang`, in lower case. A further language is
 * a file of words in this folder, an import here and an entry in each table.
 */
import * as es from './es.ts';
import type {FirstScreenWords, OpaqueFrameWords, SandboxWords} from './words.ts';

export const firstScreens = {
  es: es.firstScreen,
} satisfies Record<string, FirstScreenWords>;

export type LanguageTag = keyof typeof firstScreens;

/** Apart from the first screens, so that only a sample loads these words. */
export const sandboxes: Record<LanguageTag, SandboxWords> = {
  es: es.sandbox,
};

/** Only a form in such a frame loads these words. */
export const opaqueFrames: Record<LanguageTag, OpaqueFrameWords> = {
  es: es.opaqueFrame,
};
