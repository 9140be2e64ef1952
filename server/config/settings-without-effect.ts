/** Settings with which the server can start, but which probably do not say what was meant. */
import type {Environment, SettingsReader} from './environment.ts';

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

/** A sentence about each setting whose value has no effect. */
export function settingsWithoutEffect(environment: Environment, reader: SettingsReader): string[] {
  const isSet = (name: string) => Boolean(environment[name]?.trim() || environment[`${name}_FILE`]);
  const unused = (name: string, why: string) => isSet(name) && `${name} is not used, because ${why}`;
  const {TZ: timeZone = ''} = environment;
  return [
    // Whoever wrote that may have meant a value. The other defaults store leads nowhere else.
    ['DATABASE_URL', 'DATABASE_URL_FILE'].some((name) => environment[name]?.trim() === '') &&
      reader.value('DATABASE_URL') === undefined &&
      'DATABASE_URL is empty, which counts as not set: leads are stored in the SQLite file of DATABASE_PATH',
    // A shell takes quotes away. Files with the environment of a container keep them, so a path would begin with one.
    ...reader
      .fromEnvironment()
      .map(
        ([name, value]) =>
          /^(["']).*\1$/.test(value) && `${name} is in quotes, which are a part of its value here`,
      ),
    timeZone !== '' &&
      !isTimeZone(timeZone) &&
      'TZ names no time zone, so times are shown in UTC: set one such as America/New_York',
    !isSet('ADMIN_URL') && unused('ADMIN_PORT', "there are no operators' pages without ADMIN_URL"),
    !isSet('METRICS_PORT') && unused('METRICS_HOST', 'there are no metrics without METRICS_PORT'),
  ].filter((line) => line !== false);
}
