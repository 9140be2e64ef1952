/**
 * The form on the pages of three partners, made from public style sheets: what a test can tell of its looks. No test can tell
 * whether it is beautiful: `PICTURES=<folder>` takes pictures of each state, to be looked at.
 */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, suite, test} from 'node:test';
import type {Browser, Locator, Page} from 'playwright-core';
import {launchChromium} from '../../support/launch-chromium.ts';
import {skipUnless} from '../../support/installed.ts';
import {axeFaults} from '../axe.ts';
import {noteShifts, shiftsOf} from '../shifts.ts';
import {partnerPages, type Scheme} from './pages.ts';
import {servePartnerPages, type PartnerPages} from './server.ts';
import {walk} from './way.ts';

let browser: Browser;
let server: PartnerPages;
before(async () => {
  server = await servePartnerPages();
  browser = await launchChromium();
});
after(async () => {
  await browser.close();
  server.close();
});

type View = {scheme: Scheme; width: number};
/** Colours do not depend on the width, nor places on the colours: two views have both of each. */
const views: readonly View[] = [
  {scheme: 'light', width: 360},
  {scheme: 'dark', width: 1280},
];

/** What the form looks like, in numbers and names. */
const measure = (page: Page) =>
  page.locator('lead-prequal-form').evaluate((form) => {
    const root = form.shadowRoot;
    const card = root?.querySelector('.card');
    const column = form.parentElement;
    if (!root || !card || !column) throw new Error('There is no form');
    const {paddingLeft, paddingRight} = getComputedStyle(column);
    const outer = column.getBoundingClientRect();
    const inner = card.getBoundingClientRect();
    // The one that Tab does not reach is for robots.
    const inputs = [...root.querySelectorAll('input:not([type=radio], [type=checkbox], [tabindex="-1"])')];
    const controls = [...inputs, ...root.querySelectorAll('button')];
    const style = getComputedStyle(card);
    return {
      wider: document.documentElement.scrollWidth - innerWidth,
      offCentre: Math.round(
        inner.left -
          outer.left -
          parseFloat(paddingLeft) -
          (outer.right - inner.right - parseFloat(paddingRight)),
      ),
      fonts: [...new Set([card, ...controls].map((element) => getComputedStyle(element).fontFamily))],
      pageFont: getComputedStyle(column).fontFamily,
      smallestInput: Math.min(
        ...inputs.map((input) => parseFloat(getComputedStyle(input).fontSize)),
        Infinity,
      ),
      borders: [style.borderTopWidth, style.borderRightWidth, style.borderBottomWidth, style.borderLeftWidth],
      /** Texts that are wider than their box. */
      cut: [...root.querySelectorAll('.card *')]
        .filter(({scrollWidth, clientWidth}) => clientWidth > 1 && scrollWidth > clientWidth + 1)
        .map(({outerHTML}) => outerHTML.slice(0, 80)),
    };
  });

async function openPage(name: string, {scheme, width}: View, layout?: 'single'): Promise<Page> {
  const page = await browser.newPage({viewport: {width, height: 800}, colorScheme: scheme});
  await noteShifts(page);
  // A font that arrives late makes the page's own words wider or narrower.
  await page.route('**/*.{woff2,ttf}', (route) => route.abort());
  await page.goto(server.addressOf(name, scheme, layout));
  return page;
}

const backgroundOf = (button: Locator) =>
  button.evaluate((element) => getComputedStyle(element).backgroundColor);

const pictures = process.env['PICTURES'];

async function fits(page: Page, where: string) {
  if (pictures) await page.screenshot({path: join(pictures, `${where}.png`), fullPage: true});
  const {wider, offCentre, fonts, pageFont, smallestInput, borders, cut} = await measure(page);
  assert.equal(wider, 0, `${where}: the page scrolls sideways by ${wider} px`);
  assert.ok(Math.abs(offCentre) <= 1, `${where}: the card is ${offCentre} px off the centre of its column`);
  assert.deepEqual(fonts, [pageFont], `${where}: the form has fonts of its own`);
  assert.ok(smallestInput >= 16, `${where}: phones zoom into an input of ${smallestInput} px`);
  assert.ok(!borders.includes('0px'), `${where}: the card's borders are ${borders.join()}`);
  assert.deepEqual(cut, [], `${where}: words do not fit`);
  assert.deepEqual(
    await axeFaults(page, 'lead-prequal-form', ['color-contrast']),
    [],
    `${where}: words are too pale`,
  );
}

for (const [name, {brand, missing = false}] of Object.entries(partnerPages)) {
  const skip = skipUnless('REQUIRE_THEMES', missing);
  suite(`the form on the page of a partner: ${name}`, {skip}, () => {
    for (const view of views) {
      const where = `${name} (${view.scheme}, ${view.width} px)`;

      test(`in each of its states the form fits the page ${where}`, async () => {
        const page = await openPage(name, view);
        await walk(page, async (state) => {
          if (state === '1-first') {
            assert.equal(await shiftsOf(page), 0, 'the page shifts while it loads');
            if (brand) {
              const own = await backgroundOf(page.locator(brand).first());
              assert.equal(await backgroundOf(page.getByRole('button', {name: 'Next'})), own);
            }
          }
          await fits(page, `${where} ${state}`);
        });
        await page.close();
      });

      test(`with all fields on one page the form fits the page ${where}`, async () => {
        const page = await openPage(name, view, 'single');
        await page.getByLabel('Investments').waitFor();
        assert.equal(await shiftsOf(page), 0, 'the page shifts while it loads');
        await fits(page, `${where} single`);
        await page.close();
      });
    }
  });
}
