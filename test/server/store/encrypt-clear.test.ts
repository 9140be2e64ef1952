/** What versions before 2.0 stored in clear is encrypted while a server works, and leaves no copy in the files of SQLite. */
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {test, type TestContext} from 'node:test';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {reasonOf, StoreUnavailable} from '../../../server/leads/store-errors.ts';
import type {Observation} from '../../../server/observe/observations.ts';
import {openStore, openAttachedStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {startEncryptingClear} from '../../../server/store/encrypt-clear.ts';
import {putInClear} from '../../support/in-clear.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {columnOf} from '../../support/rows.ts';
import {leadWith, newEntry, sampleConsent} from '../../support/sample-leads.ts';
import {forEachStore, type StoredServer} from '../../support/stores.ts';
import {downgrade} from '../../support/downgrade.ts';
import {testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const lead = leadWith({first_name: 'Canary-first', email: 'canary@example.com'});
const entryOf = () =>
  newEntry({lead, partner: 'acme', consent: sampleConsent, attribution: {gclid: 'canary-click'}});

/** The names of the files beside the database in which a text of a lead stands. */
const filesWithCanary = ({databasePath}: {databasePath: string}) =>
  readdirSync(dirname(databasePath)).filter((name) =>
    /canary/i.test(readFileSync(join(dirname(databasePath), name), 'latin1')),
  );

forEachStore((over) => {
  /** A store with leads in clear, and with what a server does to it. */
  async function begin(t: TestContext, count = 120) {
    const server = await openFor(t, over.startServer());
    const entries = Array.from({length: count}, entryOf);
    const opens = () => openStore(server.config, testEncryptor);
    await openWhile(opens(), (store) => Promise.all(entries.map((entry) => store.accept(entry))));
    await putInClear(server);
    async function encrypt(changes: Partial<LeadStore> = {}) {
      const seen: Observation[] = [];
      const opened = await opens();
      const store = {...opened, ...changes};
      const timings = {...quickTimings, encrypting: {said: 60_000, retry: 20}};
      const encrypting = startEncryptingClear({store, emit: (each) => void seen.push(each), timings});
      const saw = (type: Observation['type']) => seen.some((each) => each.type === type);
      const close = () => encrypting.stop().then(() => opened.close());
      return openFor(t, Promise.resolve({seen, store, saw, close}));
    }
    return {server, entries, encrypt};
  }
  const keysOf = async (server: StoredServer) =>
    columnOf(await server.select('SELECT check_value FROM data_keys'), 'check_value').map(Number);
  const encryptedOf = async (server: StoredServer) => (await server.select('SELECT 1 FROM sealed')).length;

  test('leads in clear are encrypted, all of them can be read, and no file has anything of them', async (t) => {
    const {server, entries, encrypt} = await begin(t);
    const {seen, store, saw} = await encrypt();
    await until(() => saw('clear-sealed'));
    const rewritten = over.name === 'SQLite' ? ['clear-rewriting'] : [];
    assert.deepEqual(columnOf(seen, 'type'), ['clear-found', ...rewritten, 'clear-sealed']);
    assert.deepEqual(await keysOf(server), [testEncryptor.writesWith]);
    const records = await store.findRecords(entries.map(({id}) => id));
    for (const {id} of entries)
      assert.partialDeepStrictEqual(records.get(id), {lead, consent: sampleConsent});
    const rows = await server.select(`SELECT * FROM leads LEFT JOIN consents ON lead_id = id`);
    assert.doesNotMatch(JSON.stringify(rows), /canary/i);
    if (over.name === 'SQLite') assert.deepEqual(filesWithCanary(server.config), []);
  });

  test('one that was stopped goes on at the next start, and two servers do it together', async (t) => {
    const {server, entries, encrypt} = await begin(t);
    const first = await encrypt();
    await until(async () => (await encryptedOf(server)) > 0);
    await first.close();
    const left = entries.length - (await encryptedOf(server));
    assert.ok(left > 0 && !first.saw('clear-sealed'));
    assert.ok((await keysOf(server)).includes(0));
    const both = over.name === 'SQLite' ? [await encrypt()] : [await encrypt(), await encrypt()];
    await until(() => both.every(({saw}) => saw('clear-sealed')));
    assert.equal(await encryptedOf(server), entries.length);
    const third = await encrypt();
    await third.close();
    assert.deepEqual(third.seen, [], 'nothing is left to do');
  });

  test('a lead in clear whose row is damaged is named, and keeps the others from being given up', async (t) => {
    const {server, entries, encrypt} = await begin(t, 3);
    const {id} = entries[1]!;
    await server.execute(`UPDATE leads SET clear_lead = '{"first' WHERE id = '${id}'`);
    const {seen, store, saw, close} = await encrypt();
    await until(() => saw('clear-unreadable'));
    assert.deepEqual(seen.at(-1), {type: 'clear-unreadable', leads: [id]});
    assert.equal(await encryptedOf(server), 2);
    assert.ok((await keysOf(server)).includes(0));
    await store.erase(id, Date.now(), () => false);
    await close();
    const next = await encrypt();
    await until(() => next.saw('clear-sealed'));
  });

  const isRead = async (store: Pick<LeadStore, 'findRecords'>, {id}: {id: string}) => {
    const record = (await store.findRecords([id])).get(id);
    return record !== undefined && 'lead' in record;
  };

  test('an upgrade marks what is in clear, which counts without the mark for nothing', async (t) => {
    const {server, entries, encrypt} = await begin(t, 2);
    const [entry] = entries as [LeadEntry];
    await downgrade(server, 19, over.name);
    const upgraded = await encrypt();
    await until(() => upgraded.saw('clear-sealed'));
    assert.ok(await isRead(upgraded.store, entry));
    await upgraded.close();

    await putInClear(server, {only: [entry.id]});
    for (const change of ['data_key = 0', 'blob = (SELECT blob FROM sealed LIMIT 1)', 'blob = NULL']) {
      await server.execute(`UPDATE data_keys SET ${change} WHERE check_value = 0`);
      const started = await encrypt();
      assert.ok(!(await isRead(started.store, entry)), change);
      await started.close();
      assert.deepEqual(started.seen, [], change);
    }
  });

  test('an upgrade without a data key that the store needs changes nothing', async (t) => {
    const server = await openFor(t, over.startServer());
    await downgrade(server, 19, over.name);
    const before = () => server.select('SELECT check_value, since FROM data_keys');
    const keys = await before();
    const other = createEncryptor(['another data key of 32 characters']);
    await assert.rejects(openStore(server.config, other), /which DATA_KEY does not list/);
    await server.select('SELECT lead FROM leads');
    assert.deepEqual(await before(), keys);
  });

  test('all processes stop reading data in clear once one of them has encrypted it', async (t) => {
    const {server, entries, encrypt} = await begin(t, 3);
    const [entry, damaged] = entries as [LeadEntry, LeadEntry];
    const other = await openFor(
      t,
      openAttachedStore(server.config, createEncryptor(testEncryptor.words), true),
    );
    assert.ok(await isRead(other, entry));
    await server.execute(`UPDATE leads SET clear_lead = '{"first' WHERE id = '${damaged.id}'`);
    const {saw} = await encrypt();
    await until(() => saw('clear-unreadable'));
    await putInClear(server, {only: [entry.id]});
    await server.execute('DELETE FROM data_keys WHERE check_value = 0');
    await until(() => !testEncryptor.clear.isRead, 'a server looks again after it has given up');
    await other.keyUses();
    assert.ok(!(await isRead(other, entry)));
  });

  test('of two servers that begin at once with different data keys, one is refused', async (t) => {
    const server = await openFor(t, over.startServer());
    await server.execute('DELETE FROM data_keys');
    const words = ['one data key of at least 32 characters', 'another data key of 32 characters'];
    const opened = await Promise.allSettled(
      words.map((word) => openFor(t, openStore(server.config, createEncryptor([word])))),
    );
    assert.deepEqual(columnOf(opened, 'status').toSorted(), ['fulfilled', 'rejected']);
    assert.equal((await keysOf(server)).length, 1);
  });

  if (over.name === 'SQLite')
    test('where the disk has no room for the new file, it says so, and the next start tries again', async (t) => {
      const {server, encrypt} = await begin(t, 3);
      const full = new StoreUnavailable('database or disk is full');
      const {seen, saw, close} = await encrypt({rewrite: () => Promise.reject(full)});
      await until(() => saw('clear-left'));
      assert.deepEqual(seen.at(-1), {type: 'clear-left', reason: reasonOf(full), isAgain: false});
      assert.ok((await keysOf(server)).includes(0));
      await close();
      const next = await encrypt();
      await until(() => next.saw('clear-sealed'));
      assert.deepEqual(await keysOf(server), [testEncryptor.writesWith]);
    });
});
