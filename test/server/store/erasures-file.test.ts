import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {appendFileSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {randomUUIDv7} from 'node:crypto';
import {appendErasures, readErasures} from '../../../server/store/erasures-file.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const at = Date.parse('2026-11-20T10:00:00.000Z');

function newPath(t: TestContext) {
  const folder = temporaryFolder(t);
  return join(folder, 'data', 'leads.erasures');
}

suite('the file of erasures', () => {
  test('it has a line for each erasure, and only its owner reads it', (t) => {
    const path = newPath(t);
    const [one, other] = [randomUUIDv7(), randomUUIDv7()];
    appendErasures(path, []);
    appendErasures(path, [{id: one, at, all: false}]);
    appendErasures(path, [
      {id: other, at, all: true},
      {id: one, at: at + 1, all: true},
      {of: 'YmqBXoZ0-_1hQdJxXrOaBg', at, scope: 'acme'},
    ]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(
      readFileSync(path, 'utf8'),
      `${one} 2026-11-20T10:00:00.000Z\n${other} 2026-11-20T10:00:00.000Z all\n${one} 2026-11-20T10:00:00.001Z all\nYmqBXoZ0-_1hQdJxXrOaBg 2026-11-20T10:00:00.000Z stop acme\n`,
    );
    assert.deepEqual(readErasures(path), {
      erasures: [
        {id: one, at, all: true},
        {id: other, at, all: true},
      ],
      stops: [{of: 'YmqBXoZ0-_1hQdJxXrOaBg', at, scope: 'acme'}],
      unread: 0,
    });
  });

  test('a line that was cut off spoils no other', (t) => {
    const path = newPath(t);
    const [one, other] = [randomUUIDv7(), randomUUIDv7()];
    appendErasures(path, [{id: one, at, all: false}]);
    appendFileSync(path, other.slice(0, 20));
    appendErasures(path, [{id: other, at, all: false}]);
    const {erasures, unread} = readErasures(path);
    assert.deepEqual([erasures.map(({id}) => id), unread], [[one, other], 1]);
  });

  test('processes that append at the same time tear no line', async (t) => {
    const path = newPath(t);
    const module = join(import.meta.dirname, '../../../server/store/erasures-file.ts');
    const code = `
      const {appendErasures} = await import(${JSON.stringify(module)});
      const {randomUUIDv7} = await import('node:crypto');
      for (let index = 0; index < 50; index += 1)
        appendErasures(${JSON.stringify(path)}, Array.from({length: 20}, () => ({id: randomUUIDv7(), at: ${at}, all: true})));`;
    const append = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
    await Promise.all([append(), append(), append()]);
    const {erasures, unread} = readErasures(path);
    assert.deepEqual([erasures.length, unread], [3_000, 0]);
  });
});
