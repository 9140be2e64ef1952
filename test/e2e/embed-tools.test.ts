/**
 * The snippets of the hosts in what people add to a host and do with it: optimisers, other triggers of a tag manager,
 * the editors of site builders; and what hosts ask of the text of a snippet.
 */
import assert from 'node:assert/strict';
import {after, before, suite, test} from 'node:test';
import {Linter} from 'eslint';
import {hostNames, hosts} from '../../server/snippets/hosts.ts';
import {emulations, htmlBlock, wordpress} from './embeds/hosts.ts';
import {keys, useTrials} from './embeds/trials.ts';
import {until} from '../support/until.ts';
import {answerAll, send} from './embeds/visit.ts';
import {startVisitor, type Visitor} from './embeds/visitors.ts';

const trials = useTrials();
let visitor: Visitor;
before(async () => {
  visitor = (await startVisitor('Chromium'))!;
});
after(() => visitor.close());

suite('tools that change a snippet', () => {
  for (const host of hostNames) {
    const {others = [], missing} = emulations[host];
    for (const [index, way] of others.entries()) {
      test(
        `the form works with the snippet for "${hosts[host].name}" on a page that ${way.does}`,
        {skip: missing},
        () => trials.sendLead(visitor, trials.snippetFor(host), way, `${host}-${index}@example.com`),
      );
    }
  }
});

suite('snippets that move on to each new version', () => {
  for (const host of ['html', 'webflow', 'gtm'] as const) {
    test(`the form works with the snippet for "${hosts[host].name}" that has no hash`, async () => {
      const snippet = trials.snippetFor(host, {version: 'newest'});
      assert.doesNotMatch(snippet.texts.join(''), /integrity/);
      await trials.sendLead(visitor, snippet, emulations[host].usual, `newest-${host}@example.com`);
    });
  }
});

suite('what hosts ask of a snippet', () => {
  test('a frame whose origin the partner has not listed cannot send, and the console names the origin to list', async () => {
    const {site} = trials;
    const address = await emulations.wix.usual.publish(
      trials.snippetFor('wix', {key: keys.withoutFrames}),
      site,
    );
    const form = await visitor.open(address);
    await answerAll(form, 'unlisted@example.com');
    await send(form);
    assert.match(await form.read('[part=notice]'), /could not send/);
    // The file with what the console says is loaded after the refusal.
    const advice = `Add ${site.frameOrigin} to the origins of "${keys.withoutFrames}"`;
    await until(() => form.trouble.some((line) => line.includes(advice)), undefined, advice);
    assert.deepEqual(trials.leadsOf('unlisted@example.com'), []);
    await form.close();
  });

  test(
    'WordPress removes the form when somebody saves it who may not post any HTML, and leaves the link below it, and no code',
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
      const [first, , , last] = hosts.wordpress.steps;
      assert.match(first, /administrator or editor.*"unfiltered_html"/);
      assert.match(last, /WordPress would remove the form/);
    },
  );

  test('Google Tag Manager accepts the script in its tag: it is JavaScript of 2009, and has no double braces, which name variables', () => {
    const {
      texts: [, tag = ''],
    } = trials.snippetFor('gtm');
    const [, code = ''] = /^<script>([^]*)<\/script>$/.exec(tag) ?? [];
    const messages = new Linter().verify(code, {languageOptions: {ecmaVersion: 5, sourceType: 'script'}});
    assert.deepEqual(messages, []);
    assert.ok(code.length > 0 && !code.includes('{{'));
  });

  test('all snippets are much shorter than hosts allow, which is 50,000 characters', () => {
    // https://help.webflow.com/hc/en-us/articles/33961332238611-Custom-code-embed
    for (const host of hostNames) {
      for (const text of trials.snippetFor(host).texts) assert.ok(text.length < 5_000, host);
    }
  });
});
