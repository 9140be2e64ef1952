/** Reads settings: from environment variables, or from the files that environment variables name. */
import {existsSync} from 'node:fs';
import {userInfo} from 'node:os';
import {FileError, readTextFile, type TextFile} from './files.ts';
import {isLocal} from './setting-values.ts';
import {settings, type Settings} from './settings.ts';
import {inWords} from './values.ts';

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

/** What whoever started this process types for a command. npx says so to the programs that it starts. */
export const ownCommand = (words: string): string =>
  `${process.env['npm_command'] === 'exec' ? 'npx ' : ''}lead-prequal ${words}`;

/** The file of the business, unless `CONFIG_FILE` names another one. */
export const usualFile = 'lead-prequal.json';

/** In the working folder. They are read where neither the setting nor its `_FILE` says something else. */
const usualFiles: Readonly<Record<string, string>> = {CONFIG: usualFile, DATA_KEY: 'lead-prequal.key'};

export const isUsualFile = (path: string | undefined): boolean =>
  path !== undefined && Object.values(usualFiles).includes(path);

export type SettingsReader = {
  /**
   * The value of a setting, without white space around it. If the variable `<NAME>` is empty or missing, the value is
   * the content of the file that `<NAME>_FILE` names, or of its usual file. Undefined if there is none of them. A file that
   * holds nothing is a fault.
   */
  value(name: string): string | undefined;
  /** The whole text of a setting, and where it was read. Undefined as for `value`. */
  text(name: string): TextFile | undefined;
  /** The file that is read if the variable itself has no value. It need not exist. */
  fileOf(name: string): string | undefined;
  /** The names of all settings that were read so far. */
  names(): string[];
  /** The settings that were read so far and whose value is in the environment itself, and not in a file. */
  fromEnvironment(): [name: string, value: string][];
};

/** @param faults gets a line for each file that cannot be used */
export function createSettingsReader(environment: Environment, faults: string[]): SettingsReader {
  /** The `path` of what the environment itself holds is the name of the setting. */
  const texts = new Map<string, TextFile | undefined>();
  const fileOf = (name: string) => environment[`${name}_FILE`]?.trim() || usualFiles[name];

  function read(name: string): TextFile | undefined {
    const own = environment[name];
    if (own?.trim()) return {path: name, text: own};
    const path = fileOf(name);
    // What a usual file lacks is said by whoever needs it. The first start makes the file of a data key, with SQLite.
    const mayLack = path === usualFiles[name] || (name === 'DATA_KEY' && text('DATABASE_URL') === undefined);
    if (!path || (mayLack && !existsSync(path))) return undefined;
    try {
      return {path, text: readTextFile(path)};
    } catch (error) {
      const found = error instanceof FileError ? error.faults : [(error as Error).message];
      faults.push(...found.map((fault) => (path === usualFiles[name] ? fault : `${name}_FILE ${fault}`)));
      return undefined;
    }
  }

  function text(name: string): TextFile | undefined {
    if (!texts.has(name)) texts.set(name, read(name));
    return texts.get(name);
  }

  return {
    text,
    fileOf,
    value: (name) => text(name)?.text.trim() || undefined,
    names: () => [...texts.keys()],
    fromEnvironment: () =>
      [...texts].flatMap(([name, found]): [string, string][] =>
        found?.path === name ? [[name, found.text.trim()]] : [],
      ),
  };
}

/**
 * Reads and checks all settings of `settings.ts`.
 * @param faults gets a line for each setting that is missing or wrong
 * @returns undefined when a setting is wrong
 */
export function readSettings(reader: SettingsReader, faults: string[]): Settings | undefined {
  const given = new Map(Object.keys(settings.shape).map((name) => [name, reader.value(name)]));
  const result = settings.safeParse(Object.fromEntries(given), {error: inWords});
  for (const {path, message} of result.error?.issues ?? []) {
    const isMissing = given.get(String(path[0])) === undefined;
    faults.push(isMissing ? `${path.join('.')} is missing` : `${path.join('.')} ${message}`);
  }
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
