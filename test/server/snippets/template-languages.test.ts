/** Snippets on sites that run them through a template language before a browser sees them. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {runInNewContext} from 'node:vm';
import {compileTemplate, parse} from 'vue/compiler-sfc';
import {Liquid} from 'liquidjs';
import {transformWithOxc} from 'vite';
import {onePartner} from '../../../server/config/partners.ts';
import {readChoices} from '../../../server/snippets/choices.ts';
import {platformNames, platforms, type PlatformName} from '../../../server/snippets/platforms.ts';
import {scriptText} from '../../../server/snippets/markup.ts';
import {snippetParts} from '../../../server/snippets/parts.ts';

const breakout = `/{{'%22%3E%3Cscript%3Ealert(1)%3C/script%3E'|url_decode}}`;
const hostile = [
  breakout,
  `{% assign a = '%22%3E%3Cb%3E' | url_decode %}{{a}}`,
  '{{Page URL}}',
  '{{constructor.constructor("alert(1)")()}}',
  '{alert(1)}',
  '"}{alert(1)}{"',
  '[gallery ids="1"]',
  '[[gallery]]',
  "'+alert(1)+'",
];

const integrity = {'lead-prequal-form.js': 'sha384-M', 'lead-prequal-form.classic.js': 'sha384-C'};
const version = {
  name: '1.1.0',
  folder: '',
  manifest: {version: '1.1.0', integrity},
  released: true,
  advisory: {},
};
const {choices} = readChoices({presentation: 'dialog'});

/** The blocks of a snippet whose values are the text, as if no value had been refused. */
function codesWith(text: string, platform: PlatformName) {
  const partner = onePartner({key: 'acme', name: 'Acme', origins: ['https://acme.example'], cid: '1'});
  const attributes = {...choices.attributes, 'privacy-href': text, 'cta-href': text, 'cta-label': text};
  const parts = snippetParts(
    {publicUrl: 'https://leads.example.com'},
    version,
    {...partner, name: text, privacyHref: text},
    {...choices, attributes},
  );
  return platforms[platform].blocks(parts).map(({code}) => code);
}

/** How many tags of each name there are. */
const tagsIn = (html: string) => [...html.matchAll(/<[a-z][\w-]*/g)].map(([tag]) => tag);

suite('hostile values in a template language', () => {
  test('the first of the hostile values does break out where it stands as it is', async () => {
    const html: unknown = await new Liquid().parseAndRender(`<a href="${breakout}">`);
    assert.match(String(html), /<script>alert/);
  });

  for (const platform of platformNames.filter((name) => name !== 'react' && name !== 'vue')) {
    test(`Liquid leaves every snippet as it is, whatever its values: ${platform}`, async () => {
      const harmless = codesWith('harmless', platform).map(tagsIn);
      for (const text of hostile) {
        const codes = codesWith(text, platform);
        for (const code of codes) {
          const rendered: unknown = await new Liquid().parseAndRender(code);
          assert.equal(rendered, code);
          assert.doesNotMatch(code, /\{\{|\{%|\[\[?gallery/);
        }
        assert.deepEqual(codes.map(tagsIn), harmless);
      }
    });
  }

  test('the script of a tag manager has the same values when it runs, and no braces of theirs', () => {
    for (const text of hostile) {
      assert.doesNotMatch(scriptText(text), /[<{}[\]]/);
      assert.equal(runInNewContext(scriptText(text)), text);
    }
  });

  test("Vue's compiler takes no value for an expression", () => {
    for (const text of hostile) {
      const [code = ''] = codesWith(text, 'vue');
      const {descriptor, errors} = parse(code);
      assert.deepEqual(errors, []);
      const compiled = (source: string) =>
        compileTemplate({
          source,
          filename: 'FundingForm.vue',
          id: 'a',
          compilerOptions: {isCustomElement: (tag) => tag === 'lead-prequal-form'},
        });
      const result = compiled(descriptor.template?.content ?? '');
      assert.deepEqual(result.errors, []);
      assert.ok(result.code.includes(`"cta-label": ${JSON.stringify(text)}`), result.code);
      // A page may also hold the snippets in HTML within a template of Vue, where texts are expressions, too.
      for (const html of [...codesWith(text, 'html'), ...codesWith(text, 'email')])
        assert.doesNotMatch(compiled(html.replaceAll(/<script[^]*?<\/script>/g, '')).code, /toDisplayString/);
    }
  });

  test('JSX takes no value for an expression, and gives the form the very text', async () => {
    for (const text of hostile) {
      const [code = ''] = codesWith(text, 'react');
      const result = await transformWithOxc(code, 'FundingForm.jsx', {jsx: {runtime: 'classic'}});
      assert.ok(result.code.includes(`"cta-label": ${JSON.stringify(text)}`), result.code);
    }
  });
});
