/** The zip of the plugin for WordPress. test/e2e/wordpress runs it. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {strFromU8, unzipSync} from 'fflate';
import {zipWordPressPlugin} from '../../build/wordpress.ts';

suite('the plugin for WordPress', () => {
  const zip = zipWordPressPlugin('12.34.5');

  test('is the same zip each time', () => {
    assert.deepEqual(zipWordPressPlugin('12.34.5'), zip);
  });

  test('has its version where WordPress and the plugin directory look for it', () => {
    const files = unzipSync(zip);
    const text = (file: string) => strFromU8(files[`lead-prequal/${file}`]!);
    assert.match(text('lead-prequal.php'), /^ \* Version: 12\.34\.5$/m);
    assert.match(text('readme.txt'), /^Stable tag: 12\.34\.5$/m);
  });
});
