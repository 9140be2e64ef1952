/**
 * A database that was brought up has exactly the shape of a new one, and keeps each delivery. In `test/support/databases` is
 * what 1.0.0 wrote, and the same leads in tables of later schema versions, with deliveries in all states: a SQLite file and a
 * dump of PostgreSQL each.
 */
import assert from 'node:assert/strict';
import {copyFileSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {deliveryReasons, reasonWords} from '../../../server/leads/deliveries.ts';
import {currentVersion} from '../../../server/store/schema.ts';
import {openPostgresStore} from '../../../server/store/postgres/store.ts';
import {openSqliteStore} from '../../../server/store/sqlite/store.ts';
import {databaseFor, withoutPostgres, type TestDatabase} from '../../support/postgres.ts';
import {columnOf, rowsOf} from '../../support/rows.ts';
import {downgrade} from '../../support/downgrade.ts';
import {newDelivery, newEntry} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {openStore} from '../../../server/store/open-store.ts';
import type {Partner} from '../../../server/config/partners.ts';
import {sentLead} from '../../support/embed-client.ts';
import {openFor} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {partners, testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

const databases = join(import.meta.dirname, '../../support/databases');

type Delivery = Record<string, unknown>;
const selectDeliveries = `
  SELECT deliveries.*, created_at FROM deliveries JOIN leads ON id = lead_id ORDER BY lead_id, destination`;
/** Objects that can be compared with others. */
const plain = (rows: readonly Delivery[]): Delivery[] => rows.map((row) => ({...row}));
/** The delivery as the upgrade fills the columns that it did not have. */
const asNow = (row: Delivery): Delivery => ({
  content: 'lead',
  happened_at: row['created_at'],
  failing_since: null,
  last_reply: null,
  recipients: null,
  address: null,
  former_addresses: null,
  reason: row['state'] === 'held' && row['last_error'] === null ? 'suspect' : null,
  ...row,
});

function assertAreKept(before: readonly Delivery[], after: readonly Delivery[]) {
  assert.ok(before.length > 5);
  assert.deepEqual(plain(after), before.map(asNow));
}

/** Columns with their types, keys, references and checks, and indexes: all of it stands in the texts of SQLite. */
function shapeOfSqlite(path: string) {
  const rows = rowsOf(path, 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name');
  const [{user_version: version} = {}] = rowsOf(path, 'PRAGMA user_version');
  assert.deepEqual(rowsOf(path, 'PRAGMA integrity_check'), [{integrity_check: 'ok'}]);
  const texts = rows.map(({type, name, sql}) => `${String(type)} ${String(name)}: ${tidy(String(sql))}`);
  return {version, texts};
}

/** The same text however it was wrapped. */
const tidy = (sql: string) =>
  sql
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1');

async function shapeOfPostgres(database: TestDatabase) {
  const query = (sql: string) => database.query(sql);
  return {
    version: await query('SELECT version FROM schema_version'),
    columns: await query(`
      SELECT table_name, ordinal_position - (
          SELECT COUNT(*) FROM pg_attribute
          WHERE attrelid = table_name::regclass AND attisdropped AND attnum < ordinal_position) AS position,
        column_name, data_type, is_nullable, column_default
      FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`),
    constraints: await query(`
      SELECT conrelid::regclass::text AS table, conname, pg_get_constraintdef(oid) AS definition
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`),
    indexes: await query("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"),
  };
}

suite('a database that was brought up has the shape of a new one', () => {
  for (const name of ['1.0.0', 'schema-7', 'schema-8', 'schema-10', 'schema-12']) {
    const hasDeliveries = name !== '1.0.0';
    test(`SQLite tables of ${name} are brought up to those of a new database, and keep each delivery`, async (t) => {
      const folder = temporaryFolder(t);
      const [fresh, upgraded] = [join(folder, 'fresh.sqlite'), join(folder, 'upgraded.sqlite')];
      copyFileSync(join(databases, `${name}.sqlite`), upgraded);
      const deliveries = () => rowsOf(upgraded, selectDeliveries);
      const before = hasDeliveries && deliveries();
      for (const path of [fresh, upgraded]) await (await openSqliteStore(path, testEncryptor)).close();
      assert.deepEqual(shapeOfSqlite(upgraded), shapeOfSqlite(fresh));
      assert.equal(shapeOfSqlite(fresh).version, currentVersion);
      if (before) assertAreKept(before, deliveries());
    });

    test(
      `PostgreSQL tables of ${name} are brought up to those of a new database, and keep each delivery`,
      {skip: withoutPostgres},
      async (t) => {
        const [fresh, upgraded] = [await databaseFor(t), await databaseFor(t)];
        await upgraded.query(readFileSync(join(databases, `${name}.sql`), 'utf8'));
        const before = hasDeliveries && (await upgraded.query(selectDeliveries));
        for (const {url} of [fresh, upgraded]) await (await openPostgresStore(url, testEncryptor)).close();
        assert.deepEqual(await shapeOfPostgres(upgraded), await shapeOfPostgres(fresh));
        if (before) assertAreKept(before, await upgraded.query(selectDeliveries));
      },
    );
  }

  test(
    'also where a dump of before was restored over it, which leaves the tables that are newer',
    {skip: withoutPostgres},
    async (t) => {
      const [fresh, restored] = [await databaseFor(t), await databaseFor(t)];
      for (const {url} of [fresh, restored]) await (await openPostgresStore(url, testEncryptor)).close();
      await restored.query("INSERT INTO store_mark VALUES (1, 'moved', 'elsewhere')");
      const dump = readFileSync(join(databases, 'schema-12.sql'), 'utf8');
      for (const [, table = ''] of dump.matchAll(/CREATE TABLE ([\w.]+)/g))
        await restored.query(`DROP TABLE ${table} CASCADE`);
      await restored.query(dump);
      await (await openPostgresStore(restored.url, testEncryptor)).close();
      assert.deepEqual(await shapeOfPostgres(restored), await shapeOfPostgres(fresh));
      assert.deepEqual(await restored.query('SELECT * FROM store_mark'), []);
    },
  );

  test('a PostgreSQL database of a version before 1.0.0 is refused', {skip: withoutPostgres}, async (t) => {
    const database = await databaseFor(t);
    await database.query(
      'CREATE TABLE schema_version (version BIGINT); INSERT INTO schema_version VALUES (2)',
    );
    await assert.rejects(openPostgresStore(database.url, testEncryptor), /before version 1\.0\.0/);
  });
});

test(
  'PostgreSQL tables are not brought up while an older server runs on them',
  {skip: withoutPostgres},
  async (t) => {
    const database = await databaseFor(t);
    await database.query(readFileSync(join(databases, 'schema-12.sql'), 'utf8'));
    const report = (seenAt: number) =>
      database.query(
        `DELETE FROM processes; INSERT INTO processes VALUES ('a', ${seenAt}, '{"name": "web-1:4711"}')`,
      );
    await report(Date.now());
    await assert.rejects(
      openPostgresStore(database.url, testEncryptor, {patience: 1}),
      /web-1:4711 of an older version runs on this database/,
    );
    await report(Date.now() - 61_000);
    await (await openPostgresStore(database.url, testEncryptor)).close();
  },
);

forEachStore((store) => {
  test('events of stops that were given up wait again, and those of held leads for an operator', async (t) => {
    const server = await store.startServer();
    t.after(() => server.close());
    const opened = await openStore(server.config, testEncryptor);
    const deliveries = ['crm', 'other', 'sales'].map((destination) =>
      newDelivery({destination, content: 'created'}),
    );
    await opened.accept(newEntry({deliveries}));
    const released = newEntry({deliveries: deliveries.slice(1)});
    await opened.accept(released);
    await opened.close();
    const ofReleased = `lead_id = '${released.id}'`;
    for (const text of [
      "UPDATE deliveries SET state = 'failed'",
      "UPDATE deliveries SET content = 'revoked' WHERE destination = 'crm'",
      "UPDATE deliveries SET content = 'held', state = 'waiting', attempts = 3, recipients = '{}' WHERE destination = 'sales'",
      `UPDATE deliveries SET state = 'held' WHERE destination = 'other' AND NOT ${ofReleased}`,
      "INSERT INTO paused_destinations (destination, paused_at, reason) VALUES ('crm', 1, 'The receiver answered 410 (Gone): it wants no more events'), ('other', 1, 'our maintenance')",
    ])
      await server.execute(text);
    await downgrade(server, 17, store.name);
    await (await openStore(server.config, testEncryptor)).close();
    const rowsWhere = async (condition: string) => {
      const text =
        'SELECT destination, content, state, CAST(attempts AS TEXT) AS attempts, recipients FROM deliveries';
      return plain(await server.select(`${text} WHERE ${condition} ORDER BY destination`));
    };
    const tried = {attempts: '0', recipients: null};
    assert.deepEqual(await rowsWhere(`NOT ${ofReleased}`), [
      {destination: 'crm', content: 'revoked', state: 'waiting', ...tried},
      {destination: 'other', content: 'created', state: 'held', ...tried},
      {destination: 'sales', content: 'created', state: 'held', ...tried},
    ]);
    assert.deepEqual(await rowsWhere(ofReleased), [
      {destination: 'other', content: 'created', state: 'failed', ...tried},
      {destination: 'sales', content: 'created', state: 'waiting', ...tried},
    ]);
    const paused = await server.select(
      "SELECT destination, CASE is_gone WHEN 1 THEN 'gone' ELSE 'by hand' END AS how FROM paused_destinations ORDER BY destination",
    );
    assert.deepEqual(plain(paused), [
      {destination: 'crm', how: 'gone'},
      {destination: 'other', how: 'by hand'},
    ]);
  });

  test('what is held by a sentence of an earlier version is found by its reason', async (t) => {
    const server = await store.startServer();
    t.after(() => server.close());
    const before = await openStore(server.config, testEncryptor);
    const nextAttemptAt = Date.now() + 3_600_000;
    const deliveries = deliveryReasons.map((destination) =>
      newDelivery({destination, content: 'created', address: 'former', nextAttemptAt}),
    );
    const entry = newEntry({deliveries});
    await before.accept(entry);
    await before.close();
    await server.execute("UPDATE deliveries SET state = 'held' WHERE destination <> 'former'");
    await server.execute("UPDATE deliveries SET content = 'revoked' WHERE destination = 'former'");
    // The sentences of now are still those of earlier versions.
    for (const [destination, sentence] of Object.entries(reasonWords))
      if (sentence !== null)
        await server.execute(
          `UPDATE deliveries SET last_error = '${sentence}' WHERE destination = '${destination}'`,
        );
    await server.execute('UPDATE leads SET suppressed_at = created_at');
    await downgrade(server, 17, store.name);

    const opened = await openStore(server.config, testEncryptor);
    t.after(() => opened.close());
    const rows = async () => opened.listDeliveries(9, {lead: entry.id});
    for (const {destination, reason, lastError} of await rows()) {
      assert.equal(reason, destination);
      assert.equal(lastError, reasonWords[reason]);
    }
    const held = await opened.countHeld();
    assert.equal(held.leads, 1);
    assert.deepEqual(columnOf(held.deliveries, 'destination').toSorted(), ['suppressed', 'suspect']);
    assert.ok(await opened.release(entry.id, Date.now()));
    assert.equal(await opened.acceptAddress(Date.now(), 'elsewhere', 'latter'), 1);
    const states = (await rows()).map(({destination, state}) => `${destination} ${state}`);
    assert.deepEqual(states, ['elsewhere waiting', 'former waiting', 'suppressed waiting', 'suspect held']);
  });

  test('what an older server beside this one is to tell of a held lead waits for an operator', async (t) => {
    const crm = await openFor(t, startWebhookReceiver(replyWith(503)));
    const [first] = partners;
    const changes = {
      partners: [{...first, sendTo: ['crm']}] as [Partner],
      destinations: new Map([['crm', crm.settings]]),
    };
    const server = await openFor(t, store.startServer(changes, quickTimings));
    await sentLead(server);
    await server.execute("UPDATE deliveries SET content = 'held', leased_until = 0, next_attempt_at = 0");
    const rows = async () => plain(await server.select('SELECT content, state, reason FROM deliveries'));
    await until(async () => (await rows())[0]?.['content'] === 'created');
    assert.deepEqual(await rows(), [{content: 'created', state: 'held', reason: 'suspect'}]);
  });
});
