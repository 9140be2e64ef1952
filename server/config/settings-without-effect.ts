/** Settings with which the server can start, but which probably do not say what was meant. */
import {partnerSettings, type Environment, type SettingsReader} from './environment.ts';

/**
 * Whether Node knows the time zone that `TZ` names. It reads the names of zones with their capitals. An offset such as
 * `UTC0` or `CET-1` is no name for `Intl`, but Node reads it as well.
 */
function isTimeZone(text: string): boolean {
  const name = text.replace(/^:/, '');
  if (/^[A-Z]{3}[+-]?\d{1,2}$/i.test(name)) return true;
  try {
    const {timeZone} = new Intl.DateTimeFormat('en', {timeZone: name}).resolvedOptions();
    return timeZone === name || timeZone === 'UTC' || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** What follows if these settings have no value. The other defaults do not store leads elsewhere. */
const withoutValue = {
  DATABASE_URL: 'leads are stored in the SQLite file of DATABASE_PATH',
};

/** The environment names these settings, but leaves them empty: whoever wrote that may have meant a value. */
const emptySettings = (environment: Environment, reader: SettingsReader): string[] =>
  Object.entries(withoutValue).flatMap(([name, what]) => {
    const empty = [name, `${name}_FILE`].find((each) => environment[each]?.trim() === '');
    if (empty === undefined || reader.value(name) !== undefined) return [];
    return [`${empty} is empty, which counts as not set: ${what}`];
  });

/** Settings of earlier versions, and what stands in their place. */
export const gone = {
  DATABASE_STATEMENTS: 'PgBouncer keeps prepared statements from 1.21 on, and older ones need session mode',
};

/** A sentence about each setting whose value has no effect. */
export function settingsWithoutEffect(environment: Environment, reader: SettingsReader): string[] {
  const isSet = (name: string) => Boolean(environment[name]?.trim() || environment[`${name}_FILE`]);
  const unused = (names: readonly string[], why: string) => {
    const found = names.filter(isSet);
    return (
      found.length > 0 && `${found.join(', ')} ${found.length > 1 ? 'are' : 'is'} not used, because ${why}`
    );
  };
  const {TZ: timeZone = ''} = environment;
  return [
    ...emptySettings(environment, reader),
    ...Object.entries(gone).map(
      ([name, instead]) => isSet(name) && `${name} is not used any more: ${instead}`,
    ),
    timeZone !== '' &&
      !isTimeZone(timeZone) &&
      'TZ names no time zone, so times are shown in UTC: set one such as America/New_York',
    isSet('DATABASE_URL') && unused(['DATABASE_PATH'], 'DATABASE_URL is set: remove one of them'),
    !isSet('ADMIN_URL') && unused(['ADMIN_PORT'], "there are no operators' pages without ADMIN_URL"),
    !isSet('METRICS_PORT') && unused(['METRICS_HOST'], 'there are no metrics without METRICS_PORT'),
    isSet('PARTNERS_FILE') &&
      unused(partnerSettings, 'PARTNERS_FILE lists the partners: remove PARTNERS_FILE, or what it replaces'),
  ].filter((line) => line !== false);
}
