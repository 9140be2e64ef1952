/** A visit in which the partner's configuration, and with it a long consent text, arrives late. */
import {setTimeout as delay} from 'node:timers/promises';
import type {Browser, Page} from 'playwright-core';
import {paths} from '../../contract/api.ts';
import {visit} from './page-visit.ts';

/** The pages that are visited, and the names of their layouts. */
export const latePages = {
  widget: '`steps`',
  'widget-standard': '`lead-type="standard"`',
  'widget-single': '`single`',
} as const;
export type LatePage = keyof typeof latePages;
export const latePageNames = Object.keys(latePages) as LatePage[];

/** Milliseconds from the request for the configuration to the reply. */
export const lateMs = 3_000;
/** Milliseconds. What moves in the first 500 of them after a key or a click does not count as a layout shift. */
const pauseMs = 1_000;

const text = 'By pressing the button I agree that Acme Funding may call and text me about my estimate. ';
const consent = {text: text.repeat(5), version: '1', required: true};

/** Goes to the last step faster than the configuration arrives. */
async function goToLastStep(page: Page) {
  await page.getByText('Above 720').click();
  await page.getByRole('button', {name: 'Next'}).click();
  for (const none of await page.getByRole('button', {name: /^None/}).all()) await none.click();
  await page.getByRole('button', {name: 'Next'}).click();
  await page.getByRole('heading', {name: 'Where should we send'}).waitFor();
}

/**
 * The visitor looks at the end of the form and at the page below it while the configuration arrives, and then goes to a
 * field, which shows a consent text that was held back.
 *
 * @returns the layout shift of the whole visit
 */
export async function shiftWithLateConfig(browser: Browser, url: string, name: LatePage): Promise<number> {
  const isAtEnd = Promise.withResolvers<void>();
  const {page, leave} = await visit(browser, url, 'input', {
    prepare: (page) =>
      page.route(`**${paths.embedConfig}?*`, async (route) => {
        const response = await route.fetch();
        const config = (await response.json()) as object;
        await Promise.all([delay(lateMs), isAtEnd.promise]);
        await route.fulfill({response, json: {...config, consent}});
      }),
  });
  const arrival = page.waitForResponse(`**${paths.embedConfig}?*`);
  if (name === 'widget') await goToLastStep(page);
  await page.locator('lead-prequal-form + p').evaluate((below) => below.scrollIntoView({block: 'center'}));
  await delay(pauseMs);
  isAtEnd.resolve();
  await arrival;
  await delay(pauseMs);
  await page.getByRole('textbox').last().click();
  await page.getByRole('checkbox').waitFor();
  await delay(pauseMs);
  const shift = await page.evaluate<number>('noted.shift');
  await leave();
  return shift;
}
