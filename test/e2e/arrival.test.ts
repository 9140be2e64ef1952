/** A page before, while and after the form arrives: nothing moves, and without JavaScript it says what to do. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {resolve} from 'node:path';
import {after, before, suite, test} from 'node:test';
import type {Browser, BrowserContextOptions, Page} from 'playwright-core';
import {reservedHeightRule, reservedHeights} from '../../form/reserved-heights.ts';
import {languages} from '../../form/words/languages.ts';
import {noChoices} from '../../server/snippets/choices.ts';
import {newestScript} from '../../server/snippets/newest-script.ts';
import {snippetParts, versionForSnippets} from '../../server/snippets/parts.ts';
import {platforms} from '../../server/snippets/platforms.ts';
import {readVersions} from '../../server/versions/embed-versions.ts';
import {documentedSnippet} from '../support/embed-snippet.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {startTestServer, type TestServer} from '../support/test-server.ts';
import {noteShifts, shiftsOf} from './shifts.ts';

const codeBlock = (file: string, start: RegExp) =>
  start.exec(readFileSync(file, 'utf8'))?.[1] ?? assert.fail(`${file} has no such block`);

/** A small and a usual phone, the narrowest page on which the fields stand side by side, and a desktop. Pixels. */
const widths = [320, 360, 640, 1280];

/** As the documentation has them. */
const snippet = documentedSnippet('', 'partner="acme"');
const rules = codeBlock('docs/widget.md', /## Its place on the page[^]*?```css\n([^]*?)```/);

const cases = {
  'the snippet of the guide': snippet,
  'the style sheet of the reference': `<style>${rules}</style><lead-prequal-form></lead-prequal-form>`,
  'the snippet of 1.3.0, whose height was that of contact data': `<style>lead-prequal-form {
    display: block;
    min-height: clamp(37em, (40em - 100vw) * 99, 45em);
  }</style><lead-prequal-form></lead-prequal-form>`,
  'contact data first': `<style>${reservedHeightRule('lead-prequal-form', reservedHeights['contact-first'])}</style>
    <lead-prequal-form order="contact-first"></lead-prequal-form>`,
  'contact data alone': `<style>${reservedHeightRule('lead-prequal-form', reservedHeights.standard)}</style>
    <lead-prequal-form lead-type="standard"></lead-prequal-form>`,
  'all fields on one page': `<style>${reservedHeightRule('lead-prequal-form', reservedHeights.single)}</style>
    <lead-prequal-form layout="single"></lead-prequal-form>`,
};

/** A partner's server: it answers everything with the page of the test. */
let body = '';
const host = createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8').end(body);
});

let server: TestServer;
let origin: string;
let script: string;
let browser: Browser;
/** One page for all tests of the layout, because a new one takes more time than the test. */
let page: Page;

before(async () => {
  server = await startTestServer({embedFolder: resolve('dist/embed')});
  ({script} = newestScript({...server.config, publicUrl: server.url}));
  await once(host.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  browser = await launchChromium();
  page = await browser.newPage();
  await noteShifts(page);
});
after(async () => {
  await browser.close();
  host.close().closeAllConnections();
  await server.close();
});

/** What the partner's server answers from now on. */
function publish(content: string, lang = 'en') {
  body = `<!doctype html><html lang="${lang}"><meta name="viewport" content="width=device-width">
    <link rel="icon" href="data:,"><body><h1>Before</h1>${script}${content}<p id="below">Below</p></body></html>`;
}

/** A page in a browser of its own, for what the shared page cannot be. */
function openPage(content: string, options: BrowserContextOptions): Promise<Page> {
  publish(content);
  return browser.newPage(options);
}

const drawn = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

suite('a form that arrives', () => {
  for (const [name, content] of Object.entries(cases)) {
    for (const width of widths) {
      for (const lang of ['en', ...Object.keys(languages)]) {
        test(`moves nothing on the page: ${name}, ${width} px, ${lang}`, async () => {
          publish(content, lang);
          await page.setViewportSize({width, height: 900});
          const gate = Promise.withResolvers<void>();
          await page.route('**/lead-prequal-form.js?build=*', async (route) => {
            await gate.promise;
            await route.continue();
          });
          await page.goto(origin, {waitUntil: 'commit'});
          await page.locator('#below').waitFor();
          await drawn(page);
          const place = await page.locator('#below').boundingBox();
          gate.resolve();
          await page.locator('lead-prequal-form input').first().waitFor();
          await drawn(page);
          assert.deepEqual(await page.locator('#below').boundingBox(), place);
          assert.equal(await shiftsOf(page), 0);
          await page.unrouteAll();
        });
      }
    }
  }

  test('the file that a snippet preloads is the one that the form uses, as the browser sees it', async () => {
    const versions = readVersions({embedFolder: 'dist/embed', releasesFolder: 'no releases'});
    const {origin: publicUrl} = new URL(/src="([^"]+)"/.exec(script)?.[1] ?? '');
    const attributes = {...noChoices.attributes, order: 'contact-first'};
    const choices = {...noChoices, attributes};
    const parts = snippetParts({publicUrl}, versionForSnippets(versions)!, undefined, choices);
    const [{code = ''} = {}] = platforms.html.blocks(parts);
    assert.match(code, /rel="preload"/);
    body = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><body>${code}</body></html>`;
    const page = await browser.newPage();
    const warnings: string[] = [];
    page.on('console', (message) => warnings.push(message.text()));
    await page.goto(origin);
    await page.getByLabel('First name').fill('Maria');
    assert.deepEqual(warnings, []);
    await page.close();
  });

  test('without JavaScript, the snippet of the guide says at once where else to go', async () => {
    const page = await openPage(snippet, {javaScriptEnabled: false});
    await page.goto(origin);
    const hrefs = ['https://leads.example.com/apply/acme', 'tel:+14155550132', 'mailto:hello@acme.example'];
    const links = page.getByRole('link');
    assert.deepEqual(
      await Promise.all(hrefs.map((_, index) => links.nth(index).getAttribute('href'))),
      hrefs,
    );
    for (const link of await links.all()) assert.ok(await link.isVisible());
    await page.close();
  });

  test('with JavaScript, the snippet of the guide says nothing while the form is on its way', async () => {
    const page = await openPage(snippet, {});
    const gate = Promise.withResolvers<void>();
    await page.route('**/lead-prequal-form.js?build=*', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.goto(origin, {waitUntil: 'commit'});
    await page.getByText('Below').waitFor();
    assert.equal(await page.locator('lead-prequal-form').innerText(), '');
    // What is hidden is not read to people who cannot see, either.
    assert.equal(await page.getByRole('link').count(), 0);
    assert.equal(await page.locator('lead-prequal-form').ariaSnapshot(), '');
    gate.resolve();
    await page.getByLabel('Above 720').waitFor();
    await page.close();
  });
});
