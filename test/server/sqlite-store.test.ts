import assert from 'node:assert/strict';
import {chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {after, suite, test} from 'node:test';
import {migrations} from '../../server/store/migrations.ts';
import {StoreUnavailable} from '../../server/store/lead-store.ts';
import {openSqliteStore} from '../../server/store/sqlite-store.ts';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {describeGoneLeads} from '../support/gone-leads-suite.ts';
import {describeLeadStore} from '../support/lead-store-suite.ts';
import {doneAnswer, newEntry, prequalificationBody} from '../support/sample-leads.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';

const folder = makeTemporaryFolder();
after(() => folder.remove());

const databasePath = (name: string) => join(folder.path, name, 'leads.sqlite');
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describeLeadStore('SQLite', (data) => openSqliteStore(databasePath(data)));
describeGoneLeads(
  'SQLite',
  (data) => openSqliteStore(databasePath(data)),
  (data, id) => {
    // The `sqlite3` command does not check foreign keys either, unless it is told to.
    const database = new DatabaseSync(databasePath(data), {
      enableForeignKeyConstraints: false,
      timeout: 5_000,
    });
    database.prepare('DELETE FROM leads WHERE id = ?').run(id);
    database.close();
    return Promise.resolve();
  },
);

suite('the file', () => {
  test('and its companions are for the owner alone, and so is its folder', async () => {
    const path = databasePath('deep/er/new');
    const store = await openSqliteStore(path);
    await store.accept(newEntry());
    assert.equal(mode(dirname(path)), '700');
    for (const suffix of ['', '-wal', '-shm']) assert.equal(mode(path + suffix), '600');
    await store.close();
  });
  test('that was open to others is closed to them', async () => {
    const path = databasePath('open-to-others');
    mkdirSync(dirname(path));
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    await (await openSqliteStore(path)).close();
    assert.equal(mode(path), '600');
  });
  test('of a newer version is refused and left as it was', async () => {
    const path = databasePath('newer');
    await (await openSqliteStore(path)).close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 999');
    await assert.rejects(openSqliteStore(path), /newer version/);
    assert.deepEqual({...database.prepare('PRAGMA user_version').get()}, {user_version: 999});
    database.close();
  });
  test('of an older version is brought up to date, and what was under way counts as that', async () => {
    const path = databasePath('older');
    await (await openSqliteStore(path)).close();
    rmSync(path);
    const database = new DatabaseSync(path);
    const dialect = {integer: 'INTEGER', tableOptions: 'STRICT, WITHOUT ROWID'};
    for (const migration of migrations.slice(0, 2)) database.exec(migration(dialect));
    const underWay = Date.now() - 1;
    database.exec(`PRAGMA user_version = 2;
      INSERT INTO leads (id, created_at, cid, lead_type, lead, status, reasons) VALUES
        ('sent', 1, '1001', 'standard', '{"first_name":"Jane"}', 'pending', '{}'),
        ('failed', 1, '1001', 'standard', '{"first_name":"Joe"}', 'pending', '{}');
      INSERT INTO outbox VALUES ('sent', 'default', 'waiting', 1, 0, ${underWay}, NULL),
        ('failed', 'default', 'waiting', 3, 0, ${underWay}, 'failed')`);
    database.close();

    const store = await openSqliteStore(path);
    const {due, held} = await store.claimDue('default', Date.now(), Date.now() + 1_000, 10, 'hold');
    assert.deepEqual([due.map(({lead}) => lead.lead.first_name), held], [['Joe'], ['sent']]);
    await store.close();
  });
  test('finds what points to a lead by an index, in every table where a deletion by hand looks for it', async () => {
    const path = databasePath('indexes');
    await (await openSqliteStore(path)).close();
    const database = new DatabaseSync(path);
    for (const [table, column] of [
      ['idempotency_keys', 'lead_id'],
      ['same_leads', 'lead_id'],
      ['outbox', 'lead_id'],
      ['consents', 'lead_id'],
      ['leads', 'duplicate_of'],
    ] as const) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN SELECT 1 FROM ${table} WHERE ${column} = 'a'`).all();
      assert.match(String(plan[0]!['detail']), /^SEARCH /, table);
    }
    database.close();
  });
  test('that is no database is refused', async () => {
    const path = databasePath('garbage');
    mkdirSync(dirname(path));
    writeFileSync(path, 'This is a text of more than a hundred bytes. '.repeat(10));
    await assert.rejects(openSqliteStore(path), /not a database/);
  });
  test('holds every lead alone, without a log beside it, once its service has stopped in order', async (t) => {
    const path = databasePath('stopped');
    const service = await startService({...serviceSettings(folder.path), DATABASE_PATH: path}, folder.path);
    t.after(() => service.end('SIGKILL'));
    const send = () => fetchFrom(service.url)('/json/leads', postJson(prequalificationBody, basic(acme)));
    const {id} = await readJson<{id: string}>(await send(), 201);
    await fetchFrom(service.url)(`/json/leads/${id}`, {headers: basic(acme)});
    assert.deepEqual(await service.end('SIGTERM'), {code: 0, signal: null});

    assert.deepEqual(readdirSync(dirname(path)), ['leads.sqlite']);
    const alone = `${path}.copy`;
    copyFileSync(path, alone);
    const database = new DatabaseSync(alone, {readOnly: true});
    assert.deepEqual({...database.prepare('SELECT id FROM leads').get()}, {id});
    database.close();
  });
  test('that has all its tables is not made again', async () => {
    const path = databasePath('migrated');
    const entry = newEntry();
    for (const open of [1, 2, 3]) {
      const store = await openSqliteStore(path);
      if (open === 1) await store.accept(entry);
      assert.equal((await store.find(entry.id))?.id, entry.id);
      await store.close();
    }
  });
});

/** Another process that writes, or a backup that takes its time. */
function lock(path: string) {
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('COMMIT');
    other.close();
  };
}

suite('a database that others hold', () => {
  test('refuses to write, still reads, and writes again afterwards', async () => {
    const path = databasePath('locked');
    const store = await openSqliteStore(path);
    const [before, during, later] = [newEntry(), newEntry(), newEntry()];
    await store.accept(before);

    const unlock = lock(path);
    const writes = [store.accept(during), store.recordAnswer(before.id, {status: 'refused'}, 0)];
    await Promise.all(writes.map((write) => assert.rejects(write, StoreUnavailable)));
    assert.deepEqual((await store.find(before.id))?.answer, doneAnswer);
    unlock();

    assert.equal((await store.accept(later)).outcome, 'created');
    assert.equal(await store.find(during.id), undefined);
    await store.close();
  });
});

suite('a lead that was answered', () => {
  test('survives the death of the process', async (t) => {
    const path = databasePath('killed');
    const environment = {...serviceSettings(folder.path), DATABASE_PATH: path};
    const ids: string[] = [];
    while (ids.length < 2) {
      const service = await startService(environment, folder.path);
      t.after(() => service.end('SIGKILL'));
      const response = await fetchFrom(service.url)(
        '/json/leads',
        postJson(prequalificationBody, basic(acme)),
      );
      const {id} = await readJson<{id: string}>(response, 201);
      assert.deepEqual(await service.end('SIGKILL'), {code: null, signal: 'SIGKILL'});
      ids.push(id);
    }

    const store = await openSqliteStore(path);
    for (const id of ids) assert.equal((await store.find(id))?.lead.first_name, 'Jane');
    await store.close();
  });
});
