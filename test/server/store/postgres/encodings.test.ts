/** A PostgreSQL whose encoding lacks characters is refused, and an error that stays is no outage. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {StoreRefused} from '../../../../server/leads/store-errors.ts';
import {inspectPostgres} from '../../../../server/store/postgres/start.ts';
import {openPostgresStore} from '../../../../server/store/postgres/store.ts';
import {runCommand} from '../../../support/operator.ts';
import {databaseFor, openPostgresStores, withoutPostgres} from '../../../support/postgres.ts';
import {keyOf, leadWith, newDelivery, newEntry} from '../../../support/sample-leads.ts';
import {serviceSettings} from '../../../support/service-process.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {openFor} from '../../../support/opened.ts';
import {testEncryptor} from '../../../support/test-server.ts';

suite('the encoding of PostgreSQL', {skip: withoutPostgres}, () => {
  const databaseIn = (t: TestContext, encoding: string) =>
    databaseFor(t, 'template0', `ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`);
  const tables = "SELECT 1 FROM pg_tables WHERE schemaname = 'public'";

  for (const encoding of ['LATIN1', 'WIN1252', 'SQL_ASCII']) {
    const why = new RegExp(
      `encoding ${encoding}, .*CREATE DATABASE leads ENCODING 'UTF8' TEMPLATE template0`,
    );

    test(`${encoding} is refused by the start and by config check, with the remedy, and nothing is made`, async (t) => {
      const database = await databaseIn(t, encoding);
      await assert.rejects(openPostgresStore(database.url, testEncryptor), why);
      await assert.rejects(inspectPostgres(database.url), why);
      assert.deepEqual(await database.query(tables), []);
      const folder = temporaryFolder(t);
      const settings = {...serviceSettings(folder), DATABASE_URL: database.url, PORT: '0'};
      const {code, stdout} = await runCommand(settings, 'config', 'check');
      assert.equal(code, 1);
      assert.match(stdout, new RegExp(`^✗ The database that DATABASE_URL names .*${why.source}`, 'm'));
    });
  }

  test('UTF8 is accepted, with any collation, and holds any name', async (t) => {
    const database = await databaseIn(t, 'UTF8');
    const store = await openFor(t, openPostgresStore(database.url, testEncryptor));
    const entry = newEntry({
      lead: leadWith({first_name: 'Łukasz', last_name: 'O’Brien 🙂'}),
    });
    assert.equal((await store.accept(entry)).outcome, 'created');
    assert.partialDeepStrictEqual((await store.find(entry.id))?.lead, {
      first_name: 'Łukasz',
      last_name: 'O’Brien 🙂',
    });
  });
});

suite('an error of PostgreSQL that will be the same at the next try', {skip: withoutPostgres}, () => {
  test('is about the row if its data or a constraint is refused, wherever it is written or read', async (t) => {
    const [store] = (await openPostgresStores(t, 1)).stores;
    const entry = newEntry({deliveries: [newDelivery()]});
    await store!.accept(entry);
    const isRefused = (work: Promise<unknown>) =>
      assert.rejects(work, (error) => error instanceof StoreRefused && error.refusal === 'row');
    await isRefused(store!.accept(newEntry({id: entry.id})));
    await isRefused(store!.find('a\0b'));
    await isRefused(store!.recordRemoteId(keyOf(entry.id), 'a\0b'));
  });

  test('is about the statement if a privilege or a table is missing', async (t) => {
    const {database, stores} = await openPostgresStores(t, 1);
    const [store] = stores;
    const isRefused = (work: Promise<unknown>) =>
      assert.rejects(work, (error) => error instanceof StoreRefused && error.refusal === 'statement');
    await database.query('ALTER TABLE leads RENAME TO gone');
    await isRefused(store!.accept(newEntry()));
    await isRefused(store!.find(newEntry().id));
    await isRefused(store!.readLead(newEntry().id));
  });
});
