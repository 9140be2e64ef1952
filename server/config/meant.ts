/** Guesses which name was meant. */
import {closest, distance} from 'fastest-levenshtein';

/** Letters that may differ. More of them are rather another word than a slip. */
const maxEdits = 2;

/**
 * The end of a message about a name that is not known in its place: `: did you mean origins?`, or nothing if no name is
 * near, or if the name is one of another place.
 */
export function meant(name: string, known: readonly string[]): string {
  if (known.includes(name)) return '';
  const inOneCase = known.map((each) => each.toLowerCase());
  const near = closest(name.toLowerCase(), inOneCase);
  return distance(name.toLowerCase(), near) <= maxEdits && name.length > maxEdits + 1
    ? `: did you mean ${known[inOneCase.indexOf(near)]}?`
    : '';
}
