/** Damaged pages in a file that is too large to be checked before the start. */
import assert from 'node:assert/strict';
import {closeSync, openSync, statSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {clearText} from '../../../../server/store/sealing.ts';
import {openSqliteStore} from '../../../../server/store/sqlite/store.ts';
import {watchStore} from '../../../../server/store/store-watch.ts';
import {openFor, openWhile} from '../../../support/opened.ts';
import {execute} from '../../../support/rows.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {until} from '../../../support/until.ts';

test('damage in a large file is found by one check after the start, and the server is not ready', async (t) => {
  const path = join(temporaryFolder(t), 'leads.sqlite');
  await openWhile(openSqliteStore(path, clearText), () => Promise.resolve());
  makeLarge(path);
  damageMiddle(path);
  const store = await openFor(t, openSqliteStore(path, clearText));
  const watch = watchStore(store, () => undefined);
  t.after(() => watch.stop());
  await until(() => watch.outage() !== undefined);
  assert.match(watch.outage() ?? '', /the database file is damaged: /);
});

function makeLarge(path: string) {
  execute(path, 'CREATE TABLE filler (content BLOB); INSERT INTO filler VALUES (zeroblob(70 * 1024 * 1024))');
}

/** Overwrites the page in the middle of the file. */
function damageMiddle(path: string) {
  const pageSize = 4_096;
  const file = openSync(path, 'r+');
  const middle = Math.floor(statSync(path).size / pageSize / 2) * pageSize;
  writeSync(file, Buffer.alloc(pageSize, 0xab), 0, pageSize, middle);
  closeSync(file);
}
