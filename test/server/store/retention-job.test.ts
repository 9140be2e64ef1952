/** What the retention job erases, when, and what stops it or does not. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {onePartner} from '../../../server/config/partners.ts';
import {usualTimings} from '../../../server/config/timings.ts';
import type {Retention} from '../../../server/leads/erasure.ts';
import type {NewDelivery} from '../../../server/leads/deliveries.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {retentionOf, type RetentionConfig} from '../../../server/leads/retention.ts';
import type {Observation} from '../../../server/observe/observations.ts';
import {newRequest} from '../../../server/reload/reloads.ts';
import {openAttachedStore} from '../../../server/store/open-store.ts';
import {startRetentionJob} from '../../../server/store/retention-job.ts';
import {openSqliteStore} from '../../../server/store/sqlite/store.ts';
import {sendLead} from '../../support/embed-client.ts';
import {openFor} from '../../support/opened.ts';
import {openPostgresStores, withoutPostgres} from '../../support/postgres.ts';
import {
  doneAnswer,
  entryAt,
  failedAttempt,
  keyOf,
  newDelivery,
  eventTo,
  sampleConsent,
} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {sqlite} from '../../support/stores.ts';
import {until} from '../../support/until.ts';
import {testEncryptor} from '../../support/test-server.ts';

const day = 24 * 3_600_000;
const timings = {...usualTimings, retentionEvery: 5, retentionPause: 1, purgeRetry: 1};

const failedOnce = {...failedAttempt, until: Date.now() + day};
const given = (givenAt: number) => ({...sampleConsent, givenAt});

const daysAgo = (days: number, changes: Partial<LeadEntry> = {}) => entryAt(Date.now() - days * day, changes);

const partner = (key: string, fields: object = {}) =>
  onePartner({key, origins: ['https://www.partner.example'], cid: '1001', ...fields});
const retention = (retainDays: number | undefined, configured: RetentionConfig['partners'] = []) =>
  retentionOf({retention: {retainDays, keepConsentYears: 5, graceDays: 30}, partners: configured});

/** A retention job that goes on until it is stopped. `erased` sums up what it has erased. */
function startJob(
  t: TestContext,
  store: Pick<LeadStore, 'applyRetention' | 'purge'>,
  rules: () => Retention,
) {
  const erased = {leads: 0, consents: 0, passes: 0};
  const observed: Observation[] = [];
  const job = startRetentionJob({
    store,
    retention: rules,
    emit(observation) {
      observed.push(observation);
      if (observation.type !== 'retention-applied') return;
      erased.leads += observation.leads;
      erased.consents += observation.consents;
      erased.passes += 1;
    },
    timings,
  });
  t.after(() => job.stop());
  return {erased, observed, overdue: job.overdue, stop: () => job.stop()};
}
/** Resolves after a pass that began after now. */
async function wholePass({erased}: {erased: {passes: number}}) {
  const {passes} = erased;
  await until(() => erased.passes >= passes + 2, 'another pass has ended');
}

type Open = (t: TestContext) => Promise<LeadStore>;
const overSqlite: Open = (t) =>
  openFor(t, openSqliteStore(join(temporaryFolder(t), 'leads.sqlite'), testEncryptor));
const overPostgres: Open = async (t) => (await openPostgresStores(t, 1)).stores[0]!;

const isErased = async (store: LeadStore, {id}: LeadEntry) =>
  (await store.find(id)) === undefined && (await store.findRecords([id])).size === 1;
async function erasedOf(store: LeadStore, entries: readonly LeadEntry[]): Promise<boolean[]> {
  return Promise.all(entries.map((entry) => isErased(store, entry)));
}

for (const [name, open, skip] of [
  ['SQLite', overSqlite, false],
  ['PostgreSQL', overPostgres, withoutPostgres],
] as const)
  suite(`${name}: the retention job`, {skip}, () => {
    test('leaves a lead that a lawsuit keeps, with its consent, until that has ended, and says so', async (t) => {
      const store = await open(t);
      const {given: old, now} = {given: {consent: given(Date.now() - 3_000 * day)}, now: Date.now()};
      const [kept, other, gone] = [daysAgo(3_000, old), daysAgo(3_000, old), daysAgo(2_999, old)] as const;
      const later = daysAgo(2_998, {supersedes: kept.id});
      const last = daysAgo(2_997, {supersedes: later.id});
      for (const entry of [kept, other, gone, later, last]) await store.accept(entry);
      const noConsents = () => false;
      await store.erase(gone.id, now, () => true);
      const keep = (lead: string, until: number) =>
        store.keepForLaw({lead, until, reason: 'a lawsuit', enteredAt: now});
      const until = now + 400 * day;
      await keep(later.id, until);
      await keep(last.id, until - 1);
      await keep(gone.id, until);
      await keep(other.id, now - 1);
      const rules = {...retention(100), keepConsent: noConsents};
      const job = startJob(t, store, () => rules);
      await wholePass(job);
      assert.deepEqual(await erasedOf(store, [kept, later, last, other]), [false, false, false, true]);
      assert.equal((await store.keptConsents([gone.id])).size, 1);
      assert.deepEqual(job.overdue()?.counts, [
        {destination: '-', reason: 'lawsuit', leads: 3, erasedFrom: until},
      ]);
      for (const {id} of [later, last, gone]) await keep(id, now - 1);
      await wholePass(job);
      assert.deepEqual(await erasedOf(store, [kept]), [true]);
      assert.equal((await store.keptConsents([gone.id])).size, 0);
    });

    test('erases by partner: after days, by default, or never', async (t) => {
      const store = await open(t);
      const entries = [
        daysAgo(31, {partner: 'short'}),
        daysAgo(29, {partner: 'short'}),
        daysAgo(5_000, {partner: 'kept'}),
        daysAgo(101, {partner: 'plain'}),
        daysAgo(99, {partner: 'plain'}),
        daysAgo(101),
        daysAgo(99),
        daysAgo(101, {partner: 'that-is-gone'}),
      ];
      for (const entry of entries) await store.accept(entry);
      const rules = retention(100, [
        partner('short', {retain_days: 30}),
        partner('kept', {retain_days: 'forever'}),
        partner('plain'),
      ]);
      const job = startJob(t, store, () => rules);
      await wholePass(job);
      assert.deepEqual(await erasedOf(store, entries), [true, false, false, true, false, true, false, true]);
      assert.partialDeepStrictEqual(job.erased, {leads: 4, consents: 0});
    });

    test('leaves a lead with an open delivery until that has ended', async (t) => {
      const store = await open(t);
      const entry = daysAgo(10, {deliveries: [newDelivery({givesAnswer: false, nextAttemptAt: 0})]});
      const other = daysAgo(10);
      for (const each of [entry, other]) await store.accept(each);
      const job = startJob(t, store, () => retention(1));
      await until(() => job.erased.leads === 1);
      await wholePass(job);
      assert.deepEqual(await erasedOf(store, [entry, other]), [false, true]);
      await store.settle(keyOf(entry.id), 0, {state: 'delivered', answer: doneAnswer});
      await until(() => job.erased.leads === 2);
      assert.ok(await isErased(store, entry));
    });

    test('drops what waits after the grace, by partner, but waits for a lease under way', async (t) => {
      const store = await open(t);
      const waits = (changes: Partial<NewDelivery> = {}) => ({
        deliveries: [newDelivery({destination: 'crm', nextAttemptAt: Date.now() + day, ...changes})],
      });
      const leaseEnd = Date.now() + 3_600_000;
      const entries = [
        daysAgo(61, {partner: 'short', ...waits(), answer: {status: 'pending'}}),
        daysAgo(59, {partner: 'short', ...waits({state: 'held'})}),
        daysAgo(61, waits()),
        daysAgo(131, waits({leaseEnd})),
      ];
      for (const entry of entries) await store.accept(entry);
      const job = startJob(t, store, () => retention(100, [partner('short', {retain_days: 30})]));
      await wholePass(job);
      assert.deepEqual(await erasedOf(store, entries), [true, false, false, false]);
      const counts = job.overdue()?.counts ?? [];
      assert.deepEqual(
        counts.map(({destination, reason, leads}) => `${destination} ${reason} ${leads}`).toSorted(),
        ['crm held 1', 'crm waiting 1'],
      );
      assert.equal(
        counts.find(({reason}) => reason === 'held')?.erasedFrom,
        entries[1]!.createdAt + 60 * day,
      );
      assert.equal(await store.postpone(keyOf(entries[3]!.id, 'crm'), leaseEnd, failedOnce), undefined);
      await until(() => isErased(store, entries[3]!));
      const [{state} = assert.fail()] = await store.listDeliveries(1, {
        lead: entries[3]!.id,
        state: 'dropped',
      });
      assert.equal(state, 'dropped');
    });

    test('keeps the event of an erasure that waits for ever', async (t) => {
      const store = await open(t);
      const event = {deliveries: [eventTo('crm')]};
      const entries = [daysAgo(70, event), daysAgo(70, event)] as const;
      for (const [index, entry] of entries.entries()) {
        await store.accept(entry);
        const key = {lead: entry.id, destination: 'crm', content: 'created'} as const;
        await store.settle(key, 0, {state: 'delivered', answer: null});
        await store.erase(entry.id, Date.now() - [31, 29][index]! * day, () => false);
      }
      const job = startJob(t, store, () => retention(30));
      await wholePass(job);
      const waiting = await store.listDeliveries(9, {destination: 'crm'});
      assert.deepEqual(
        waiting.map(({lead, content}) => [lead, content]),
        entries.map(({id}) => [id, 'erased']).toSorted(),
      );
      assert.deepEqual(job.overdue()?.counts, [], 'it keeps no lead');
    });

    test('keeps a consent, and erases it when its years are over', async (t) => {
      const store = await open(t);
      const years = (count: number) => Date.now() - count * 365.25 * day;
      const entries = [4, 6].map((age) => entryAt(years(age), {consent: given(years(age))}));
      for (const entry of entries) await store.accept(entry);
      const kept = async () => {
        const found = await store.erasable(entries.map(({id}) => id));
        return found.toSorted((one, other) => other.createdAt - one.createdAt).map((lead) => lead.hasConsent);
      };
      const job = startJob(t, store, () => retention(30));
      await until(() => job.erased.leads === 2);
      await wholePass(job);
      assert.deepEqual(await kept(), [true, false]);
      assert.equal(job.erased.consents, 0);
      t.mock.timers.enable({apis: ['Date'], now: Date.now() + 2 * 365 * day});
      await until(() => job.erased.consents === 1);
      assert.deepEqual(await kept(), [false, false]);
    });

    test('goes on where it was cut off, also if another process cut it off', async (t) => {
      const store = await open(t);
      const entries = Array.from({length: 120}, () => daysAgo(10, {consent: given(Date.now())}));
      await Promise.all(entries.map((entry) => store.accept(entry)));
      // The process ends after its first slice of several.
      let slices = 0;
      const first = startJob(
        t,
        {
          ...store,
          async applyRetention(...given) {
            slices += 1;
            if (slices > 1) throw new Error('The process was killed');
            const slice = await store.applyRetention(...given);
            return {...slice, next: slice.next && {of: 'leads', id: entries[60]!.id}};
          },
        },
        () => retention(1),
      );
      await until(() => slices > 1);
      await first.stop();
      const later = [daysAgo(9), daysAgo(8)];
      for (const entry of later) await store.accept(entry);
      const second = startJob(t, store, () => retention(1));
      await wholePass(second);
      assert.ok((await erasedOf(store, [...entries, ...later])).every(Boolean));
      assert.equal(first.erased.leads + second.erased.leads, 122);
    });

    test('reports a store that fails once a pass, and goes on when it works again', async (t) => {
      const store = await open(t);
      const entry = daysAgo(10);
      await store.accept(entry);
      let fails = true;
      const job = startJob(
        t,
        {
          ...store,
          applyRetention: (...given) =>
            fails ? Promise.reject(new Error('disk full')) : store.applyRetention(...given),
        },
        () => retention(1),
      );
      const failures = () => job.observed.filter(({type}) => type === 'retention-failed');
      await until(() => failures().length >= 2);
      assert.ok(job.erased.passes >= 2);
      assert.deepEqual(failures()[0], {type: 'retention-failed', reason: 'disk full'});
      fails = false;
      await until(() => isErased(store, entry));
    });

    test('tries to empty the log until nobody reads it, also once after a start', async (t) => {
      const store = await open(t);
      const tried: boolean[] = [];
      const purge = () => {
        tried.push(tried.length >= 3);
        return Promise.resolve(tried.at(-1)!);
      };
      const job = startJob(t, {...store, purge}, () => retention(1));
      await wholePass(job);
      assert.deepEqual(tried, [false, false, false, true]);
      await store.accept(daysAgo(10));
      await until(() => job.erased.leads === 1);
      await wholePass(job);
      assert.equal(tried.length, 5);
    });
  });

suite('two retention jobs at the same moment', {skip: withoutPostgres}, () => {
  test('count each lead once, and keep its consent', async (t) => {
    const {stores} = await openPostgresStores(t, 2);
    const [store] = stores as [LeadStore];
    const entries = Array.from({length: 50}, () => daysAgo(10, {consent: given(Date.now())}));
    await Promise.all(entries.map((entry) => store.accept(entry)));
    const now = Date.now();
    const slices = await Promise.all(
      [0, 1, 2].flatMap((later) => stores.map((each) => each.applyRetention(now + later, retention(1)))),
    );
    assert.equal(
      slices.reduce((sum, {leads}) => sum + leads, 0),
      50,
    );
    const left = await store.erasable(entries.map(({id}) => id));
    assert.ok(left.every(({erasedAt, hasConsent}) => erasedAt !== null && hasConsent));
  });
});

suite('a reload', () => {
  test('changes after how many days leads are erased, and the log says so', async (t) => {
    const retention = {retainDays: 11, keepConsentYears: 5, graceDays: 30};
    const server = await openFor(t, sqlite.startServer({retention}, timings));
    await sendLead(server);
    const erased = () => server.select('SELECT id FROM leads WHERE erased_at IS NOT NULL');
    t.mock.timers.enable({apis: ['Date'], now: Date.now() + 10 * day});
    await server.reload({retention: {...retention, keepConsentYears: 6}});
    assert.equal((await erased()).length, 0);
    await server.reload({retention: {...retention, retainDays: 9, keepConsentYears: 6}});
    assert.match(server.logLines.join(''), /retain_days would fall from 11 to 9/);
    assert.equal((await erased()).length, 0);
    const attached = await openFor(t, openAttachedStore(server.config, testEncryptor, true));
    await attached.askForReload(newRequest(true));
    await until(async () => (await erased()).length === 1);
    const log = server.logLines.join('');
    assert.match(log, /how long leads and consents are kept changed/);
    await until(() => /"leads":1,"consents":0,.*kept long enough were erased/.test(server.logLines.join('')));
  });
});
