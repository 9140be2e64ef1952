/** The snippets where a partner chooses another way than the usual one, and what sites ask of the text of a snippet. */
import assert from 'node:assert/strict';
import {after, before, suite, test} from 'node:test';
import {Linter} from 'eslint';
import {siteKindNames, siteKinds} from '../../../server/snippets/site-kinds.ts';
import {emulations, htmlBlock, triedKinds, wordpress} from './site-kinds.ts';
import {keys, useTrials} from './trials.ts';
import {until} from '../../support/until.ts';
import {answerAll, send} from './visit.ts';
import {startVisitor, type Visitor} from './visitors.ts';

const trials = useTrials();
let visitor: Visitor;
before(async () => {
  visitor = (await startVisitor('Chromium'))!;
});
after(() => visitor.close());

suite('other ways of a site with a snippet', () => {
  for (const site of triedKinds) {
    const {others = [], missing} = emulations[site];
    for (const [index, way] of others.entries()) {
      test(
        `the form works with the snippet for "${siteKinds[site].name}" on a page that ${way.does}`,
        {skip: missing},
        () => trials.sendLead(visitor, trials.snippetFor(site), way, `${site}-${index}@example.com`),
      );
    }
  }
});

suite('snippets that move on to each new version', () => {
  for (const site of ['html', 'webflow', 'gtm'] as const) {
    test(`the form works with the snippet for "${siteKinds[site].name}" that has no hash`, async () => {
      const snippet = trials.snippetFor(site, {version: 'newest'});
      assert.doesNotMatch(snippet.texts.join(''), /integrity/);
      await trials.sendLead(visitor, snippet, emulations[site].usual, `newest-${site}@example.com`);
    });
  }
});

suite('what sites ask of a snippet', () => {
  test('a frame cannot send from an unlisted origin, and the console names the origin to list', async () => {
    const {site} = trials;
    const address = await emulations.wix.usual.publish(
      trials.snippetFor('wix', {key: keys.withoutFrames}),
      site,
    );
    const form = await visitor.open(address);
    await answerAll(form, 'unlisted@example.com');
    await send(form);
    assert.match(await form.read('[part=notice]'), /This page cannot send/);
    // The file with what the console says is loaded after the refusal.
    const advice = `Add ${site.frameOrigin} to the origins of "${keys.withoutFrames}"`;
    await until(() => form.trouble.some((line) => line.includes(advice)), advice);
    assert.deepEqual(trials.leadsOf('unlisted@example.com'), []);
    await form.close();
  });

  test(
    'WordPress leaves only the link below the form when an author saves it',
    {skip: emulations.wordpress.missing},
    () => {
      const {parts, texts} = trials.snippetFor('wordpress');
      const {applyUrl} = parts.applyPage;
      const saved = wordpress(htmlBlock(texts.join()), 'author');
      assert.doesNotMatch(saved, /<script|<lead-prequal-form/);
      assert.equal(
        saved.replace(/<[^>]*>/g, '').trim(),
        'If the form does not appear, you can open it on its own page.',
      );
      assert.ok(saved.includes(`<a href="${applyUrl}">open it on its own page</a>`), saved);
      const [first, , , last] = siteKinds.wordpress.steps;
      assert.match(first, /administrator or editor.*"unfiltered_html"/);
      assert.match(last, /WordPress would remove the form/);
    },
  );

  test('the script for Google Tag Manager is JavaScript of 2009, and has no double braces', () => {
    const {
      texts: [, tag = ''],
    } = trials.snippetFor('gtm');
    const [, code = ''] = /^<script>([^]*)<\/script>$/.exec(tag) ?? [];
    const messages = new Linter().verify(code, {languageOptions: {ecmaVersion: 5, sourceType: 'script'}});
    assert.deepEqual(messages, []);
    assert.ok(code.length > 0 && !code.includes('{{'));
  });

  test('all snippets are much shorter than sites allow, which is 50,000 characters', () => {
    // https://help.webflow.com/hc/en-us/articles/33961332238611-Custom-code-embed
    for (const site of siteKindNames) {
      for (const text of trials.snippetFor(site).texts) assert.ok(text.length < 5_000, site);
    }
  });
});
