/**
 * The address of a web page as far as it may be sent, stored and shown: the origin and the path. Both the form and
 * the server shorten addresses with this function, so an older form cannot make the server store more.
 */

/** Replaces a path segment that looks like a secret. */
const replacement = '*';

/**
 * A path segment looks like a secret if its pieces that are neither words nor numbers have this many characters in all.
 */
const randomCharacters = 10;

/**
 * A word in one of the usual spellings (`guide`, `FAQ`, `LoanGuide`) or a number. A longer piece is taken for random
 * even if it has letters only. An empty piece counts as a word.
 */
const wordOrNumber = /^(?=.{0,24}$)(?:[A-Z]?[a-z]*(?:[A-Z][a-z]+)*|[A-Z]*|\d{0,14})$/;

/**
 * Some links carry a secret or a person's data in the path: a link that resets a password, an invitation, a session
 * id, an e-mail address. Letters outside ASCII separate pieces like other signs do, because random texts have none:
 * a path in Russian or Chinese is kept.
 */
function looksSecret(segment: string): boolean {
  if (/.(?:@|%40)./i.test(segment)) return true;
  const random = segment.split(/%[\da-f]{2}|[^a-z\d]+/i).filter((piece) => !wordOrNumber.test(piece));
  return random.join('').length >= randomCharacters;
}

/**
 * @param address an absolute address, of any scheme
 * @returns the address without user name, password, query and fragment, and with `*` in place of each path segment that
 *   looks like a token or an e-mail address; empty if `address` has no host
 */
export function pageAddress(address: string): string {
  const [, scheme = '', host = '', path = ''] =
    /^([^/?#]*:\/\/)(?:[^/?#]*@)?([^/?#]*)([^?#]*)/.exec(address) ?? [];
  const segments = path.split('/').map((segment) => (looksSecret(segment) ? replacement : segment));
  return scheme + host + segments.join('/');
}
