/** A visitor who only taps: nothing moves by itself, the total is that of the result, and six taps lead to the contact data. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {until} from '../support/until.ts';
import type {Page} from 'playwright-core';
import {useDemo} from './demo.ts';
import {noteShifts, shiftsOf} from './shifts.ts';

const run = useDemo();

suite('a visitor who taps', () => {
  /** @param rest until the later file may arrive */
  async function openForm(rest: Promise<unknown> = Promise.resolve()) {
    const page = await run.browser.newPage({
      viewport: {width: 375, height: 667},
      hasTouch: true,
      isMobile: true,
    });
    await noteShifts(page);
    await page.route('**/rest-*.js', (route) => rest.then(() => route.fallback()));
    await page.goto(run.demo.page);
    await page.getByLabel('Above 720').waitFor();
    return page;
  }

  /** Touches the form without an answer, and waits for the file that this loads. */
  async function openTouched() {
    const page = await openForm();
    const form = page.locator('lead-prequal-form');
    const sheets = () => form.evaluate(({shadowRoot}) => Number(shadowRoot?.adoptedStyleSheets.length));
    const atFirst = await sheets();
    await page.locator('input').first().focus();
    await until(async () => (await sheets()) > atFirst);
    return page;
  }

  /** How often the visitor has pressed the screen on the way. */
  let presses = 0;
  const tap = (page: Page, selector: string, words: string) => {
    presses++;
    return page.locator(selector).filter({hasText: words}).first().tap();
  };
  /** Presses the main button. By a mouse, because two taps of a test come so soon that they would be a double tap. */
  const next = (page: Page, name = 'Next') => {
    presses++;
    return page.getByRole('button', {name}).click();
  };
  const title = (page: Page, name: string) => page.getByRole('heading', {name}).waitFor();

  /** Answers all but the contact data. */
  async function goToContact(page: Page, bankruptcy: string | undefined) {
    presses = 0;
    await tap(page, 'label', '680 to 720');
    if (!bankruptcy) await next(page);
    if (bankruptcy) await tap(page, '.flag label', bankruptcy);
    await title(page, 'Your funds');
    for (const [field, amount] of Object.entries({
      retirement: '100000',
      cash: '50000',
      investments: '25000',
    })) {
      await tap(page, `[data-field=${field}] button`, `$${amount.slice(0, -3)}k`);
      assert.equal((await page.locator(`#${field}`).inputValue()).replace(',', ''), amount);
    }
    await next(page);
    await title(page, 'Step 3 of 3');
    return presses;
  }

  test('needs six taps up to the contact data, and no key', async () => {
    assert.equal(await goToContact(await openTouched(), 'No'), 6);
  });

  test('is asked among the funds where the file comes late, so that nothing moves by itself', async () => {
    const gate = Promise.withResolvers<void>();
    const page = await openForm(gate.promise);
    await tap(page, 'label', '680 to 720');
    // More time than a visitor takes what opens for an answer to the press.
    await page.evaluate(() => {
      for (const start = performance.now(); performance.now() - start < 400;);
    });
    gate.resolve();
    await page.waitForResponse(/\/config/);
    assert.equal(await page.locator('.flag').count(), 0);
    await next(page);
    await title(page, 'Your funds');
    assert.equal(await page.locator('.flag').count(), 1);
    assert.equal(await shiftsOf(page), 0);
  });

  for (const bankruptcy of ['No', 'Yes', 'Rather not say', undefined]) {
    test(`sees the same total before the contact data and after it: a bankruptcy, ${bankruptcy}`, async () => {
      const page = await openTouched();
      await goToContact(page, bankruptcy);
      assert.equal(await shiftsOf(page), 0, 'nothing moves by itself');
      const said = (await page.locator('.so-far').textContent()) ?? '';
      const contact = ['Ana', 'Silva', `ana-${bankruptcy?.length}@example.com`, '415-555-0132'];
      for (const [index, text] of contact.entries())
        await page.locator('[data-step=contact] input').nth(index).fill(text);
      await page.getByRole('checkbox').check();
      await next(page, 'See my estimate');
      const total = await page.locator('tfoot td').textContent();
      assert.ok(said.includes(total!.trim()), `${said} and ${total}`);
      const result = await page.locator('lead-prequal-form').ariaSnapshot();
      assert.equal(said.includes('if you never filed'), result.includes('Assumes no bankruptcy'));
      assert.equal(said.includes('A bankruptcy lowers it.'), bankruptcy === 'Yes');
    });
  }
});
