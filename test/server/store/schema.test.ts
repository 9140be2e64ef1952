/** A database that was brought up has exactly the shape of a new one, whichever version it comes from. */
import assert from 'node:assert/strict';
import {copyFileSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test, type TestContext} from 'node:test';
import {currentVersion, oldestVersion} from '../../../server/store/schema.ts';
import {clearText} from '../../../server/store/sealing.ts';
import {openPostgresStore} from '../../../server/store/postgres/store.ts';
import {openSqliteStore} from '../../../server/store/sqlite/store.ts';
import {openFor} from '../../support/opened.ts';
import {createDatabase, withoutPostgres, type TestDatabase} from '../../support/postgres.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';

const databases = join(import.meta.dirname, '../../support/databases');

/** What versions 4 to 6 of the schema, which were never released, did to a database of 1.0.0. */
const fromThreeToSix = (integer: string, tableOptions: string) => [
  'CREATE INDEX idempotency_keys_lead ON idempotency_keys (lead_id)',
  'CREATE INDEX same_leads_lead ON same_leads (lead_id)',
  'CREATE INDEX leads_duplicate_of ON leads (duplicate_of) WHERE duplicate_of IS NOT NULL',
  `CREATE TABLE heartbeat (
    id ${integer} PRIMARY KEY CHECK (id = 1),
    written_at ${integer} NOT NULL,
    filler TEXT NOT NULL
  ) ${tableOptions}`,
  "CREATE INDEX outbox_stopped ON outbox (state, lead_id) WHERE state <> 'waiting'",
];

/** The SQL in which the databases differ. */
type Sql = {
  integer: string;
  tableOptions: string;
  /** A value of the attribution, which is a JSON object. */
  campaign: (key: string) => string;
  /** Statements that make foreign keys checked by each statement. */
  checkAtOnce: string;
};

const referring = ['idempotency_keys', 'same_leads', 'consents'];
const sqlite: Sql = {
  integer: 'INTEGER',
  tableOptions: 'STRICT, WITHOUT ROWID',
  campaign: (key) => `attribution ->> '${key}'`,
  // The database must not be in defensive mode.
  checkAtOnce: `
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, ' DEFERRABLE INITIALLY DEFERRED', '')
      WHERE type = 'table' AND name IN (${referring.map((table) => `'${table}'`).join(', ')});
    PRAGMA writable_schema = RESET`,
};
const postgres: Sql = {
  integer: 'BIGINT',
  tableOptions: '',
  campaign: (key) => `attribution::jsonb ->> '${key}'`,
  checkAtOnce: referring
    .map((table) => `ALTER TABLE ${table} ALTER CONSTRAINT ${table}_lead_id_fkey NOT DEFERRABLE`)
    .join('; '),
};

const deliveryColumns = `lead_id, destination, gives_answer, state, attempts, ambiguous, ambiguous_counted,
  next_attempt_at, leased_until, last_error, remote_id, settled_at`;

/** What version 7 of the schema, in which a destination got only leads, did to a database of version 6. */
const fromSixToSeven = ({integer, tableOptions, campaign, checkAtOnce}: Sql) => [
  `CREATE TABLE deliveries (
    lead_id TEXT NOT NULL REFERENCES leads (id),
    destination TEXT NOT NULL,
    gives_answer ${integer} NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'refused', 'delivered', 'dropped')),
    attempts ${integer} NOT NULL,
    ambiguous ${integer} NOT NULL,
    ambiguous_counted ${integer} NOT NULL,
    next_attempt_at ${integer} NOT NULL,
    leased_until ${integer} NOT NULL,
    last_error TEXT,
    remote_id TEXT,
    settled_at ${integer},
    PRIMARY KEY (lead_id, destination)
  ) ${tableOptions}`,
  ...['utm_source', 'utm_medium', 'utm_campaign'].map((name) => `ALTER TABLE leads ADD COLUMN ${name} TEXT`),
  `INSERT INTO deliveries (${deliveryColumns})
    SELECT lead_id, upstream, 1, state, attempts, ambiguous, ambiguous,
      next_attempt_at, leased_until, last_error, upstream_id, NULL
    FROM outbox JOIN leads ON id = lead_id`,
  `INSERT INTO deliveries (${deliveryColumns})
    SELECT id, '(before 1.1)', 1, CASE status WHEN 'refused' THEN 'dropped' ELSE 'delivered' END, 1, 0, 0,
      created_at, 0, NULL, upstream_id, created_at
    FROM leads WHERE upstream_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM outbox WHERE lead_id = id)`,
  'DROP TABLE outbox',
  `UPDATE leads SET utm_source = ${campaign('utm_source')}, utm_medium = ${campaign('utm_medium')},
    utm_campaign = ${campaign('utm_campaign')} WHERE attribution LIKE '%"utm_%'`,
  'ALTER TABLE leads DROP COLUMN upstream_id',
  checkAtOnce,
  'CREATE INDEX leads_partner ON leads (partner, id)',
  'CREATE INDEX leads_campaign ON leads (utm_campaign, id) WHERE utm_campaign IS NOT NULL',
  "CREATE INDEX deliveries_due ON deliveries (destination, next_attempt_at) WHERE state = 'waiting'",
  'CREATE INDEX deliveries_open ON deliveries (lead_id, destination, state) WHERE settled_at IS NULL',
  `CREATE INDEX deliveries_stopped ON deliveries (state, lead_id, destination)
    WHERE settled_at IS NULL AND state <> 'waiting'`,
];

/** What version 8 of the schema, which did not count requests for the form, did to a database of version 7. */
const fromSevenToEight = ({integer, tableOptions}: Sql) => [
  `CREATE TABLE paused_destinations (
    destination TEXT PRIMARY KEY,
    paused_at ${integer} NOT NULL,
    reason TEXT NOT NULL
  ) ${tableOptions}`,
  `CREATE TABLE earlier_deliveries AS SELECT ${deliveryColumns} FROM deliveries`,
  'DROP TABLE deliveries',
  `CREATE TABLE deliveries (
    lead_id TEXT NOT NULL REFERENCES leads (id),
    destination TEXT NOT NULL,
    content TEXT NOT NULL CHECK (content IN ('lead', 'created', 'answered', 'refused', 'held')),
    gives_answer ${integer} NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'refused', 'failed', 'delivered', 'dropped')),
    attempts ${integer} NOT NULL,
    ambiguous ${integer} NOT NULL,
    ambiguous_counted ${integer} NOT NULL,
    next_attempt_at ${integer} NOT NULL,
    leased_until ${integer} NOT NULL,
    last_error TEXT,
    remote_id TEXT,
    settled_at ${integer},
    happened_at ${integer} NOT NULL,
    failing_since ${integer},
    last_reply TEXT,
    PRIMARY KEY (lead_id, destination, content)
  ) ${tableOptions}`,
  `INSERT INTO deliveries (${deliveryColumns}, content, happened_at)
    SELECT ${deliveryColumns}, 'lead', created_at FROM earlier_deliveries JOIN leads ON id = lead_id`,
  'DROP TABLE earlier_deliveries',
  'DROP INDEX leads_partner',
  'DROP INDEX leads_campaign',
  'CREATE INDEX leads_supersedes ON leads (supersedes) WHERE supersedes IS NOT NULL',
  'CREATE INDEX leads_overview ON leads (id, partner, status, utm_campaign)',
  'CREATE INDEX leads_reference ON leads (substr(id, 27))',
  "CREATE INDEX deliveries_due ON deliveries (destination, next_attempt_at) WHERE state = 'waiting'",
  'CREATE INDEX deliveries_open ON deliveries (lead_id, destination, content, state) WHERE settled_at IS NULL',
  `CREATE INDEX deliveries_stopped ON deliveries (state, lead_id, destination, content)
    WHERE settled_at IS NULL AND state <> 'waiting'`,
];

/** What versions 9 and 10, which knew no hidden fields and no confirmations, did to a database of version 8. */
const fromEightToTen = ({integer, tableOptions}: Sql) => [
  `CREATE TABLE version_requests (
    day ${integer} NOT NULL,
    version TEXT NOT NULL,
    origin TEXT NOT NULL,
    requests ${integer} NOT NULL,
    PRIMARY KEY (day, version, origin)
  ) ${tableOptions}`,
  `CREATE TABLE break_ends (destination TEXT PRIMARY KEY, ended_at ${integer} NOT NULL) ${tableOptions}`,
  `CREATE TABLE consent_texts (
    partner TEXT NOT NULL,
    version TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    PRIMARY KEY (partner, version)
  ) ${tableOptions}`,
  'ALTER TABLE deliveries ADD COLUMN recipients TEXT',
];

/** What brings a database of 1.0.0 to a version. */
const statementsTo = (version: number, sql: Sql) => [
  ...(version >= 6 ? fromThreeToSix(sql.integer, sql.tableOptions) : []),
  ...(version >= 7 ? fromSixToSeven(sql) : []),
  ...(version >= 8 ? fromSevenToEight(sql) : []),
  ...(version >= 10 ? fromEightToTen(sql) : []),
];

/** In version 7: deliveries to a second destination, which only receives leads, in all states and with all values. */
const secondDeliveries = `
  INSERT INTO deliveries (${deliveryColumns})
  SELECT id, 'second', 0,
    CASE place % 5 WHEN 0 THEN 'waiting' WHEN 1 THEN 'held' WHEN 2 THEN 'refused' WHEN 3 THEN 'delivered'
      ELSE 'dropped' END,
    place, place + 1, place + 2, created_at + place, CASE place % 5 WHEN 0 THEN place ELSE 0 END,
    CASE place % 5 WHEN 2 THEN 'The upstream refused the lead with 422' END,
    CASE place % 2 WHEN 0 THEN 'second-' || id END, CASE WHEN place % 5 > 2 THEN created_at + place END
  FROM (SELECT id, created_at, ROW_NUMBER() OVER (ORDER BY id) AS place FROM leads) AS placed`;

/** In version 10: some of the deliveries are news, with values in the columns that came later. */
const otherContents = `
  UPDATE deliveries SET content = 'created', failing_since = 5, last_reply = 'x', recipients = '{}'
  WHERE state <> 'waiting'`;

type Delivery = Record<string, unknown>;
const selectDeliveries = `
  SELECT deliveries.*, created_at FROM deliveries JOIN leads ON id = lead_id ORDER BY lead_id, destination`;
/** Columns of version 12, as the upgrade fills them. */
const since12 = {address: null};
const toPlain = (rows: readonly Delivery[]): Delivery[] => rows.map((row) => ({...row}));

/** @param before the deliveries in version 7 */
function assertNothingLost(before: readonly Delivery[], after: readonly Delivery[]) {
  assert.ok(before.length > 12, 'each lead has the second delivery, and several have another');
  const added = {content: 'lead', failing_since: null, last_reply: null, recipients: null, ...since12};
  const expected = before.map((row) => ({...row, ...added, happened_at: row['created_at']}));
  assert.deepEqual(toPlain(after), expected);
}

/** Columns with their types, keys, references and checks, and indexes: all of it stands in the texts of SQLite. */
function shapeOfSqlite(path: string) {
  const database = new DatabaseSync(path, {readOnly: true});
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
  const {user_version: version} = database.prepare('PRAGMA user_version').get() ?? {};
  const damage = database.prepare('PRAGMA integrity_check').all().length;
  database.close();
  assert.equal(damage, 1, 'integrity_check gives one row, which says ok');
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
  for (const version of [oldestVersion, 6, 7, 8, 10]) {
    test(`a SQLite database of version ${version} that was brought up is shaped like a new one`, async (t) => {
      const folder = makeTemporaryFolder();
      t.after(() => folder.remove());
      const [fresh, upgraded] = [join(folder.path, 'fresh.sqlite'), join(folder.path, 'upgraded.sqlite')];
      copyFileSync(join(databases, '1.0.0.sqlite'), upgraded);
      if (version > oldestVersion) {
        const database = new DatabaseSync(upgraded, {defensive: false});
        for (const sql of statementsTo(version, sqlite)) database.exec(sql);
        database.exec(`PRAGMA user_version = ${version}`);
        database.close();
      }
      for (const path of [fresh, upgraded]) await (await openSqliteStore(path, clearText)).close();
      assert.deepEqual(shapeOfSqlite(upgraded), shapeOfSqlite(fresh));
      assert.equal(shapeOfSqlite(fresh).version, currentVersion);
    });

    test(
      `a PostgreSQL database of version ${version} that was brought up is shaped like a new one`,
      {skip: withoutPostgres},
      async (t: TestContext) => {
        const [fresh, upgraded] = [await createDatabase(), await createDatabase()];
        t.after(async () => {
          await fresh.drop();
          await upgraded.drop();
        });
        await upgraded.query(readFileSync(join(databases, '1.0.0.sql'), 'utf8'));
        if (version > oldestVersion) {
          for (const sql of statementsTo(version, postgres)) await upgraded.query(sql);
          await upgraded.query(`UPDATE schema_version SET version = ${version}`);
        }
        for (const {url} of [fresh, upgraded]) await (await openPostgresStore(url, clearText)).close();
        assert.deepEqual(await shapeOfPostgres(upgraded), await shapeOfPostgres(fresh));
      },
    );
  }

  test('a database of version 7 loses no delivery on SQLite when it is brought up', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const path = join(folder.path, 'seven.sqlite');
    copyFileSync(join(databases, '1.0.0.sqlite'), path);
    const database = new DatabaseSync(path, {defensive: false});
    for (const sql of [...statementsTo(7, sqlite), secondDeliveries]) database.exec(sql);
    database.exec('PRAGMA user_version = 7');
    const before = toPlain(database.prepare(selectDeliveries).all());
    database.close();

    const store = await openFor(t, openSqliteStore(path, clearText));
    const upgraded = new DatabaseSync(path, {readOnly: true});
    const after = upgraded.prepare(selectDeliveries).all();
    upgraded.close();
    assertNothingLost(before, after);
    assert.equal((await store.listDeliveries(100, {destination: 'second'})).length, 8);
  });
  test(
    'a database of version 7 loses no delivery on PostgreSQL when it is brought up',
    {skip: withoutPostgres},
    async (t: TestContext) => {
      const database = await createDatabase();
      t.after(() => database.drop());
      await database.query(readFileSync(join(databases, '1.0.0.sql'), 'utf8'));
      for (const sql of [...statementsTo(7, postgres), secondDeliveries]) await database.query(sql);
      await database.query('UPDATE schema_version SET version = 7');
      const before = toPlain(await database.query(selectDeliveries));
      const store = await openFor(t, openPostgresStore(database.url, clearText));
      assertNothingLost(before, await database.query(selectDeliveries));
      assert.equal((await store.listDeliveries(100, {destination: 'second'})).length, 8);
    },
  );

  test('a database of version 10 keeps each delivery as it is on SQLite when it is brought up', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const path = join(folder.path, 'ten.sqlite');
    copyFileSync(join(databases, '1.0.0.sqlite'), path);
    const database = new DatabaseSync(path, {defensive: false});
    for (const sql of statementsTo(10, sqlite)) database.exec(sql);
    database.exec(`PRAGMA user_version = 10; ${otherContents}`);
    const before = toPlain(database.prepare(selectDeliveries).all());
    database.close();
    await (await openSqliteStore(path, clearText)).close();
    const upgraded = new DatabaseSync(path, {readOnly: true});
    const after = toPlain(upgraded.prepare(selectDeliveries).all());
    upgraded.close();
    assert.ok(before.length > 5);
    assert.deepEqual(
      after,
      before.map((row) => ({...row, ...since12})),
    );
  });
  test(
    'a database of version 10 keeps each delivery as it is on PostgreSQL when it is brought up',
    {skip: withoutPostgres},
    async (t: TestContext) => {
      const database = await createDatabase();
      t.after(() => database.drop());
      await database.query(readFileSync(join(databases, '1.0.0.sql'), 'utf8'));
      for (const sql of [...statementsTo(10, postgres), otherContents]) await database.query(sql);
      await database.query('UPDATE schema_version SET version = 10');
      const before = toPlain(await database.query(selectDeliveries));
      await openFor(t, openPostgresStore(database.url, clearText));
      assert.ok(before.length > 5);
      assert.deepEqual(
        toPlain(await database.query(selectDeliveries)),
        before.map((row) => ({...row, ...since12})),
      );
    },
  );

  test('a PostgreSQL database of a version before 1.0.0 is refused', {skip: withoutPostgres}, async (t) => {
    const database = await createDatabase();
    t.after(() => database.drop());
    await database.query(
      'CREATE TABLE schema_version (version BIGINT); INSERT INTO schema_version VALUES (2)',
    );
    await assert.rejects(openPostgresStore(database.url, clearText), /before version 1\.0\.0/);
  });
});
