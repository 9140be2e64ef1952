/** A database that was brought up has exactly the shape of a new one, whichever version it comes from. */
import assert from 'node:assert/strict';
import {copyFileSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test, type TestContext} from 'node:test';
import {currentVersion, oldestVersion} from '../../../server/store/schema.ts';
import {clearText} from '../../../server/store/codec.ts';
import {openPostgresStore} from '../../../server/store/postgres/store.ts';
import {openSqliteStore} from '../../../server/store/sqlite/store.ts';
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
  for (const version of [oldestVersion, 6]) {
    test(`a database that was brought up has the shape of a new one on SQLite, from version ${version}`, async (t) => {
      const folder = makeTemporaryFolder();
      t.after(() => folder.remove());
      const [fresh, upgraded] = [join(folder.path, 'fresh.sqlite'), join(folder.path, 'upgraded.sqlite')];
      copyFileSync(join(databases, '1.0.0.sqlite'), upgraded);
      if (version > oldestVersion) {
        const database = new DatabaseSync(upgraded);
        for (const sql of fromThreeToSix('INTEGER', 'STRICT, WITHOUT ROWID')) database.exec(sql);
        database.exec(`PRAGMA user_version = ${version}`);
        database.close();
      }
      for (const path of [fresh, upgraded]) await (await openSqliteStore(path, clearText)).close();
      assert.deepEqual(shapeOfSqlite(upgraded), shapeOfSqlite(fresh));
      assert.equal(shapeOfSqlite(fresh).version, currentVersion);
    });

    test(
      `a database that was brought up has the shape of a new one on PostgreSQL, from version ${version}`,
      {skip: withoutPostgres},
      async (t: TestContext) => {
        const [fresh, upgraded] = [await createDatabase(), await createDatabase()];
        t.after(async () => {
          await fresh.drop();
          await upgraded.drop();
        });
        await upgraded.query(readFileSync(join(databases, '1.0.0.sql'), 'utf8'));
        if (version > oldestVersion) {
          for (const sql of fromThreeToSix('BIGINT', '')) await upgraded.query(sql);
          await upgraded.query(`UPDATE schema_version SET version = ${version}`);
        }
        for (const {url} of [fresh, upgraded]) await (await openPostgresStore(url, clearText)).close();
        assert.deepEqual(await shapeOfPostgres(upgraded), await shapeOfPostgres(fresh));
      },
    );
  }

  test('a PostgreSQL database of a version before 1.0.0 is refused', {skip: withoutPostgres}, async (t) => {
    const database = await createDatabase();
    t.after(() => database.drop());
    await database.query(
      'CREATE TABLE schema_version (version BIGINT); INSERT INTO schema_version VALUES (2)',
    );
    await assert.rejects(openPostgresStore(database.url, clearText), /before version 1\.0\.0/);
  });
});
