/**
 * The statements that the server of the last release sends (test/support/statements), against the tables as they are now.
 * While one server is replaced by the next, both versions have the database open.
 */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {DatabaseSync, type SQLInputValue} from 'node:sqlite';
import {suite, test} from 'node:test';
import pg from 'pg';
import {oldestServer} from '../../../server/store/schema.ts';
import {openSqliteStore} from '../../../server/store/sqlite/store.ts';
import {createDatabaseWithTables, withoutPostgres} from '../../support/postgres.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {testEncryptor} from '../../support/test-server.ts';

type Sent = {text: string; values: SQLInputValue[]};
/** `schema` is the version of the tables that the release was made for. */
type Release = {schema: number; sqlite: Sent[]; postgres: Sent[]};

const folder = join(import.meta.dirname, '../../support/statements');
const [file = assert.fail('there is no fixture'), ...others] = readdirSync(folder);
const version = basename(file, '.json');
/** Values that are bytes stand there as `{base64: …}`. */
const asSent = (_key: string, value: unknown) =>
  typeof value === 'object' && value && 'base64' in value
    ? Buffer.from(String(value.base64), 'base64')
    : value;
const release = JSON.parse(readFileSync(join(folder, file), 'utf8'), asSent) as Release;

const failure = (error: unknown, {text}: Sent) => `${String(error)}: ${text}`;

/**
 * Runs each statement on tables without rows, and takes it back. References are not checked, because a statement alone
 * lacks the lead that it refers to.
 * @param change is made to the tables before
 * @returns what failed
 */
async function failuresOnSqlite(change = ''): Promise<string[]> {
  const place = makeTemporaryFolder();
  const path = join(place.path, 'leads.sqlite');
  await (await openSqliteStore(path, testEncryptor)).close();
  const database = new DatabaseSync(path, {enableForeignKeyConstraints: false});
  database.exec(change);
  const failures = release.sqlite.flatMap((sent) => {
    database.exec('BEGIN');
    try {
      database.prepare(sent.text).all(...sent.values);
      return [];
    } catch (error) {
      return [failure(error, sent)];
    } finally {
      database.exec('ROLLBACK');
    }
  });
  database.close();
  place.remove();
  return failures;
}

/** As on SQLite. A replica does not check references. */
async function failuresOnPostgres(): Promise<string[]> {
  const database = await createDatabaseWithTables();
  const client = new pg.Client({connectionString: database.url});
  await client.connect();
  await client.query('SET session_replication_role = replica');
  const failures: string[] = [];
  for (const sent of release.postgres) {
    await client.query('BEGIN');
    await client.query(sent.text, sent.values).catch((error: unknown) => failures.push(failure(error, sent)));
    await client.query('ROLLBACK');
  }
  await client.end();
  await database.drop();
  return failures;
}

suite('the statements of the last release', () => {
  test('are those of one release, and no older server may start on the tables', () => {
    assert.deepEqual(others, []);
    assert.ok(release.schema <= oldestServer, 'raise oldestServer');
  });
  const apart = release.schema < oldestServer && 'both versions cannot run at once';
  test(`SQLite takes each statement that ${version} sends`, {skip: apart}, async () => {
    assert.ok(release.sqlite.length > 50);
    assert.deepEqual(await failuresOnSqlite(), []);
  });
  test(
    `PostgreSQL takes each statement that ${version} sends`,
    {skip: apart || withoutPostgres},
    async () => {
      assert.ok(release.postgres.length > 50);
      assert.deepEqual(await failuresOnPostgres(), []);
    },
  );

  const contracts: [what: string, change: string, says: RegExp][] = [
    [
      'a column is gone',
      'ALTER TABLE leads DROP COLUMN suspect',
      /no column named suspect: INSERT INTO leads/,
    ],
    [
      'a new column must have a value',
      'ALTER TABLE sealed ADD COLUMN hash TEXT CHECK (hash IS NOT NULL)',
      /CHECK constraint failed: hash IS NOT NULL: INSERT INTO sealed/,
    ],
    ['an index is gone', 'DROP INDEX leads_reference', /no such index: leads_reference: SELECT/],
  ];
  for (const [what, change, says] of contracts) {
    test(`some of them fail on SQLite when ${what}`, {skip: apart}, async () => {
      assert.match((await failuresOnSqlite(change)).join('\n'), says);
    });
  }
});
