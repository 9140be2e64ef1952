/** Runs Web Test Runner on files that fail in different ways, and reads the totals that it prints. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';

const root = new URL('../../..', import.meta.url);

async function runWidgetTests(...options: string[]) {
  const runner = spawn('wtr', options, {
    cwd: root,
    env: {...process.env, BROWSERS: 'chromium'},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code], output] = await Promise.all([
    once(runner, 'exit') as Promise<[number | null]>,
    text(runner.stdout),
  ]);
  return {code, output};
}

test('a test that fails and files that cannot be loaded, never end or leave their page count as failed in the totals', async () => {
  const {code, output} = await runWidgetTests('--config', 'test/support/browser-runner/broken/config.mjs');
  assert.match(output, /Chrome: 1 passed, 4 failed\n*$/);
  assert.equal(code, 1);
});

test('two runs at the same time use different ports, so that both pass', async () => {
  const file = 'test/widget/page/safe-link.test.ts';
  for (const {code, output} of await Promise.all([1, 2].map(() => runWidgetTests('--files', file)))) {
    assert.match(output, /Chrome: [1-9]\d* passed, 0 failed\n*$/);
    assert.equal(code, 0);
  }
});
