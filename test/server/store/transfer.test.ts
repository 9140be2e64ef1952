/** Every kind of row goes from one database to the other as it stands, and what changed since goes after it. */
import assert from 'node:assert/strict';
import {copyFileSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test, type TestContext} from 'node:test';
import {deliveryContents, deliveryStates, type FirstContent} from '../../../server/leads/deliveries.ts';
import {tables, type Column, type Table} from '../../../server/store/columns.ts';
import {createApp} from '../../../server/index.ts';
import {openEnd, openStore} from '../../../server/store/open-store.ts';
import {clearText, createSealer} from '../../../server/store/sealing.ts';
import {startServer} from '../../../server/server.ts';
import {setMark} from '../../../server/store/schema.ts';
import {reopen, transfer, transferred} from '../../../server/store/transfer.ts';
import {startFakeUpstream} from '../../support/fake-upstream.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {createDatabase, withoutPostgres} from '../../support/postgres.ts';
import {
  asLead,
  newDelivery,
  newEntry,
  prequalificationBody,
  sampleConsent,
} from '../../support/sample-leads.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {baseConfig} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const dataKey = 'a data key of at least 32 characters';
const both = createSealer([dataKey, 'clear']);
const minute = 60_000;
const consent = {...sampleConsent, givenAt: 1};

type Place = {databaseUrl: string | undefined; databasePath: string; databaseStatements: 'named'};
type Row = Record<string, unknown>;
type Both = {place: Place; run: (sql: string) => Promise<Row[]>};

async function makePlaces(t: TestContext): Promise<{sqlite: Both; other: Both; postgres: Both}> {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const database = await createDatabase();
  t.after(() => database.drop());
  const inFile = (name: string): Both => {
    const databasePath = join(folder.path, name);
    return {
      place: {databaseUrl: undefined, databasePath, databaseStatements: 'named'},
      run(sql) {
        const file = new DatabaseSync(databasePath, {enableForeignKeyConstraints: false});
        const rows = sql.startsWith('BEGIN') ? file.exec(sql) : file.prepare(sql).all();
        file.close();
        return Promise.resolve(rows ?? []);
      },
    };
  };
  return {
    sqlite: inFile('one.sqlite'),
    other: inFile('other.sqlite'),
    postgres: {
      place: {databaseUrl: database.url, databasePath: '', databaseStatements: 'named'},
      run: (sql) => database.query(sql),
    },
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

/** Leads in clear, sealed and erased, with deliveries in each state, and rows of each table. */
async function fillStore(place: Both) {
  const config = {...baseConfig(''), ...place.place};
  const odd = newEntry({lead: asLead({...prequalificationBody, last_name: 'O’Neill \u{1f600}'})});
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
  await openWhile(openStore(config, clearText), async (store) => {
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
  await insertOddRows(place, odd.id);
}

async function copy(t: TestContext, source: Both, target: Both, isLast = false) {
  const from = await openFor(t, openEnd(source.place, isLast ? 'mark' : 'read', minute));
  try {
    const to = await openFor(t, openEnd(target.place, {copyOf: from.place}, minute));
    try {
      return await transfer(from, to, isLast, () => undefined);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
const countsOf = ({tables: outcomes}: Awaited<ReturnType<typeof transfer>>) =>
  outcomes
    .filter(({written, removed}) => written + removed > 0)
    .map(({table, written, removed}) => ({table, written, removed}));

suite('a transfer', {skip: withoutPostgres}, () => {
  test('to PostgreSQL and back, all tables are equal, and servers start there', async (t) => {
    const {sqlite, other, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    const before = await contents(sqlite);
    for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, table);
    await copy(t, sqlite, postgres, true);
    assert.deepEqual(await contents(postgres), before);
    assert.deepEqual(await contents(sqlite), before);
    await copy(t, postgres, other, true);
    assert.deepEqual(await contents(other), before);

    await assert.rejects(
      openStore({...baseConfig(''), ...sqlite.place}, both),
      /were moved to postgres:\/\//,
    );
    await assert.rejects(
      openStore({...baseConfig(''), ...postgres.place}, both),
      /were moved to .*other\.sqlite/,
    );
    await openWhile(openStore({...baseConfig(''), ...other.place}, both), async (store) => {
      assert.equal((await store.accept(newEntry())).outcome, 'created');
    });
  });

  test('from one PostgreSQL to another, all tables are equal', async (t) => {
    const {sqlite, postgres} = await makePlaces(t);
    const {postgres: second} = await makePlaces(t);
    await fillStore(sqlite);
    await copy(t, sqlite, postgres, true);
    await copy(t, postgres, second, true);
    assert.deepEqual(await contents(second), await contents(sqlite));
  });

  test('the tables of the target are those that a start makes, with all references', async (t) => {
    const {sqlite, postgres} = await makePlaces(t);
    const fresh = await createDatabase();
    t.after(() => fresh.drop());
    await (
      await openStore({...baseConfig(''), ...postgres.place, databaseUrl: fresh.url}, clearText)
    ).close();
    await fillStore(sqlite);
    await copy(t, sqlite, postgres, true);
    const definitions = `SELECT conrelid::regclass::text AS of, conname, pg_get_constraintdef(oid) AS is
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`;
    assert.deepEqual(await postgres.run(definitions), await fresh.query(definitions));
  });

  for (const direction of ['SQLite to PostgreSQL', 'PostgreSQL to SQLite'])
    test(`from ${direction}, a further pass writes what changed, and deletes what is gone`, async (t) => {
      const {sqlite, other, postgres} = await makePlaces(t);
      await fillStore(sqlite);
      let [source, target] = [sqlite, postgres];
      if (direction === 'PostgreSQL to SQLite') {
        await copy(t, sqlite, postgres, true);
        [source, target] = [postgres, other];
      }
      const first = await copy(t, source, target);
      assert.equal(first.tables.find(({table}) => table === 'leads')?.written, 82);
      assert.deepEqual(countsOf(await copy(t, source, target)), []);

      await source.run(`UPDATE deliveries SET attempts = attempts + 1 WHERE destination = 'to-1'`);
      await source.run(`DELETE FROM deliveries WHERE destination = 'to-2'`);
      await source.run(`DELETE FROM spent_proofs WHERE nonce > 'a'`);
      await source.run(
        `INSERT INTO paused_destinations VALUES ('0', 1, 'before all others'), ('\u{1f601}', 1, 'after')`,
      );
      const {tables: outcomes} = await copy(t, source, target);
      assert.ok(outcomes.every(({written}) => written < 100));
      assert.deepEqual(await contents(target), await contents(source));

      // As if a pass had been killed, or somebody had written there.
      await target.run(`DELETE FROM deliveries WHERE destination = 'to-3'`);
      await target.run(`INSERT INTO break_ends VALUES ('nowhere', 1)`);
      await copy(t, source, target, true);
      assert.deepEqual(await contents(target), await contents(source));
    });

  test('a database whose order is that of a language gets the same rows', async (t) => {
    const {sqlite, other} = await makePlaces(t);
    // The text goes to the end of CREATE DATABASE … TEMPLATE.
    const database = await createDatabase("template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'");
    t.after(() => database.drop());
    const icu: Both = {
      place: {databaseUrl: database.url, databasePath: '', databaseStatements: 'named'},
      run: (sql) => database.query(sql),
    };
    await fillStore(sqlite);
    await copy(t, sqlite, icu, false);
    assert.deepEqual(countsOf(await copy(t, sqlite, icu, true)), []);
    await copy(t, icu, other, true);
    assert.deepEqual(await contents(other), await contents(sqlite));
  });

  test('from file to file, a last pass that stopped half-way is made again', async (t) => {
    const {sqlite, other} = await makePlaces(t);
    await fillStore(sqlite);
    const from = await openFor(t, openEnd(sqlite.place, 'mark', minute));
    const to = await openFor(t, openEnd(other.place, {copyOf: from.place}, minute));
    const stopped = {...to, replace: (table: string) => Promise.reject(new Error(`no room for ${table}`))};
    await assert.rejects(
      transfer(from, {...to, ...stopped}, true, () => undefined),
      /no room for leads/,
    );
    await from.close();
    await to.close();
    for (const each of [sqlite, other])
      await assert.rejects(
        openStore({...baseConfig(''), ...each.place}, both),
        /are being moved|not complete/,
      );
    await assert.rejects(copy(t, sqlite, other), /add --finish to go on/);
    // Nothing was moved yet, so nobody is asked.
    const reopened = await openFor(t, openEnd(sqlite.place, 'mark', minute));
    await reopen(reopened, () => Promise.reject(new Error('asked')));
    await reopened.close();
    await openWhile(openStore({...baseConfig(''), ...sqlite.place}, both), () => Promise.resolve());
    await copy(t, sqlite, other, true);
    assert.deepEqual(await contents(other), await contents(sqlite));
    assert.equal((await copy(t, sqlite, other, true)).wasDone, true);
    rmSync(other.place.databasePath);
    assert.equal((await copy(t, sqlite, other, true)).wasDone, false);
  });

  test('a row that refers to a lead that is not there is told, and the mark stays', async (t) => {
    const {sqlite, other, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    await sqlite.run(`INSERT INTO consents VALUES ('no lead', '{}')`);
    await assert.rejects(copy(t, sqlite, other, true), /A row of consents in .* refers to a lead/);
    await sqlite.run('DELETE FROM store_mark');
    await assert.rejects(copy(t, sqlite, postgres, true), /consents/);
    await assert.rejects(openStore({...baseConfig(''), ...postgres.place}, both), /not complete/);
  });

  test('a last pass is refused at its end if a server has reported meanwhile', async (t) => {
    const {sqlite, other, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    await copy(t, sqlite, postgres, true);
    for (const [source, target] of [
      [postgres, other],
      [other, sqlite],
    ] as const) {
      if (target === sqlite) rmSync(sqlite.place.databasePath);
      const from = await openFor(t, openEnd(source.place, 'mark', minute));
      const to = await openFor(t, openEnd(target.place, {copyOf: from.place}, minute));
      const restoreReferences = async () => {
        await source.run(`INSERT INTO processes VALUES ('thawed', ${Date.now()}, '{}')`);
        await to.restoreReferences();
      };
      await assert.rejects(
        transfer(from, {...to, restoreReferences}, true, () => undefined),
        /A server uses /,
      );
      await from.close();
      await to.close();
      for (const each of [source, target])
        await assert.rejects(
          openStore({...baseConfig(''), ...each.place}, both),
          /are being moved|not complete/,
        );
      await source.run('DELETE FROM processes');
      await copy(t, source, target, true);
    }
  });

  test('beside a last pass from PostgreSQL, there is no second one and no reopening', async (t) => {
    const {postgres, other} = await makePlaces(t);
    const {postgres: second} = await makePlaces(t);
    await openWhile(openStore({...baseConfig(''), ...postgres.place}, clearText), async (store) => {
      await store.accept(newEntry());
    });
    const from = await openFor(t, openEnd(postgres.place, 'mark', minute));
    const to = await openFor(t, openEnd(second.place, {copyOf: from.place}, minute));
    await transfer(
      from,
      {
        ...to,
        async restoreReferences() {
          // What a second pass finds now is no longer true when it deletes what the source does not have.
          await assert.rejects(openEnd(postgres.place, 'mark', minute), /Another command .* postgres:/);
          await assert.rejects(copy(t, postgres, second), /Another command .* postgres:/);
          await to.restoreReferences();
        },
      },
      true,
      () => undefined,
    );
    await Promise.all([from.close(), to.close()]);
    await assert.rejects(copy(t, postgres, other, true), /is not to be copied there/);
    assert.equal((await copy(t, postgres, second, true)).wasDone, true);
  });

  test('a server that stops is seen until its last delivery has ended', async (t) => {
    const {place} = (await makePlaces(t)).postgres;
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const upstream = await openFor(
      t,
      startFakeUpstream({
        create(response) {
          asked.resolve();
          void answered.promise.then(() => response.writeHead(500).end());
        },
      }),
    );
    const config = {
      ...baseConfig(''),
      ...place,
      destinations: new Map([['lender', upstream.settings]]),
    };
    const server = await startServer(config, () => undefined);
    await openWhile(openStore(config, clearText), (store) =>
      store.accept(newEntry({deliveries: [newDelivery({destination: 'lender'})]})),
    );
    await asked.promise;
    const closed = server.close();
    const isClosed = () =>
      fetch(`http://127.0.0.1:${server.port}/readyz`).then(
        () => false,
        () => true,
      );
    await until(isClosed, 'the port is closed');
    const source = await openFor(t, openEnd(place, 'mark', minute));
    assert.equal(await source.isServed(), true);
    answered.resolve();
    await closed;
    assert.equal(await source.isServed(), false);
    await source.close();
  });

  test('a program that has the app in a server of its own is seen, too', async (t) => {
    const {place} = (await makePlaces(t)).postgres;
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const settings = {...serviceSettings(folder.path), DATABASE_URL: place.databaseUrl, LOG_LEVEL: 'error'};
    const app = await openFor(t, createApp(settings));
    const source = await openFor(t, openEnd(place, 'mark', minute));
    assert.equal(await source.isServed(), true);
    await app.close();
    assert.equal(await source.isServed(), false);
    await source.write(...setMark({mark: 'moved', place: 'elsewhere'}));
    await assert.rejects(createApp(settings), /were moved to elsewhere/);
  });

  test('a damaged log of a killed server is refused and kept, as at the start of a server', async (t) => {
    const {sqlite, other} = await makePlaces(t);
    const [running, killed] = [sqlite.place.databasePath, `${sqlite.place.databasePath}-killed`];
    await openWhile(openStore({...baseConfig(''), ...sqlite.place}, clearText), async (store) => {
      for (let count = 0; count < 10; count += 1) await store.accept(newEntry());
      for (const suffix of ['', '-wal']) copyFileSync(running + suffix, killed + suffix);
    });
    const log = readFileSync(`${killed}-wal`);
    log.fill(0xa5, log.length / 2, log.length / 2 + 50);
    writeFileSync(`${killed}-wal`, log);
    const source = {...sqlite, place: {...sqlite.place, databasePath: killed}};
    for (const isLast of [false, true])
      await assert.rejects(copy(t, source, other, isLast), /-wal is damaged after byte \d+/);
    assert.deepEqual(readFileSync(`${killed}-wal`), log);
  });

  for (const database of ['sqlite', 'postgres'] as const)
    test(`a server that starts on ${database} just as the leads are moved is seen, or does not start`, async (t) => {
      const {place} = (await makePlaces(t))[database];
      const config = {...baseConfig(''), ...place};
      await openWhile(openStore(config, clearText), () => Promise.resolve());
      const source = await openFor(t, openEnd(place, 'mark', minute));
      assert.equal(await source.isServed(), false);
      // It has looked for the mark when there was none, and has not reported yet.
      const store = await openStore(config, clearText);
      const start = () => startServer(config, () => undefined, {...store, close: () => Promise.resolve()});
      const server = await start();
      assert.equal(await source.isServed(), true);
      await server.close();
      assert.equal(await source.isServed(), false);
      await source.write(...setMark({mark: 'moved', place: 'elsewhere'}));
      await assert.rejects(start(), /were moved to elsewhere/);
      await store.close();
    });
});
