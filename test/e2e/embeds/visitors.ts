/**
 * A visitor in each of the three engines. Playwright does not drive the Firefox and the WebKit that systems install, so
 * Chromium and Firefox are driven by puppeteer, and WebKit by its WebDriver. The visitor sees only the form: `find` is
 * a CSS selector within its shadow root.
 */
import * as puppeteer from 'puppeteer-core';
import {browserEnvironment} from '../../support/browser-environment.ts';
import {startWebKitDriver} from '../../support/browser-runner/launchers.ts';
import {findChromium, findFirefox, findWebKit} from '../../support/find-browsers.ts';
import {until} from '../../support/until.ts';
import {openSession, type FoundElement} from '../../support/webdriver.ts';

export const engines = ['Chromium', 'Firefox', 'WebKit'] as const;
export type Engine = (typeof engines)[number];

/** The form on an open page, in a frame or not. */
export type VisitedForm = {
  /** Waits for the field, and types into it. */
  type(find: string, text: string): Promise<void>;
  /** Waits until the element can be seen, and clicks on it. */
  click(find: string): Promise<void>;
  /** Waits for the element, and returns its text. */
  read(find: string): Promise<string>;
  /** What went wrong on the page so far: errors of scripts, and what the console says in red. Empty in WebKit. */
  trouble: readonly string[];
  close(): Promise<void>;
};

export type Visitor = {
  /** Opens the page, and waits until the form shows its fields. */
  open(address: string): Promise<VisitedForm>;
  close(): Promise<void>;
};

/** @returns undefined if this engine is not installed */
export async function startVisitor(engine: Engine): Promise<Visitor | undefined> {
  if (engine === 'WebKit') return startWebKit();
  if (engine === 'Chromium') return startPuppeteer(await findChromium());
  const executablePath = findFirefox();
  const env = browserEnvironment();
  return executablePath ? startPuppeteer({browser: 'firefox', executablePath, env}) : undefined;
}

const element = 'lead-prequal-form';

/** Milliseconds that a visitor waits for an element: long, because CI runs several tests at a time. */
const patience = 30_000;

async function startPuppeteer(options: puppeteer.LaunchOptions): Promise<Visitor> {
  const browser = await puppeteer.launch({headless: true, ...options});
  return {
    async open(address) {
      // Each visitor is a new one, whose browser has kept nothing.
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const trouble: string[] = [];
      page.on('pageerror', (error) => trouble.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') trouble.push(message.text());
      });
      const frame = await openForm(page, address).catch(async (error: unknown) => {
        await context.close();
        throw error;
      });
      const locate = (find: string) => frame.locator(`${element} >>> ${find}`).setTimeout(patience);
      return {
        trouble,
        type: (find, text) => locate(find).fill(text),
        click: (find) =>
          locate(find)
            .setVisibility('visible')
            .click()
            .catch(async (cause: unknown) => {
              throw new Error(`${find} could not be clicked. ${await stateOf(frame)}`, {cause});
            }),
        read: (find) =>
          locate(find)
            .map((found) => found.textContent ?? '')
            .wait(),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

/** What a person would see of the form, for the message of a test that could not go on. */
const stateOf = (frame: puppeteer.Frame) =>
  frame.evaluate((name) => {
    const root = document.querySelector(name)?.shadowRoot;
    const inputs = Array.from(
      root?.querySelectorAll('input') ?? [],
      (input) => `${input.name}=${input.value}`,
    );
    const seen = root?.querySelector('.card')?.textContent.replace(/\s+/g, ' ');
    return `The form shows: ${seen} Its inputs: ${inputs.join(' ')} Focus: ${root?.activeElement?.outerHTML}`;
  }, element);

async function openForm(page: puppeteer.Page, address: string) {
  await page.goto(address);
  return frameWithForm(page);
}

/** Waits until one of the page's frames has a form with fields. */
async function frameWithForm(page: puppeteer.Page): Promise<puppeteer.Frame> {
  let found: puppeteer.Frame | undefined;
  await until(async () => {
    for (const frame of page.frames()) {
      // A frame that is just being loaded has no elements yet.
      const field = await frame.$(`${element} >>> input`).catch(() => null);
      if (field) found = frame;
    }
    return found !== undefined;
  }, 'the form shows its fields');
  return found!;
}

async function startWebKit(): Promise<Visitor | undefined> {
  const found = findWebKit();
  if (!found) return undefined;
  const {port, stop} = await startWebKitDriver(found);
  return {
    async open(address) {
      const session = await openSession(port, found.browser);
      async function locate(find: string) {
        let target: FoundElement | null = null;
        await until(async () => {
          target = await session.execute(
            'return document.querySelector(arguments[0])?.shadowRoot?.querySelector(arguments[1])',
            element,
            find,
          );
          return target !== null;
        }, `${find} is in the form`);
        return target!;
      }
      try {
        await session.navigate(address);
        await locate('input');
      } catch (error) {
        await session.close();
        throw error;
      }
      return {
        trouble: [],
        type: async (find, text) => session.type(await locate(find), text),
        async click(find) {
          const target = await locate(find);
          await until(() => session.isDisplayed(target), `${find} can be seen`);
          await session.click(target);
        },
        read: async (find) => session.textOf(await locate(find)),
        close: async () => void (await session.close()),
      };
    },
    close: () => Promise.resolve(stop()),
  };
}
