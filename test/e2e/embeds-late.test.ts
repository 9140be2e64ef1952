/**
 * The snippet of each host where the form does not load, and where it does: what a visitor reads in its place. The host
 * treats the snippet as in test/e2e/embeds.test.ts. test/widget/host-pages/no-script.test.ts has the reasons why a form
 * does not load, in three browsers.
 */
import assert from 'node:assert/strict';
import {after, before, suite, test} from 'node:test';
import {chromium, type Browser, type Frame, type Page} from 'playwright-core';
import {hostNames, hosts, leadToApplyPage, type HostName} from '../../server/snippets/hosts.ts';
import {findChromium} from '../support/find-browsers.ts';
import {until} from '../support/until.ts';
import {emulations} from './embeds/hosts.ts';
import {pageOf} from './embeds/site.ts';
import {keys, useTrials} from './embeds/trials.ts';

const trials = useTrials();
let browser: Browser;
before(async () => {
  browser = await chromium.launch(await findChromium());
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

const publish = async (host: HostName) =>
  emulations[host].usual.publish(trials.snippetFor(host), trials.site);

/** A page on which the script of the form is blocked. */
async function openWithoutForm(address: string) {
  const page = await browser.newPage();
  await page.route(/lead-prequal-form/, (route) => route.abort());
  await page.goto(address);
  return page;
}

suite('the snippets of the hosts where the form does not load', () => {
  const withForm = hostNames.filter((name) => !leadToApplyPage.has(name));

  for (const host of withForm) {
    const {missing} = emulations[host];
    const applyLink = `a[href$="/apply/${keys.tried}"]`;

    test(
      `the snippet for "${hosts[host].name}" leads to the apply page where its script is blocked`,
      {skip: missing},
      async () => {
        const page = await openWithoutForm(await publish(host));
        const frame = await frameWith(page, applyLink);
        const link = frame.locator(applyLink);
        if (host !== 'wordpress') {
          assert.equal(await link.isVisible(), false);
          await waitEightSeconds(frame);
        }
        assert.equal(await link.isVisible(), true);
        assert.match(await frame.locator('body').innerText(), /you can open it on its own page\./i);
        assert.doesNotMatch(await frame.locator('body').innerText(), /animation|visibility/);
        await page.close();
      },
    );

    test(
      `the snippet for "${hosts[host].name}" shows nothing in place of the form where that arrives in time`,
      {skip: missing},
      async () => {
        const page = await browser.newPage();
        await page.goto(await publish(host));
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
    await waitEightSeconds(page.mainFrame());
    assert.equal(await page.locator(late).isVisible(), true);
    await page.close();
  });
});

suite('a form in a dialog whose script is blocked', () => {
  for (const host of ['html', 'gtm', 'csp', 'react', 'vue'] as const) {
    test(`the link that opens the dialog leads to the apply page with the snippet for "${hosts[host].name}"`, async () => {
      const snippet = trials.snippetFor(host, {attributes: {presentation: 'dialog'}});
      const page = await openWithoutForm(await emulations[host].usual.publish(snippet, trials.site));
      await page.getByRole('link', {name: 'How much funding can you get?'}).click();
      await page.waitForURL(/\/apply\/acme#prequal-form$/);
      await page.close();
    });

    test(`the link opens the dialog with the snippet for "${hosts[host].name}" where the form arrives`, async () => {
      const snippet = trials.snippetFor(host, {attributes: {presentation: 'dialog'}});
      const page = await browser.newPage();
      const address = await emulations[host].usual.publish(snippet, trials.site);
      await page.goto(address);
      await page.locator('lead-prequal-form dialog').waitFor({state: 'attached'});
      await page.getByRole('link', {name: 'How much funding can you get?'}).click();
      await page.getByLabel('First name').waitFor();
      assert.equal(page.url(), address);
      await page.close();
    });
  }
});
