/**
 * The later file `options`: the files that a page loads only if it sets an attribute, or makes a mistake, by address and
 * integrity. They stand apart from `pins.ts`, because each pin makes the file that has it 50 bytes larger, and a hash
 * cannot be compressed. The build replaces this module like `pins.ts`.
 */
export const optionFiles = {
  'known-contact': {path: '../fields/known-contact.ts', integrity: ''},
  history: {path: '../submission/form-history.ts', integrity: ''},
  sandbox: {path: '../sandbox/index.ts', integrity: ''},
  dialog: {path: '../dialog/index.ts', integrity: ''},
  advice: {path: '../page/advice.ts', integrity: ''},
};
