/** Chromium, Firefox and WebKit, driven in one way, for what a visitor does in each of them. */
import * as puppeteer from 'puppeteer-core';
import {browserEnvironment} from './browser-environment.ts';
import {startWebKitDriver} from './browser-runner/launchers.ts';
import {findChromium, findFirefox, findWebKit} from './find-browsers.ts';
import {notInstalled, skipUnless} from './installed.ts';
import {openSession} from './webdriver.ts';

/** A browser with one page. A key is its name, or the character that it types. */
export type Tab = {
  navigate(url: string): Promise<unknown>;
  press(keys: readonly string[]): Promise<unknown>;
  /** The value of an expression in the page. */
  run<Value>(expression: string): Promise<Value>;
  close(): Promise<unknown>;
};

async function byPuppeteer(options: puppeteer.LaunchOptions): Promise<Tab> {
  const browser = await puppeteer.launch({headless: true, ...options});
  const page = await browser.newPage();
  return {
    navigate: (url) => page.goto(url),
    async press(keys) {
      for (const key of keys) await page.keyboard.press(key as puppeteer.KeyInput);
    },
    run: <Value>(expression: string) => page.evaluate(expression) as Promise<Value>,
    close: () => browser.close(),
  };
}

async function openWebKit(found = findWebKit()!): Promise<Tab> {
  const driver = await startWebKitDriver(found);
  const session = await openSession(driver.port, found.browser);
  return {...session, close: () => session.close().finally(driver.stop)};
}

const skipWithout = (name: string, found: unknown) =>
  skipUnless('REQUIRE_BROWSERS', found === undefined && notInstalled(name), name);
const executablePath = findFirefox();

export const engines = [
  {name: 'Chromium', skip: false, open: async () => byPuppeteer(await findChromium())},
  {
    name: 'Firefox',
    skip: skipWithout('firefox', executablePath),
    open: () => byPuppeteer({browser: 'firefox', executablePath: executablePath!, env: browserEnvironment()}),
  },
  {name: 'WebKit', skip: skipWithout('webkit', findWebKit()), open: () => openWebKit()},
] as const;
