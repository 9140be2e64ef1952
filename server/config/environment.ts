/** Reads settings: from environment variables, or from the files that environment variables name. */
import {userInfo} from 'node:os';
import {FileError, inFile, readTextFile} from './files.ts';
import {JsonError, parseJson, placeOf} from './json.ts';
import {isLocal} from './setting-values.ts';
import {settings, type Settings} from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The account of this process on the machine, and under sudo also the one that called it: `root (sudo ana)`. */
export function accountIn({SUDO_USER: caller}: Environment = process.env): string {
  let name = `user ${process.getuid?.()}`;
  try {
    name = userInfo().username;
  } catch {
    // In a container, a user may have no name.
  }
  return caller ? `${name} (sudo ${caller})` : name;
}

export type SettingsReader = {
  /**
   * The value of a setting, without white space around it. If the variable `<NAME>` is empty or missing, the value is
   * the content of the file that `<NAME>_FILE` names. Undefined if there is neither. A file that holds nothing is a fault.
   */
  value(name: string): string | undefined;
  /**
   * The result of `read` for the path that this setting holds. Undefined if the setting has no value or `read` fails.
   */
  file<Content>(name: string, read: (path: string) => Content): Content | undefined;
  /**
   * Where a fault is in a setting that holds JSON, as the end of a message: in which file, if the setting came from one;
   * the line and the column, if the text is no JSON. Empty if the path of the field says enough.
   */
  whereInJson(name: string, path: readonly PropertyKey[]): string;
  /** The names of all settings that were read so far. */
  names(): string[];
  /** The settings that were read so far and whose value is in the environment itself, and not in a file. */
  fromEnvironment(): [name: string, value: string][];
};

/** @param faults gets a line for each file that cannot be used */
export function createSettingsReader(environment: Environment, faults: string[]): SettingsReader {
  const values = new Map<string, string | undefined>();
  /** The settings that came from a file. The text is not trimmed, so that its lines are those of the file. */
  const files = new Map<string, {path: string; text: string}>();

  function attempt<Value>(name: string, work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      const found =
        error instanceof FileError ? error.faults : [error instanceof Error ? error.message : error];
      faults.push(...found.map((fault) => `${name} ${String(fault)}`));
      return undefined;
    }
  }

  function read(name: string): string | undefined {
    const value = environment[name]?.trim();
    const fileName = `${name}_FILE`;
    const path = environment[fileName];
    if (value || !path) return value || undefined;
    const text = attempt(fileName, () => readTextFile(path));
    if (text !== undefined) files.set(name, {path, text});
    return text?.trim() || undefined;
  }

  function value(name: string): string | undefined {
    if (!values.has(name)) values.set(name, read(name));
    return values.get(name);
  }

  return {
    value,
    file(name, readFile) {
      const path = value(name);
      return path === undefined ? undefined : attempt(name, () => readFile(path));
    },
    whereInJson(name, fieldPath) {
      const {path, text} = files.get(name) ?? {text: value(name) ?? ''};
      try {
        parseJson(text);
        return path === undefined ? '' : ` (${inFile(path, placeOf(text, fieldPath))})`;
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        const {line, column} = error.place;
        const place = path === undefined ? `line ${line}, column ${column}` : inFile(path, error.place);
        return ` (${place}: ${error.message})`;
      }
    },
    names: () => [...values.keys()],
    fromEnvironment: () =>
      [...values].flatMap(([name, text]): [string, string][] =>
        text === undefined || files.has(name) ? [] : [[name, text]],
      ),
  };
}

/** The settings that describe the only partner, where there is no partners file. */
export const partnerSettings = [
  'EMBED_ORIGINS',
  'EMBED_CID',
  'EMBED_PARTNER',
  'EMBED_NAME',
  'EMBED_CONTACT_PHONE',
  'EMBED_CONTACT_EMAIL',
  'EMBED_LEAD_TYPES',
];
/** The settings that describe an upstream. If one of them is set, all must be set. */
const upstreamSettings = ['UPSTREAM_URL', 'UPSTREAM_USER', 'UPSTREAM_PASSWORD', 'UPSTREAM_CID'];

/** The only setting whose text is JSON. */
export const jsonSetting = 'CALLERS';

/**
 * Reads and checks all settings of `settings.ts`.
 * @param faults gets a line for each setting that is missing or wrong
 * @returns undefined when a setting is wrong
 */
export function readSettings(reader: SettingsReader, faults: string[]): Settings | undefined {
  const names = Object.keys(settings.shape);
  const given = new Map(names.map((name) => [name, reader.value(name)]));
  // The partners file replaces these settings, so mistakes in them do not matter.
  if (given.get('PARTNERS_FILE')) for (const name of partnerSettings) given.delete(name);

  const result = settings.safeParse(Object.fromEntries(given));
  for (const {path, message} of result.error?.issues ?? []) {
    const name = String(path[0]);
    const where = name === jsonSetting ? reader.whereInJson(name, path.slice(1)) : '';
    const isMissing = given.get(name) === undefined;
    faults.push(isMissing ? `${name} is missing` : `${path.join('.')} ${message}${where}`);
  }
  const mustHave = (required: readonly string[]) =>
    faults.push(...required.filter((name) => !given.get(name)).map((name) => `${name} is missing`));
  if (!given.get('PARTNERS_FILE')) mustHave(['EMBED_ORIGINS']);
  if (upstreamSettings.some((name) => given.get(name))) mustHave(upstreamSettings);
  faults.push(...adminFaults(result.data));
  return result.data;
}

/** The operators' pages share neither host nor port with the server. */
function adminFaults(read: Settings | undefined): string[] {
  if (read?.ADMIN_URL === undefined) return [];
  const [own, other] = [new URL(read.ADMIN_URL).hostname, new URL(read.PUBLIC_URL).hostname];
  return [
    own === other && !isLocal(other)
      ? 'ADMIN_URL must have another host than PUBLIC_URL: browsers share cookies between the ports of a host'
      : '',
    read.ADMIN_PORT === read.PORT && read.PORT !== 0 ? 'ADMIN_PORT must be another port than PORT' : '',
  ].filter(Boolean);
}
