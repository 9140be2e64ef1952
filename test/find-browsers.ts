/** Which browsers this machine has, for the widget's tests and for the end-to-end test. */
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** What the launchers of Web Test Runner (puppeteer) and of playwright take alike. */
export type ChromiumLaunch = {executablePath: string; args: string[]; env?: Record<string, string>};

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const webkitFolders = ['x86_64-linux-gnu', 'aarch64-linux-gnu', ''].map((folder) => join('/usr/lib', folder));
const webkitVersions = ['webkit2gtk-4.1', 'webkitgtk-6.0', 'webkit2gtk-4.0'];

/** A browser in a container runs without its sandbox, and a test run talks to nobody but the test. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The one in `CHROMIUM_PATH`, else an installed one, else the one that came with the packages (Linux x64). */
export async function findChromium(): Promise<ChromiumLaunch> {
  const {CHROMIUM_PATH} = process.env;
  if (CHROMIUM_PATH && !existsSync(CHROMIUM_PATH)) {
    throw new Error(`CHROMIUM_PATH names ${CHROMIUM_PATH}, which does not exist`);
  }
  const installed = CHROMIUM_PATH || onPath(chromiumNames) || macChrome();
  return installed ? {executablePath: installed, args} : packagedChromium();
}

/**
 * It is unpacked into the temporary folder, once. Its own list of arguments is left alone: it turns off the
 * browser's web security, which the tests are about.
 */
async function packagedChromium(): Promise<ChromiumLaunch> {
  const {default: chromium, inflate} = await import('@sparticuz/chromium');
  const executablePath = await chromium.executablePath();
  if (spawnSync(executablePath, ['--version']).status === 0) return {executablePath, args};

  // A machine with Node and little else lacks the libraries that a browser takes for granted.
  const folder = dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium')));
  const libraries = await inflate(join(folder, '..', 'bin', 'al2023.tar.br'));
  const env = {
    ...(process.env as Record<string, string>),
    LD_LIBRARY_PATH: join(libraries, 'lib'),
    FONTCONFIG_PATH: join(tmpdir(), 'fonts'),
  };
  return {executablePath, args, env};
}

/** `undefined` when there is none: the tests then go on without it. */
export const findFirefox = () => onPath(['firefox-esr', 'firefox']);

/** WebKitGTK's browser with its driver, and the display server that they need; `undefined` unless all are there. */
export function findWebKit(): {browser: string; driver: string; display: string} | undefined {
  const browser = webkitFolders
    .flatMap((folder) => webkitVersions.map((version) => join(folder, version, 'MiniBrowser')))
    .find((path) => existsSync(path));
  const driver = onPath(['WebKitWebDriver']);
  const display = onPath(['Xvfb']);
  return browser && driver && display ? {browser, driver, display} : undefined;
}

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

function macChrome() {
  const path = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  return existsSync(path) ? path : undefined;
}
