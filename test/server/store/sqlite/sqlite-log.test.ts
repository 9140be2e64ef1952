/** What becomes of leads that are still in the log (-wal) of a crashed server when a piece of that log is damaged. */
import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import {join} from 'node:path';
import {after, before, suite, test} from 'node:test';
import {openSqliteStore} from '../../../../server/store/sqlite/store.ts';
import {findLogDamage} from '../../../../server/store/sqlite/write-ahead-log.ts';
import {openWhile} from '../../../support/opened.ts';
import {doneAnswer, newEntry} from '../../../support/sample-leads.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {testEncryptor} from '../../../support/test-server.ts';

const folder = temporaryFolder({after});
const crashed = join(folder, 'crashed.sqlite');
const ids: string[] = [];

/** The files as a crash leaves them: taken while the server still has them open. */
before(async () => {
  const path = join(folder, 'running.sqlite');
  await openWhile(openSqliteStore(path, testEncryptor), async (store) => {
    for (let count = 0; count < 20; count += 1) {
      const entry = newEntry({answer: doneAnswer});
      await store.accept(entry);
      ids.push(entry.id);
    }
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, crashed + suffix);
  });
});

function copyOfCrashed(name: string) {
  const path = join(folder, `${name}.sqlite`);
  for (const suffix of ['', '-wal']) copyFileSync(crashed + suffix, path + suffix);
  return path;
}
function overwrite(path: string, at: number, bytes: number) {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, at);
  closeSync(file);
}
const found = async (path: string) => {
  const leads = await openWhile(openSqliteStore(path, testEncryptor), (store) =>
    Promise.all(ids.map((id) => store.find(id))),
  );
  return leads.filter(Boolean).length;
};

suite('a log that a crash left behind', () => {
  const size = () => statSync(`${crashed}-wal`).size;

  test('a log that a crashed server left behind gives every lead', async () => {
    assert.equal(await found(copyOfCrashed('whole')), ids.length);
  });
  test('a log that another process took away before it was read is not damaged', () => {
    const path = copyOfCrashed('taken');
    rmSync(`${path}-wal`);
    assert.equal(findLogDamage(path), undefined);
  });
  test('a log that ends in the middle of its last commit gives every other lead', async () => {
    const path = copyOfCrashed('cut');
    truncateSync(`${path}-wal`, size() - 100);
    assert.equal(await found(path), ids.length - 1);
  });
  test('a log whose last commit is not whole gives every other lead', async () => {
    const path = copyOfCrashed('torn');
    overwrite(`${path}-wal`, size() - 100, 50);
    assert.equal(await found(path), ids.length - 1);
  });

  const damages: Record<string, () => [at: number, bytes: number]> = {
    'in a page in its middle': () => [Math.floor(size() / 2), 64],
    'in one bit of its first frames': () => [300, 1],
    'in its header': () => [0, 32],
    'over a tenth of it': () => [Math.floor(size() / 3), Math.floor(size() / 10)],
  };
  for (const [where, place] of Object.entries(damages)) {
    test(`a damaged log of a crash is refused at start, and nothing is written: ${where}`, async () => {
      const path = copyOfCrashed(`damaged ${where}`);
      overwrite(`${path}-wal`, ...place());
      const files = () => ['', '-wal'].map((suffix) => readFileSync(path + suffix));
      const left = files();
      await assert.rejects(openSqliteStore(path, testEncryptor), /-wal is damaged after byte \d+/);
      assert.deepEqual(files(), left);
    });
  }
});
