/**
 * The file that finds a mistyped domain, by address and integrity. Only the later file `touched-form` has this pin,
 * because most visitors have an address at one of a few domains, which the file is not needed for. The build replaces
 * this module like `pins.ts`.
 */
export const suggestionFiles = {
  'email-suggestion': {path: '../../form/email-suggestion.ts', integrity: ''},
};
