/**
 * The file with the data key, `lead-prequal.key`, where nobody has set `DATA_KEY`. The first start on SQLite makes it. It
 * stands apart from the data, so that a copy of the data does not bring its key along.
 */
import {randomBytes, randomUUID} from 'node:crypto';
import {closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {pathToFileURL} from 'node:url';
import {environmentHere} from './environment-file.ts';
import {createSettingsReader, isUsualFile, type Environment, type SettingsReader} from './environment.ts';
import {FileError} from './files.ts';
import {settings} from './settings.ts';

const databaseOf = (reader: SettingsReader): string =>
  settings.shape.DATABASE_PATH.parse(reader.value('DATABASE_PATH'));

/** Whether only a key decrypts what the database holds. @throws FileError when the database cannot be read */
function isEncrypted(path: string): boolean {
  if (!existsSync(path)) return false;
  const url = pathToFileURL(path);
  // SQLite makes no files beside it then. Those of root, who may run a command, the server could not write.
  if (!statSync(`${path}-wal`, {throwIfNoEntry: false})?.size) url.searchParams.set('immutable', '1');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(url, {readOnly: true});
    const tables = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'data_keys'`).get();
    return (
      tables !== undefined &&
      database.prepare('SELECT 1 FROM data_keys WHERE check_value <> 0').get() !== undefined
    );
  } catch (error) {
    const {message} = error as Error;
    throw new FileError([`The database that DATABASE_PATH names cannot be opened: ${message}`], error);
  } finally {
    database?.close();
  }
}

/**
 * Whether the start may make the key: nothing says another one, and nothing was encrypted with one that is missing.
 * @throws FileError when the database cannot be read
 */
export const mayMakeKey = (reader: SettingsReader): boolean =>
  reader.value('DATABASE_URL') === undefined &&
  hasFolder(reader) &&
  !existsSync(reader.fileOf('DATA_KEY') ?? '') &&
  !isEncrypted(databaseOf(reader));

/** A platform that has no file for the configuration may drop the working folder, too, and the only key with it. */
const hasFolder = (reader: SettingsReader): boolean =>
  reader.text('CONFIG')?.path !== 'CONFIG' || !isUsualFile(reader.fileOf('DATA_KEY'));

/** Why there is no key, and what to do about it. */
export function whyNoKey(reader: SettingsReader): string {
  const isPostgres = reader.value('DATABASE_URL') !== undefined;
  if (isPostgres || !hasFolder(reader))
    return `DATA_KEY is missing, which ${isPostgres ? 'PostgreSQL' : 'a configuration in CONFIG'} needs: a secret such as "openssl rand -hex 32" prints, the same in all servers`;
  const path = resolve(reader.fileOf('DATA_KEY') ?? '');
  return mayMakeKey(reader)
    ? `There is no data key yet: the first start ("lead-prequal serve") makes it in ${path}. Put the key there first if a backup is to be restored`
    : `The database ${resolve(databaseOf(reader))} is encrypted, and its key is not at ${path}: put the file back there, or set DATA_KEY. If no copy of it is left, write a new one there (openssl rand -hex 32), and "lead-prequal keys status" says the way out`;
}

/**
 * Makes the key if the start may. Two servers that start at once get the same one, because a file appears once only.
 * @param given instead of the environment of this process and of `lead-prequal.env`
 * @returns the file that was made
 * @throws Error when it cannot be made, or as `mayMakeKey`
 */
export function makeMissingKey(given?: Environment): string | undefined {
  // Whoever reads the configuration afterwards says what is wrong with it.
  const reader = createSettingsReader(given ?? environmentHere([], []).environment, []);
  const isConfigured = reader.text('CONFIG') !== undefined;
  if (!isConfigured || reader.value('DATA_KEY') !== undefined || !mayMakeKey(reader)) return undefined;
  const path = resolve(reader.fileOf('DATA_KEY') ?? '');
  const partial = `${path}.${randomUUID()}`;
  try {
    writeFileSync(partial, `${randomBytes(32).toString('hex')}\n`, {mode: 0o600, flag: 'wx', flush: true});
    linkSync(partial, path);
    // Else a power cut could take the name of the key, and leave the leads.
    const folder = openSync(dirname(path), 'r');
    fsyncSync(folder);
    closeSync(folder);
    return path;
  } catch (error) {
    const {code = String(error)} = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return undefined;
    throw new Error(
      `The data key cannot be made in ${path} (${code}): set DATA_KEY, or make the folder writable`,
      {cause: error},
    );
  } finally {
    rmSync(partial, {force: true});
  }
}
