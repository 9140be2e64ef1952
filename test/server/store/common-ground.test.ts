/** What the server needs of PostgreSQL, for operators who think of another engine. */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {statement} from '../../../server/store/database.ts';
import {openConnections} from '../../../server/store/postgres/connections.ts';
import {commonGround, outside} from '../../support/common-ground.ts';
import {createDatabaseWithTables, withoutPostgres} from '../../support/postgres.ts';

const folder = join(import.meta.dirname, '../../support/statements');

suite('the common ground of engines that speak the protocol of PostgreSQL', () => {
  for (const file of readdirSync(folder)) {
    test(`has all that the statements of ${file} need`, () => {
      const {postgres} = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {postgres: {text: string}[]};
      assert.deepEqual([...new Set(postgres.flatMap(({text}) => outside(text)))], []);
    });
  }

  const leaving: [text: string, what: string[]][] = [
    ['SELECT date_trunc($1, created_at) FROM leads', ['date_trunc']],
    ['SELECT id FROM leads WHERE clear_lead ILIKE $1', ['ILIKE']],
    ['SELECT id FROM leads WHERE reasons::jsonb @> $1', ['@>']],
    ['SELECT id FROM leads FOR UPDATE NOWAIT', ['NOWAIT']],
    ['SELECT id, row_number() OVER (ORDER BY id) FROM leads', ['row_number', 'OVER']],
    ['select id FROM leads', ['select']],
    ['LISTEN leads', ['LISTEN']],
    ['SELECT id FROM leads WHERE id = ANY($1)', ['ANY']],
    ['SELECT status FROM leads, status(id) AS answered', ['status']],
  ];
  for (const [text, what] of leaving)
    test(`does not have ${what.join(', ')}`, () => assert.deepEqual(outside(text), what));

  test('has a reason for each of its words, and each word once', () => {
    const words = commonGround.flatMap((line) => line.words.split(/\s+/));
    assert.deepEqual(words, [...new Set(words)]);
    for (const {why} of commonGround) assert.ok(why.length > 10);
  });

  // Beside the recorder of build/statements.ts, nothing is kept (test/support/postgres.ts).
  const skip = withoutPostgres || process.env['STATEMENTS_FILE'] !== undefined;
  test('is kept by each test: the store fails with the name', {skip}, async (t) => {
    const database = await createDatabaseWithTables();
    t.after(() => database.drop());
    const connections = await openConnections(database.url);
    t.after(() => connections.close());
    const read = connections.read(statement('SELECT COUNT(*) FILTER (WHERE partner IS NULL) FROM leads'));
    await assert.rejects(read, /^Error: FILTER is not in test\/support\/common-ground\.ts: SELECT/);
  });
});
