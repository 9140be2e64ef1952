/** What people copy from the documentation. */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {fallbackRules} from '../../server/snippets/fallback.ts';

const files = readdirSync('docs')
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`);

/** What a file shows to be copied. In prose, `<lead-prequal-form>` is only the name of the element. */
const codeIn = (file: string) => [...readFileSync(file, 'utf8').matchAll(/```html\n([^]*?)```/g)].join('\n');

/** The children of each form in a file. */
const contents = (file: string) =>
  [...codeIn(file).matchAll(/<lead-prequal-form[^>]*>([^]*?)<\/lead-prequal-form>/g)].map(
    ([, content = '']) => content,
  );

/** Without what goes into a named slot. */
const fallback = (content: string) => content.replace(/<(\w+) slot=[^]*?<\/\1>/g, '').trim();

suite('the snippets', () => {
  for (const file of files.filter((file) => contents(file).length > 0)) {
    test(`in ${file} hide what they say instead of the form for as long as it may still come`, () => {
      for (const content of contents(file)) {
        assert.match(fallback(content), /^(<div class="prequal-late">[^]*<\/div>)?$/);
      }
    });
  }

  test('the snippet of the guide says what to do where the form does not load', () => {
    const shown = contents('docs/embedding.md');
    assert.ok(shown.some((content) => /class="prequal-late">[^]*<a href=/.test(content)));
  });

  test("the rules in the app for Astro hide the text of a form as the snippets' rules do", () => {
    const rulesIn = (css: string) => css.replace(/\s+/g, '');
    const [, ...rules] = rulesIn(fallbackRules).split(
      /(?=@keyframes|\.prequal-late\{animation:prequal|lead-prequal-form>)/,
    );
    assert.equal(rules.length, 3);
    const app = rulesIn(readFileSync('test/frameworks/astro/src/components/Funding.astro', 'utf8'));
    for (const rule of rules.map((each) => each.replace(/@media.*/, ''))) assert.ok(app.includes(rule), rule);
  });
});
