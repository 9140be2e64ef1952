/** Every kind of row goes from one database to the other as it stands, also if a copy is stopped again and again. */
import assert from 'node:assert/strict';
import {copyFileSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test, type TestContext} from 'node:test';
import {deliveryContents, deliveryStates, type FirstContent} from '../../../server/leads/deliveries.ts';
import {tables, type Column, type Table} from '../../../server/store/columns.ts';
import {finish} from '../../../server/admin/admin.ts';
import {openEnd, openStore} from '../../../server/store/open-store.ts';
import {clearText, createSealer} from '../../../server/store/sealing.ts';
import {startServer} from '../../../server/server.ts';
import {transfer, transferred, type End} from '../../../server/store/transfer.ts';
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
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {baseConfig} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const dataKey = 'a data key of at least 32 characters';
const both = createSealer([dataKey, 'clear']);
const consent = {...sampleConsent, givenAt: 1};

type Place = {databaseUrl: string | undefined; databasePath: string};
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
      place: {databaseUrl: undefined, databasePath},
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
      place: {databaseUrl: database.url, databasePath: ''},
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

/** @param change what becomes of the target, for a copy that does not end */
async function copy(t: TestContext, source: Both, target: Both, change = (to: End): Partial<End> => to) {
  const from = await openFor(t, openEnd(source.place, 'source'));
  try {
    const to = await openFor(t, openEnd(target.place, {copyOf: from.place}));
    try {
      return await finish(transfer(from, {...to, ...change(to)}), () => undefined);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

const configFor = ({place}: Both) => ({...baseConfig(''), ...place});
const opens = (place: Both) => openWhile(openStore(configFor(place), both), () => Promise.resolve());

suite('a transfer', {skip: withoutPostgres}, () => {
  test('to PostgreSQL, to another one, and back leaves all tables equal', async (t) => {
    const {sqlite, other, postgres} = await makePlaces(t);
    const {postgres: second} = await makePlaces(t);
    await fillStore(sqlite);
    const before = await contents(sqlite);
    for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, table);
    for (const [source, target] of [
      [sqlite, postgres],
      [postgres, second],
      [second, other],
    ] as const) {
      await copy(t, source, target);
      assert.deepEqual(await contents(target), before);
      assert.deepEqual(await contents(source), before);
      await assert.rejects(opens(source), /Its leads were moved to .*(postgres:|other\.sqlite)/);
      await assert.rejects(copy(t, source, target), /is not to be copied there\. Its leads were moved to /);
    }
    await openWhile(openStore(configFor(other), both), async (store) => {
      assert.equal((await store.accept(newEntry())).outcome, 'created');
    });
  });

  test('that stops in the middle of each table goes on there, also in a database with ICU', async (t) => {
    const {sqlite, other} = await makePlaces(t);
    // The text goes to the end of CREATE DATABASE … TEMPLATE.
    const database = await createDatabase("template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'");
    t.after(() => database.drop());
    const icu: Both = {
      place: {databaseUrl: database.url, databasePath: ''},
      run: (sql) => database.query(sql),
    };
    await fillStore(sqlite);
    const before = await contents(sqlite);
    for (const [source, target] of [
      [sqlite, icu],
      [icu, other],
    ] as const) {
      for (const stopsIn of transferred) {
        const stopped = copy(t, source, target, (to) => ({
          async insert(table, rows) {
            if (table !== stopsIn) return to.insert(table, rows);
            await to.insert(table, rows.slice(0, rows.length / 2));
            throw new Error('no room');
          },
        }));
        await assert.rejects(stopped, new RegExp(`^Error: ${stopsIn}: no room`));
        await assert.rejects(opens(target), /is a copy of .* that is not complete/);
      }
      // Until the copy ends, nothing was done to the source.
      await opens(source);
      await copy(t, source, target);
      assert.deepEqual(await contents(target), before);
    }
  });

  test('that is killed between its last two commits goes on', async (t) => {
    const {sqlite, other} = await makePlaces(t);
    await fillStore(sqlite);
    const killed = copy(t, sqlite, other, () => ({write: () => Promise.reject(new Error('killed'))}));
    await assert.rejects(killed, /killed/);
    await assert.rejects(opens(sqlite), /were moved/);
    await assert.rejects(opens(other), /not complete/);
    await copy(t, sqlite, other);
    await opens(other);
  });

  for (const direction of ['SQLite to PostgreSQL', 'PostgreSQL to SQLite'])
    test(`from ${direction}, a store that was changed since a stopped copy is not mixed with it`, async (t) => {
      const {sqlite, other, postgres} = await makePlaces(t);
      await fillStore(sqlite);
      const isBack = direction === 'PostgreSQL to SQLite';
      if (isBack) await copy(t, sqlite, postgres);
      const [source, target] = isBack ? [postgres, other] : [sqlite, postgres];
      const stopped = copy(t, source, target, () => ({tidy: () => Promise.reject(new Error('stopped'))}));
      await assert.rejects(stopped, /stopped/);
      for (const change of [
        `UPDATE deliveries SET attempts = attempts + 1 WHERE destination = 'to-1'`,
        `DELETE FROM deliveries WHERE destination = 'to-2'`,
      ]) {
        await source.run(change);
        await assert.rejects(copy(t, source, target), /^Error: deliveries is not the same in /);
      }
      await opens(source);
      await assert.rejects(opens(target), /not complete/);
    });

  test('a row that refers to a lead that is not there is told', async (t) => {
    const {sqlite, other, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    await sqlite.run(`INSERT INTO consents VALUES ('no lead', '{}')`);
    await assert.rejects(copy(t, sqlite, other), /^Error: consents: FOREIGN KEY/);
    await assert.rejects(copy(t, sqlite, postgres), /^Error: consents: .* foreign key/);
    await assert.rejects(opens(postgres), /not complete/);
    await opens(sqlite);
  });

  test('from PostgreSQL lets nobody write, and does not end if a server has started', async (t) => {
    const {sqlite, other, postgres} = await makePlaces(t);
    await fillStore(sqlite);
    await copy(t, sqlite, postgres);
    const beside = copy(t, postgres, other, () => ({
      async tidy() {
        for (const table of transferred)
          await assert.rejects(
            postgres.run(`SET lock_timeout = '50ms'; DELETE FROM ${table}`),
            /lock timeout/,
          );
        await assert.rejects(openEnd(postgres.place, 'source'), /Another copy or a command uses postgres:/);
        await postgres.run(`INSERT INTO processes VALUES ('started', ${Date.now()}, '{}')`);
      },
    }));
    await assert.rejects(beside, /A server uses postgres:/);
    await assert.rejects(opens(other), /not complete/);
    await postgres.run('DELETE FROM processes');
    await opens(postgres);
    await copy(t, postgres, other);
    assert.deepEqual(await contents(other), await contents(sqlite));
  });

  test('from SQLite does not end if anything was written meanwhile', async (t) => {
    const {sqlite, other} = await makePlaces(t);
    await fillStore(sqlite);
    const beside = copy(t, sqlite, other, () => ({
      async tidy() {
        await assert.rejects(
          Promise.resolve().then(() => openEnd(sqlite.place, 'source')),
          /another copy uses /,
        );
        await sqlite.run(`INSERT INTO processes VALUES ('started', 1, '{}')`);
      },
    }));
    await assert.rejects(beside, /has written to .* meanwhile: stop all servers/);
    await assert.rejects(opens(other), /not complete/);
    await copy(t, sqlite, other);
    assert.deepEqual(await contents(other), await contents(sqlite));
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
    await assert.rejects(openEnd(place, 'source'), /A server uses /);
    answered.resolve();
    await closed;
    await (await openEnd(place, 'source')).close();
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
    await assert.rejects(copy(t, source, other), /-wal is damaged after byte \d+/);
    assert.deepEqual(readFileSync(`${killed}-wal`), log);
  });

  test('a server that opened PostgreSQL just before the leads were moved does not start', async (t) => {
    const {place} = (await makePlaces(t)).postgres;
    const config = {...baseConfig(''), ...place};
    await openWhile(openStore(config, clearText), () => Promise.resolve());
    const source = await openFor(t, openEnd(place, 'source'));
    // It has looked for the mark when there was none, and has not reported yet.
    const store = await openStore(config, clearText);
    await source.markMoved('elsewhere');
    await assert.rejects(
      startServer(config, () => undefined, store),
      /were moved to elsewhere/,
    );
    await source.close();
  });
});
