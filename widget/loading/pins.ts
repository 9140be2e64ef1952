/**
 * The files that are loaded later, by address and integrity. The build makes each of them, named after its key
 * here, and replaces this module by the built files' hashed names and their hashes, so that the integrity of the
 * first file pins them all.
 */
import {firstScreens, type LanguageTag} from '../../form/words/languages.ts';

export const laterFiles = {
  'touched-form': {path: '../submission/touched-form.ts', integrity: ''},
  takeaway: {path: '../takeaway/index.ts', integrity: ''},
  'words-en': {path: '../../form/words/en.ts', integrity: '', only: 'afterTouch'},
  languages: {path: './languages.ts', integrity: ''},
  options: {path: './option-pins.ts', integrity: ''},
};

/** The languages that the later file `languages` has. A page in another language does not load that file. */
export const languageTags = Object.keys(firstScreens) as LanguageTag[];
