/** A visitor who leaves the page and comes back. Playwright's Chromium does not keep left pages in memory (bfcache). */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {Page, Route} from 'playwright-core';
import {usePlainPage} from './plain-page.ts';

const run = usePlainPage();

const labels = ['First name', 'Last name', 'Email', 'Phone'];
const input = (page: Page, label: string) => page.getByLabel(label, {exact: true});

async function openWithDraft(page: Page, order: string) {
  // The page is parsed, and the form's script has not run yet.
  await page.addInitScript((order) => {
    document.addEventListener('readystatechange', () => {
      document.querySelector('lead-prequal-form')?.setAttribute('draft', '');
      document.querySelector('lead-prequal-form')?.setAttribute('order', order);
    });
  }, order);
  await page.goto(run.page);
}

/** Goes to another page and back, until the field is there again. Throws if the browser has kept the page in memory. */
async function leaveAndReturn(page: Page, label: string) {
  await page.evaluate(() => Object.assign(window, {isFirstVisit: true}));
  await page.goto(`${run.service}/livez`);
  await page.goBack();
  await input(page, label).waitFor();
  assert.equal(await page.evaluate(() => 'isFirstVisit' in window), false, 'the page was loaded again');
}

suite('a visitor who leaves the page and comes back', () => {
  test('finds half a phone number, and what the browser filled in without an event', async () => {
    const page = await run.browser.newPage();
    await openWithDraft(page, 'contact-first');
    await input(page, 'First name').pressSequentially('Ana');
    await input(page, 'Phone').pressSequentially('(415) 5');
    await page.waitForFunction(() => Object.keys(sessionStorage).some((name) => name.includes('draft')));
    await input(page, 'Email').evaluate((email: HTMLInputElement) => (email.value = 'ana@'));

    await leaveAndReturn(page, 'Phone');
    const values = await Promise.all(labels.map((label) => input(page, label).inputValue()));
    assert.deepEqual(values, ['Ana', '', 'ana@', '(415) 5']);
    assert.equal(await page.locator('[aria-invalid=true]').count(), 0, 'nothing is called wrong yet');
    await page.close();
  });

  test('finds the later step that was left, with its amount', async () => {
    const page = await run.browser.newPage();
    await openWithDraft(page, 'funds-first');
    await page.getByRole('radio', {name: /Above 720/}).check();
    await page.getByRole('button', {name: 'Next'}).click();
    await input(page, 'Retirement funds').fill('0');
    await input(page, 'Cash').fill('54321');

    await leaveAndReturn(page, 'Cash');
    assert.equal(await input(page, 'Cash').inputValue(), '54,321');
    await page.getByRole('button', {name: 'Back'}).click();
    assert.ok(await page.getByRole('radio', {name: /Above 720/}).isChecked());
    await page.close();
  });

  test('finds the score that was chosen before the rest of the form had arrived', async () => {
    const page = await run.browser.newPage();
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async (route: Route) => {
      asked.resolve();
      await gate.promise;
      // The page that has asked for the file is gone.
      await route.continue().catch(() => {});
    };
    await page.route('**/rest-*.js', hold, {times: 1});
    await openWithDraft(page, 'funds-first');
    await page.getByRole('radio', {name: /Above 720/}).check();
    await asked.promise;

    await leaveAndReturn(page, 'Above 720 Excellent');
    gate.resolve();
    assert.ok(await page.getByRole('radio', {name: /Above 720/}).isChecked());
    await page.close();
  });
});
