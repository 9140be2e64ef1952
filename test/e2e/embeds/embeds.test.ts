/**
 * The snippet for each platform, as partners get it from a real server, on a page that treats it as such a site does: a
 * visitor fills in the form, and the lead is in the database with the right partner; and where the form does not load, its
 * place leads to the apply page. Here in Chromium: test/widget/partner-pages tries in three browsers how scripts come into a
 * page, and what policies, frames and late files do to the form.
 */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {Linter} from 'eslint';
import type {Page as Tab} from 'playwright-core';
import {onePartner} from '../../../server/config/partners.ts';
import {noChoices, type Choices} from '../../../server/snippets/choices.ts';
import {snippetParts, versionForSnippets} from '../../../server/snippets/parts.ts';
import {
  leadToApplyPage,
  platformNames,
  platforms,
  type PlatformName,
} from '../../../server/snippets/platforms.ts';
import {readVersions} from '../../../server/versions/embed-versions.ts';
import {troubleOf} from '../../support/launch-chromium.ts';
import {openFor, openForSuite, type Owner} from '../../support/opened.ts';
import {startWebsite, type Page} from '../../support/website.ts';
import {startBuilt} from '../built.ts';
import {walk} from '../partner-pages/way.ts';
import {
  alike,
  emulations,
  htmlBlock,
  triedPlatforms,
  wordpress,
  type Snippet,
  type TriedPlatform,
  type Way,
} from './platforms.ts';
import {leadsOf} from '../../support/encrypted-rows.ts';

async function startAll(owner: Owner) {
  const site = await openFor(owner, startWebsite());
  const frame = await openFor(owner, startWebsite());
  // The frame is on another site than the page around it.
  const address = site.origin.replace('127.0.0.1', 'localhost');
  const consent = {text: 'I agree to be called about my estimate.', version: '2026-11', required: true};
  const origins = [address, frame.origin];
  const built = await startBuilt({
    partners: [
      onePartner({key: 'other', origins, cid: '2001', consent}),
      onePartner({key: 'acme', origins, cid: '1001', consent}),
    ],
  });
  return {...built, site, frame, address};
}

suite('the snippets of all platforms', () => {
  const run = openForSuite(startAll);

  /** As the server makes it. */
  function snippetFor(site: PlatformName, choices: Partial<Choices> = {}): Snippet {
    const {config} = run;
    const version = versionForSnippets(readVersions(config))!;
    const parts = snippetParts(config, version, config.partners[1], {...noChoices, ...choices});
    return {parts, texts: platforms[site].blocks(parts).map(({code}) => code)};
  }

  /** Opens the page of a site. @param prepare is called before the page is loaded */
  async function open(
    t: TestContext,
    platform: TriedPlatform,
    {way = emulations[platform].usual, snippet = snippetFor(platform)}: {way?: Way; snippet?: Snippet} = {},
    prepare: (tab: Tab) => Promise<unknown> = () => Promise.resolve(),
  ) {
    const set = (page: Page) => Object.assign(run.frame.page, page);
    const {html, headers = {}} = await way.publish(snippet, {address: run.frame.origin, set});
    Object.assign(run.site.page, {html, headers});
    const context = await run.browser.newContext();
    t.after(() => context.close());
    const tab = await context.newPage();
    const trouble = troubleOf(tab);
    await prepare(tab);
    await tab.goto(run.address);
    return {tab, trouble, place: emulations[platform].isFramed ? tab.frameLocator('iframe') : tab};
  }
  const block = (tab: Tab) => tab.route(/lead-prequal-form/, (route) => route.abort());
  const late = '.prequal-late';
  /** As eight seconds after the page has appeared. */
  const waitEightSeconds = (place: Awaited<ReturnType<typeof open>>['place']) =>
    place.locator('html').evaluate(() => {
      for (const animation of document.getAnimations()) animation.currentTime = 8_000;
    });

  async function sendsLead(
    t: TestContext,
    platform: TriedPlatform,
    options: Parameters<typeof open>[2] = {},
  ) {
    const {trouble, place} = await open(t, platform, options);
    const email = `${t.name.replaceAll(/\W+/g, '-').slice(0, 60)}@example.com`;
    await walk(place, undefined, email);
    if (!leadToApplyPage.has(platform)) {
      await waitEightSeconds(place);
      assert.equal(await place.locator(late).filter({visible: true}).count(), 0);
    }
    assert.deepEqual(trouble, []);
    const leads = leadsOf(run.databasePath, email).map(({partner, status}) => ({partner, status}));
    assert.deepEqual(leads, [{partner: 'acme', status: 'done'}]);
  }

  for (const platform of triedPlatforms) {
    const {usual, others = [], missing} = emulations[platform];
    const {name} = platforms[platform];
    for (const way of [usual, ...others])
      test(`"${name}" works on a page that ${way.does}`, {skip: missing}, (t) =>
        sendsLead(t, platform, {way}),
      );

    if (!leadToApplyPage.has(platform))
      test(`"${name}" leads to the apply page where its script is blocked`, {skip: missing}, async (t) => {
        const {place} = await open(t, platform, {}, block);
        const link = place.locator('a[href$="/apply/acme"]');
        await link.waitFor({state: 'attached'});
        if (platform !== 'wordpress') {
          assert.equal(await link.isVisible(), false);
          await waitEightSeconds(place);
        }
        assert.equal(await link.isVisible(), true);
        const text = await place.locator('body').innerText();
        assert.match(text, /you can open it on its own page\./i);
        assert.doesNotMatch(text, /animation|visibility/);
      });
  }

  test('a page leads to the apply page where the tag manager itself is blocked', async (t) => {
    const withoutTag = {...emulations.gtm.usual, publish: emulations.html.usual.publish};
    const {tab} = await open(t, 'gtm', {way: withoutTag}, block);
    assert.equal(await tab.locator(late).isVisible(), false);
    await waitEightSeconds(tab);
    assert.equal(await tab.locator(late).isVisible(), true);
  });

  for (const platform of ['html', 'gtm', 'react'] as const) {
    const inDialog = () => ({snippet: snippetFor(platform, {attributes: {presentation: 'dialog'}})});
    const press = (tab: Tab) => tab.getByRole('link', {name: 'How much funding can you get?'}).click();

    test(`the link to a dialog of "${platform}" leads to the apply page where the script is blocked`, async (t) => {
      const {tab} = await open(t, platform, inDialog(), block);
      await press(tab);
      await tab.waitForURL(/\/apply\/acme#prequal-form$/);
    });
    test(`the link to a dialog of "${platform}" opens it where the form arrives`, async (t) => {
      const {tab} = await open(t, platform, inDialog());
      await tab.locator('lead-prequal-form dialog').waitFor({state: 'attached'});
      await press(tab);
      await tab.getByLabel('Above 720').waitFor();
      assert.equal(new URL(tab.url()).origin, run.address);
    });
  }

  for (const platform of ['html', 'webflow', 'gtm'] as const)
    test(`"${platforms[platform].name}" works with the snippet that moves on to each new version`, async (t) => {
      const snippet = snippetFor(platform, {version: 'newest'});
      assert.doesNotMatch(snippet.texts.join(''), /integrity/);
      await sendsLead(t, platform, {snippet});
    });

  for (const [platform, tried] of Object.entries(alike) as [PlatformName, PlatformName][])
    test(`the snippet for "${platforms[platform].name}" is that for "${platforms[tried].name}"`, () => {
      assert.deepEqual(snippetFor(platform).texts, snippetFor(tried).texts);
    });

  test(
    'WordPress leaves only the link below the form when an author saves it',
    {skip: emulations.wordpress.missing},
    () => {
      const {parts, texts} = snippetFor('wordpress');
      const saved = wordpress(htmlBlock(texts.join()), 'author');
      assert.doesNotMatch(saved, /<script|<lead-prequal-form/);
      assert.equal(
        saved.replace(/<[^>]*>/g, '').trim(),
        'If the form does not appear, you can open it on its own page.',
      );
      assert.ok(saved.includes(`<a href="${parts.applyPage.applyUrl}">open it on its own page</a>`), saved);
      const [first, , , last] = platforms.wordpress.steps;
      assert.match(first, /administrator or editor.*"unfiltered_html"/);
      assert.match(last, /WordPress would remove the form/);
    },
  );

  test('the script for Google Tag Manager is JavaScript of 2009, and has no double braces', () => {
    const [, code = ''] = /^<script>([^]*)<\/script>$/.exec(snippetFor('gtm').texts[1] ?? '') ?? [];
    const messages = new Linter().verify(code, {languageOptions: {ecmaVersion: 5, sourceType: 'script'}});
    assert.deepEqual(messages, []);
    assert.ok(code.length > 0 && !code.includes('{{'));
  });

  test('all snippets are much shorter than sites allow, which is 50,000 characters', () => {
    // https://help.webflow.com/hc/en-us/articles/33961332238611-Custom-code-embed
    for (const platform of platformNames)
      for (const text of snippetFor(platform).texts) assert.ok(text.length < 5_000, platform);
  });
});
