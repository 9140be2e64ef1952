/** `lead-prequal restore` erases again what was erased since the backup, by the file of erasures. */
import assert from 'node:assert/strict';
import {copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test, type TestContext} from 'node:test';
import {assertFails, linesOf, operate, runCommand} from '../../support/operator.ts';
import {asLead, newDelivery, newEntry, prequalificationBody} from '../../support/sample-leads.ts';

const key = 'a-data-key-of-at-least-32-characters';
const canary = 'Canarybird';
const entryOf = (first_name: string) =>
  newEntry({lead: asLead({...prequalificationBody, first_name}), partner: 'acme'});

/** A database with two leads, a backup of both, and one of them erased since. */
async function erasedSince(t: TestContext, dataKey = 'clear') {
  const [gone, left] = [entryOf(canary), entryOf('Jane')];
  const {run, folder, settings, accept, select} = await operate(t, [gone, left], {
    settings: {DATA_KEY: dataKey},
  });
  const backup = join(folder, 'backup.sqlite');
  assert.equal((await run('backup', backup)).code, 0);
  assert.equal((await run('leads', 'erase', gone.id, '--yes')).code, 0);
  const path = settings['DATABASE_PATH'] ?? '';
  const idsLeft = async () =>
    linesOf<{id: string}>(await run('leads', 'export', '--format', 'jsonl')).map(({id}) => id);
  return {gone, left, run, folder, settings, backup, path, idsLeft, accept, select};
}

suite('a restore after erasures', () => {
  test('what was erased since the backup is erased again before the copy has its name', async (t) => {
    const {left, run, backup, path, idsLeft} = await erasedSince(t);
    assert.ok(readFileSync(backup).includes(canary));
    const restored = await run('restore', backup, '--replace');
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /^[^\n]*: 2 leads, 0 deliveries in the outbox, checked\n/);
    assert.match(restored.stdout, /^1 lead erased again, by .*leads\.sqlite\.erasures$/m);
    assert.match(restored.stdout, /may be told of the erasure a second time/);
    assert.ok(!readFileSync(path).includes(canary));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    // As a backup: a server notices when the log of another database lies beside it.
    assert.equal(readFileSync(path)[18], 1);
    assert.deepEqual(await idsLeft(), [left.id]);
  });

  for (const hasKey of [false, true])
    test(`who said stop since is stopped again, ${hasKey ? 'and later leads held' : 'from a backup without a key of digests'}`, async (t) => {
      const {left, run, folder, backup, accept, select} = await erasedSince(t);
      const phone = '+1 415-555-0133';
      const ofPhone = (deliveries = {}) =>
        newEntry({lead: asLead({...prequalificationBody, phone}), partner: 'acme', ...deliveries});
      const deliveries = [newDelivery({destination: 'crm', content: 'created', givesAnswer: false})];
      // A lead that goes somewhere brings the key of the digests along.
      await accept(newEntry({deliveries}));
      const withKey = join(folder, 'with-key.sqlite');
      assert.equal((await run('backup', withKey)).code, 0);
      await accept(ofPhone());
      for (const who of [left.id, phone])
        assert.equal((await run('consent', 'revoke', who, '--yes')).code, 0);
      assert.equal((await run('restore', hasKey ? withKey : backup, '--replace')).code, 0);
      const [{revoked_for} = {}] = await select(`SELECT revoked_for FROM leads WHERE id = '${left.id}'`);
      assert.equal(revoked_for, 'all');
      const again = hasKey ? ofPhone({deliveries}) : newEntry({lead: left.lead, deliveries});
      await accept(again);
      const [{state} = {}] = await select(`SELECT state FROM deliveries WHERE lead_id = '${again.id}'`);
      assert.equal(state, 'held');
      assert.match((await run('leads', 'erase', '--again', '--yes')).stdout, /^0 leads erased again/);
    });

  test('without the file it is refused, unless an operator says so', async (t) => {
    const {gone, left, run, backup, path, folder, idsLeft} = await erasedSince(t);
    const kept = join(folder, 'kept.erasures');
    renameSync(`${path}.erasures`, kept);
    const before = readFileSync(path);
    assertFails(
      await run('restore', backup, '--replace'),
      /no file of erasures at .* would be back\. .*--erasures <file>/,
    );
    assert.deepEqual(readFileSync(path), before);
    const unknown = await run('restore', backup, '--replace', '--without-erasures');
    assert.equal(unknown.code, 0);
    const newest = Math.max(gone.createdAt, left.createdAt);
    const [, said = ''] =
      /no file of erasures at .*: what was erased after (\S+ \S+) is back/.exec(unknown.stdout) ?? [];
    assert.ok(Math.abs(new Date(said.replace(' ', 'T')).getTime() - newest) < 2_000, unknown.stdout);
    assert.deepEqual((await idsLeft()).toSorted(), [gone.id, left.id].toSorted());

    const missing = await run('restore', backup, '--replace', '--erasures', join(folder, 'none'));
    assert.equal(missing.code, 1);
    rmSync(path);
    const named = await run('restore', backup, '--erasures', kept);
    assert.match(named.stdout, /^1 lead erased again, by .*kept\.erasures$/m);
    assert.deepEqual(await idsLeft(), [left.id]);
    assert.equal(
      readFileSync(`${path}.erasures`, 'utf8'),
      readFileSync(kept, 'utf8'),
      'the next restore needs it, too',
    );
  });

  test('a backup that needs a key which is missing is refused, and nothing changes', async (t) => {
    const {settings, backup, path} = await erasedSince(t, key);
    const before = readFileSync(path);
    const other = 'another-data-key-of-at-least-32-characters';
    const restore = (DATA_KEY: string) => runCommand({...settings, DATA_KEY}, 'restore', backup, '--replace');
    for (const keys of [other, 'clear', `clear ${other}`])
      assertFails(
        await restore(keys),
        /^[^\n]*sealed with the data key [0-9a-f]{8}, which DATA_KEY does not list[^\n]*\n$/,
      );
    assert.deepEqual(readFileSync(path), before);
    assert.ok(!existsSync(`${path}.partial`));
    assert.equal((await restore(`${other} ${key}`)).code, 0);
  });

  test('the tables of an older backup are brought up if something in it is erased', async (t) => {
    const {folder, settings, run, path, idsLeft} = await erasedSince(t);
    const old = join(folder, 'old.sqlite');
    copyFileSync(join(import.meta.dirname, '../../support/databases/1.0.0.sqlite'), old);
    const database = new DatabaseSync(old);
    const ids = database
      .prepare('SELECT id FROM leads ORDER BY id')
      .all()
      .map(({id}) => String(id));
    // In the header of the file, because reading the database would leave files beside it.
    const version = () => readFileSync(path).readUInt32BE(60);
    const before = database.prepare('PRAGMA user_version').get()?.['user_version'];
    database.close();
    const untouched = await run('restore', old, '--replace');
    assert.match(untouched.stdout, /^0 leads erased again, by /m);
    assert.equal(version(), before);

    writeFileSync(`${path}.erasures`, `${ids[0]} 2026-11-20T10:00:00.000Z\n`);
    const refused = await runCommand({...settings, DATA_KEY: key}, 'restore', old, '--replace');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /stored data in clear: DATA_KEY must list "clear"/);
    rmSync(path);
    const restored = await run('restore', old);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /^1 lead erased again, by [^\n]*$/m);
    assert.match(restored.stdout, /The tables are those of this version now/);
    assert.deepEqual((await idsLeft()).toSorted(), ids.slice(1));
  });
});
