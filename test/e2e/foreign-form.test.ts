/** Another website sends a form to an apply page, in Chromium: what the visitor sees then, and sends with the next press. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {Page} from 'playwright-core';
import {onePartner} from '../../server/config/partners.ts';
import {openFor, openForSuite, type Owner} from '../support/opened.ts';
import {rowsOf} from '../support/rows.ts';
import {startWebsite} from '../support/website.ts';
import {startBuilt} from './built.ts';

/** The other website may even show the page in a frame. */
async function start(owner: Owner) {
  const website = await openFor(owner, startWebsite());
  const consent = {required: true, texts: {en: {text: 'I agree to the terms.', version: '1'}}};
  const built = await startBuilt({
    partners: [onePartner({key: 'acme', origins: [website.origin], cid: '1', consent})],
  });
  return {...built, other: website.page, otherOrigin: website.origin};
}

const brought = {
  ...{_seen: 'en/1', consent: 'en/1', credit_score: 'Above 720', retirement: '120000'},
  ...{cash: '50000', investments: '0', first_name: 'Mallory', last_name: 'Evil'},
  ...{email: 'mal@evil.example', phone: '415-555-0199'},
};

suite('a form that another website sends to an apply page', () => {
  const run = openForSuite(start);

  /**
   * Opens a page of the other website.
   * @param pageOf makes it of the form that it sends. The token in it is good
   */
  async function visit(t: TestContext, javaScriptEnabled: boolean, pageOf = (form: string) => form) {
    const context = await run.browser.newContext({javaScriptEnabled, locale: 'en-US'});
    t.after(() => context.close());
    const form = await (await run.fetch('/apply/acme')).text();
    const [, token = ''] = /name="_token" value="([^"]+)"/.exec(form) ?? assert.fail('no token');
    const fields = Object.entries({...brought, _token: token})
      .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
      .join('');
    run.other.html = pageOf(
      `<form method="post" action="${run.publicUrl}/apply/acme" target="_top">${fields}<button>Win</button></form>`,
    );
    const page = await context.newPage();
    await page.goto(run.otherOrigin);
    return page;
  }

  const isEmpty = async (page: Page) => {
    assert.doesNotMatch(await page.locator('main').innerHTML(), /Mallory|evil\.example|120000/);
    await page.getByText('What is your credit score?').first().waitFor();
    assert.equal(await page.locator('input:checked').count(), 0);
  };

  test('shows the form, empty, also after a reload, and the next press sends nothing of it', async (t) => {
    const page = await visit(t, false);
    await Promise.all([page.waitForURL('**/apply/acme'), page.locator('button').click()]);
    await isEmpty(page);
    await page.reload();
    await isEmpty(page);
    await page.getByRole('button', {name: 'See my estimate'}).click();
    await page.getByText('Enter your first name.').first().waitFor();
  });

  test('leaves no draft to the form, whose contact step is empty', async (t) => {
    const page = await visit(t, true);
    await Promise.all([page.waitForURL('**/apply/acme'), page.locator('button').click()]);
    await page.waitForFunction(() => !document.querySelector('lead-prequal-form > .prequal form'));
    await isEmpty(page);
    assert.doesNotMatch(JSON.stringify(await page.evaluate(() => ({...sessionStorage}))), /Mallory|draft/);
  });

  for (const sandbox of [
    'allow-forms allow-top-navigation',
    'allow-forms allow-top-navigation allow-scripts',
  ])
    test(`is sent by a frame with sandbox="${sandbox}", which has no origin`, async (t) => {
      const page = await visit(t, false, (form) => {
        const inner = form.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
        return `<iframe sandbox="${sandbox}" srcdoc="${inner}"></iframe>`;
      });
      await Promise.all([
        page.waitForURL('**/apply/acme'),
        page.frameLocator('iframe').locator('button').click(),
      ]);
      await isEmpty(page);
    });

  test('is sent into a frame by the page of a listed origin', async (t) => {
    const frame = `<iframe name="apply" src="${run.publicUrl}/apply/acme"></iframe>`;
    const page = await visit(t, false, (form) => frame + form.replace('_top', 'apply'));
    await page.frameLocator('iframe').locator('main').waitFor();
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.locator('body > form button').click(),
    ]);
    const main = page.frameLocator('iframe').locator('main');
    await main.getByText('What is your credit score?').first().waitFor();
    assert.equal(await page.frameLocator('iframe').locator('input:checked').count(), 0);
    assert.equal(await page.frameLocator('iframe').locator('[value="Mallory"]').count(), 0);
  });

  test('stores no lead', () => {
    assert.deepEqual(rowsOf(run.databasePath, 'SELECT id FROM leads'), []);
  });
});
