/**
 * What tests need that not every machine has. `npm test` needs a bare Debian with Node, and nothing else: a test that needs
 * more is skipped where that is missing, and says why. With one of these settings, what is missing is an error instead. CI
 * sets the first five (.ci/run).
 *
 * - `REQUIRE_STORES=1`: PostgreSQL and Redis
 * - `REQUIRE_BROWSERS=chromium,firefox,webkit`: these browsers
 * - `REQUIRE_CLIENTS=1`: programs such as openssl, and clients of the API in other languages
 * - `REQUIRE_THEMES=1`: WordPress and its themes
 * - `REQUIRE_LIBRARIES=1`: Prototype.js and MooTools
 */
import {existsSync} from 'node:fs';
import {delimiter, resolve} from 'node:path';

/** The Debian package of each program that has another name. */
const packages: Readonly<Record<string, string>> = {
  firefox: 'firefox-esr',
  webkit: 'webkit2gtk-driver xvfb',
  php: 'php-cli',
  promtool: 'prometheus',
  ssconvert: 'gnumeric',
};

type Requirement = `REQUIRE_${'STORES' | 'BROWSERS' | 'CLIENTS' | 'THEMES' | 'LIBRARIES'}`;

/**
 * Why a test is skipped; false if it runs.
 * @param reason what is missing, and how to get it; false if nothing is
 * @param name of a browser: `REQUIRE_BROWSERS` lists those that are required
 * @throws Error when the setting requires what is missing
 */
export function skipUnless(setting: Requirement, reason: string | false, name = '1'): string | false {
  const required = process.env[setting]?.split(',').map((each) => each.trim());
  if (reason && required?.includes(name)) throw new Error(`${setting} is set, but ${reason}`);
  return reason;
}

/** The path of the first of these programs, names or paths, that is installed. Servers are where not every user looks. */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return names.flatMap((name) => folders.map((folder) => resolve(folder, name))).find(existsSync);
}

/** Says that a program is missing, and how Debian installs it. */
export const notInstalled = (program: string): string =>
  `${program} is not installed: apt-get install ${packages[program] ?? program}`;

/** The path of a program without which a test cannot run. @throws Error when it is not installed */
export function need(program: string): string {
  const path = findProgram(program);
  if (path === undefined) throw new Error(notInstalled(program));
  return path;
}

/** Why a test that runs the program is skipped; false if it is installed. With `REQUIRE_CLIENTS=1` it must be. */
export const missing = (program: string): string | false =>
  skipUnless('REQUIRE_CLIENTS', findProgram(program) === undefined && notInstalled(program));
