/**
 * The snippet for each kind of site where the form does not load, and where it does: what a visitor reads in its place.
 * The page treats the snippet as in embeds.test.ts. test/widget/partner-pages/no-script.test.ts has the reasons why a
 * form does not load, in three browsers.
 */
import assert from 'node:assert/strict';
import {after, before, suite, test} from 'node:test';
import type {Browser, Frame, Page} from 'playwright-core';
import {siteKinds, leadToApplyPage} from '../../../server/snippets/site-kinds.ts';
import {launchChromium} from '../../support/launch-chromium.ts';
import {until} from '../../support/until.ts';
import {emulations, triedKinds, type TriedKind} from './site-kinds.ts';
import {pageOf} from './site.ts';
import {keys, useTrials} from './trials.ts';

const trials = useTrials();
let browser: Browser;
before(async () => {
  browser = await launchChromium();
});
after(() => browser.close());

const late = '.prequal-late';

/** Waits until one of the page's frames has what the selector matches. */
async function frameWith(page: Page, selector: string): Promise<Frame> {
  let found: Frame | undefined;
  await until(async () => {
    for (const frame of page.frames()) {
      const count = await frame
        .locator(selector)
        .count()
        .catch(() => 0);
      if (count > 0) found = frame;
    }
    return found !== undefined;
  });
  return found!;
}

/** What is seen eight seconds after the page has appeared. */
const waitEightSeconds = (frame: Frame) =>
  frame.evaluate(() => {
    for (const animation of document.getAnimations()) animation.currentTime = 8_000;
  });

/** Whether grey bars stand in the kept height. */
const hasBars = (frame: Frame) =>
  frame.locator(late).evaluate((child) => {
    const {visibility, height} = getComputedStyle(child, '::before');
    return visibility === 'visible' && parseFloat(height) > 300;
  });

const publish = async (site: TriedKind) =>
  emulations[site].usual.publish(trials.snippetFor(site), trials.site);

/** A page on which the script of the form is blocked. */
async function openWithoutForm(address: string) {
  const page = await browser.newPage();
  await page.route(/lead-prequal-form/, (route) => route.abort());
  await page.goto(address);
  return page;
}

suite('the snippets for all kinds of sites where the form does not load', () => {
  const withForm = triedKinds.filter((name) => !leadToApplyPage.has(name));

  for (const site of withForm) {
    const {missing} = emulations[site];
    const applyLink = `a[href$="/apply/${keys.tried}"]`;

    test(
      `the snippet for "${siteKinds[site].name}" leads to the apply page where its script is blocked`,
      {skip: missing},
      async () => {
        const page = await openWithoutForm(await publish(site));
        const frame = await frameWith(page, applyLink);
        const link = frame.locator(applyLink);
        if (site !== 'wordpress') {
          assert.equal(await link.isVisible(), false);
          await until(() => hasBars(frame));
          await waitEightSeconds(frame);
          assert.equal(await hasBars(frame), false);
        }
        assert.equal(await link.isVisible(), true);
        assert.match(await frame.locator('body').innerText(), /you can open it on its own page\./i);
        assert.doesNotMatch(await frame.locator('body').innerText(), /animation|visibility/);
        await page.close();
      },
    );

    test(
      `nothing is shown in place of a form that arrives in time: "${siteKinds[site].name}"`,
      {skip: missing},
      async () => {
        const page = await browser.newPage();
        await page.goto(await publish(site));
        const frame = await frameWith(page, 'lead-prequal-form input');
        await waitEightSeconds(frame);
        assert.equal(await frame.locator(late).filter({visible: true}).count(), 0);
        await page.close();
      },
    );
  }

  test('a page leads to the apply page where the tag manager itself is blocked', async () => {
    const [place = ''] = trials.snippetFor('gtm').texts;
    const page = await openWithoutForm(trials.site.add(pageOf(place)));
    assert.equal(await page.locator(late).isVisible(), false);
    // No height is kept there.
    assert.equal(await hasBars(page.mainFrame()), false);
    await waitEightSeconds(page.mainFrame());
    assert.equal(await page.locator(late).isVisible(), true);
    await page.close();
  });
});

suite('a form in a dialog whose script is blocked', () => {
  for (const site of ['html', 'gtm', 'csp', 'react', 'vue'] as const) {
    test(`the link that opens the dialog leads to the apply page with the snippet for "${siteKinds[site].name}"`, async () => {
      const snippet = trials.snippetFor(site, {attributes: {presentation: 'dialog'}});
      const page = await openWithoutForm(await emulations[site].usual.publish(snippet, trials.site));
      await page.getByRole('link', {name: 'How much funding can you get?'}).click();
      await page.waitForURL(/\/apply\/acme#prequal-form$/);
      await page.close();
    });

    test(`the link opens the dialog with the snippet for "${siteKinds[site].name}" where the form arrives`, async () => {
      const snippet = trials.snippetFor(site, {attributes: {presentation: 'dialog'}});
      const page = await browser.newPage();
      const address = await emulations[site].usual.publish(snippet, trials.site);
      await page.goto(address);
      await page.locator('lead-prequal-form dialog').waitFor({state: 'attached'});
      await page.getByRole('link', {name: 'How much funding can you get?'}).click();
      await page.getByLabel('Above 720').waitFor();
      assert.equal(page.url(), address);
      await page.close();
    });
  }
});
