/** The look for damaged pages: what a child process that does not work as it should does to the server. */
import assert from 'node:assert/strict';
import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {watchForDamage} from '../../../../server/store/sqlite/damage-watch.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {until} from '../../../support/until.ts';

suite('a look for damaged pages', () => {
  const folder = temporaryFolder({after});
  const file = join(folder, 'leads.sqlite');
  const node = process.execPath;

  /** Runs `commands` in the place of Node, and waits until that has begun. */
  async function lookWith(commands: string) {
    const [program, mark] = [join(folder, 'program'), join(folder, 'mark')];
    writeFileSync(program, `#!/bin/sh\n: > ${mark}\n${commands}\n`, {mode: 0o755});
    writeFileSync(file, '');
    process.execPath = program;
    const watch = watchForDamage(file);
    await until(() => existsSync(mark));
    process.execPath = node;
    return watch;
  }

  test('that ends without a word says nothing and harms nobody', async () => {
    const watch = await lookWith('exit 0');
    // An exception in a callback would fail the test, whichever is running.
    await watch.stop();
    assert.equal(watch.found(), undefined);
  });
});
