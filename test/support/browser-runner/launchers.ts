/** How Web Test Runner starts each browser. A launcher is `undefined` if its browser is not installed. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {connect} from 'node:net';
import type {Readable} from 'node:stream';
import {chromeLauncher} from '@web/test-runner-chrome';
import {webdriverLauncher} from '@web/test-runner-webdriver';
import * as puppeteer from 'puppeteer-core';
import {browserEnvironment} from '../browser-environment.ts';
import {findChromium, findFirefox, findWebKit} from '../find-browsers.ts';
import {notInstalled} from '../installed.ts';
import {freePort} from '../free-port.ts';
import {until} from '../until.ts';

type Launcher = ReturnType<typeof chromeLauncher> | ReturnType<typeof webdriverLauncher>;

const launchers: Record<string, () => Launcher | undefined | Promise<Launcher | undefined>> = {
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
    return webdriverLauncher({
      hostname: '127.0.0.1',
      port,
      path: '/',
      logLevel: 'silent',
      capabilities: {
        browserName: 'MiniBrowser',
        'wdio:enforceWebDriverClassic': true,
        'webkitgtk:browserOptions': {binary: found.browser, args: ['--automation']},
      } as WebdriverIO.Capabilities,
    });
  },
};

/**
 * @param wanted names of browsers
 * @param required the browsers that must be installed
 * @throws Error when a browser is required and not installed
 */
export async function launch(wanted: readonly string[], required: readonly string[]): Promise<Launcher[]> {
  const found: Launcher[] = [];
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
