import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, suite, test} from 'node:test';
import type {IdempotencyKey} from '../../../../server/leads/idempotency.ts';
import {StoreUnavailable} from '../../../../server/leads/store-errors.ts';
import type {Accepted} from '../../../../server/leads/new-lead.ts';
import {lineOf} from '../../../../server/observe/log-lines.ts';
import type {Observation} from '../../../../server/observe/observations.ts';
import {type Encryptor} from '../../../../server/store/encryption.ts';
import {openPostgresStore} from '../../../../server/store/postgres/store.ts';
import {describeGoneLeads} from '../gone-leads-suite.ts';
import {describeLeadStore} from '../lead-store-suite.ts';
import {
  closeGate,
  databaseFor,
  createDatabaseWithTables,
  openPostgresStores,
  withoutPostgres,
  type TestDatabase,
} from '../../../support/postgres.ts';
import {openFor} from '../../../support/opened.ts';
import {until} from '../../../support/until.ts';
import {asLead, doneAnswer, keyOf, newEntry, standardBody} from '../../../support/sample-leads.ts';
import {testEncryptor} from '../../../support/test-server.ts';

const newKey = (): IdempotencyKey => ({owner: 'caller:acme', digest: randomUUID(), fingerprint: 'of a lead'});
const idOf = (accepted: Accepted) => ('stored' in accepted ? accepted.stored.id : undefined);

suite('PostgreSQL', {skip: withoutPostgres}, () => {
  const databases = new Map<string, Promise<TestDatabase>>();
  const openStore = async (data: string, encryptor: Encryptor = testEncryptor) => {
    const database = databases.get(data) ?? createDatabaseWithTables();
    databases.set(data, database);
    return openPostgresStore((await database).url, encryptor);
  };
  describeLeadStore('PostgreSQL', openStore);
  describeGoneLeads('PostgreSQL', openStore, async (data, id) => {
    // As a replica: foreign keys are not checked.
    const deletion = `SET session_replication_role = replica; DELETE FROM leads WHERE id = '${id}'`;
    await (await databases.get(data)!).query(deletion);
  });
  after(async () => {
    for (const database of databases.values()) await (await database).drop();
  });

  suite('the tables', () => {
    test('are made once, however many open an empty database at the same time', async (t) => {
      const database = await databaseFor(t);
      const opening = Array.from({length: 8}, () => openPostgresStore(database.url, testEncryptor));
      const stores = await Promise.all(opening.map((store) => openFor(t, store)));
      assert.equal((await database.query('SELECT * FROM schema_version')).length, 1);
      for (const store of stores) {
        const entry = newEntry();
        await store.accept(entry);
        for (const other of stores) assert.equal((await other.find(entry.id))?.id, entry.id);
      }
    });
    test('tables of a newer version are refused and left as they were', async (t) => {
      const {database} = await openPostgresStores(t, 1);
      await database.query(`UPDATE schema_version SET version = 999;
        UPDATE schema_compatibility SET oldest_server = 999`);
      for (const mayUpgrade of [true, false])
        await assert.rejects(openPostgresStore(database.url, testEncryptor, {mayUpgrade}), /newer version/);
      assert.deepEqual(await database.query('SELECT version FROM schema_version'), [{version: '999'}]);
    });
    test('tables of a newer version that say that this one can serve them are served as they are', async (t) => {
      const {database} = await openPostgresStores(t, 1);
      await database.query('UPDATE schema_version SET version = 999');
      const entry = newEntry();
      for (const mayUpgrade of [true, false]) {
        const store = await openFor(t, openPostgresStore(database.url, testEncryptor, {mayUpgrade}));
        if (mayUpgrade) await store.accept(entry);
        assert.equal((await store.find(entry.id))?.id, entry.id);
      }
      assert.deepEqual(await database.query('SELECT version FROM schema_version'), [{version: '999'}]);
    });
    test('a database that cannot be reached is tried for a while, is logged once, then an error', async () => {
      const said: Observation[] = [];
      const options = {patience: 2_000, emit: (event: Observation) => void said.push(event)};
      const opening = openPostgresStore('postgres://postgres@127.0.0.1:1/none', testEncryptor, options);
      await assert.rejects(opening, /could not be reached for 2 s: connect ECONNREFUSED 127.0.0.1:1$/);
      assert.equal(said.length, 1);
      const line = lineOf(said[0]!);
      assert.match(String(line?.message), /^the database cannot be reached; it is tried for \d s more$/);
      assert.partialDeepStrictEqual(line?.fields, {reason: 'connect ECONNREFUSED 127.0.0.1:1'});
    });
    test('a database or a user that does not exist is an error at once', async () => {
      const wrong = {database: '/no_such_database', user: '/postgres'};
      for (const [what, path] of Object.entries(wrong)) {
        const url = new URL(path, process.env['TEST_DATABASE_URL']);
        if (what === 'user') url.username = 'no_such_user';
        // An hour of patience: a test that waits for it fails.
        const opening = openPostgresStore(url.href, testEncryptor, {patience: 3_600_000});
        await assert.rejects(opening, /no_such_(database|user)/);
      }
    });
  });

  suite('stores on one database', () => {
    test('make one lead of one key, whoever is asked', async (t) => {
      const {database, stores} = await openPostgresStores(t, 2);
      const idempotency = newKey();
      const asked = Array.from({length: 25}, () =>
        stores.map((store) => store.accept(newEntry({idempotency: [idempotency]}))),
      );
      const outcomes = await Promise.all(asked.flat());
      assert.equal(outcomes.filter(({outcome}) => outcome === 'created').length, 1);
      assert.equal(outcomes.filter(({outcome}) => outcome === 'replayed').length, 49);
      assert.equal(new Set(outcomes.map(idOf)).size, 1);
      assert.deepEqual(await database.query('SELECT count(*)::int FROM leads'), [{count: 1}]);
    });
    test('stores do not wait for each other in a circle, in whatever order the keys come', async (t) => {
      const {stores} = await openPostgresStores(t, 2);
      for (let round = 0; round < 5; round += 1) {
        const keys = Array.from({length: 400}, newKey);
        const [first, second] = await Promise.all(
          [keys, keys.toReversed()].map((order, index) =>
            Promise.all(
              order.map((idempotency) => stores[index]!.accept(newEntry({idempotency: [idempotency]}))),
            ),
          ),
        );
        assert.deepEqual(first!.map(idOf), second!.toReversed().map(idOf));
      }
    });
    test('stores wait for a key that another is writing with, and hold up nobody else', async (t) => {
      const {database, stores} = await openPostgresStores(t, 2);
      const [slow, store] = stores;
      const gate = await closeGate(database, '1002');
      const entry = () => ({
        ...newEntry({idempotency: [idempotency]}),
        lead: asLead({...standardBody, cid: '1002'}),
      });
      const idempotency = newKey();
      const first = entry();
      const created = slow!.accept(first);
      await gate.reached();

      let waiting = true;
      const repeated = [entry(), entry()].map((again) => store!.accept(again));
      void Promise.race(repeated).then(() => (waiting = false));
      for (const other of [newEntry(), newEntry({idempotency: [newKey()]})]) {
        assert.equal((await store!.accept(other)).outcome, 'created');
      }
      assert.ok(waiting);
      await gate.open();

      assert.equal((await created).outcome, 'created');
      for (const replayed of await Promise.all(repeated)) {
        assert.equal(replayed.outcome, 'replayed');
        assert.equal(idOf(replayed), first.id);
      }
    });
  });

  suite('a database that is read-only for a while, as a standby before it is promoted', () => {
    test('a store takes leads again soon after its read-only database is promoted', async (t) => {
      const {database, stores} = await openPostgresStores(t, 1);
      const name = new URL(database.url).pathname.slice(1);
      // New connections have the setting. The store has none that is open: its last was cut.
      const setReadOnly = (state: string) =>
        database.query(`BEGIN READ WRITE;
          ALTER DATABASE ${name} SET default_transaction_read_only = ${state};
          COMMIT;
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = '${name}' AND application_name = 'lead-prequal' AND '${state}' = 'on'`);
      const accept = () => stores[0]!.accept(newEntry({idempotency: [newKey()]}));
      await setReadOnly('on');
      const reason = () => accept().then(String, (error: unknown) => (error as StoreUnavailable).reason);
      await until(async () => (await reason()).startsWith('25006 '));
      await setReadOnly('off');
      assert.equal((await accept()).outcome, 'created');
    });
  });

  suite('a database that went away', () => {
    test('takes and gives nothing, and both again when it is back', async (t) => {
      const {database, stores} = await openPostgresStores(t, 1);
      const [store] = stores;
      const [before, during, later] = [newEntry(), newEntry(), newEntry()];
      await store!.accept(before);

      const delivery = keyOf(before.id);
      const bringBack = await database.takeAway();
      await assert.rejects(store!.accept(during), StoreUnavailable);
      await assert.rejects(store!.find(before.id), StoreUnavailable);
      await assert.rejects(store!.settle(delivery, 0, {state: 'refused', reason: '422'}), StoreUnavailable);
      await assert.rejects(store!.recordRemoteId(delivery, 'u-1'), StoreUnavailable);
      await bringBack();

      assert.equal((await store!.accept(later)).outcome, 'created');
      assert.deepEqual((await store!.find(before.id))?.answer, doneAnswer);
      assert.equal(await store!.find(during.id), undefined);
    });
  });
});
