/** The page of snippets in a browser, beside the demo: its choices, its preview, and that both always agree. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {FrameLocator, Locator} from 'playwright-core';
import {openFor} from '../../support/opened.ts';
import {troubleOf} from '../../support/launch-chromium.ts';
import {until} from '../../support/until.ts';
import {onePartner} from '../../../server/config/partners.ts';
import {axeFaults} from '../axe.ts';
import {startBuilt} from '../built.ts';
import {useDemo} from '../demo.ts';
import {leadsOf} from '../../support/encrypted-rows.ts';

const run = useDemo();

test('the demo loads the form from an address that changes with every build', async () => {
  const page = await run.browser.newPage();
  await page.goto(run.demo.page);
  await page.getByLabel('Above 720').waitFor();
  const {src, integrity} = await page
    .locator('script[type=module]')
    .evaluate(({src, integrity}: HTMLScriptElement) => ({src, integrity}));
  assert.equal(new URL(src).searchParams.get('build'), integrity.slice('sha384-'.length).slice(0, 12));
  await page.close();
});

/** A page whose errors and violations of its policy are noted. */
async function open(path: string, options: Parameters<typeof run.browser.newPage>[0] = {}) {
  const page = await run.browser.newPage(options);
  const trouble = troubleOf(page);
  await page.goto(path.startsWith('http') ? path : `${run.demo.service}/embed/snippets${path}`);
  return {page, trouble, preview: page.frameLocator('iframe'), code: page.locator('pre code')};
}

/** Fills in the form for contact data alone, agrees if it asks for that, and presses its last button. */
async function sendContact(preview: FrameLocator, agrees = false) {
  const contact = {
    'First name': 'Ana',
    'Last name': 'Silva',
    Email: 'ana@example.com',
    Phone: '415-555-0132',
  };
  for (const [label, value] of Object.entries(contact))
    await preview.getByRole('textbox', {name: label}).fill(value);
  if (agrees) await preview.getByRole('checkbox').check();
  await preview.getByRole('button', {name: 'Send'}).click();
}

suite('the page of snippets', () => {
  test('the demo has the rules and the form of its snippet, as it is', async () => {
    const {page, trouble, preview, code} = await open('?partner=demo&host=csp');
    await preview.getByLabel('Above 720').waitFor();
    const [, rules = '', form = ''] = await code.allTextContents();
    assert.match(form, /<lead-prequal-form partner="demo"/);
    const demo = async (path: string) => (await fetch(run.demo.page + path)).text();
    assert.ok((await demo('/')).includes(form));
    assert.equal(await demo('/form.css'), rules);
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test('each look changes form, snippet and address at once, without a reload', async () => {
    const {page, trouble, preview, code} = await open('?partner=demo');
    await page.evaluate(() => Object.assign(window, {isSamePage: true}));
    const accent = () =>
      preview.locator('lead-prequal-form .main').evaluate((main) => getComputedStyle(main).backgroundColor);
    const accents = new Set<string>();
    for (const look of ['Bank', 'Warm', 'Night', 'Letter']) {
      await page.getByRole('radio', {name: look}).check();
      await page.locator(`iframe[src*="look=${look.toLowerCase()}"]`).waitFor();
      await preview
        .locator(`lead-prequal-form[theme=${look === 'Night' ? 'dark' : 'light'}] .main`)
        .waitFor();
      // The frame may still show the look before, or have just left it.
      let shown = '';
      await until(async () => {
        shown = await accent().catch(() => '');
        return shown !== '' && !accents.has(shown);
      });
      accents.add(shown);
      assert.match(
        (await code.textContent()) ?? '',
        new RegExp(`theme="${look === 'Night' ? 'dark' : 'light'}"`),
      );
    }
    assert.equal(accents.size, 4);

    await page.getByLabel('Accent', {exact: true}).fill('#008000');
    await page.getByLabel('Layout').selectOption('single');
    await page.getByLabel('Language').selectOption('es');
    await preview.getByRole('heading', {name: 'Sus fondos'}).waitFor();
    await until(async () => (await accent().catch(() => '')) === 'rgb(0, 128, 0)');
    const written = (await code.textContent()) ?? '';
    for (const part of [
      '--prequal-accent: #008000',
      'layout="single"',
      'lang="es"',
      'integrity="sha384-',
      'min-height',
    ])
      assert.ok(written.includes(part), part);

    await page.getByRole('link', {name: 'WordPress'}).click();
    await page.locator('#snippet a[aria-current]', {hasText: 'WordPress'}).waitFor();
    assert.match((await code.textContent()) ?? '', /^<lead-prequal-form partner="demo" layout="single"/);
    assert.equal(await page.evaluate('window.isSamePage'), true);

    const again = await open(page.url());
    assert.equal(await again.code.textContent(), await code.textContent());
    assert.equal(await again.page.getByLabel('Accent', {exact: true}).inputValue(), '#008000');
    await again.page.close();
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test('a tab and a link of the page of snippets keep what was typed just before they were clicked', async () => {
    const {page, code} = await open('');
    await page.getByLabel('Your partner key').fill('demo');
    await page.getByRole('link', {name: 'WordPress'}).click();
    await page.locator('#snippet a[aria-current]', {hasText: 'WordPress'}).waitFor();
    await page.getByText('This is the form of').waitFor();
    assert.match((await code.textContent()) ?? '', /^<lead-prequal-form partner="demo"/);

    await page.getByLabel('Accent', {exact: true}).fill('#008000');
    await page.getByRole('link', {name: 'Sends real leads'}).click();
    await page.getByText('is a real lead').waitFor();
    assert.match(
      (await code.textContent()) ?? '',
      /^<lead-prequal-form partner="demo" privacy-href="[^"]*" draft style="[^"]*--prequal-accent: #008000/,
    );
    await page.close();
  });

  test('the form sends nothing until somebody chooses that it does, which the address keeps', async () => {
    const {page, trouble, preview, code} = await open('?partner=demo&lead-type=standard');
    const posts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.url());
    });
    const [samples, leads] = ['Sends nothing: shows samples', 'Sends real leads'].map((name) =>
      page.getByRole('link', {name}),
    ) as [Locator, Locator];
    const snippet = await code.textContent();
    assert.equal(await samples.getAttribute('aria-current'), 'true');
    await sendContact(preview);
    // A sample has a consent, which is shown when the visitor goes on.
    await preview.getByRole('checkbox').check();
    await preview.getByRole('button', {name: 'Send'}).click();
    await preview.getByRole('heading', {name: /Thank you/}).waitFor();
    assert.deepEqual(posts, []);

    await leads.click();
    await page.getByText('is a real lead').waitFor();
    await preview.locator('lead-prequal-form:not([sandbox])').waitFor();
    assert.equal(await code.textContent(), snippet);
    assert.equal(new URL(page.url()).searchParams.get('sends'), 'leads');
    await page.reload();
    assert.equal(await leads.getAttribute('aria-current'), 'true');
    await samples.click();
    await preview.locator('lead-prequal-form[sandbox]').waitFor();
    assert.deepEqual(trouble, []);
    await page.close();
  });

  test('a link of a sample opens the apply page in another tab', async () => {
    const {page, preview} = await open('?partner=demo&host=wordpress');
    const opened = page.waitForEvent('popup');
    await preview.getByRole('link', {name: 'open it on its own page'}).click();
    const applyPage = await opened;
    await applyPage.waitForURL(`${run.demo.service}/apply/demo`);
    assert.ok(await preview.locator('lead-prequal-form[sandbox]').isVisible());
    await applyPage.close();
    await page.close();
  });

  test('a wrong value is explained beside its field, and the rest of the snippet stays', async () => {
    const {page, code} = await open('?partner=demo&layout=single');
    const accent = page.getByLabel('Accent', {exact: true});
    await accent.fill('bright red!');
    await accent.press('Enter');
    await page.getByText('Accent must be a colour such as #12406f.').waitFor();
    assert.equal(await accent.getAttribute('aria-invalid'), 'true');
    assert.match((await code.textContent()) ?? '', /layout="single"/);
    await accent.fill('#008000');
    await accent.press('Enter');
    await page.getByText('--prequal-accent: #008000').waitFor();
    assert.equal(await accent.getAttribute('aria-invalid'), null);
    await page.close();
  });

  test('the form stands beside the choices, and below it texts that a button copies, and says so', async () => {
    const {page, code} = await open('?partner=demo&host=gtm', {viewport: {width: 1280, height: 900}});
    const placeOf = (part: Locator) =>
      part.evaluate((element) => {
        const {left, right, top, bottom} = element.getBoundingClientRect();
        return {left, right, top: top + scrollY, bottom: bottom + scrollY};
      });
    const form = await placeOf(page.locator('iframe'));
    const choices = await placeOf(page.locator('#choices'));
    assert.ok(form.right <= choices.left && form.top < 300, 'both stand at the top');
    const buttons = page.locator('.copy');
    const button = buttons.last();
    const before = await placeOf(button);
    assert.ok(form.bottom < (await placeOf(buttons.first())).top);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button.click();
    await page.getByRole('status').getByText('Copied').waitFor();
    assert.deepEqual(await buttons.allTextContents(), ['Copy', 'Copied']);
    assert.deepEqual(await placeOf(button), before, 'nothing has moved');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await code.last().textContent());

    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', {value: undefined}));
    await buttons.first().click();
    await page.getByRole('status').getByText('Press').waitFor();
    assert.deepEqual(await buttons.allTextContents(), ['Press Ctrl+C', 'Copy']);
    assert.equal(await page.evaluate(() => String(getSelection())), await code.first().textContent());
    await page.close();
  });

  test('works without JavaScript: its button shows what was chosen', async () => {
    const {page, code} = await open('?partner=demo', {javaScriptEnabled: false});
    await page.getByLabel('Layout').selectOption('single');
    await page.getByRole('radio', {name: 'Night'}).check();
    await page.getByRole('button', {name: 'Show'}).click();
    await page.waitForURL(/layout=single/);
    const written = (await code.textContent()) ?? '';
    assert.match(written, /layout="single" theme="dark"/);
    await code.click();
    assert.equal(await code.evaluate(() => String(getSelection())), written, 'one click selects it all');
    await page.getByRole('link', {name: 'Webflow'}).click();
    await page.waitForURL(/host=webflow.*#snippet$/);
    assert.match(
      (await code.textContent()) ?? '',
      /^<lead-prequal-form partner="demo" layout="single" theme="dark"/m,
    );
    await page.close();
  });

  test('fits a phone and a desktop, and the preview has the width that was chosen', async () => {
    for (const width of [360, 1280]) {
      const {page, preview} = await open('?partner=demo&width=phone&host=gtm', {
        viewport: {width, height: 800},
      });
      await preview.getByLabel('Above 720').waitFor();
      const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(scrollWidth <= width, `${scrollWidth}`);
      const inner = await preview.locator('body').evaluate(() => innerWidth);
      assert.ok(width === 360 ? inner < 360 : inner === 360, `${inner}`);
      await page.close();
    }
  });

  test('has no fault that a program can find for people with disabilities, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const {page, preview} = await open('?partner=demo&host=gtm&accent=wrong!&cta-label=x', {colorScheme});
      await preview.getByLabel('Above 720').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.close();
    }
  });

  test('a lead that is sent from the live preview is stored', async () => {
    const {page, trouble, preview} = await open('?partner=demo&lead-type=standard&sends=leads');
    await sendContact(preview, true);
    await preview
      .getByText(/Thank you/)
      .first()
      .waitFor();
    assert.deepEqual(trouble, []);
    const leads = leadsOf(run.demo.databasePath, 'ana@example.com');
    assert.deepEqual(
      leads.map((lead) => lead.partner),
      ['demo'],
    );
    await page.close();
  });
});

test('hidden fields come with the key of their partner, and go from there into the snippet', async (t) => {
  const partner = {origins: ['https://www.acme.example'], cid: '1001'};
  const {publicUrl} = await openFor(
    t,
    startBuilt({
      partners: [
        onePartner({...partner, key: 'acme', context_fields: ['store', {name: 'brand', filter: true}]}),
        onePartner({...partner, key: 'other', context_fields: ['brand']}),
      ],
    }),
  );
  const {page, trouble, code} = await open(`${publicUrl}/embed/snippets`);
  const group = page.locator('#context-fields');
  const key = page.getByLabel('Your partner key');
  const snippetWith = (text: string) => code.filter({hasText: text}).waitFor();
  assert.equal(await group.getByText('Hidden fields').count(), 0);
  await key.fill('acme');
  await key.press('Enter');
  await group.getByText('Hidden fields').click();
  await page.getByLabel('brand').fill('north & "co"');
  await page.getByLabel('store').fill('7');
  await page.getByLabel('store').press('Enter');
  await snippetWith('context-store="7" context-brand="north &amp; &quot;co&quot;"');
  assert.ok(await page.getByLabel('brand').isVisible(), 'the group stays open');
  assert.equal(await page.getByLabel('brand').inputValue(), 'north & "co"');

  for (const width of [360, 1280]) {
    await page.setViewportSize({width, height: 900});
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${width}: ${overflow}`);
  }
  assert.deepEqual(await axeFaults(page, '#choices'), []);

  await page.getByRole('link', {name: 'A frame, without our script'}).click();
  await snippetWith('/apply/acme?context-store=7&amp;context-brand=north+%26+%22co%22');
  await page.reload();
  assert.equal(await page.getByLabel('store').inputValue(), '7');

  await key.fill('other');
  await key.press('Enter');
  await snippetWith('/apply/other');
  assert.equal(await page.getByLabel('store').count(), 0);
  assert.deepEqual(trouble, []);
  await page.close();
});
