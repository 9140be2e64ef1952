/**
 * The files that are loaded later, by address and integrity. The build makes each of them, named after its key
 * here, and replaces this module by the built files' hashed names and their hashes, so that the integrity of the
 * first file pins them all.
 */
import {firstScreens, type LanguageTag} from '../../form/words/languages.ts';

export const laterFiles = {
  'touched-form': {path: '../submission/touched-form.ts', integrity: ''},
  takeaway: {path: '../takeaway/index.ts', integrity: ''},
  'known-contact': {path: '../fields/known-contact.ts', integrity: ''},
  'words-en': {path: '../../form/words/en.ts', integrity: '', only: 'afterTouch'},
  history: {path: '../submission/form-history.ts', integrity: ''},
  sandbox: {path: '../sandbox/index.ts', integrity: ''},
  advice: {path: '../page/advice.ts', integrity: ''},
  dialog: {path: '../dialog/index.ts', integrity: ''},
  languages: {path: './languages.ts', integrity: ''},
};

/** The languages that the later file `languages` has. A page in another language does not load that file. */
export const languageTags = Object.keys(firstScreens) as LanguageTag[];
