/**
 * The files of the form that are loaded after the first one. Here they are plain imports, which the npm package and the
 * tests keep. In the form that pages embed, the build makes a file of each module, and replaces its import by one that
 * checks the hash of that file (build/later-files.ts). So the hash of the first file pins all of them.
 */
import type {LanguageTag} from '../../form/words/languages.ts';
import type {LanguageWords} from '../../form/words/words.ts';

export const laterFiles = {
  /** What the form needs from the first touch on, with its English words. */
  rest: () => import('../rest.ts'),
  sandbox: () => import('../sandbox/sandbox.ts'),
  debug: () => import('../debug/debug.ts'),
};

/** All words of each language besides English, by the tag that a page has in `lang`. */
export const languageFiles: Record<LanguageTag, () => Promise<LanguageWords>> = {
  es: () => import('../../form/words/es.ts'),
};

/** The file `rest`, once it has arrived. */
export type Rest = Awaited<ReturnType<typeof laterFiles.rest>>;
