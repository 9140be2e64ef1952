/** What people copy from the documentation and the demo. */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {suite, test} from 'node:test';

const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(folder)
    .filter((file) => ending.test(file))
    .map((file) => `${folder}/${file}`);

const files = ['README.md', ...filesIn('docs', /\.md$/), ...filesIn('demo', /\.(html|js)$/)];

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
    test(`the snippets in ${file} show their text to people without JavaScript alone`, () => {
      for (const content of contents(file)) {
        assert.match(fallback(content), /^(<noscript>[^]*<\/noscript>)?$/);
      }
    });
  }

  for (const file of ['README.md', 'demo/landing.html']) {
    test(`the snippet in ${file} has a text for people without JavaScript`, () => {
      assert.ok(contents(file).some((content) => content.includes('<noscript>')));
    });
  }
});
