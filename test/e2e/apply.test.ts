/** An apply page: alone, and in a frame of a page that is on another site. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import type {BrowserContextOptions} from 'playwright-core';
import {onePartner} from '../../server/config/partners.ts';
import {frameSnippet} from '../../server/snippets/frame-snippet.ts';
import {openFor, openForSuite, type Owner} from '../support/opened.ts';
import {rowsOf} from '../support/rows.ts';
import {troubleOf} from '../support/launch-chromium.ts';
import {until} from '../support/until.ts';
import {startWebsite} from '../support/website.ts';
import {axeFaults} from './axe.ts';
import {startBuilt} from './built.ts';
import {walk, widths} from './partner-pages/way.ts';
import {openedIn} from '../support/encrypted-rows.ts';

const {version: ownVersion} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};

/** The listener for analytics in the guide. */
const [, documentedListener = ''] = /```js\n([^]*?)```/.exec(readFileSync('docs/apply.md', 'utf8')) ?? [];

/** Beside the server a page of the partner, and one of somebody else, show the form as the documentation says. */
async function startAll(owner: Owner) {
  const listed = await openFor(owner, startWebsite());
  const unlisted = await openFor(owner, startWebsite());
  const partner = {origins: [listed.origin], cid: '1001'};
  const built = await startBuilt({
    proofOfWork: 10,
    partners: [
      onePartner({
        ...partner,
        key: 'acme',
        name: 'Acme Funding',
        privacy_href: 'https://www.acme.example/privacy',
        colors: {accent: '#0b7a5a'},
        cta: {label: 'Book a call', href: 'https://www.acme.example/book'},
        consent: {
          required: true,
          texts: {
            en: {text: 'With {button} I accept the [Terms](https://www.acme.example/terms).', version: '1'},
            es: {text: 'Con {button} acepto los [Términos](https://www.acme.example/es).', version: '1'},
          },
        },
      }),
      onePartner({...partner, key: 'bright', name: 'Bright', colors: {accent: '#ffe600'}}),
      onePartner({...partner, key: 'night', name: 'Night', colors: {accent: '#0a0a1e'}}),
    ],
  });
  for (const {page} of [listed, unlisted]) {
    page.html = `<!doctype html><meta name="viewport" content="width=device-width"><title>A page</title>
      <script>window.got = []; addEventListener('message', ({data, origin}) => got.push({...data, origin}))</script>
      <script>window.dataLayer = []; ${documentedListener.replace('https://leads.example.com', built.publicUrl)}</script>
      <h1>A page</h1>
      ${frameSnippet({applyUrl: `${built.publicUrl}/apply/acme`, title: 'Estimate', firstScreen: 'steps'})}
      <p>More of the page.</p>`;
  }
  return {...built, listed, unlisted};
}

/** A tab that notes what the policy forbade, what went wrong, and what was asked for. */
async function openTab(run: Awaited<ReturnType<typeof startAll>>, options: BrowserContextOptions = {}) {
  const context = await run.browser.newContext(options);
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  return {page, violations: troubleOf(page), requests, close: () => context.close()};
}

/** The newest lead, with its campaign and its consent. */
function storedLead(databasePath: string) {
  const {partner, lead, attribution, consent} =
    openedIn(databasePath).findLast((row) => row.consent) ?? assert.fail('no lead');
  return {partner, lead: lead as Record<string, unknown>, attribution: attribution!, consent: consent!};
}

/** Under which names requests for the form were counted. */
const countedOrigins = (databasePath: string) =>
  rowsOf(databasePath, 'SELECT DISTINCT origin FROM version_requests').map(({origin}) => origin);

suite('an apply page', () => {
  const run = openForSuite(startAll);

  test('takes a visitor from the link in an e-mail to the stored lead, under its policy', async (t) => {
    const {page, violations, requests} = await openFor(t, openTab(run));
    const address = `${run.publicUrl}/apply/acme?utm_source=news&utm_medium=email&gclid=abc&first_name=Mallory&email=m@example.com`;
    await page.goto(address);
    await page.getByLabel('Above 720').waitFor();
    assert.deepEqual(
      requests.map((url) => new URL(url).pathname.replace(/\d+\.\d+\.\d+/, '1.0.0')),
      ['/apply/acme', '/apply/page.js', '/embed/1.0.0/lead-prequal-form.js'],
      'before the first touch, the page, its own script and that of the form',
    );
    await walk(page);
    assert.deepEqual(violations, []);
    const booking = page.getByRole('link', {name: 'Book a call'});
    assert.equal(await booking.evaluate(({target}: HTMLAnchorElement) => target), '', 'it stays in the tab');

    const {partner, lead, attribution, consent} = storedLead(run.databasePath);
    assert.equal(partner, 'acme');
    assert.equal(lead['first_name'], 'Ana', 'nothing is filled in from the address');
    assert.deepEqual(attribution, {
      utm_source: 'news',
      utm_medium: 'email',
      gclid: 'abc',
      landing_page: `${run.publicUrl}/apply/acme`,
    });
    assert.partialDeepStrictEqual(consent, {
      textVersion: '1',
      textLanguage: 'en',
      agreed: true,
      origin: run.publicUrl,
      page: `${run.publicUrl}/apply/acme`,
      form: {
        version: ownVersion,
        button: 'See my estimate',
        inView: true,
        width: page.viewportSize()?.width,
      },
    });
    await until(() => countedOrigins(run.databasePath).length > 0);
    assert.deepEqual(
      countedOrigins(run.databasePath),
      ['own'],
      'the operator sees that it is no unknown site',
    );
  });

  test('is in Spanish for who prefers it, and a link changes the language', async (t) => {
    const {page, violations} = await openFor(t, openTab(run, {locale: 'es-MX'}));
    await page.goto(`${run.publicUrl}/apply/acme?utm_source=qr`);
    await page.getByLabel('Más de 720').waitFor();
    assert.match(await page.title(), /financiamiento/);
    await page.getByRole('link', {name: 'English'}).click();
    await page.getByLabel('Above 720').waitFor();
    assert.deepEqual(violations, []);
    const kept = await page.evaluate(() => JSON.stringify({...sessionStorage}));
    assert.match(kept, /qr/, 'the campaign is kept');
  });

  for (const key of ['acme', 'bright', 'night']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`is legible and fits a ${colorScheme} phone and desktop, with the looks of "${key}"`, async (t) => {
        for (const width of widths) {
          const {page} = await openFor(t, openTab(run, {colorScheme, viewport: {width, height: 800}}));
          await page.goto(`${run.publicUrl}/apply/${key}`);
          await page.getByLabel('Above 720').waitFor();
          if (width === widths[0]) {
            assert.deepEqual(await axeFaults(page), []);
          }
          const {overflow, brightness, shift} = await page.evaluate(() => ({
            overflow: document.documentElement.scrollWidth - innerWidth,
            brightness: getComputedStyle(document.body).backgroundColor.match(/\d+/g)!.map(Number)[0]!,
            shift: performance.getEntriesByType('layout-shift').length,
          }));
          assert.ok(overflow <= 0, 'nothing is wider than the window');
          assert.equal(brightness > 128, colorScheme === 'light');
          assert.equal(shift, 0, 'nothing moves when the form arrives');
        }
      });
    }
  }

  test('keeps what was typed, the step and the place when the script arrives late', async (t) => {
    const {page, violations} = await openFor(t, openTab(run));
    const arrival = Promise.withResolvers<void>();
    await page.route('**/lead-prequal-form.js*', async (route) => {
      await arrival.promise;
      await route.continue();
    });
    await page.goto(`${run.publicUrl}/apply/bright?order=contact-first`, {waitUntil: 'commit'});
    const button = page.getByRole('button', {name: 'Next'});
    const place = await button.boundingBox();
    await page.getByLabel('First name').fill('Ana');
    await page.getByLabel('Last name').fill('Sil');
    arrival.resolve();
    await page.waitForFunction(() => {
      const root = document.querySelector('lead-prequal-form')?.shadowRoot;
      return root?.activeElement?.getAttribute('name') === 'last_name';
    });
    await page.keyboard.press('End');
    await page.keyboard.type('va');
    assert.equal(await page.getByLabel('First name').inputValue(), 'Ana');
    assert.equal(await page.getByLabel('Last name').inputValue(), 'Silva');
    assert.equal(await page.locator('lead-prequal-form form').count(), 1, 'the form of the page is gone');
    assert.deepEqual(await button.boundingBox(), place, 'nothing has moved');
    assert.deepEqual(violations, []);
  });

  for (const [age, what, firstName] of [
    [29, 'is added to the draft of a visitor who comes back', 'Ana'],
    [31, 'takes the place of a draft that is too old', undefined],
  ] as const) {
    test(`what is chosen before the form’s script arrives ${what}`, async (t) => {
      const {page} = await openFor(t, openTab(run));
      // The script does not arrive while the test runs.
      await page.route('**/lead-prequal-form.js*', () => {});
      await page.addInitScript((minutes) => {
        const draft = {first_name: 'Ana', credit_score: 'Below 620', step: 'contact'};
        const at = Date.now() - minutes * 60_000;
        sessionStorage.setItem('lead-prequal-draft:bright', JSON.stringify({...draft, at}));
      }, age);
      await page.goto(`${run.publicUrl}/apply/bright`, {waitUntil: 'commit'});
      await page.getByText('Above 720').click();
      const kept = () =>
        page.evaluate(
          () => JSON.parse(sessionStorage['lead-prequal-draft:bright'] as string) as Record<string, unknown>,
        );
      await until(async () => (await kept())['credit_score'] === 'Above 720');
      const {first_name, step} = await kept();
      assert.deepEqual({first_name, step}, {first_name: firstName, step: 'credit'});
    });
  }

  test('shows the first step alone until the script comes, and goes on with it at the next step', async (t) => {
    const {page} = await openFor(t, openTab(run));
    await page.route('**/lead-prequal-form.js*', (route) => route.abort());
    await page.goto(`${run.publicUrl}/apply/bright`);
    assert.equal(await page.getByRole('textbox').count(), 0);
    await page.getByText('Above 720').click();
    await page.unroute('**/lead-prequal-form.js*');
    await page.getByRole('button', {name: 'Next'}).click();
    await page.waitForFunction(() => {
      const root = document.querySelector('lead-prequal-form')?.shadowRoot;
      return root?.querySelector('[data-step=funds]');
    });
    await page.getByRole('button', {name: 'Back'}).click();
    assert.ok(await page.getByLabel('Above 720').isChecked());
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`shows the whole form where the script does not come, ${colorScheme}`, async (t) => {
      const {page} = await openFor(t, openTab(run, {colorScheme, viewport: {width: 360, height: 800}}));
      await page.route('**/lead-prequal-form.js*', (route) => route.abort());
      await page.goto(`${run.publicUrl}/apply/acme`);
      await page.getByLabel('Phone').waitFor();
      assert.equal(await page.getByText('Step 1 of 3').isVisible(), false);
      await page.getByLabel('Cash').fill('50,000');
      const kept = await page.evaluate(() => sessionStorage['lead-prequal-draft:acme'] as string);
      assert.partialDeepStrictEqual(JSON.parse(kept), {cash: '50,000', step: 'funds'});
      assert.deepEqual(await axeFaults(page), []);
      await page.getByRole('button', {name: 'See my estimate'}).click();
      await page.getByText('Please check your answers').waitFor();
      assert.deepEqual(await axeFaults(page), []);
    });

  test('an address of no partner on the server shows a page in words', async (t) => {
    const {page, violations} = await openFor(t, openTab(run, {locale: 'es-US'}));
    await page.goto(`${run.publicUrl}/apply/nobody`);
    await page.getByRole('heading', {name: 'No hay ningún formulario'}).waitFor();
    assert.deepEqual(
      violations.filter((text) => !/404/.test(text)),
      [],
    );
  });
});

suite('an apply page in a frame', () => {
  const run = openForSuite(startAll);

  test('of a listed origin takes a lead, grows with the form, and reports its events', async (t) => {
    const {page, violations} = await openFor(t, openTab(run, {viewport: {width: 360, height: 800}}));
    await page.goto(`${run.listed.origin}/?utm_source=listed&email=m@example.com`);
    const frame = page.frames().find((one) => one.url().includes('/apply/'))!;
    const heights: number[] = [];
    // When a step appears, its height is new at once; the frame gets that height a moment later, from a message.
    await walk(frame, async () => {
      await frame.waitForFunction(
        () => Math.ceil(document.documentElement.getBoundingClientRect().height) === innerHeight,
      );
      const inner = await frame.evaluate(() => innerHeight);
      heights.push(inner);
    });
    assert.ok(new Set(heights).size > 1, `the frame has the height of each step: ${heights.join(', ')}`);
    assert.deepEqual(violations, []);

    const got = await page.evaluate(() => (window as unknown as {got: Record<string, unknown>[]}).got);
    assert.ok(got.every(({origin}) => origin === run.publicUrl));
    const events = got.filter(({type}) => type === 'prequal-event');
    const names = events.map(({name}) => String(name));
    for (const name of ['ready', 'start', 'step', 'submit', 'result']) {
      assert.ok(names.includes(`prequal-${name}`), name);
    }
    const layer = await page.evaluate(
      () => (window as unknown as {dataLayer: {event: string; prequal: unknown}[]}).dataLayer,
    );
    assert.deepEqual(
      layer.map(({event, prequal}) => [event.replace('_', '-'), prequal]),
      events.map(({name, detail}) => [name, detail]),
      'the listener of the guide gets the same events',
    );
    assert.doesNotMatch(JSON.stringify(got), /Ana|Silva|example\.com|120,?000/, 'nothing that was typed');

    const {attribution, lead} = storedLead(run.databasePath);
    assert.equal(lead['first_name'], 'Ana');
    assert.deepEqual(attribution, {utm_source: 'listed', landing_page: `${run.listed.origin}/`});
  });

  test('the link of the partner below the result leaves the frame for a new tab', async (t) => {
    const {page, violations} = await openFor(t, openTab(run));
    await page
      .context()
      .route('https://www.acme.example/**', (route) =>
        route.fulfill({contentType: 'text/html', body: 'Book'}),
      );
    await page.goto(`${run.listed.origin}/`);
    const frame = page.frames().find((one) => one.url().includes('/apply/'))!;
    await walk(frame);
    const opened = page.waitForEvent('popup');
    await frame.getByRole('link', {name: 'Book a call'}).click();
    const booking = await opened;
    await booking.waitForURL('https://www.acme.example/book');
    assert.equal(await booking.evaluate(() => window.opener as unknown), null);
    assert.ok(await frame.getByRole('table').isVisible(), 'the result stays in the frame');
    assert.deepEqual(violations, []);
  });

  test('has no heading of its own, is light on a light page, and moves nothing on it', async (t) => {
    const {page} = await openFor(t, openTab(run, {colorScheme: 'dark'}));
    await page.goto(run.listed.origin);
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Above 720').waitFor();
    const looks = await frame.locator('html').evaluate((html) => {
      const look = (selector: string) => getComputedStyle(html.querySelector(selector)!);
      return [
        look('lead-prequal-form').backgroundColor,
        look('body').backgroundColor,
        look('header').clipPath,
        look('footer').display,
      ];
    });
    await page.waitForFunction(() => {
      const {got} = window as unknown as {got: {name?: string}[]};
      return got.some(({name}) => name === 'prequal-ready');
    });
    const shifts = await page.evaluate(() => performance.getEntriesByType('layout-shift').length);
    assert.equal(shifts, 0, 'nothing below the frame moves when the form arrives');
    assert.deepEqual(looks, ['rgb(255, 255, 255)', 'rgba(0, 0, 0, 0)', 'inset(50%)', 'none']);
  });

  test('is not shown on an origin that is not listed, which gets no message', async (t) => {
    const {page, violations} = await openFor(t, openTab(run));
    await page.goto(run.unlisted.origin, {waitUntil: 'load'});
    assert.match(violations.join('\n'), /frame-ancestors/);
    assert.ok(page.frames().every((frame) => !frame.url().startsWith(run.publicUrl)));
    assert.deepEqual(await page.evaluate(() => (window as unknown as {got: unknown[]}).got), []);
  });
});
