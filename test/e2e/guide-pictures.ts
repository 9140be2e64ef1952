/** `node test/e2e/guide-pictures.ts`: takes the pictures of the guides, of the real product, on a page of a partner. */
import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Page} from 'playwright-core';
import {paths} from '../../contract/api.ts';
import {onePartner} from '../../server/config/partners.ts';
import {leadEmail} from '../../server/destinations/email/lead-email.ts';
import {noChoices} from '../../server/snippets/choices.ts';
import {platforms} from '../../server/snippets/platforms.ts';
import {versionForSnippets, snippetParts} from '../../server/snippets/parts.ts';
import {readVersions} from '../../server/versions/embed-versions.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {eventRequest, telling} from '../support/sample-events.ts';
import {startTestServer} from '../support/test-server.ts';
import {walk} from './partner-pages/way.ts';

const origin = 'https://www.acme.example';
const publicUrl = 'https://leads.example.com';

const partner = onePartner({
  key: 'acme',
  name: 'Acme Funding',
  origins: [origin],
  cid: '1001',
  privacy_href: 'https://www.acme.example/privacy',
  contact: {phone: '(415) 555-0132', email: 'hello@acme.example'},
  consent: {
    text: 'I agree that Acme Funding may call me about my estimate.',
    version: '2026-11',
    required: true,
  },
});
const server = await startTestServer({
  publicUrl,
  embedFolder: resolve('dist/embed'),
  partners: [partner],
  proofOfWork: 200,
});
const version = versionForSnippets(readVersions(server.config));
if (!version) throw new Error('The form is not built: run "npm run build" first');
const parts = snippetParts({publicUrl}, version, partner, noChoices);
const [{code: snippet = ''} = {}] = platforms.html.blocks(parts);

const grounds: Readonly<Record<string, string>> = {bank: '#e9eef5', playful: '#fff1d6', luxury: '#050506'};

/** Two forms beside each other, with a style sheet of docs/brands/. Drafts are off, because both would share one. */
const alone = snippet.replace(/ draft\b/, '');
const brandPage = (brand: string) => `<!doctype html>
  <html lang="en">
    <style>
      body { background: ${grounds[brand]}; display: grid; font: 16px/1.5 system-ui, sans-serif; gap: 24px; grid-template-columns: 1fr 1fr; margin: 24px }
      ${readFileSync(`docs/brands/${brand}.css`, 'utf8')}
    </style>
    <div>${alone}</div>
    <div id="second">${alone}</div>
  </html>`;

/** A quiet page of a partner. `/unstyled` has a mistake: it keeps no height for the form. */
const pageOf = (path: string) => `<!doctype html>
  <html lang="en">
    <meta name="viewport" content="width=device-width" />
    <title>Funding for your business</title>
    <style>
      body { background: #fff; color: #171a21; font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 720px; padding: 16px }
      h1 { font-size: 26px; line-height: 1.2; margin: 8px 0 16px }
    </style>
    <h1>What could you start with?</h1>
    ${path.startsWith('/unstyled') ? snippet.replace(/ style="[^"]*"/, '') : snippet}
  </html>`;

const browser = await launchChromium();
async function take(
  name: string,
  width: number,
  height: number,
  address: string,
  until: (page: Page) => Promise<unknown>,
) {
  const page = await browser.newPage({
    viewport: {width, height},
    deviceScaleFactor: 2,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await page.route(`${origin}/**`, (route) => {
    const {pathname} = new URL(route.request().url());
    const brand = pathname.slice(1);
    const body = Object.hasOwn(grounds, brand) ? brandPage(brand) : pageOf(pathname);
    return route.fulfill({contentType: 'text/html; charset=utf-8', body});
  });
  // The addresses in the pictures are those of the guide.
  await page.route(`${publicUrl}/**`, async (route) => {
    const url = route.request().url().replace(publicUrl, server.url);
    return route.fulfill({response: await route.fetch({url})});
  });
  await page.goto(address);
  await until(page);
  const path = `docs/pictures/${name}.png`;
  await page.screenshot({path});
  await page.close();
  console.log(path);
}

const firstScreen = (page: Page) => page.getByRole('button', {name: 'Next'}).waitFor();
await take('phone-form', 360, 780, origin, firstScreen);
await take('phone-result', 360, 780, origin, (page) => walk(page));
await take('snippets', 1280, 1310, `${publicUrl}${paths.snippets}?partner=acme`, (page) =>
  page.frameLocator('iframe').getByRole('button', {name: 'Next'}).waitFor(),
);
await take('debug', 900, 780, `${origin}/unstyled?prequal-debug`, (page) =>
  page.getByText('keeps no height free').waitFor(),
);
for (const brand of Object.keys(grounds))
  await take(`brand-${brand}`, 800, 780, `${origin}/${brand}`, async (page) => {
    await page.getByText('680 to 720').first().click();
    const second = page.locator('#second');
    await second.getByText('Above 720').click();
    await second.getByRole('button', {name: 'Next'}).click();
    await second.getByRole('button', {name: '$100k'}).first().click();
    await second.getByLabel('Cash', {exact: true}).fill('some');
    await second.getByLabel('Investments', {exact: true}).focus();
    await second.locator('[part=error]').waitFor();
    await second.locator('lead-prequal-form').evaluate(async ({shadowRoot}) => {
      scrollTo(0, 0);
      await Promise.all((shadowRoot?.getAnimations() ?? []).map(({finished}) => finished));
    });
  });
const {subject, html} = leadEmail(eventRequest(telling), {
  type: 'email',
  details: 'contact',
  rounding: 1_000,
});
const mail = html.replace(/<body[^>]*>/, `$&<p style="margin:0 0 16px;font-weight:600">${subject}</p>`);
await take('lead-mail', 360, 780, `data:text/html,${encodeURIComponent(mail)}`, () => Promise.resolve());
await browser.close();
await server.close();
