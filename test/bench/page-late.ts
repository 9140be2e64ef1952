/** A visit in which the partner's configuration, and with it a long consent text, arrives late. */
import {setTimeout as delay} from 'node:timers/promises';
import type {Browser, Page} from 'playwright-core';
import {paths} from '../../contract/api.ts';
import {visit} from './page-visit.ts';

/** The pages that are visited, and the names of their layouts. */
export const latePages = {
  widget: '`steps`',
  'widget-contact': '`steps`, contact data first',
  'widget-standard': '`standard`',
  'widget-single': '`single`',
  'widget-single-contact': '`single`, contact data first',
} as const;
export type LatePage = keyof typeof latePages;
export const latePageNames = Object.keys(latePages) as LatePage[];

/** Milliseconds from the request for the configuration to the reply. */
export const lateMs = 3_000;
/** Milliseconds. What moves in the first 500 of them after a key or a click does not count as a layout shift. */
const pauseMs = 1_000;

const text = 'By pressing the button I agree that Acme Funding may call and text me about my estimate. ';
const consent = {text: text.repeat(5), version: '1', required: true};

type Answer = (page: Page) => Promise<void>;
const score: Answer = (page) => page.getByText('Above 720').click();
const fill =
  (answers: Readonly<Record<string, string>>): Answer =>
  async (page) => {
    for (const [label, value] of Object.entries(answers))
      await page.getByRole('textbox', {name: label}).fill(value);
  };
const funds = fill({'Retirement funds': '120,000', Cash: '50,000', Investments: '0'});
const contact = fill({
  'First name': 'Ana',
  'Last name': 'Silva',
  Email: 'ana@example.com',
  Phone: '4155550132',
});

/** What comes before the last step, on pages that have several. */
const stepsBeforeLast: Partial<Record<LatePage, readonly Answer[]>> = {
  widget: [score, funds],
  'widget-contact': [contact, score],
};

/** Goes to the last step faster than the configuration arrives. */
async function goToLastStep(page: Page, name: LatePage) {
  for (const [index, answer] of (stepsBeforeLast[name] ?? []).entries()) {
    await answer(page);
    await page.getByRole('button', {name: 'Next'}).click();
    await page.getByRole('heading', {name: `Step ${index + 2} of 3`}).waitFor();
  }
}

/**
 * The visitor looks at the end of the form and at the page below it while the configuration arrives, and then goes to a
 * field, which shows a consent text that was held back.
 *
 * @returns the layout shift of the whole visit
 */
export async function shiftWithLateConfig(browser: Browser, url: string, name: LatePage): Promise<number> {
  const isAtEnd = Promise.withResolvers<void>();
  const {page, leave} = await visit(browser, url, 'input', (page) =>
    page.route(`**${paths.embedConfig}?*`, async (route) => {
      const response = await route.fetch();
      const config = (await response.json()) as object;
      await Promise.all([delay(lateMs), isAtEnd.promise]);
      await route.fulfill({response, json: {...config, consent}});
    }),
  );
  const arrival = page.waitForResponse(`**${paths.embedConfig}?*`);
  await goToLastStep(page, name);
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
