/** The markup of all pages that the server makes, and of the demo. What the form renders is in test/widget/. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {parse, type DefaultTreeAdapterTypes} from 'parse5';
import {onePartner} from '../../../server/config/partners.ts';
import {platformNames} from '../../../server/snippets/platforms.ts';
import {makeEmbedVersion} from '../../support/embed-folder.ts';
import {faultsOf} from '../../support/markup.ts';
import {startTestServer} from '../../support/test-server.ts';

const server = await startTestServer((folder) => {
  const embedFolder = join(folder, 'embed');
  makeEmbedVersion(embedFolder, '1.1.0', {
    'lead-prequal-form.js': 'export {};',
    'lead-prequal-form.classic.js': '0;',
  });
  const privacy_href = 'https://www.acme.example/privacy';
  const acme = onePartner({
    key: 'acme',
    name: 'Acme',
    privacy_href,
    origins: ['https://www.acme.example'],
    cid: '1001',
  });
  return {embedFolder, partners: [acme], rateLimit: 2};
});
after(() => server.close());

function faultsIn(node: DefaultTreeAdapterTypes.Node): string[] {
  const own =
    'attrs' in node
      ? faultsOf({
          name: node.tagName,
          attribute: (name) => node.attrs.find((attribute) => attribute.name === name)?.value,
        })
      : [];
  const inside = 'content' in node ? [node.content] : 'childNodes' in node ? node.childNodes : [];
  return [...own, ...inside.flatMap(faultsIn)];
}

const faultsOfPage = (html: string) => faultsIn(parse(html));

const snippets = '/embed/snippets?partner=acme&host=';
const pages: [path: string, status: number][] = [
  ['/docs', 200],
  ['/apply/acme', 200],
  ['/apply/acme?lang=es&theme=dark', 200],
  ['/embed/snippets', 200],
  ['/embed/snippets?partner=nobody&accent=none', 400],
  ...platformNames.map((host): [string, number] => [snippets + host, 200]),
  ...platformNames.map((host): [string, number] => [snippets.replace('?', '/preview?') + host, 200]),
  // The second wrong address of the minute, and one too many.
  ['/apply/nobody?lang=es', 404],
  ['/apply/nobody', 429],
];

suite('on each page, buttons have a type, and what has a name or takes the focus has a role', () => {
  test('these rules find what breaks them', () => {
    const wrong = '<button>Show</button><pre tabindex="0" aria-labelledby="a"></pre><p aria-label="b">';
    assert.deepEqual(faultsOfPage(wrong), [
      'a button has no type',
      '<pre> has a name without a role',
      '<pre> can be focused without a role',
      '<p> has a name without a role',
    ]);
    const right = '<button type="button"></button><pre tabindex="0" role="region" aria-label="a"></pre>';
    assert.deepEqual(faultsOfPage(right), []);
  });
  for (const [path, status] of pages) {
    test(`buttons have a type and named elements a role on ${path}, ${status}`, async () => {
      const response = await server.fetch(path);
      assert.equal(response.status, status);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html\b/);
      const html = await response.text();
      assert.deepEqual(faultsOfPage(html), []);
    });
  }
  test('buttons have a type and named elements a role on the page of the demo', () => {
    assert.deepEqual(faultsOfPage(readFileSync('demo/landing.html', 'utf8')), []);
  });
});
