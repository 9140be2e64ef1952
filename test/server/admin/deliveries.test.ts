/** What operators do about deliveries, also beside a service: they find them, make them due again, and end them. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {
  countDeliveries,
  listDeliveries,
  settleDelivery,
  type Selection,
  type Changed,
} from '../../../server/admin/deliveries.ts';
import type {Admin} from '../../../server/admin/admin.ts';
import {failures, startFakeUpstream, upstreamSettings, type Script} from '../../support/fake-upstream.ts';
import {basic, postJson, readJson} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {allOf, databaseKinds, operate, carryOut, operateAdmin} from '../../support/operator.ts';
import {columnOf} from '../../support/rows.ts';
import {newDelivery, newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {acme} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

/** Entries whose deliveries no single read brings; the few that are held stand behind all others. */
const entriesOf = (waiting: number, held: number) =>
  Array.from({length: waiting + held}, (_, index) => {
    const state = index < waiting ? 'waiting' : 'held';
    const delivery = newDelivery({state, nextAttemptAt: Date.now() + 3_600_000});
    return newEntry({answer: {status: 'pending'}, deliveries: [delivery]});
  });

const rowsOf = (admin: Admin, selection: Selection = {}, limit?: number) =>
  allOf(listDeliveries(admin, selection, limit));
const leadsOf = async (...words: Parameters<typeof rowsOf>) => (await rowsOf(...words)).map(({lead}) => lead);

for (const {name, postgres, skip} of databaseKinds) {
  suite(`deliveries over ${name}`, {skip}, () => {
    test('an outbox that no single read brings is listed up to the limit, and counted', async (t) => {
      const entries = entriesOf(2_500, 3);
      const ids = entries.map(({id}) => id);
      const {admin} = await operateAdmin(t, entries, {postgres});
      assert.deepEqual(await leadsOf(admin, {}, 50), ids.toSorted().slice(0, 50));
      assert.deepEqual(await leadsOf(admin), ids.toSorted());
      assert.deepEqual(await leadsOf(admin, {state: 'held'}), ids.slice(-3).toSorted());
      const [held, waiting] = await countDeliveries(admin);
      assert.partialDeepStrictEqual(held, {destination: 'default', state: 'held', deliveries: 3});
      assert.partialDeepStrictEqual(waiting, {destination: 'default', state: 'waiting', deliveries: 2_500});
      assert.ok(Math.abs(Date.parse(waiting?.oldest_created_at ?? '') - Date.now()) < 600_000);
    });

    test('of several deliveries of a lead, one is settled only when its destination is named', async (t) => {
      const deliveries = ['one', 'two'].map((destination) => newDelivery({destination, state: 'held'}));
      const entry = newEntry({answer: {status: 'pending'}, deliveries});
      const {admin} = await operateAdmin(t, [entry], {postgres});
      const settle = (destination?: string) => settleDelivery(admin, {lead: entry.id, destination}, 'u-1');
      await assert.rejects(settle(), /^Refusal: 0 settled: .* several upstreams; name one .* --destination$/);
      await settle('two');
      await assert.rejects(settle('two'), /has given its id for this lead already/);
    });

    test('what a service holds is listed, and sent on a retry', async (t) => {
      const {upstream, script, admin, ids} = await startHolding(t, postgres);
      const rows = await rowsOf(admin);
      assert.deepEqual(columnOf(rows, 'lead'), ids);
      assert.ok(!JSON.stringify(rows).includes(upstream.settings.password));
      for (const row of rows) {
        assert.partialDeepStrictEqual(row, {
          ...{destination: 'default', content: 'lead', state: 'held', attempts: 1, ambiguous: 1},
          ...{under_way: false, last_error: 'The upstream answered with something that is not JSON'},
        });
      }
      delete script.create;
      const retry = async (selection: object) =>
        (await carryOut<Changed>(admin, 'deliveries retry', selection)).deliveries;
      await assert.rejects(retry({lead: ids[1]}), /"lead-prequal deliveries release"/);
      await carryOut(admin, 'deliveries release', {lead: ids[1]});
      await until(async () => (await rowsOf(admin)).length === 2);
      assert.equal(await retry({all: true}), 0);
      assert.equal(await retry({state: 'held'}), 2);
      await until(async () => (await rowsOf(admin)).length === 0);
      assert.deepEqual([...new Set(upstream.taken())].toSorted(), ids);
      assert.equal(upstream.sent().length, 6);
      await assert.rejects(retry({lead: ids[0]}), /No such delivery/);
    });
  });
}

/** A service that has sent three leads, and does not know whether the upstream has them. */
async function startHolding(t: TestContext, postgres: boolean) {
  const script: Script = {create: failures['half of its JSON']};
  const upstream = await openFor(t, startFakeUpstream(script));
  const settings = upstreamSettings(temporaryFolder(t), upstream, {on_lost_reply: 'hold'});
  const operated = await operate(t, [], {postgres, settings});
  const {fetch} = await operated.serve();
  const create = async () => {
    const request = postJson(prequalificationBody, basic(acme));
    return (await readJson<{id: string}>(await fetch('/json/leads', request), 201)).id;
  };
  return {
    upstream,
    script,
    admin: await operated.admin(),
    ids: [await create(), await create(), await create()],
  };
}
