/** Programs that tests run, and which not every machine has. */
import {existsSync} from 'node:fs';
import {delimiter, resolve} from 'node:path';

/** The Debian package of each program that has another name. */
const packages: Readonly<Record<string, string>> = {
  firefox: 'firefox-esr',
  webkit: 'webkit2gtk-driver xvfb',
  php: 'php-cli',
  java: 'default-jdk-headless',
  mcs: 'mono-mcs libmono-system-net-http4.0-cil',
  mono: 'mono-runtime libmono-system-net-http-webrequest4.0-cil',
  go: 'golang-go',
  promtool: 'prometheus',
};

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
export function missing(program: string): string | false {
  if (findProgram(program) !== undefined) return false;
  const reason = notInstalled(program);
  if (process.env['REQUIRE_CLIENTS'] === '1') throw new Error(`REQUIRE_CLIENTS is set, but ${reason}`);
  return reason;
}
