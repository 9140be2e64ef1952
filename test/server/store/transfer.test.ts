/** Every kind of row goes from SQLite to PostgreSQL as it stands, and a transfer that stops leaves both as they were. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test, type TestContext} from 'node:test';
import {deliveryContents, deliveryStates, type FirstContent} from '../../../server/leads/deliveries.ts';
import {tables, type Column, type Table} from '../../../server/store/columns.ts';
import {openStore, openAttachedStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {transfer, transferred, type Progress} from '../../../server/store/transfer.ts';
import {openWhile} from '../../support/opened.ts';
import {databaseFor, withoutPostgres, type TestDatabase} from '../../support/postgres.ts';
import {leadWith, newDelivery, newEntry, sampleConsent} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {dataKey, baseConfig, testEncryptor} from '../../support/test-server.ts';

const both = createEncryptor(['a data key of at least 32 characters', dataKey]);
const consent = {...sampleConsent, givenAt: 1};

type Place = {databaseUrl: string | undefined; databasePath: string};
type Row = Record<string, unknown>;
type Both = {place: Place; run: (sql: string) => Promise<Row[]>};

async function makePlaces(t: TestContext, database?: TestDatabase): Promise<{sqlite: Both; postgres: Both}> {
  const databasePath = join(temporaryFolder(t), 'leads.sqlite');
  const there = database ?? (await databaseFor(t));
  return {
    sqlite: {
      place: {databaseUrl: undefined, databasePath},
      run(sql) {
        const file = new DatabaseSync(databasePath, {enableForeignKeyConstraints: false});
        const rows = sql.startsWith('BEGIN') ? file.exec(sql) : file.prepare(sql).all();
        file.close();
        return Promise.resolve(rows ?? []);
      },
    },
    postgres: {place: {databaseUrl: there.url, databasePath: ''}, run: (sql) => there.query(sql)},
  };
}

const plain = (value: unknown) =>
  value instanceof Uint8Array
    ? Buffer.from(value).toString('hex')
    : typeof value === 'bigint' || typeof value === 'number'
      ? Number(value)
      : value;
const numbers = (table: string, row: Row) =>
  Object.fromEntries(
    Object.entries((tables as Record<string, Table>)[table]!.columns).map(([name, {type}]) => [
      name,
      type === 'integer' && row[name] !== null ? Number(row[name]) : plain(row[name]),
    ]),
  );

async function contents({run}: Both) {
  const found: Record<string, string[]> = {};
  for (const table of transferred)
    found[table] = (await run(`SELECT * FROM ${table}`))
      .map((row) => JSON.stringify(numbers(table, row)))
      .toSorted();
  return found;
}

/** Texts whose order differs between bytes, UTF-16 and languages, and which SQL or JSON might change. */
const texts = [
  'a',
  'B',
  'b',
  'ä',
  '',
  ' ',
  '\u{1f600}',
  '\uffee',
  "it's",
  'back\\slash',
  '{"a":"\\u0000"}',
  '\\x00',
];

/** Rows for all tables with these texts, besides those that the store itself writes. */
async function insertOddRows({run}: Both, lead: string) {
  const statements: string[] = [];
  for (const [table, {columns}] of Object.entries(tables)) {
    if (['leads', 'processes', 'schema_compatibility', 'store_mark', 'data_keys'].includes(table)) continue;
    for (const [index, text] of texts.entries()) {
      const values = Object.entries(columns as Record<string, Column>).map(([name, column]) => {
        if (name === 'id' && column.check) return '1';
        if (name === 'lead_id') return `'${lead}'`;
        if (column.oneOf) return `'${column.oneOf[index % column.oneOf.length]!}'`;
        if (column.type === 'integer') return column.null && index % 2 ? 'NULL' : String(2 ** 40 + index);
        if (column.type === 'blob') return `CAST('${'\u0001'.repeat(index)}' AS BLOB)`;
        return column.null && index % 3 === 0 ? 'NULL' : `'${text.replaceAll("'", "''")}'`;
      });
      statements.push(`INSERT INTO ${table} VALUES (${values.join(', ')}) ON CONFLICT DO NOTHING`);
    }
  }
  await run(['BEGIN', ...statements, 'COMMIT'].join(';'));
}

/** Leads in clear, encrypted with two keys and erased, with deliveries in each state, and rows of each table. */
async function fillStore(place: Both) {
  const config = {...baseConfig(''), ...place.place};
  const odd = newEntry({lead: leadWith({last_name: 'O’Neill \u{1f600}'})});
  const erased = newEntry({partner: 'acme', consent});
  const all = () => [
    odd,
    erased,
    ...Array.from({length: 40}, (_, n) =>
      newEntry({
        partner: 'acme',
        consent,
        deliveries: deliveryContents.map((content, index) =>
          newDelivery({destination: `to-${index}`, content: content as FirstContent, givesAnswer: false}),
        ),
        idempotency: [{owner: 'acme', digest: `key ${n}`, fingerprint: 'a'}],
        contextFilters: {brand: texts[n % texts.length]!},
      }),
    ),
  ];
  await openWhile(openStore(config, testEncryptor), async (store) => {
    await Promise.all(all().map((entry) => store.accept(entry)));
    await store.erase(erased.id, Date.now(), () => true);
    await store.probe(Date.now(), 64);
  });
  await openWhile(openStore(config, both), async (store) => {
    await Promise.all(
      all()
        .slice(2)
        .map((entry) => store.accept({...entry, idempotency: []})),
    );
  });
  for (const [index, state] of deliveryStates.entries())
    await place.run(`UPDATE deliveries SET state = '${state}', last_reply = '{"a":"b"}'
      WHERE destination = 'to-${index % deliveryContents.length}'`);
  await place.run(`UPDATE leads SET clear_lead = '{"first_name":"O’Neill"}' WHERE id = '${odd.id}'`);
  await insertOddRows(place, odd.id);
}

/** @param during is called with each report, and ends the transfer by throwing */
async function copy({place}: Both, target: Both, during: (progress: Progress) => unknown = () => undefined) {
  for await (const progress of transfer(place.databasePath, target.place.databaseUrl!))
    await during(progress);
}
const stop = () => Promise.reject(new Error('stopped'));

const configFor = ({place}: Both) => ({...baseConfig(''), ...place});
const opens = (place: Both) => openWhile(openStore(configFor(place), both), () => Promise.resolve());
/** As before the transfer: the file works, and no table was made in PostgreSQL. */
async function assertUntouched(sqlite: Both, postgres: Both) {
  await opens(sqlite);
  assert.deepEqual(await postgres.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), []);
}

suite('a transfer to PostgreSQL', {skip: withoutPostgres}, () => {
  for (const [what, options] of [
    ['', ''],
    // The text goes to the end of CREATE DATABASE … TEMPLATE.
    [' with ICU', "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"],
  ] as const)
    test(`leaves all tables equal in a database${what}, and no server starts on the file`, async (t) => {
      const {sqlite, postgres} = await makePlaces(t, await databaseFor(t, 'template0', options));
      await fillStore(sqlite);
      const before = await contents(sqlite);
      for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, table);
      await copy(sqlite, postgres);
      assert.deepEqual(await contents(postgres), before);
      await openWhile(openStore(configFor(postgres), both), async (store) => {
        assert.equal((await store.accept(newEntry())).outcome, 'created');
      });

      const path = sqlite.place.databasePath;
      await assert.rejects(
        opens(sqlite),
        /were moved to PostgreSQL, and the file is .*leads\.sqlite\.moved now/,
      );
      assert.deepEqual(readdirSync(dirname(path)), ['leads.sqlite.moved']);
      renameSync(`${path}.moved`, path);
      assert.deepEqual(await contents(sqlite), before);
      await assert.rejects(copy(sqlite, postgres), /holds other data/);
    });

  test('that stops leaves both as they were, and the next one begins anew', async (t) => {
    const {sqlite, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    const before = await contents(sqlite);
    for (const stopsIn of ['leads', 'deliveries', transferred.at(-1)]) {
      const stopped = copy(sqlite, postgres, ({table}) => table === stopsIn && stop());
      await assert.rejects(stopped, /stopped/);
      await assertUntouched(sqlite, postgres);
    }
    const cut = copy(sqlite, postgres, () =>
      postgres.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`),
    );
    await assert.rejects(cut, /^Error: .*(terminat|connection)/i);
    await assertUntouched(sqlite, postgres);
    await copy(sqlite, postgres);
    assert.deepEqual(await contents(postgres), before);
  });

  test('that is killed after the commit ends with the next one, unless either was used since', async (t) => {
    const {sqlite, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    const moved = `${sqlite.place.databasePath}.moved`;
    // A folder in the way of the new name fails the transfer where a kill would.
    const failed = copy(sqlite, postgres, () => existsSync(moved) || mkdirSync(moved));
    await assert.rejects(failed, /EISDIR/);
    await assert.rejects(copy(sqlite, postgres), /leads\.sqlite\.moved is there, from an earlier copy/);
    rmdirSync(moved);
    const change = `UPDATE deliveries SET attempts = attempts + 1 WHERE destination = 'to-1'`;
    await sqlite.run(change);
    await assert.rejects(copy(sqlite, postgres), /holds other data, which a copy would mix/);
    await postgres.run(change);
    await copy(sqlite, postgres);
    await assert.rejects(opens(sqlite), /were moved to PostgreSQL/);
    await opens(postgres);
  });

  test('has the file for itself: neither servers, pages nor commands open it beside', async (t) => {
    const {sqlite, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    const attached = (mayWrite: boolean) => openAttachedStore(configFor(sqlite), both, mayWrite);
    for (const opened of [openStore(configFor(sqlite), both), attached(true), attached(false)])
      await openWhile(opened, async () => {
        await assert.rejects(
          copy(sqlite, postgres),
          /A server, the operators' pages or another program has .* open/,
        );
      });
    await assertUntouched(sqlite, postgres);
    await copy(sqlite, postgres, async ({table}) => {
      if (table !== 'leads') return;
      await assert.rejects(opens(sqlite), /database is locked/);
      await assert.rejects(attached(true), /database is locked/);
      await assert.rejects(copy(sqlite, postgres), /database is locked/);
    });
    await opens(postgres);
  });

  test('that meets a row of a lead that is not there names the table, and changes nothing', async (t) => {
    const {sqlite, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    await sqlite.run(`INSERT INTO consents VALUES ('no lead', '{}')`);
    await assert.rejects(copy(sqlite, postgres), /^Error: consents: .* foreign key/);
    await assertUntouched(sqlite, postgres);
  });

  test('takes along the log of a killed server, and refuses and keeps one that is damaged', async (t) => {
    const {sqlite, postgres} = await makePlaces(t);
    const [running, killed] = [sqlite.place.databasePath, `${sqlite.place.databasePath}-killed`];
    await openWhile(openStore(configFor(sqlite), testEncryptor), async (store) => {
      for (let count = 0; count < 10; count += 1) await store.accept(newEntry());
      for (const suffix of ['', '-wal', '-shm']) copyFileSync(running + suffix, killed + suffix);
    });
    const source = {...sqlite, place: {...sqlite.place, databasePath: killed}};
    const log = readFileSync(`${killed}-wal`);
    const damaged = Buffer.from(log).fill(0xa5, log.length / 2, log.length / 2 + 50);
    writeFileSync(`${killed}-wal`, damaged);
    await assert.rejects(copy(source, postgres), /-wal is damaged after byte \d+/);
    assert.deepEqual(readFileSync(`${killed}-wal`), damaged);

    writeFileSync(`${killed}-wal`, log);
    await copy(source, postgres);
    assert.deepEqual(await postgres.run('SELECT COUNT(*)::integer AS leads FROM leads'), [{leads: 10}]);
    assert.deepEqual(readdirSync(dirname(killed)).toSorted(), ['leads.sqlite', 'leads.sqlite-killed.moved']);
  });
});
