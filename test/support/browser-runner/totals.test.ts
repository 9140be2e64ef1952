/** Runs Web Test Runner on files that fail in different ways, and reads the totals that it prints. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';
import {makeTemporaryFolder} from '../temporary-folder.ts';

const root = new URL('../../..', import.meta.url);

async function runWidgetTests(options: string[], settings: Record<string, string> = {}) {
  const runner = spawn('wtr', options, {
    cwd: root,
    env: {...process.env, BROWSERS: 'chromium', TEST_RESULTS: '', ...settings},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code], output] = await Promise.all([
    once(runner, 'exit') as Promise<[number | null]>,
    text(runner.stdout),
  ]);
  return {code, output};
}

const broken = ['--config', 'test/support/browser-runner/broken/config.mjs'];

test('the totals count files as failed that cannot be loaded, never end or leave their page', async () => {
  const {code, output} = await runWidgetTests(broken);
  assert.match(output, /Chrome: 2 passed, 4 failed\n*$/);
  assert.equal(code, 1);
});

test('a second run with the same TEST_RESULTS runs what failed, and totals all files', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  for (const files of [5, 4]) {
    const {code, output} = await runWidgetTests(broken, {TEST_RESULTS: folder.path});
    assert.ok(output.includes(`Running ${files} test files`), output);
    assert.match(output, /Chrome: 2 passed, 4 failed\n*$/);
    assert.equal(code, 1);
  }
});

test('two runs at the same time use different ports, so that both pass', async () => {
  const file = 'test/widget/page/safe-link.test.ts';
  for (const {code, output} of await Promise.all([1, 2].map(() => runWidgetTests(['--files', file])))) {
    assert.match(output, /Chrome: [1-9]\d* passed, 0 failed\n*$/);
    assert.equal(code, 0);
  }
});
