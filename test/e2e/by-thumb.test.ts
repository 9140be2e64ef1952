/** A visitor who only taps: nothing moves by itself, the total is that of the result, and the way is shorter than it was. */
import assert from 'node:assert/strict';
import {join, resolve} from 'node:path';
import {before, suite, test} from 'node:test';
import type {Browser, Page} from 'playwright-core';
import {moduleFile} from '../../contract/api.ts';
import {releasesFolder} from '../../server/config/config.ts';
import {onePartner} from '../../server/config/partners.ts';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {openFor, suiteOwner} from '../support/opened.ts';
import {startTestServer, type TestServer} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {head, startWebsite, type Website} from '../support/website.ts';

const viewport = {width: 375, height: 667};

suite('a visitor who taps', () => {
  const owner = suiteOwner();
  let browser: Browser;
  let website: Website;
  let server: TestServer;

  before(async () => {
    browser = await launchChromium();
    owner.after(() => browser.close());
    website = await openFor(owner, startWebsite());
    const partner = onePartner({
      key: 'acme',
      cid: '1001',
      origins: [website.origin],
      show_estimate: 'before-contact',
    });
    server = await openFor(
      owner,
      startTestServer({
        releasesFolder,
        embedFolder: resolve('dist/embed'),
        proofOfWork: 200,
        partners: [partner],
      }),
    );
  });

  /** @param release of the form. By default that of this build */
  async function openForm(release?: string, prepare: (page: Page) => Promise<unknown> = async () => {}) {
    const {script} = newestScript({
      ...server.config,
      releasesFolder: join(releasesFolder, 'none'),
      publicUrl: server.url,
    });
    const pinned = `<script type="module" src="${server.url}/embed/${release}/${moduleFile}"></script>`;
    website.page.html = `${head}<meta name="viewport" content="width=device-width"></head><body>
      ${release ? pinned : script}<lead-prequal-form partner="acme"></lead-prequal-form><p>Below</p></body></html>`;
    const page = await browser.newPage({viewport, hasTouch: true, isMobile: true});
    // A page notes its layout shifts, except for those that a press explains.
    await page.addInitScript(() => {
      const note = (list: PerformanceObserverEntryList) => {
        for (const entry of list.getEntries())
          if (!(entry as unknown as {hadRecentInput: boolean}).hadRecentInput) performance.mark('shift');
      };
      new PerformanceObserver(note).observe({type: 'layout-shift', buffered: true});
    });
    await prepare(page);
    await page.goto(website.origin);
    await page.getByLabel('Above 720').waitFor();
    return page;
  }

  /** Touches the form without an answer, and waits for the file that this loads. */
  async function touch(page: Page) {
    const sheets = () =>
      page
        .locator('lead-prequal-form')
        .evaluate(({shadowRoot}) => Number(shadowRoot?.adoptedStyleSheets.length));
    const atFirst = await sheets();
    await page.locator('input').first().focus();
    await until(async () => (await sheets()) > atFirst);
  }

  /** Presses the main button. By a mouse, because two taps of a test come so soon that they would be a double tap. */
  const press = (page: Page, name = 'Next') => page.getByRole('button', {name}).click();
  const title = (page: Page, name: string) => page.getByRole('heading', {name}).waitFor();
  const shifts = (page: Page) => page.evaluate(() => performance.getEntriesByName('shift').length);

  /** Fills in all but the contact data with one thumb. @returns how often it tapped, and pressed a key of the keyboard */
  async function fillByThumb(page: Page, isOld: boolean) {
    const count = {taps: 0, keys: 0};
    const tap = async (words: string) => {
      count.taps++;
      await page.locator('label, button').filter({hasText: words}).first().tap();
    };
    const next = () => {
      count.taps++;
      return press(page);
    };
    await touch(page);
    await tap('680 to 720');
    if (isOld) await next();
    await tap('No');
    await title(page, 'Your funds');
    for (const [label, amount, chip] of [
      ['Retirement funds', '100000', '$100k'],
      ['Cash', '50000', '$50k'],
      ['Investments', '25000', '$25k'],
    ] as const) {
      if (isOld) {
        await tap(label);
        await page.keyboard.type(amount);
        count.keys += amount.length;
      } else {
        count.taps++;
        await page.getByRole('button', {name: `${chip} for ${label}`}).tap();
      }
      assert.equal((await page.getByRole('textbox', {name: label}).inputValue()).replace(',', ''), amount);
    }
    await next();
    await title(page, 'Step 3 of 3');
    return count;
  }

  test('needs at least a tap and 15 keys fewer than in 1.7.0, and nothing moves by itself', async () => {
    const page = await openForm();
    const now = await fillByThumb(page, false);
    const old = await fillByThumb(await openForm('1.7.0'), true);
    assert.ok(old.taps - now.taps >= 1 && old.keys - now.keys >= 15, JSON.stringify({now, old}));
    assert.equal(await shifts(page), 0);
  });

  test('is asked among the funds where the file comes late, so that nothing moves by itself', async () => {
    const gate = Promise.withResolvers<void>();
    const page = await openForm(undefined, (opened) =>
      opened.route('**/rest-*.js', async (route) => {
        await gate.promise;
        await route.continue();
      }),
    );
    await page.getByText('680 to 720').tap();
    // More than a visitor waits for what opens at once.
    await page.evaluate(() => {
      const start = performance.now();
      while (performance.now() - start < 400);
    });
    gate.resolve();
    await page.waitForResponse(/\/config/);
    assert.equal(await page.getByText('filed for bankruptcy').count(), 0);
    await press(page);
    await title(page, 'Your funds');
    await page.getByText('Have you ever filed for bankruptcy?').waitFor();
    assert.equal(await shifts(page), 0);
    await page.close();
  });

  test('moves one step by a double tap, which chooses nothing there', async () => {
    const page = await openForm();
    await touch(page);
    await page.getByText('Above 720').tap();
    const {x, y} = (await page.getByText('Rather not say').boundingBox())!;
    await page.touchscreen.tap(x + 5, y + 5);
    await page.touchscreen.tap(x + 5, y + 5);
    await title(page, 'Your funds');
    assert.match((await page.locator('h2:focus').textContent()) ?? '', /Your funds/);
    await page.touchscreen.tap(x + 5, y + 5);
    assert.equal(await page.locator('[aria-pressed=true]').count(), 0);
    assert.equal(await page.getByText('Step 2 of 3').count(), 1);
    await page.close();
  });

  for (const answer of ['No', 'Yes', 'Rather not say', undefined]) {
    test(`sees the same total before the contact data and after it: a bankruptcy, ${answer}`, async () => {
      const page = await openForm();
      await touch(page);
      await page.getByText('680 to 720').tap();
      await (answer ? page.getByText(answer, {exact: true}).tap() : press(page));
      await title(page, 'Your funds');
      for (const chip of ['$100k for Retirement funds', '$25k for Cash', 'None for Investments'])
        await page.getByRole('button', {name: chip}).tap();
      await press(page);
      const said = (await page.locator('.so-far').textContent()) ?? '';
      for (const [label, value] of Object.entries({
        'First name': 'Ana',
        'Last name': 'Silva',
        Email: `ana-${answer?.length}@example.com`,
        Phone: '415-555-0132',
      }))
        await page.getByLabel(label).fill(value);
      await press(page, 'See my estimate');
      await page.getByRole('table').waitFor();
      const total = (await page.locator('tfoot td').textContent())!;
      assert.ok(said.includes(total.trim()), `${said} and ${total}`);
      const result = await page.locator('lead-prequal-form').ariaSnapshot();
      assert.equal(said.includes('if you never filed'), result.includes('Assumes no bankruptcy'));
      assert.equal(said.includes('A bankruptcy lowers it.'), answer === 'Yes');
      await page.close();
    });
  }
});
