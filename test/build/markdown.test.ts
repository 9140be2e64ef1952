import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {fillTables, table} from '../../build/docs/markdown.ts';

const documentWith = (name: string) => `# Guide\n\n<!-- table: ${name} -->\n\nold\n\n<!-- /table -->\n`;
const make = () => table(['Name'], [['new']]);

suite('the tables of a document', () => {
  for (const name of ['limits', 'frameSnippet', 'platforms']) {
    test(`a table with the name "${name}" is replaced`, async () => {
      const filled = await fillTables('docs/widget.md', documentWith(name), {[name]: make});
      assert.match(filled, /\| new +\|/);
      assert.doesNotMatch(filled, /old/);
    });
  }

  test('a table that does not exist is an error', async () => {
    await assert.rejects(fillTables('docs/widget.md', documentWith('no-such'), {}), /no-such/);
  });
});
