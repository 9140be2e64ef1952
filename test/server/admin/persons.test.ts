/** Finding leads and kept consents by person: by digests that are written behind, and without them. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {finish, type Admin} from '../../../server/admin/admin.ts';
import {rotateKeys} from '../../../server/admin/keys.ts';
import {leadsOfPerson, namedBy} from '../../../server/admin/persons.ts';
import type {Person} from '../../../server/leads/persons.ts';
import type {LeadFilter} from '../../../server/leads/lead-filter.ts';
import {firstIdAt} from '../../../server/leads/lead-ids.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {AttachedStore} from '../../../server/leads/ports.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {openWhile, type Owner} from '../../support/opened.ts';
import {databaseKinds, exportOf, idsOf, planAndErase, unnoted, operateAdmin} from '../../support/operator.ts';
import {until} from '../../support/until.ts';
import {leadWith, newEntry, sampleConsent} from '../../support/sample-leads.ts';

const [key, laterKey] = ['a-data-key-of-at-least-32-characters', 'a-later-data-key-of-32-characters-or-more'];
const withConsent = {consent: sampleConsent};
const phone = '+12025550111';
const email = 'jane.doe@example.com';

const entryOf = (changes: object, others: Partial<LeadEntry> = {}) =>
  newEntry({lead: leadWith(changes), partner: 'acme', ...others});
const ofJane = (others: Partial<LeadEntry> = {}) => entryOf({email, phone}, others);

/** Writes the digests of all leads that are there. */
async function writeAll(store: AttachedStore) {
  const stored = Date.now();
  await until(() => Date.now() > stored + 1, 'the leads are of an earlier time');
  while (!(await store.writeDigests(0)));
}

async function search(
  {store}: Pick<Admin, 'store'>,
  person: Person,
  filter: LeadFilter = {},
  limit?: number,
) {
  const {found, kept, ...others} = await finish(
    leadsOfPerson({store, noteAccess: unnoted}, filter, person, limit),
  );
  return {ids: idsOf(found), kept: idsOf(kept), ...others};
}

for (const {name, postgres, skip} of databaseKinds)
  suite(`persons over ${name}`, {skip}, () => {
    const operated = async (t: Owner, entries: readonly LeadEntry[], DATA_KEY = `${key} clear`) => {
      const made = await operateAdmin(t, entries, {postgres, settings: {DATA_KEY}});
      const rowsOf = (id: string) => made.select(`SELECT digest FROM person_digests WHERE lead_id = '${id}'`);
      return {...made, rowsOf, writeAll: () => writeAll(made.admin.store)};
    };

    for (const isPrepared of [false, true])
      test(`leads are found by e-mail and phone ${isPrepared ? 'by their digests' : 'that have no digests'}`, async (t) => {
        const entries = [
          entryOf({email: 'Jane.Doe@Example.com', phone: '(202) 555-0111'}),
          entryOf({email: 'jane.doe@example.com', phone: '202-555-0122'}),
          entryOf({email: 'jane.doe+loan@example.com', phone: '202-555-0133'}),
          entryOf({email: 'other@example.com', phone: '+1 202 555 0111'}, {partner: null}),
        ];
        const [capitals, small, tagged, other] = idsOf(entries) as [string, string, string, string];
        const {admin, accept, writeAll} = await operated(t, entries);
        await accept(...Array.from({length: 1_100}, () => entryOf({})));
        if (isPrepared) await writeAll();
        const newestFirst = (...ids: string[]) => ids.toSorted().toReversed();
        const byEmail = await search(admin, {email});
        assert.deepEqual(byEmail.ids, newestFirst(small, capitals));
        assert.deepEqual(byEmail.sameMailbox, [tagged]);
        assert.deepEqual([byEmail.looked, byEmail.total], isPrepared ? [3, 3] : [1_104, 1_104]);
        assert.deepEqual((await search(admin, {phone})).ids, newestFirst(capitals, other));
        assert.deepEqual((await search(admin, {phone}, {partner: 'acme'})).ids, [capitals]);
        assert.deepEqual((await search(admin, {phone}, {until: Date.now() - 60_000})).ids, []);
        assert.deepEqual((await search(admin, {phone, email: 'other@example.com'})).ids, [other]);
        assert.deepEqual((await search(admin, {phone}, {}, 1)).ids, newestFirst(capitals, other).slice(0, 1));
        if (isPrepared) return;
        const stop = new AbortController();
        const searching = leadsOfPerson({...admin, signal: stop.signal}, {}, {phone});
        const {looked} = await finish(searching, () => stop.abort());
        assert.equal(looked, 1_000);
      });

    test('an address is found as it is read, and as a caller once sent it with what stood around', async (t) => {
      const entries = ['mailto:Jane.Doe@example.com', email, 'jane.doe+x@example.com'].map((sent) =>
        entryOf({email: sent}),
      );
      const [pasted, plain, tagged] = idsOf(entries) as [string, string, string];
      const {admin, writeAll} = await operated(t, [...entries, entryOf({email, phone}, withConsent)]);
      const person = namedBy('mailto:Jane.Doe@example.com');
      assert.ok(typeof person === 'object' && person.email === email);
      await planAndErase(admin, [String((await search(admin, {phone})).ids[0])]);
      const expected = {ids: [plain, pasted].toSorted().toReversed(), sameMailbox: [tagged]};
      for (const isPrepared of [false, true]) {
        if (isPrepared) await writeAll();
        const {ids, sameMailbox, kept} = await search(admin, person);
        assert.deepEqual({ids, sameMailbox}, expected);
        assert.equal(kept.length, 1);
      }
      assert.deepEqual((await search(admin, {...person, phone})).ids, []);
    });

    test('an interrupted pass goes on, and processes that write at once agree on the key', async (t) => {
      const entries = Array.from({length: 250}, () => entryOf({}));
      const {admin, select, ...others} = await operated(t, [...entries, ofJane()]);
      const second = await others.adminUnder();
      assert.equal(await admin.store.writeDigests(0), false, 'the first slice leaves some');
      await Promise.all([writeAll(second.store), writeAll(admin.store)]);
      const [{rows, leads} = {}] = await select(
        'SELECT COUNT(*) AS rows, COUNT(DISTINCT lead_id) AS leads FROM person_digests',
      );
      assert.deepEqual([Number(rows), Number(leads)], [502, 251]);
      for (const each of [admin, second, await others.adminUnder()])
        assert.partialDeepStrictEqual(await search(each, {email}), {looked: 1, unprepared: 0});
    });

    test('a lead that is stored with an old id brings its digests along', async (t) => {
      const now = Date.now();
      const before = (milliseconds: number) =>
        ofJane({id: firstIdAt(now - milliseconds) + ofJane().id.slice(13)});
      const {admin, rowsOf} = await operated(t, [before(100_000)]);
      const late = before(600_000);
      const inTime = ofJane();
      await openWhile(openStore(admin.config, createEncryptor([key])), async (store) => {
        while (!(await store.writeDigests(40_000)));
        await store.accept(late);
        await store.accept(inTime);
      });
      assert.equal((await rowsOf(late.id)).length, 2);
      assert.deepEqual(await rowsOf(inTime.id), [], 'a create in time writes none');
      assert.equal((await search(admin, {phone})).ids.length, 3);
    });

    test('an erased lead leaves no digest, and one with a kept consent is found until that goes', async (t) => {
      const [gone, kept, ended] = [ofJane(), ofJane(withConsent), ofJane(withConsent)];
      const {admin, rowsOf, writeAll, accept} = await operated(t, [gone, kept, ended]);
      await writeAll();
      const later = ofJane(withConsent);
      await accept(later);
      for (const {id} of [gone, kept, later, ended]) {
        if (id !== later.id) assert.equal((await rowsOf(id)).length, 2);
        await planAndErase(admin, [id]);
      }
      assert.deepEqual(await rowsOf(gone.id), []);
      const ids = idsOf([kept, later, ended]).toSorted().toReversed();
      for (const person of [{phone}, {email}, {phone, email}])
        assert.deepEqual((await search(admin, person)).kept, ids);
      const {kept: none, sameMailbox} = await search(admin, {email: 'jane.doe+loan@example.com'});
      assert.deepEqual([none, sameMailbox.toSorted()], [[], ids.toSorted()], 'it may be another person');
      await writeAll();
      assert.equal((await rowsOf(later.id)).length, 2, 'it was erased before its digests were written');
      assert.deepEqual((await search(admin, {email: 'other@example.com'})).kept, []);
      assert.partialDeepStrictEqual(await search(admin, {email}), {
        ids: [],
        kept: ids,
        unprepared: 0,
        looked: 3,
      });

      await planAndErase(admin, [ended.id], true);
      assert.deepEqual(await rowsOf(ended.id), []);
      const retention = {shortest: undefined, keptFor: () => undefined, grace: 0, keepConsent: () => false};
      assert.equal((await admin.store.applyRetention(Date.now(), retention)).consents, 2);
      for (const {id} of [kept, later]) assert.deepEqual(await rowsOf(id), []);
      assert.deepEqual((await search(admin, {phone})).kept, []);
    });

    test('the retention job deletes digests with the lead, or keeps them with its consent', async (t) => {
      const [gone, kept] = [ofJane(), ofJane(withConsent)];
      const {admin, rowsOf, writeAll} = await operated(t, [gone, kept]);
      await writeAll();
      const retention = {shortest: 0, keptFor: () => 0, grace: 0, keepConsent: () => true};
      assert.equal((await admin.store.applyRetention(Date.now() + 1_000, retention)).leads, 2);
      assert.deepEqual([(await rowsOf(gone.id)).length, (await rowsOf(kept.id)).length], [0, 2]);
      assert.deepEqual((await search(admin, {email})).kept, [kept.id]);
    });

    test('a lead that cannot be read is named by each search, and compared once it can be', async (t) => {
      const [damaged, erased] = [ofJane(), ofJane()];
      const {admin, rowsOf, writeAll, execute} = await operated(t, [damaged, erased]);
      const damage = (id: string) => execute(`UPDATE sealed SET part = 'lost' WHERE lead_id = '${id}'`);
      await damage(damaged.id);
      await writeAll();
      for (const person of [{phone}, {email: 'other@example.com'}])
        assert.deepEqual((await search(admin, person)).unreadable, [damaged.id]);
      await execute(`UPDATE sealed SET part = 'lead' WHERE lead_id = '${damaged.id}'`);
      assert.deepEqual((await search(admin, {phone})).ids, idsOf([damaged, erased]).toSorted().toReversed());
      assert.deepEqual((await search(admin, {phone: '+12025550199'})).unreadable, []);
      for (const {id} of [damaged, erased]) {
        await damage(id);
        await planAndErase(admin, [id]);
        assert.deepEqual(await rowsOf(id), []);
      }
    });

    test('after a rotation of data keys, the same key finds the same leads', async (t) => {
      const entry = ofJane(withConsent);
      const {writeAll, select, ...others} = await operated(t, [entry]);
      await writeAll();
      const digests = await select('SELECT * FROM person_digests ORDER BY digest');
      const both = await others.adminUnder({DATA_KEY: `${laterKey} ${key}`});
      assert.deepEqual((await finish(rotateKeys(both))).unreadable, []);
      const rotated = await others.adminUnder({DATA_KEY: laterKey});
      assert.partialDeepStrictEqual(await search(rotated, {email}), {ids: [entry.id], looked: 1});
      assert.deepEqual(await select('SELECT * FROM person_digests ORDER BY digest'), digests);
      const [{data_key} = {}] = await select('SELECT data_key FROM person_search');
      assert.notEqual(Number(data_key), 0);
    });

    test('without the key of the digests, all leads are read, and leads can be erased', async (t) => {
      const [entry, gone] = [ofJane(), ofJane()];
      const {adminUnder, rowsOf, writeAll, execute} = await operated(t, [entry, gone]);
      await writeAll();
      await execute('UPDATE person_search SET data_key = 7');
      const admin = await adminUnder();
      await planAndErase(admin, [gone.id]);
      assert.deepEqual(await rowsOf(gone.id), []);
      assert.partialDeepStrictEqual(await search(admin, {phone}), {ids: [entry.id], unprepared: 2});
      await assert.rejects(admin.store.writeDigests(0), /data key 00000007/);
    });

    test('an export has the leads of one person alone, the oldest first, but for sales the newest', async (t) => {
      const [first, second] = [ofJane(), ofJane()];
      const {admin, run} = await operated(t, [first, entryOf({}), second]);
      const only = (await finish(leadsOfPerson(admin, {}, {phone}))).found;
      const {text, leads} = await exportOf(admin, {format: 'jsonl', only});
      assert.deepEqual([leads, text.trimEnd().split('\n').length], [2, 2]);
      const {stdout, stderr} = await run('leads', 'export', '--phone', '202-555-0111', '--for', 'sales');
      assert.match(stderr, /\n2 leads\n/);
      const references = stdout.trimEnd().split('\n').slice(1);
      assert.equal(references.length, 2);
      const newestFirst = [first, second].toSorted((one, other) => (one.id < other.id ? 1 : -1));
      for (const [index, {id}] of newestFirst.entries())
        assert.ok(references[index]?.includes(`"${referenceOf(id)}"`));
    });
  });
