/** Guesses which name was meant. */
import {closest, distance} from 'fastest-levenshtein';

/** Letters that may differ. More of them are rather another word than a slip. */
const maxEdits = 2;

/** The end of a message about a name that nobody knows: `: did you mean origins?`, or nothing if no name is near. */
export function meant(name: string, known: readonly string[]): string {
  const inOneCase = known.map((each) => each.toLowerCase());
  const near = closest(name.toLowerCase(), inOneCase);
  return distance(name.toLowerCase(), near) <= maxEdits && name.length > maxEdits + 1
    ? `: did you mean ${known[inOneCase.indexOf(near)]}?`
    : '';
}
