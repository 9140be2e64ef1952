/** A visitor who leaves the page and comes back. Playwright's Chromium does not keep left pages in memory (bfcache). */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {Page} from 'playwright-core';
import {useDemo} from './demo.ts';

const run = useDemo();

const labels = ['First name', 'Last name', 'Email', 'Phone'];
const input = (page: Page, label: string) => page.getByLabel(label, {exact: true});

async function openWithDraft(page: Page) {
  // The page is parsed, and the form's script has not run yet.
  await page.addInitScript(() => {
    document.addEventListener('readystatechange', () => {
      document.querySelector('lead-prequal-form')?.setAttribute('draft', '');
    });
  });
  await page.goto(run.demo.page);
}

/** Goes to another page and back. Throws if the browser has kept the page in memory. */
async function leaveAndReturn(page: Page) {
  await page.evaluate(() => Object.assign(window, {isFirstVisit: true}));
  await page.goto(`${run.demo.service}/livez`);
  await page.goBack();
  await input(page, 'Phone').waitFor();
  assert.equal(await page.evaluate(() => 'isFirstVisit' in window), false, 'the page was loaded again');
}

suite('a visitor who leaves the page and comes back', () => {
  test('finds half a phone number, and what the browser filled in without an event', async () => {
    const page = await run.browser.newPage();
    await openWithDraft(page);
    await input(page, 'First name').pressSequentially('Ana');
    await input(page, 'Phone').pressSequentially('(415) 5');
    await page.waitForFunction(() => Object.keys(sessionStorage).some((name) => name.includes('draft')));
    await input(page, 'Email').evaluate((email: HTMLInputElement) => (email.value = 'ana@'));

    await leaveAndReturn(page);
    const values = await Promise.all(labels.map((label) => input(page, label).inputValue()));
    assert.deepEqual(values, ['Ana', '', 'ana@', '(415) 5']);
    assert.equal(await page.locator('[aria-invalid=true]').count(), 0, 'nothing is called wrong yet');
    await page.close();
  });

  test('finds the contact data after leaving from a later step, and no funds are kept', async () => {
    const page = await run.browser.newPage();
    await openWithDraft(page);
    const typed = ['Ana', 'Silva', 'ana@example.com', '(415) 555-0132'];
    for (const [index, label] of labels.entries()) await input(page, label).fill(typed[index] ?? '');
    await page.getByRole('button', {name: 'Next'}).click();
    await page.getByRole('radio', {name: /Above 720/}).check();
    await page.getByRole('button', {name: 'Next'}).click();
    await page.getByRole('textbox', {name: /Cash/}).fill('54321');

    await leaveAndReturn(page);
    assert.deepEqual(await Promise.all(labels.map((label) => input(page, label).inputValue())), typed);
    const kept = await page.evaluate(() => JSON.stringify({...sessionStorage}));
    assert.doesNotMatch(kept, /54,?321|720/);
    await page.close();
  });
});
