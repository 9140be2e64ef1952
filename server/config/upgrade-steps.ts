/** What is left to do by hand between 1.8 and 2.0. This goes with `upgrade.ts`. */
import {existsSync} from 'node:fs';
import {isAbsolute, resolve} from 'node:path';
import {embedFolder} from './config.ts';
import {clearWord} from './data-keys.ts';
import {createSettingsReader, type Environment, type SettingsReader} from './environment.ts';
import {formerIn} from './former-settings.ts';
import {list} from './setting-values.ts';

type Former = {
  environment: Environment;
  reader: SettingsReader;
  /** Where the variables of `lead-prequal.env` are, such as `lead-prequal.env:3`. */
  places: ReadonlyMap<string, string>;
  /** The credentials of the `UPSTREAM_…` settings in the new file. Undefined if there are none. */
  credentials: string | undefined;
  /** The names of the destinations whose e-mails were collected. */
  collected: readonly string[];
};

/** Sentences that name settings, and never their values. */
export function stepsAfter({environment, reader, places, credentials, collected}: Former): string[] {
  const isSet = (name: string) => reader.value(name) !== undefined;
  const isPostgres = isSet('DATABASE_URL');
  const builds = resolve(reader.value('EMBED_FOLDER') ?? 'dist/embed');
  return [
    ...linesToChange(environment, places, credentials),
    dataKeyStep(environment, reader),
    isSet('TOKEN_KEY') &&
      'Leave TOKEN_KEY for seven days after the start, so that links and retries from before it go on working. Then remove it',
    isSet('EVIDENCE_KEY') &&
      'Leave EVIDENCE_KEY for one start, which takes its keys over into the database. Then remove it',
    !isAbsolute(reader.value('ERASURES_FILE') ?? '/') &&
      'Write the whole path of erasures_file: the server may run in another folder now',
    isPostgres && 'Put the same file beside each server of this database',
    builds !== embedFolder &&
      existsSync(builds) &&
      `Move your builds of the form from ${builds} to ${embedFolder}`,
    reader.value('DATABASE_STATEMENTS') === 'unnamed' &&
      'Take PgBouncer from 1.21 on (to 1.23 with max_prepared_statements), or its session mode',
    collected.length > 0 &&
      `Expect an e-mail for each lead from ${collected.join(', ')}: they are not collected any more`,
    isSet('ADMIN_URL') &&
      "Stop the former process of the operators' pages, which would hold their port: systemctl disable --now lead-prequal-admin, or docker compose up --detach --remove-orphans. The server starts the pages itself",
    '"lead-prequal config check" says whether the server would start. Until it does, keep the former settings and files',
  ].filter((step) => step !== false);
}

function linesToChange(
  environment: Environment,
  places: Former['places'],
  credentials: string | undefined,
): string[] {
  const set = (names: readonly string[]) =>
    names.flatMap((name) => [name, `${name}_FILE`]).filter((name) => environment[name]?.trim());
  const placed = (name: string) => (places.has(name) ? `${name} (${places.get(name)})` : name);
  const renamed = credentials === undefined ? [] : ['UPSTREAM_USER', 'UPSTREAM_PASSWORD'];
  const gone = formerIn(environment).filter((name) => !renamed.includes(name));
  const named = set(renamed).map(
    (name) => `${placed(name)} to ${name.replace('UPSTREAM', `CREDENTIALS_${credentials}`)}`,
  );
  return [
    `Remove from the environment, which may be /etc/lead-prequal.env, or .env of compose: ${set(gone).map(placed).join(', ')}`,
    ...(named.length > 0 ? [`Rename there: ${named.join(', ')}`] : []),
  ];
}

/** Until 1.8, `clear` in `DATA_KEY`, or no `DATA_KEY`, said that personal data is not encrypted. Now it always is. */
function dataKeyStep(environment: Environment, reader: SettingsReader): string | false {
  // The start may make the file that DATA_KEY_FILE names.
  const isThere = environment['DATA_KEY']?.trim() || existsSync(reader.fileOf('DATA_KEY') ?? '');
  const found = isThere ? reader.text('DATA_KEY') : undefined;
  const words = list.parse(found?.text ?? '');
  const encrypts = 'The first start encrypts the personal data that is in clear';
  if (words.some((word) => word !== clearWord))
    return words.includes(clearWord) && `Take the word clear out of DATA_KEY. ${encrypts}`;
  if (reader.value('DATABASE_URL') !== undefined)
    return `Set DATA_KEY to what "openssl rand -hex 32" prints, the same for all servers. ${encrypts}`;
  const name = found?.path === 'DATA_KEY' ? 'DATA_KEY' : 'DATA_KEY_FILE';
  const left = createSettingsReader({...environment, ...(found && {[name]: undefined})}, []);
  const path = resolve(left.fileOf('DATA_KEY') ?? '');
  return `${found ? `Remove ${name}. ` : ''}${encrypts}, and makes the key ${path}: keep a copy of it, but not with the backups`;
}
