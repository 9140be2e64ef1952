/**
 * `lead-prequal.env`: a file with settings in the folder in which the server or a command runs. Each reading of the
 * configuration reads it again, so that a reload takes the secrets of a new destination from it.
 */
import {readFileSync} from 'node:fs';
import {parseEnv} from 'node:util';
import type {Environment} from './environment.ts';
import {readableByAll} from './files.ts';
import {formerSettings, takenOver} from './former-settings.ts';
import {meant} from './meant.ts';
import {settings} from './settings.ts';

export const fileName = 'lead-prequal.env';

/** Names that mean something to Node, to libraries and to the system, but only in the environment of the process. */
const early = /^(NODE_.+|UV_.+|SSL_CERT_.+|PG[A-Z]+|HTTPS?_PROXY|NO_PROXY|TMPDIR|TZ|PATH|HOME|LANG|LC_.+)$/;
/** Names in the file that are not for the server. The unit of systemd that makes backups reads the last one. */
const isForOthers = (name: string): boolean => early.test(name) || name === 'BACKUPS_KEPT';

/** Secrets of destinations. Which of them are needed, `lead-prequal.json` says. */
export const secretNames = /^CREDENTIALS_.+_(USER|PASSWORD|SECRET|URL)$/;

/** What is wrong with a name in the file. Undefined if it is that of a setting, with or without `_FILE`. */
function wrongName(given: string, mayBeFormer: boolean): string | undefined {
  const name = given.replace(/_FILE$/, '');
  const known = [...Object.keys(settings.shape), ...takenOver];
  if (known.includes(name) || secretNames.test(name) || isForOthers(given)) return undefined;
  const instead = formerSettings[given] ?? formerSettings[name];
  if (instead === undefined) return `is not a setting${meant(given, known)}`;
  return mayBeFormer
    ? undefined
    : `is no setting since 2.0. In its place is ${instead}, as "lead-prequal config upgrade" says`;
}

/** Where the leads are, and what opens them. With another value, a start would begin a store anew. */
const isStore = /^(DATABASE_PATH|DATABASE_URL|DATA_KEY)(_FILE)?$/;

/** A name, its value in quotes, and the rest of the line. */
const quoted = /^([^=#\n]+=[ \t]*)(["'`])([^]*?)\2(.*)/gm;
/** What may follow a value in quotes: nothing, or a comment. Node drops whatever else stands there. */
const isComment = /^\s*(?:#|$)/;
/** A name without a value, and spaces, behind which Node would take the next line for the value. */
const emptyValue = /^([^=#\n]+=)[ \t]+$/gm;

/**
 * The environment of this process, with what the file adds. A variable of the process wins, also one such as
 * `TOKEN_KEY_FILE` over `TOKEN_KEY` of the file, unless it is empty.
 * @param faults gets a line if the file cannot be read, for each of its lines that Node would read otherwise than it is
 *   meant, and for each name that is no setting
 * @param mayBeFormer whether the names of settings of 1.8 are right, too
 * @returns `places`: where each name of the file is, such as `lead-prequal.env:3`
 */
export function environmentHere(faults: string[], warnings: string[], mayBeFormer = false) {
  const isSet = (name: string) => Object.hasOwn(process.env, name) && process.env[name]?.trim() !== '';
  const text = read(faults, warnings).replaceAll(emptyValue, '$1');
  // Of a value in quotes, which may go over several lines, only the ends of its lines are left, so that nothing in it looks like
  // a name. If more of the value stands behind the second quote, the first one is left, too, and is a fault below.
  const lines = text
    .replaceAll(
      quoted,
      (_all, name: string, quote: string, value: string, rest: string) =>
        name + (isComment.test(rest) ? '' : quote) + value.replaceAll(/[^\n]/g, ''),
    )
    .split('\n');
  const names = lines.map((line) => /^\s*(?:export )?\s*([^=]*?)\s*=/.exec(line)?.[1]);
  for (const [index, line] of lines.entries()) {
    const fault = (what: string) => faults.push(`${fileName}:${index + 1}: ${what}`);
    // Node would skip this line, and the setting would have no value.
    if (/^\s*[A-Za-z]/.test(line) && names[index] === undefined)
      fault('has no =: write a setting as NAME=value');
    // Node would take the rest for a comment, and the setting would have another value.
    if (/^[^#=]+=.*\S#/.test(line))
      fault("has a # in its value, which would end there: write the value between '…'");
    // Node would cut the value at the second quote, or take the first one for a part of it.
    if (/^[^#=]+=\s*["'`]/.test(line))
      fault(
        `has quotes that do not enclose the whole value: write it between '…', "…" or \`…\`, whichever is not in it`,
      );
  }
  const environment: Record<string, string | undefined> = {...process.env};
  const places = new Map<string, string>();
  for (const [name, value] of Object.entries(parseEnv(text))) {
    const place = `${fileName}:${names.lastIndexOf(name) + 1}`;
    places.set(name, place);
    const wrong = wrongName(name, mayBeFormer);
    if (wrong !== undefined) faults.push(`${place}: ${name} ${wrong}`);
    if (early.test(name) && !isSet(name))
      warnings.push(`${place}: ${name} has no effect here: set it where the process is started`);
    if (isStore.test(name) && isSet(name) && process.env[name]?.trim() !== value?.trim())
      faults.push(
        `${place}: ${name} is another one than that of the process, which would win: remove one of them`,
      );
    if (!isSet(name) && !isSet(`${name}_FILE`)) environment[name] = value;
  }
  return {environment: environment as Environment, places};
}

function read(faults: string[], warnings: string[]): string {
  try {
    const text = readFileSync(fileName, 'utf8').replace(/^\uFEFF/, '');
    // As a failed deployment or a full disk leaves it.
    if (!/[^\s\p{C}]/u.test(text)) faults.push(`${fileName} holds nothing: fill it, or remove it`);
    warnings.push(...readableByAll(fileName));
    return text;
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') faults.push(`${fileName} cannot be read (${code})`);
    return '';
  }
}
