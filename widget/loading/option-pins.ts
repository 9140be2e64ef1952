/**
 * The later file `options`: the files that few pages need, by address and integrity. A page needs one if an attribute asks
 * for it, if the page has a mistake, is in a sandboxed frame, or has `?prequal-debug` in its address. They stand apart
 * from `pins.ts`, because each pin makes the file that has it 50 bytes larger, and a hash cannot be compressed. The build
 * replaces this module like `pins.ts`.
 */
export const optionFiles = {
  'known-contact': {path: '../fields/known-contact.ts', integrity: ''},
  history: {path: '../submission/form-history.ts', integrity: ''},
  sandbox: {path: '../sandbox/index.ts', integrity: ''},
  dialog: {path: '../dialog/index.ts', integrity: ''},
  advice: {path: '../page/advice.ts', integrity: ''},
  'opaque-frame': {path: '../opaque-frame/index.ts', integrity: ''},
  debug: {path: '../debug/index.ts', integrity: ''},
};
