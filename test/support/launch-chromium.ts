/** Starts the Chromium of this machine for end-to-end tests. */
import {chromium, type Browser, type LaunchOptions, type Page} from 'playwright-core';
import {findChromium} from './find-browsers.ts';
import {patience} from './until.ts';

/** Its pages wait as long as `until` does, because a busy machine needs many times as long as an idle one. */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const browser = await chromium.launch({...(await findChromium()), ...options});
  browser.on('context', (context) => context.setDefaultTimeout(patience));
  return browser;
}

/** The errors of the page from now on: those of its scripts, and those that its console shows. */
export function troubleOf(page: Page): string[] {
  const trouble: string[] = [];
  page.on('pageerror', ({message}) => trouble.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(message.text());
  });
  return trouble;
}
