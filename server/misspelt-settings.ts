/**
 * Environment variables that look like a setting and are none. Without this, a misspelt name would leave its
 * setting at the default, and nobody would notice. Platforms put variables of their own into the environment, so
 * a name is only taken for a misspelling when it is very near to a setting that is not set itself.
 */
import {closest, distance} from 'fastest-levenshtein';

/** Characters. Shorter names, such as HOST, are near to too many others. */
const shortestName = 6;
/** Characters from which a name may be two edits away instead of one, and a word between underscores too. */
const longName = 10;
const longWord = 5;

/** Names that begin like this are ours, whatever they are near to. */
const ownNames = /^((EMBED|UPSTREAM)_|CREDENTIALS_.+_(USER|PASSWORD)(_FILE)?$)/;
/** What Kubernetes and Docker add for a neighbouring service or container, even one that is called "upstream". */
const ofNeighbours = /_(SERVICE_(HOST|PORT)(_.+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_.+)?|NAME|ENV_.+)$/;

const sorted = (word: string) => [...word].toSorted().join('');
/** Edits from one word to the other; letters that changed places count as one. */
const edits = (one: string, other: string) =>
  one !== other && sorted(one) === sorted(other) ? 1 : distance(one, other);

/** Compared word by word: DATABASE_PASS is two edits from DATABASE_PATH and yet means something else. */
function isNear(name: string, setting: string): boolean {
  if (name.replaceAll('_', '') === setting.replaceAll('_', '')) return true;
  const words = name.split('_');
  const expected = setting.split('_');
  if (words.length !== expected.length) return false;
  const each = expected.map((word, index) => edits(words[index]!, word));
  const most = setting.length < longName ? 1 : 2;
  return (
    each.reduce((sum, count) => sum + count) <= most &&
    each.every((count, index) => count < 2 || expected[index]!.length >= longWord)
  );
}

/**
 * @param settings the names of all settings, without the `_FILE` variants, which belong to them
 * @returns a line for each variable that is probably a misspelt setting; values are never in it
 */
export function misspeltSettings(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] {
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const known = new Set(settings.flatMap((name) => [name, `${name}_FILE`]));
  const unset = settings
    .filter((name) => name.length >= shortestName && !isSet(name) && !isSet(`${name}_FILE`))
    .flatMap((name) => [name, `${name}_FILE`]);

  return Object.keys(environment)
    .filter((name) => isSet(name) && !known.has(name))
    .flatMap((name) => {
      const near = unset.filter((setting) => isNear(name.toUpperCase(), setting));
      if (near.length > 0) return [`${name} is not a setting: did you mean ${closest(name, near)}?`];
      if (!ownNames.test(name) || ofNeighbours.test(name)) return [];
      return [`${name} is not a setting: remove it, or correct its name`];
    });
}
