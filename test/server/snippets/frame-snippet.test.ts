import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {reservedHeights} from '../../../form/reserved-heights.ts';
import {frameSnippet} from '../../../server/snippets/frame-snippet.ts';

const applyUrl = 'https://leads.example.com/apply/acme?utm_source=a&theme=dark';

suite('the snippet of a frame', () => {
  test('the address and the title are attributes, and only the origin of the server is believed', () => {
    const snippet = frameSnippet({applyUrl, title: '"><script>alert(1)</script>', firstScreen: 'steps'});
    assert.ok(snippet.includes('src="https://leads.example.com/apply/acme?utm_source=a&amp;theme=dark"'));
    assert.ok(snippet.includes('title="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"'));
    assert.ok(snippet.includes("origin !== 'https://leads.example.com'"));
  });
  test('keeps the height of the first screen', () => {
    for (const firstScreen of ['steps', 'standard'] as const) {
      const snippet = frameSnippet({applyUrl, title: 'Estimate', firstScreen});
      assert.ok(snippet.includes(`height: ${reservedHeights[firstScreen]};`));
    }
  });
});
