/** A visitor's page of one of the apps, with what the browser did for it. */
import assert from 'node:assert/strict';
import type {TestContext} from 'node:test';
import type {Browser, Locator, Page} from 'playwright-core';
import type {TestServer} from '../support/test-server.ts';

/** What the steps need of the running test. */
export type Run = {origin: string; service: TestServer; browser: Browser};

export type Visit = {
  page: Page;
  /** All forms of the page. */
  form: Locator;
  /** The requests to the server so far, each as `GET /embed/v1/config?partner=acme`. */
  sent: string[];
  /** The errors and warnings so far. If any are left at the end, the test fails. */
  trouble: string[];
};

/** The pages of every app, by their links. Each has a text that the others do not have. */
const appPages = {Funding: 'Your funding', Settings: 'Known visitor', 'Two forms': 'Ready: 2'} as const;
type PageName = keyof typeof appPages;

/**
 * Opens a page of the app, and waits until its forms are there. Fails the test if the page throws an error that nothing
 * catches, or if the console has an error or a warning.
 *
 * @param path that of the app's first page
 */
export async function visit(
  t: TestContext,
  {origin, service, browser}: Run,
  path: string,
  name: PageName,
): Promise<Visit> {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  const sent: string[] = [];
  page.on('request', (request) => {
    const {origin, pathname, search} = new URL(request.url());
    if (origin === service.url) sent.push(`${request.method()} ${pathname}${search}`);
  });
  const trouble = recordTrouble(page);
  t.after(() => assert.deepEqual(trouble, []));
  await page.goto(origin + path);
  await goTo(page, name);
  return {page, form: page.locator('lead-prequal-form'), sent, trouble};
}

function recordTrouble(page: Page) {
  const trouble: string[] = [];
  page.on('pageerror', (error) => trouble.push(error.stack ?? error.message));
  page.on('console', (message) => {
    const text = message.text();
    const isFromLit = text.startsWith('Lit is in dev mode');
    if (['error', 'warning'].includes(message.type()) && !isFromLit) trouble.push(text);
  });
  return trouble;
}

/** Follows a link of the app, and waits until the forms on that page are there. */
export async function goTo(page: Page, name: PageName) {
  await page.locator('nav').getByText(name).click();
  await page.getByText(appPages[name]).waitFor();
  await page.getByText('Above 720').first().waitFor();
}

export const press = (where: Page | Locator, name: string) =>
  where.getByRole('button', {name, exact: true}).click();

export async function fill(form: Locator, answers: Readonly<Record<string, string>>) {
  for (const [label, value] of Object.entries(answers))
    await form.getByLabel(label, {exact: true}).fill(value);
}

/** From the first step to the last one, that of the contact data. */
export async function goToLastStep(form: Locator) {
  await form.getByText('Above 720').click();
  await press(form, 'Next');
  await fill(form, {'Retirement funds': '120,000', Cash: '50000', Investments: '0'});
  await press(form, 'Next');
}
