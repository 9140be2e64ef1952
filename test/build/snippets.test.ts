/** What people copy from the documentation and the demo. */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {fallbackRules} from '../../server/snippets/fallback.ts';

const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(folder)
    .filter((file) => ending.test(file))
    .map((file) => `${folder}/${file}`);

const files = [...filesIn('docs', /\.md$/), ...filesIn('demo', /\.(html|js)$/)];

/** What a file shows to be copied. In prose, `<lead-prequal-form>` is only the name of the element. */
function codeIn(file: string) {
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.md') ? [...text.matchAll(/```html\n([^]*?)```/g)].join('\n') : text;
}

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

  for (const file of ['docs/embedding.md', 'demo/landing.html']) {
    test(`the snippet in ${file} says what to do where the form does not load`, () => {
      assert.ok(contents(file).some((content) => /class="prequal-late">[^]*<a href=/.test(content)));
    });
  }

  for (const file of ['demo/landing.css', 'test/frameworks/astro/src/components/Funding.astro']) {
    test(`the rules in ${file} hide the text of a form as the snippets' rules do`, () => {
      const rulesIn = (css: string) => css.replace(/\s+/g, '');
      const [, ...rules] = rulesIn(fallbackRules).split(
        /(?=@keyframes|\.prequal-late\{animation:prequal|lead-prequal-form>)/,
      );
      assert.equal(rules.length, 3);
      for (const rule of rules.map((each) => each.replace(/@media.*/, '')))
        assert.ok(rulesIn(readFileSync(file, 'utf8')).includes(rule), rule);
    });
  }
});
