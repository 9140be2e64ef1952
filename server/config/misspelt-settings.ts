/**
 * Finds environment variables whose names are misspelt settings. Without this check, the setting that was meant would
 * keep its default, and nobody would notice. Platforms add variables of their own to the environment, so a name counts
 * as a misspelling only when it is very similar to a setting that has no value.
 */
import {closest, distance} from 'fastest-levenshtein';
import {isForOthers} from './environment-file.ts';
import type {Environment} from './environment.ts';

/** Characters. Shorter settings, such as HOST, are similar to too many other names. */
const shortestName = 6;
/** Characters. From this length on, a whole name, or one of its words, may differ by two edits instead of one. */
const longName = 10;
const longWord = 5;

/** Names that only settings of this service have. A variable that matches and is no setting is a mistake. */
const ownNames = /^(EMBED|UPSTREAM)_/;
/**
 * Names that only secrets of destinations have. One that no destination uses does no harm. It remains when a destination
 * is removed from the partners file, because both cannot be changed at once.
 */
const secrets = /^CREDENTIALS_.+_(USER|PASSWORD|SECRET|URL)(_FILE)?$/;
/**
 * The exceptions: Kubernetes and Docker add variables like UPSTREAM_PORT for other services, and such a service may be
 * called "upstream".
 */
const serviceNames = /_(SERVICE_(HOST|PORT)(_.+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_.+)?|NAME|ENV_.+)$/;

const sorted = (word: string) => [...word].toSorted().join('');
/** The number of edits between two words. Letters that changed places count as one edit. */
const edits = (one: string, other: string) =>
  one !== other && one.length === other.length && sorted(one) === sorted(other) ? 1 : distance(one, other);

/** Compares word by word, because short words differ in meaning: DATABASE_PASS is not a misspelt DATABASE_PATH. */
function isNear(name: string, setting: string): boolean {
  if (name.replaceAll('_', '') === setting.replaceAll('_', '')) return true;
  const words = name.split('_');
  const expected = setting.split('_');
  if (words.length !== expected.length) return false;
  const each = expected.map((word, index) => ({word, count: edits(words[index] ?? '', word)}));
  const maxEdits = setting.length < longName ? 1 : 2;
  return (
    each.reduce((sum, {count}) => sum + count, 0) <= maxEdits &&
    each.every(({word, count}) => count < 2 || word.length >= longWord)
  );
}

/**
 * @param settings the names of all settings. `_FILE` may be added to each of them.
 * @param places where each name of `lead-prequal.env` is. That file has settings alone, so no other name may be in it
 * @returns a fault for each variable that is probably a misspelt setting, and a warning for each secret that is not used.
 *   Neither contains a value
 */
export function misspeltSettings(
  environment: Environment,
  settings: readonly string[],
  places: ReadonlyMap<string, string>,
): {faults: string[]; warnings: string[]} {
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const known = new Set(settings.flatMap((name) => [name, `${name}_FILE`]));
  const unset = settings
    .filter((name) => name.length >= shortestName && !isSet(name) && !isSet(`${name}_FILE`))
    .flatMap((name) => [name, `${name}_FILE`]);

  const faults: string[] = [];
  const warnings: string[] = [];
  for (const name of Object.keys(environment).filter((name) => isSet(name) && !known.has(name))) {
    const near = unset.filter((setting) => isNear(name.toUpperCase(), setting));
    const place = places.get(name);
    const found = place === undefined ? name : `${place}: ${name}`;
    const isOurs = place === undefined ? ownNames.test(name) && !serviceNames.test(name) : !isForOthers(name);
    if (near.length > 0) faults.push(`${found} is not a setting: did you mean ${closest(name, near)}?`);
    else if (secrets.test(name)) warnings.push(`${found} is not used by any destination: remove it`);
    else if (isOurs) faults.push(`${found} is not a setting: remove it, or correct its name`);
  }
  return {faults, warnings};
}
