import assert from 'node:assert/strict';
import {chmodSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {after, suite, test} from 'node:test';
import {StoreUnavailable} from '../../../../server/leads/store-errors.ts';
import {tables} from '../../../../server/store/columns.ts';
import {openAttachedSqlite, openSqliteStore} from '../../../../server/store/sqlite/store.ts';
import {basic, fetchFrom, postJson, readJson} from '../../../support/http.ts';
import {describeGoneLeads} from '../gone-leads-suite.ts';
import {describeLeadStore} from '../lead-store-suite.ts';
import {openFor} from '../../../support/opened.ts';
import {rowsOf, stopWrites} from '../../../support/rows.ts';
import {
  doneAnswer,
  keyOf,
  newDelivery,
  newEntry,
  prequalificationBody,
} from '../../../support/sample-leads.ts';
import {serviceSettings, startService} from '../../../support/service-process.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {acme, startTestServer, testEncryptor} from '../../../support/test-server.ts';

const folder = temporaryFolder({after});

const databasePath = (name: string) => join(folder, name, 'leads.sqlite');
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describeLeadStore('SQLite', (data, encryptor = testEncryptor) =>
  openSqliteStore(databasePath(data), encryptor),
);
describeGoneLeads(
  'SQLite',
  (data) => openSqliteStore(databasePath(data), testEncryptor),
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
  test('the database file and its companions are for the owner alone, and so is its folder', async (t) => {
    const path = databasePath('deep/er/new');
    const store = await openFor(t, openSqliteStore(path, testEncryptor));
    await store.accept(newEntry());
    assert.equal(mode(dirname(path)), '700');
    for (const suffix of ['', '-wal', '-shm']) assert.equal(mode(path + suffix), '600');
  });
  test('a database file that was open to others is closed to them', async () => {
    const path = databasePath('open-to-others');
    mkdirSync(dirname(path));
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    await (await openSqliteStore(path, testEncryptor)).close();
    assert.equal(mode(path), '600');
  });
  for (const [what, version, said] of [
    ['newer', 999, /newer version/],
    ['before 1.0.0', 2, /before version 1\.0\.0/],
  ] as const)
    test(`a database file of a version that is ${what} is refused and left as it was`, async () => {
      const path = databasePath(what);
      await (await openSqliteStore(path, testEncryptor)).close();
      const database = new DatabaseSync(path);
      database.exec(
        `PRAGMA user_version = ${version}; UPDATE schema_compatibility SET oldest_server = ${version}`,
      );
      await assert.rejects(openSqliteStore(path, testEncryptor), said);
      await assert.rejects(openAttachedSqlite(path, testEncryptor, true), said);
      assert.deepEqual({...database.prepare('PRAGMA user_version').get()}, {user_version: version});
      database.close();
    });
  test('a database file of a newer version that says that this one can serve it is served as it is', async (t) => {
    const path = databasePath('newer-compatible');
    await (await openSqliteStore(path, testEncryptor)).close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 999');
    const entry = newEntry();
    await (await openFor(t, openSqliteStore(path, testEncryptor))).accept(entry);
    const attached = await openAttachedSqlite(path, testEncryptor, true);
    assert.equal((await attached.find(entry.id))?.id, entry.id);
    await attached.close();
    assert.deepEqual({...database.prepare('PRAGMA user_version').get()}, {user_version: 999});
    database.close();
  });
  test('every table finds what points to a lead by an index, for deletions by hand', async () => {
    const path = databasePath('indexes');
    await (await openSqliteStore(path, testEncryptor)).close();
    const database = new DatabaseSync(path);
    for (const [table, column] of [
      ['idempotency_keys', 'lead_id'],
      ['same_leads', 'lead_id'],
      ['deliveries', 'lead_id'],
      ['consents', 'lead_id'],
      ['context_values', 'lead_id'],
      ['leads', 'duplicate_of'],
    ] as const) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN SELECT 1 FROM ${table} WHERE ${column} = 'a'`).all();
      assert.match(String(plan[0]!['detail']), /^SEARCH /, table);
    }
    database.close();
  });
  test('the file holds every lead alone, without a log beside it, after an orderly stop', async (t) => {
    const path = databasePath('stopped');
    const server = await openFor(t, startTestServer({databasePath: path}));
    const send = () => server.fetch('/json/leads', postJson(prequalificationBody, basic(acme)));
    const {id} = await readJson<{id: string}>(await send(), 201);
    await server.fetch(`/json/leads/${id}`, {headers: basic(acme)});
    await server.close();

    assert.deepEqual(readdirSync(dirname(path)), ['leads.sqlite']);
    const alone = `${path}.copy`;
    copyFileSync(path, alone);
    assert.deepEqual(rowsOf(alone, 'SELECT id FROM leads'), [{id}]);
  });

  test('a write after the end is refused, and waits for nothing', async (t) => {
    const store = await openFor(t, openSqliteStore(databasePath('ended'), testEncryptor));
    await store.close();
    await assert.rejects(store.accept(newEntry()), StoreUnavailable);
    await assert.rejects(store.purge(), StoreUnavailable);
  });
});

suite('a database that others hold', () => {
  test('refuses to write, still reads, and writes again afterwards', async (t) => {
    const path = databasePath('locked');
    const store = await openFor(t, openSqliteStore(path, testEncryptor));
    const [before, during, later] = [newEntry(), newEntry(), newEntry()];
    await store.accept(before);

    const unlock = stopWrites(path);
    const writes = [
      store.accept(during),
      store.settle(keyOf(before.id), 0, {state: 'refused', reason: '422'}),
    ];
    await Promise.all(writes.map((write) => assert.rejects(write, StoreUnavailable)));
    assert.deepEqual((await store.find(before.id))?.answer, doneAnswer);
    unlock();

    assert.equal((await store.accept(later)).outcome, 'created');
    assert.equal(await store.find(during.id), undefined);
  });
});

suite('a lead that was answered', () => {
  test('survives the death of the process', async (t) => {
    const path = databasePath('killed');
    const environment = {...serviceSettings(folder), DATABASE_PATH: path};
    const service = await startService(environment, folder);
    t.after(() => service.end('SIGKILL'));
    const request = postJson(prequalificationBody, basic(acme));
    const response = await fetchFrom(service.url)('/json/leads', request);
    const {id} = await readJson<{id: string}>(response, 201);
    assert.deepEqual(await service.end('SIGKILL'), {code: null, signal: 'SIGKILL'});
    const store = await openFor(t, openSqliteStore(path, testEncryptor));
    assert.equal((await store.find(id))?.lead.first_name, 'Jane');
  });
});

suite('a file with many deliveries that wait', () => {
  const names = Object.keys(tables.deliveries.columns);
  const copies = names.map((name) => (name === 'lead_id' ? "lead_id || '-' || value" : name));
  const insert = `INSERT INTO deliveries (${names.join()}) SELECT ${copies.join()} FROM deliveries, generated`;
  test('countOutbox of 100,000 deliveries leaves the thread of requests free', async (t) => {
    const path = databasePath('counted');
    const store = await openFor(t, openSqliteStore(path, testEncryptor));
    await store.accept(newEntry({deliveries: [newDelivery()]}));
    const database = new DatabaseSync(path, {enableForeignKeyConstraints: false, timeout: 5_000});
    t.after(() => database.close());
    database.exec(`WITH RECURSIVE generated(value) AS
        (SELECT 1 UNION ALL SELECT value + 1 FROM generated WHERE value < 100000) ${insert}`);
    // The first time, the statement is prepared.
    await store.countOutbox();
    const start = performance.now();
    const counting = store.countOutbox();
    const stopped = performance.now() - start;
    await counting;
    const took = performance.now() - start;
    t.diagnostic(`this thread was stopped for ${stopped.toFixed(1)} of ${took.toFixed(1)} ms`);
    assert.ok(stopped < took / 3, `${stopped} of ${took} ms`);
    const [waiting] = await store.countOutbox();
    assert.equal(waiting?.deliveries, 100_001);
  });
});
