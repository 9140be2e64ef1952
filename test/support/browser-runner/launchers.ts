/** How Web Test Runner starts each browser. A launcher is `undefined` if its browser is not installed. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {connect} from 'node:net';
import type {Readable} from 'node:stream';
import {chromeLauncher} from '@web/test-runner-chrome';
import type {BrowserLauncher} from '@web/test-runner';
import * as puppeteer from 'puppeteer-core';
import {browserEnvironment} from '../browser-environment.ts';
import {findChromium, findFirefox, findWebKit} from '../find-browsers.ts';
import {notInstalled} from '../installed.ts';
import {freePort} from '../free-port.ts';
import {until} from '../until.ts';
import {openSession, type WebDriverSession} from '../webdriver.ts';

const launchers: Record<string, () => BrowserLauncher | undefined | Promise<BrowserLauncher | undefined>> = {
  async chromium() {
    return chromeLauncher({launchOptions: await findChromium()});
  },

  /** The launcher for Chrome uses puppeteer, which can also drive Firefox. */
  firefox() {
    const executablePath = findFirefox();
    const env = browserEnvironment();
    return executablePath
      ? chromeLauncher({puppeteer, launchOptions: {browser: 'firefox', executablePath, headless: true, env}})
      : undefined;
  },

  async webkit() {
    const found = findWebKit();
    if (!found) return undefined;
    const {port} = await startWebKitDriver(found);
    return webkitLauncher(port, found.browser);
  },
};

/**
 * @param wanted names of browsers
 * @param required the browsers that must be installed
 * @throws Error when a browser is required and not installed
 */
export async function launch(
  wanted: readonly string[],
  required: readonly string[],
): Promise<BrowserLauncher[]> {
  const found: BrowserLauncher[] = [];
  for (const name of wanted) {
    const launcher = launchers[name];
    if (!launcher) throw new Error(`${name} is none of ${Object.keys(launchers).join(', ')}`);
    const browser = await launcher();
    if (browser) found.push(browser);
    else if (required.includes(name)) throw new Error(`${name} is required, but ${notInstalled(name)}`);
    else console.log(`The widget is not tested in ${name}: ${notInstalled(name)}`);
  }
  return found;
}

const buttons = {left: 0, middle: 1, right: 2};
type Button = keyof typeof buttons;

/** One page, which opens one file of tests after the other. `@web/test-runner-commands` calls what `webdriver` can do. */
function webkitLauncher(port: number, binary: string) {
  let session: WebDriverSession;
  let active: {id: string; url: string} | undefined;
  const press = (type: 'pointerDown' | 'pointerUp', button: Button = 'left') => ({
    type,
    button: buttons[button],
  });
  const move = (x: number, y: number) => ({type: 'pointerMove' as const, x, y});
  return {
    name: 'WebKit',
    type: 'webdriver',
    concurrency: 1,
    async initialize() {
      session = await openSession(port, binary);
    },
    stop: () => session.close(),
    async startSession(id: string, url: string) {
      active = {id, url};
      await session.navigate(url);
    },
    isActive: (id: string) => active?.id === id,
    getBrowserUrl: () => active?.url,
    async stopSession() {
      // Nothing of the file goes on running.
      await session.navigate('about:blank');
      active = undefined;
      return {};
    },
    startDebugSession: (_id: string, url: string) => session.navigate(url),
    sendKeys: (_id: string, keys: string[]) => session.press(keys),
    sendMouseMove: (_id: string, x: number, y: number) => session.usePointer(move(x, y)),
    sendMouseClick: (_id: string, x: number, y: number, button?: Button) =>
      session.usePointer(move(x, y), press('pointerDown', button), press('pointerUp', button)),
    sendMouseDown: (_id: string, button?: Button) => session.usePointer(press('pointerDown', button)),
    sendMouseUp: (_id: string, button?: Button) => session.usePointer(press('pointerUp', button)),
  };
}

/** Starts WebKit's driver, with a virtual display. Both end with this process, or with `stop`. */
export async function startWebKitDriver({
  driver,
  display,
}: NonNullable<ReturnType<typeof findWebKit>>): Promise<{port: number; stop: () => void}> {
  const screen = await startDisplay(display);
  const {port, stop} = await startWebDriver(driver, screen.name);
  return {
    port,
    stop() {
      stop();
      screen.stop();
    },
  };
}

/** Starts a virtual display. Xvfb picks a free number for it, and prints that number when the display is ready. */
async function startDisplay(program: string) {
  const display = spawn(program, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  process.on('exit', () => display.kill());
  const [number] = (await once(display.stdio[3] as Readable, 'data')) as [Buffer];
  return {name: `:${String(number).trim()}`, stop: () => display.kill()};
}

/** The port on which the driver listens is chosen here, because the driver cannot choose a free one. */
async function startWebDriver(program: string, display: string) {
  const port = await freePort();
  const driver = spawn(program, [`--port=${port}`], {
    stdio: 'ignore',
    env: {...browserEnvironment(), DISPLAY: display},
  });
  process.on('exit', () => driver.kill());
  await until(() => accepts(port));
  return {port, stop: () => driver.kill()};
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
