/**
 * The files that are loaded later, by address and integrity. The build makes each of them, named after its key
 * here, and replaces this module by the built files' hashed names and their hashes, so that the integrity of the
 * first file pins them all.
 */
export const laterFiles = {
  answer: {path: '../submission/index.ts', integrity: ''},
  takeaway: {path: '../takeaway/index.ts', integrity: ''},
  'answer-en': {path: '../../form/words/answer-en.ts', integrity: ''},
  sandbox: {path: '../sandbox/index.ts', integrity: ''},
  'form-es': {path: '../../form/words/form-es.ts', integrity: ''},
  'answer-es': {path: '../../form/words/answer-es.ts', integrity: ''},
};
