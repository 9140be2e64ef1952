/** What functions of operators, commands, the retention job and the outbox do about leads that are damaged, or cannot be opened. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {finish, type Admin} from '../../../server/admin/admin.ts';
import {listDeliveries} from '../../../server/admin/deliveries.ts';
import {exportFormats} from '../../../server/admin/exporting.ts';
import {listLeads, showLead} from '../../../server/admin/leads.ts';
import {leadsOfPerson} from '../../../server/admin/persons.ts';
import {usualTimings} from '../../../server/config/timings.ts';
import type {Observation} from '../../../server/observe/observations.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {startRetentionJob} from '../../../server/store/retention-job.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {openFor} from '../../support/opened.ts';
import {
  allOf,
  databaseKinds,
  exportOf,
  idsOf,
  linesOf,
  operate,
  planAndErase,
} from '../../support/operator.ts';
import {newDelivery, newEntry, eventTo, sampleConsent} from '../../support/sample-leads.ts';
import {until} from '../../support/until.ts';
import {join} from 'node:path';
import {referenceOf} from '../../../contract/reference.ts';
import {inOneLine, type Status} from '../../../server/admin/status.ts';
import {encryptOtherwise} from '../../support/encrypted-rows.ts';

const key = 'a-data-key-of-tests-with-32-characters-or-more';

/** What damages the row of a lead, and what an operator reads of it. */
const damages: readonly [change: object | string, reason: RegExp][] = [
  [{lead: null}, /lacks a part/],
  [{lead: {first_name: 'Secret'}}, /lacks a part/],
  [{lead: {phone: {typed: '1', e164: '1'}}}, /its field first_name is missing or damaged/],
  [{answer: {reasons: 'x'}}, /cannot be decoded/],
  [{consent: {}}, /a time in it is no time/],
  [`sealed SET blob = CAST('Secret' AS {bytes})`, /was changed or cut/],
  [`leads SET created_at = 9000000000000000`, /a time in it is no time/],
];

const list = (admin: Admin) => allOf(listLeads(admin, {}, 50));

for (const {name, postgres, skip} of databaseKinds) {
  suite(`damaged rows over ${name}`, {skip}, () => {
    test('leads that cannot be read are named, and an export goes on with the others', async (t) => {
      const entries = Array.from({length: damages.length + 2}, () =>
        newEntry({consent: sampleConsent, attribution: {utm_source: 'mail'}, partner: 'acme'}),
      );
      const {admin: open, ...operated} = await operate(t, entries, {postgres});
      const damaged = damages.map(([change, reason], index) => ({
        ...{id: entries[index + 1]!.id, change, reason},
      }));
      for (const {id, change} of damaged) {
        if (typeof change !== 'string')
          await encryptOtherwise(operated, id, (personal) => ({...personal, ...change}));
        else {
          const column = change.startsWith('leads') ? 'id' : 'lead_id';
          const sql = change.replace('{bytes}', postgres ? 'BYTEA' : 'BLOB');
          await operated.execute(`UPDATE ${sql} WHERE ${column} = '${id}'`);
        }
      }
      const admin = await open();
      for (const format of exportFormats) {
        const {text, lacks, leads, unreadable} = await exportOf(admin, {format});
        assert.deepEqual([leads, unreadable], [2, damages.length]);
        assert.equal(lacks.length, damages.length);
        for (const {id, reason} of damaged)
          assert.match(lacks.find((lead) => lead.id === id)?.unreadable ?? '', reason);
        assert.doesNotMatch(JSON.stringify(lacks), /Secret/);
        assert.deepEqual(
          entries.filter(({id}) => text.includes(id)),
          [entries.at(0), entries.at(-1)],
        );
      }
      for (const {id, reason} of damaged) await assert.rejects(showLead(admin, id), reason);
      assert.equal((await list(admin)).length, entries.length);
    });

    test('a last reply that is damaged is said, and the delivery is listed and shown', async (t) => {
      const entry = newEntry({deliveries: [newDelivery({state: 'held'})], answer: {status: 'pending'}});
      const {run, execute} = await operate(t, [entry], {postgres});
      const far = 9_000_000_000_000_000;
      await execute(`
        UPDATE deliveries SET last_reply = '{"exc', recipients = '{"left', happened_at = ${far}, failing_since = ${far}`);
      for (const json of [[], ['--json']]) {
        const listed = await run('deliveries', 'list', ...json);
        assert.deepEqual([listed.code, listed.stderr.split(';')[0]], [0, '1 delivery']);
        const {code, stdout, stderr} = await run('deliveries', 'show', entry.id, ...json);
        assert.equal(code, 1);
        assert.match(stderr, /^The last reply of default cannot be read: it is damaged in the database\.$/m);
        assert.match(stdout, /held/);
        assert.equal((await run('leads', 'show', entry.id, ...json)).code, 1);
      }
      const [row] = linesOf(await run('deliveries', 'list', '--json'));
      assert.partialDeepStrictEqual(row, {state: 'held', happened_at: null});
    });
  });

  suite(`leads that cannot be opened over ${name}`, {skip}, () => {
    async function damaged(t: TestContext, changes: Parameters<typeof newEntry>[0] = {}) {
      const entries = Array.from({length: 4}, () =>
        newEntry({partner: 'acme', consent: sampleConsent, ...changes}),
      );
      const operated = await operate(t, entries, {postgres, settings: {DATA_KEY: key}});
      const [first = '', second = '', ...others] = entries.map(({id}) => id);
      await operated.execute(`DELETE FROM sealed WHERE lead_id = '${first}'`);
      await operated.execute(`UPDATE sealed SET data_key = 7 WHERE lead_id = '${second}'`);
      /** The leads that somebody met, which are noted when the store is closed. */
      const met = async () => (await operated.admin()).store.unreadableLeads(Date.now());
      return {
        ...operated,
        ...{bad: [first, second].toSorted(), others: others.toSorted(), met},
        metIds: async () => (await met()).map(({id}) => id).toSorted(),
        using: async <Result>(work: (admin: Admin) => Promise<Result>) => {
          const admin = await operated.admin();
          const result = await work(admin);
          await admin.store.close();
          return result;
        },
        open: async () => openFor(t, openStore((await operated.admin()).config, createEncryptor([key]))),
      };
    }
    test('an export goes on without them, and they are noted until they are mended', async (t) => {
      const {using, execute, bad, others, met, metIds} = await damaged(t);
      assert.deepEqual(await met(), [], 'nobody has met them yet');
      const {text, lacks} = await using((admin) => exportOf(admin, {format: 'jsonl'}));
      assert.deepEqual(lacks.map(({id}) => id).toSorted(), bad);
      assert.deepEqual(idsOf(linesOf({stdout: text})), others);
      assert.deepEqual(await metIds(), bad);
      const byReason = async (text: RegExp) => (await met()).filter(({unreadable}) => text.test(unreadable));
      const [[lost, ...nothing], [mended, ...none]] = [
        await byReason(/encrypted data is missing/),
        await byReason(/data key 00000007/),
      ];
      assert.deepEqual([nothing, none], [[], []]);
      await execute(
        `UPDATE sealed SET data_key = (SELECT MAX(data_key) FROM sealed) WHERE lead_id = '${mended?.id}'`,
      );
      assert.deepEqual(await metIds(), [lost?.id]);
      await using((admin) => planAndErase(admin, [lost!.id]));
      assert.deepEqual(await met(), []);
    });

    test('lists and searches go on, and all of them are noted', async (t) => {
      for (const find of [
        list,
        (admin: Admin) => finish(leadsOfPerson(admin, {}, {email: 'jane@example.com'})),
      ]) {
        const {using, bad, others, metIds} = await damaged(t);
        const found = JSON.stringify(await using<unknown>(find));
        for (const id of [...others, ...bad]) assert.ok(found.includes(id));
        assert.deepEqual(await metIds(), bad);
      }
    });

    test('one that is to be shown is refused, and noted alone', async (t) => {
      const {
        using,
        bad: [first = ''],
        metIds,
      } = await damaged(t);
      await using((admin) => assert.rejects(showLead(admin, first), /cannot be read/));
      assert.deepEqual(await metIds(), [first]);
    });

    test('the retention job leaves them as they are, says so, and erases all others', async (t) => {
      const createdAt = Date.now() - 3_600_000;
      const deliveries = [newDelivery({state: 'held'})];
      const {bad, others, metIds, open} = await damaged(t, {createdAt, deliveries});
      const store = await open();
      const observed: Observation[] = [];
      const job = startRetentionJob({
        store,
        retention: () => ({shortest: 0, keptFor: () => 0, grace: 0, keepConsent: () => true}),
        emit: (observation) => observed.push(observation),
        timings: {...usualTimings, retentionEvery: 5, retentionPause: 1, purgeRetry: 1},
      });
      await until(() => observed.some((each) => each.type === 'retention-applied'));
      await job.stop();
      const records = await store.findRecords([...bad, ...others]);
      for (const id of others) assert.ok('erasedAt' in records.get(id)!);
      for (const id of bad) assert.ok('unreadable' in records.get(id)!);
      const told = observed.flatMap((each) => (each.type === 'lead-unreadable' ? [each.lead] : []));
      assert.deepEqual([...new Set(told)].toSorted(), bad);
      assert.partialDeepStrictEqual(job.overdue()?.counts, [{reason: 'unreadable', leads: bad.length}]);
      // They are noted beside the retention job, which does not wait for that.
      await until(async () => (await metIds()).length === bad.length);
      assert.deepEqual(await metIds(), bad);
    });

    test('the retention job of each hour notes them anew, so none is forgotten after a day', async (t) => {
      const {bad, metIds, open} = await damaged(t, {createdAt: Date.now() - 3_600_000});
      const store = await open();
      const retention = {shortest: 0, keptFor: () => 0, grace: 0, keepConsent: () => true};
      await store.applyRetention(Date.now(), retention);
      await until(async () => (await metIds()).length === bad.length);
      t.mock.timers.enable({apis: ['Date'], now: Date.now() + 25 * 3_600_000});
      assert.deepEqual(await metIds(), []);
      const later = await open();
      await later.applyRetention(Date.now(), retention);
      await until(async () => (await metIds()).length === bad.length);
    });

    test('their deliveries wait with the cause, and all others of the claim are made', async (t) => {
      const {bad, others, using, metIds, open} = await damaged(t, {deliveries: [eventTo('crm')]});
      const store = await open();
      const now = Date.now() + 1_000;
      const claim = {now, leaseEnd: now + 60_000, limit: 10, maxSends: 3};
      const {due, unreadable} = await store.claimDue('crm', claim);
      assert.deepEqual(due.map(({lead}) => lead.id).toSorted(), others);
      assert.deepEqual(unreadable.toSorted(), bad);
      const rows = await using((admin) => allOf(listDeliveries(admin, {})));
      for (const id of bad)
        assert.match(
          rows.find(({lead}) => lead === id)?.last_error ?? '',
          /encrypted data is missing|data key 00000007/,
        );
      assert.deepEqual(await metIds(), bad);
    });

    test('an answer that comes for one is stored, and ends its delivery', async (t) => {
      const {bad, execute, open} = await damaged(t, {
        answer: {status: 'pending'},
        deliveries: [newDelivery()],
      });
      const store = await open();
      const [lead] = bad as [string];
      await execute(`UPDATE leads SET status = 'done' WHERE id = '${lead}'`);
      const settled = await store.settle({lead, destination: 'default', content: 'lead'}, 0, {
        state: 'delivered',
        answer: {status: 'done', amounts: null, reasons: {}, policyVersion: null},
      });
      assert.equal(settled, undefined);
      assert.deepEqual(await store.listDeliveries(10, {lead}), []);
    });

    test('a consent that was kept, and that cannot be opened, is noted, too', async (t) => {
      const {
        using,
        others: [id = ''],
        execute,
        met,
      } = await damaged(t);
      await using((admin) => planAndErase(admin, [id]));
      await execute(`UPDATE sealed SET data_key = 7 WHERE lead_id = '${id}'`);
      await using((admin) => showLead(admin, id));
      const [noted] = await met();
      assert.equal(noted?.id, id);
      assert.match(noted?.unreadable ?? '', /kept of its consent.*data key 00000007/);
    });
  });
}

suite('commands over damaged rows', () => {
  test('an export says which leads it lacks, and so do all that read them', async (t) => {
    const deliveries = [newDelivery({state: 'held'})];
    const [whole, bad] = [newEntry(), newEntry({deliveries, answer: {status: 'pending'}})];
    const {run, execute, folder} = await operate(t, [whole, bad], {settings: {PORT: '0'}});
    await execute(`UPDATE sealed SET blob = CAST('Secret' AS BLOB) WHERE lead_id = '${bad.id}'`);
    const named = `Lead ${referenceOf(bad.id)} (${bad.id}) cannot be read: `;
    const file = join(folder, 'leads.csv');
    const exported = await run('leads', 'export', file);
    assert.equal(exported.code, 1);
    const [first = '', , ...last] = exported.stderr.trimEnd().split('\n');
    assert.ok(first.startsWith(named), first);
    assert.deepEqual(last, [`1 lead in ${file}`, '1 lead could not be read, and the export lacks them.']);
    assert.doesNotMatch(exported.stderr, /Secret/);

    for (const json of [[], ['--json']]) {
      const {code, stdout, stderr} = await run('leads', 'show', bad.id, ...json);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^Lead \S+ \(\S+\) cannot be read: [^\n]+\.\n$/);
      const listed = await run('leads', 'list', ...json);
      assert.equal(listed.code, 0, listed.stderr);
      assert.equal(listed.stdout.trimEnd().split('\n').length, json.length > 0 ? 2 : 3);
    }
    const status = await run('status', '--json');
    assert.notEqual(status.code, 0);
    const [{unreadable_leads, findings} = assert.fail()] = linesOf<Status>(status);
    assert.partialDeepStrictEqual(unreadable_leads, [{id: bad.id, reference: referenceOf(bad.id)}]);
    const found = findings.map(inOneLine).join('\n');
    assert.match(found, new RegExp(`${referenceOf(bad.id)} .*leads erase ${bad.id}`));
  });
});
