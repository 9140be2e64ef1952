import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {html} from '../../../server/html/html.ts';

suite('HTML that the server makes', () => {
  test('values add no markup, neither between tags nor in an attribute', () => {
    const hostile = `"><script>alert(1)</script>' & &lt;`;
    assert.equal(
      html`<p title="${hostile}">${hostile}</p>`.text,
      `<p title="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;' &amp; &amp;lt;">` +
        `&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;' &amp; &amp;lt;</p>`,
    );
  });
  test('may hold other such HTML, lists of it, numbers, and nothing', () => {
    const items = ['a', '<b>'].map((text) => html`<b>${text}</b>`);
    const made = html`<p ${false} data-count="${items.length}">${undefined}${items}</p>`;
    assert.equal(made.text, '<p  data-count="2"><b>a</b><b>&lt;b&gt;</b></p>');
  });
});
