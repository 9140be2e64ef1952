/** What commands, the sweep and the outbox do about leads that cannot be opened. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {usualTimings} from '../../../server/config/timings.ts';
import type {Observation} from '../../../server/observe/observations.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {startSweeping} from '../../../server/store/retention-sweep.ts';
import {createSealer} from '../../../server/store/sealing.ts';
import {openFor} from '../../support/opened.ts';
import {databaseKinds, operate} from '../../support/operator.ts';
import {newDelivery, newEntry, sampleConsent} from '../../support/sample-leads.ts';
import {until} from '../../support/until.ts';

const key = 'a-data-key-of-tests-with-32-characters-or-more';

for (const {name, postgres, skip} of databaseKinds) {
  suite(`leads that cannot be opened on ${name}`, {skip}, () => {
    async function damaged(t: TestContext, changes: Parameters<typeof newEntry>[0] = {}) {
      const entries = Array.from({length: 4}, () =>
        newEntry({partner: 'acme', consent: sampleConsent, ...changes}),
      );
      const operated = await operate(t, entries, {postgres, settings: {DATA_KEY: key, PORT: '0'}});
      const ids = entries.map(({id}) => id);
      const [first, second, ...others] = ids as [string, string, ...string[]];
      await operated.execute(`DELETE FROM sealed WHERE lead_id = '${first}'`);
      await operated.execute(`UPDATE sealed SET data_key = 7 WHERE lead_id = '${second}'`);
      const config = {
        databaseUrl: operated.settings['DATABASE_URL'],
        databasePath: operated.settings['DATABASE_PATH'] ?? '',
        databaseStatements: 'named' as const,
      };
      const status = async () => {
        const {code, stdout} = await operated.run('status', '--json');
        const {unreadable_leads, findings} = JSON.parse(stdout) as {
          unreadable_leads: {id: string; reason: string}[];
          findings: {text: string}[];
        };
        return {code, unreadable: unreadable_leads, texts: findings.map(({text}) => text).join('\n')};
      };
      const open = () => openFor(t, openStore(config, createSealer([key])));
      return {...operated, bad: [first, second].toSorted(), others, status, open};
    }

    test('an export goes on without them, and status names them until they are mended', async (t) => {
      const {run, execute, folder, bad, others, status} = await damaged(t);
      assert.deepEqual((await status()).unreadable, [], 'nobody has met them yet');
      const file = join(folder, 'leads.jsonl');
      const {code, stderr} = await run('leads', 'export', file);
      assert.equal(code, 1);
      for (const id of bad)
        assert.match(stderr, new RegExp(`${referenceOf(id)} \\(${id}\\) cannot be read: `));
      const written = readFileSync(file, 'utf8').trimEnd().split('\n');
      assert.deepEqual(
        written.map((line) => (JSON.parse(line) as {id: string}).id).toSorted(),
        others.toSorted(),
      );
      const met = await status();
      assert.notEqual(met.code, 0);
      assert.deepEqual(met.unreadable.map(({id}) => id).toSorted(), bad);
      for (const id of bad) assert.match(met.texts, new RegExp(`${referenceOf(id)} .*leads erase ${id}`));
      const byReason = (text: RegExp) => met.unreadable.filter(({reason}) => text.test(reason));
      assert.equal(byReason(/sealed data is missing/).length, 1);
      assert.equal(byReason(/data key 00000007/).length, 1);

      const [mended] = byReason(/data key 00000007/);
      await execute(
        `UPDATE sealed SET data_key = (SELECT MAX(data_key) FROM sealed) WHERE lead_id = '${mended!.id}'`,
      );
      const [lost] = byReason(/missing/);
      assert.deepEqual(
        (await status()).unreadable.map(({id}) => id),
        [lost!.id],
      );
      assert.equal((await run('leads', 'erase', lost!.id, '--yes')).code, 0);
      assert.deepEqual((await status()).unreadable, []);
    });

    for (const words of [
      ['leads', 'list'],
      ['leads', 'list', '--email', 'jane@example.com'],
    ])
      test(`${words.join(' ')} goes on, and status names them`, async (t) => {
        const {run, bad, others, status} = await damaged(t);
        const {stdout, stderr} = await run(...words);
        for (const id of others) assert.match(stdout, new RegExp(referenceOf(id)));
        for (const id of bad) assert.match(stdout + stderr, new RegExp(referenceOf(id)));
        assert.deepEqual((await status()).unreadable.map(({id}) => id).toSorted(), bad);
      });

    test('leads show of one fails, and status names it alone', async (t) => {
      const {
        run,
        bad: [first],
        status,
      } = await damaged(t);
      const {code, stderr} = await run('leads', 'show', first!);
      assert.equal(code, 1);
      assert.match(stderr, /cannot be read/);
      assert.deepEqual(
        (await status()).unreadable.map(({id}) => id),
        [first],
      );
    });

    test('the sweep leaves them as they are, says so, and erases all others', async (t) => {
      const createdAt = Date.now() - 3_600_000;
      const {bad, others, status, open} = await damaged(t, {createdAt});
      const store = await open();
      const observed: Observation[] = [];
      const sweep = startSweeping({
        store,
        retention: () => ({shortest: 0, keptFor: () => 0, keepConsent: () => true}),
        emit: (observation) => observed.push(observation),
        timings: {...usualTimings, sweepEvery: 5, sweepPause: 1, purgeRetry: 1},
      });
      await until(() => observed.some((each) => each.type === 'leads-swept'));
      await sweep.stop();
      const records = await store.findRecords([...bad, ...others]);
      for (const id of others) assert.ok('erasedAt' in records.get(id)!);
      for (const id of bad) assert.ok('unreadable' in records.get(id)!);
      const told = observed.flatMap((each) => (each.type === 'lead-unreadable' ? [each.lead] : []));
      assert.deepEqual([...new Set(told)].toSorted(), bad);
      assert.deepEqual((await status()).unreadable.map(({id}) => id).toSorted(), bad);
    });

    test('their deliveries wait with the cause, and all others of the claim are made', async (t) => {
      const {bad, others, run, status, open} = await damaged(t, {
        deliveries: [newDelivery({destination: 'crm', content: 'created', givesAnswer: false})],
      });
      const store = await open();
      const now = Date.now() + 1_000;
      const claim = {now, leaseEnd: now + 60_000, limit: 10, maxSends: 3};
      const {due, unreadable} = await store.claimDue('crm', claim);
      assert.deepEqual(due.map(({lead}) => lead.id).toSorted(), others.toSorted());
      assert.deepEqual(unreadable.toSorted(), bad);
      const {stdout} = await run('deliveries', 'list', '--json');
      for (const id of bad) {
        const row = stdout.split('\n').find((line) => line.includes(id)) ?? '';
        assert.match(row, /sealed data is missing|data key 00000007/);
      }
      assert.deepEqual((await status()).unreadable.map(({id}) => id).toSorted(), bad);
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

    test('a consent that was kept, and that cannot be opened, is named by status, too', async (t) => {
      const {
        run,
        others: [id],
        execute,
        status,
      } = await damaged(t);
      assert.equal((await run('leads', 'erase', id!, '--yes')).code, 0);
      await execute(`UPDATE sealed SET data_key = 7 WHERE lead_id = '${id}'`);
      await run('leads', 'show', id!);
      const [met] = (await status()).unreadable;
      assert.equal(met?.id, id);
      assert.match(met!.reason, /kept of its consent.*data key 00000007/);
    });
  });
}
