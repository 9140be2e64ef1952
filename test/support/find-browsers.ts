/** Finds the browsers of this machine, for the tests of the widget and the end-to-end tests. */
import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {browserEnvironment} from './browser-environment.ts';
import {findProgram} from './installed.ts';

/** Options that the launchers of Web Test Runner (puppeteer) and of playwright both accept. */
export type ChromiumLaunch = {executablePath: string; args: string[]; env: Record<string, string>};

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const webkitFolders = ['x86_64-linux-gnu', 'aarch64-linux-gnu', ''].map((folder) => join('/usr/lib', folder));
const webkitVersions = ['webkit2gtk-4.1', 'webkitgtk-6.0', 'webkit2gtk-4.0'];

/** Browsers in containers need `--no-sandbox`. The other arguments stop requests to anything but the test. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The one in `CHROMIUM_PATH`, else an installed one, else a packaged one (Linux x64). */
export async function findChromium(): Promise<ChromiumLaunch> {
  const {CHROMIUM_PATH} = process.env;
  if (CHROMIUM_PATH && !existsSync(CHROMIUM_PATH)) {
    throw new Error(`CHROMIUM_PATH names ${CHROMIUM_PATH}, which does not exist`);
  }
  const installed = CHROMIUM_PATH || findProgram(...chromiumNames) || macChrome();
  return installed ? {executablePath: installed, args, env: browserEnvironment()} : packagedChromium();
}

/**
 * Installs the package of a Chromium and unpacks it, both once. The arguments that the package recommends are not used,
 * because they turn off the browser's web security, which the tests check.
 */
async function packagedChromium(): Promise<ChromiumLaunch> {
  if (`${process.platform} ${process.arch}` !== 'linux x64') {
    throw new Error('There is no Chromium on this machine: install one, or name it in CHROMIUM_PATH');
  }
  const folder = join(import.meta.dirname, 'packaged-chromium');
  if (!existsSync(join(folder, 'node_modules')))
    console.error(`There is no Chromium on this machine: npm ci in ${folder}`);
  // Several test files may need it at the same moment. One of them installs it, and the others wait for the lock.
  const script = '[ -e node_modules/.package-lock.json ] || npm ci >&2; node unpack.js';
  const {stdout} = await promisify(execFile)('flock', [folder, 'sh', '-ec', script], {cwd: folder});
  const {executablePath, libraries} = JSON.parse(stdout) as {executablePath: string; libraries?: string};
  return {
    executablePath,
    args,
    env: {...browserEnvironment(), ...(libraries && {LD_LIBRARY_PATH: libraries})},
  };
}

/** `undefined` if it is not installed; then the tests do not use it. */
export const findFirefox = () => findProgram('firefox-esr', 'firefox');

/** WebKitGTK's browser and driver, and the display server that they need; `undefined` unless all are installed. */
export function findWebKit(): {browser: string; driver: string; display: string} | undefined {
  const browser = webkitFolders
    .flatMap((folder) => webkitVersions.map((version) => join(folder, version, 'MiniBrowser')))
    .find((path) => existsSync(path));
  const driver = findProgram('WebKitWebDriver');
  const display = findProgram('Xvfb');
  return browser && driver && display ? {browser, driver, display} : undefined;
}

function macChrome() {
  const path = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  return existsSync(path) ? path : undefined;
}
