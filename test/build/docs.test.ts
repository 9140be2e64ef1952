/** The README and the guides. */
import assert from 'node:assert/strict';
import {existsSync, globSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {suite, test} from 'node:test';

const guides = globSync('docs/**/*.md');
const files = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...guides];

/** Without blocks of code, whose lines may look like headings. */
const proseOf = (file: string) => readFileSync(file, 'utf8').replace(/^ *```[^]*?^ *```$/gm, '');

/** The anchors of a file: those that GitHub gives to its headings, and former ones, which stay for those who link them. */
function anchorsOf(file: string): readonly string[] {
  const slugs = [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  const numbered = slugs.map((slug, index) => {
    const before = slugs.slice(0, index).filter((other) => other === slug).length;
    return before === 0 ? slug : `${slug}-${before}`;
  });
  const former = [...proseOf(file).matchAll(/^<a id="([^"]+)"><\/a>$/gm)].map(([, id = '']) => id);
  return [...numbered, ...former];
}

/** The links and pictures of a file, without those of the web. */
const linksOf = (file: string) =>
  [...proseOf(file).matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)]
    .map(([, link, picture]) => link ?? picture ?? '')
    .filter((link) => !/^(https?|mailto):/.test(link));

suite('the guides', () => {
  for (const file of files) {
    test(`each link in ${file} leads to a file, and to a heading in it`, () => {
      for (const link of linksOf(file)) {
        const [path = '', anchor] = link.split('#');
        const target = path ? join(dirname(file), path) : file;
        assert.ok(existsSync(target), link);
        if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), link);
      }
    });
  }
  for (const file of guides) {
    test(`${file} begins with whom it is for`, () => {
      assert.match(proseOf(file), /^# .+\n\nFor /);
    });
  }
  test('the README leads to each guide', () => {
    const linked = linksOf('README.md').map((link) => link.split('#')[0]);
    assert.deepEqual(
      guides.filter((file) => !linked.includes(file)),
      globSync('docs/recipes/!(README).md'),
    );
  });
  test('whoever wants a first mail reads 1,350 words at most', () => {
    const [, firstHour = ''] =
      /^## The first hour\n([^]*?)^## /m.exec(readFileSync('docs/install.md', 'utf8')) ?? [];
    const counts = [readFileSync('README.md', 'utf8'), firstHour].map((text) => text.split(/\s+/).length);
    const most = [850, 500];
    assert.deepEqual(
      counts.filter((count, index) => count > most[index]!),
      [],
    );
  });
});
