/** Lists of leads for people: what state each is in, page by page, and who may see whom. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {Admin} from '../../../server/admin/admin.ts';
import {listPage, personPage} from '../../../server/admin/listing.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import {databaseKinds, idsOf, planAndErase, planAndRevoke, operateAdmin} from '../../support/operator.ts';
import {entryAt, eventTo, leadWith} from '../../support/sample-leads.ts';
import {damaged} from '../../support/encrypted-rows.ts';

const begun = Date.now();
/** So many minutes ago. */
const before = (minutes: number, changes: Partial<LeadEntry> = {}) =>
  entryAt(begun - minutes * 60_000, {partner: 'acme', ...changes});
const to = (destination: string, state: 'waiting' | 'held' = 'waiting') => eventTo(destination, {state});

for (const {name, postgres, skip} of databaseKinds)
  suite(`a list for people over ${name}`, {skip}, () => {
    const begin = (t: TestContext, entries: readonly LeadEntry[]) => operateAdmin(t, entries, {postgres});

    test('a row says what of its lead needs somebody, in a word or three', async (t) => {
      const entries = {
        done: before(1),
        pending: before(2, {answer: {status: 'pending'}}),
        refused: before(3, {answer: {status: 'refused'}}),
        'crm waits': before(4, {deliveries: [to('crm')]}),
        '2 wait': before(5, {deliveries: [to('crm'), to('room')]}),
        'held: bot?': before(6, {deliveries: [to('crm', 'held'), to('room')]}),
        'crm: refused': before(7, {deliveries: [to('crm')]}),
        'crm: given up': before(8, {deliveries: [to('crm')]}),
        'held: said stop before': before(9, {deliveries: [to('crm', 'held')]}),
        'held: crm may have it': before(10, {deliveries: [to('crm', 'held')]}),
        erased: before(11),
        'said stop': before(12, {lead: leadWith({phone: '202-555-0199'})}),
        'cannot be read': before(13),
        'said stop before': before(14),
        corrected: before(15),
      };
      const correction = before(0, {supersedes: entries.corrected.id});
      const {admin, execute} = await begin(t, [...Object.values(entries), correction]);
      const change = (lead: LeadEntry, values: string) =>
        execute(`UPDATE deliveries SET ${values} WHERE lead_id = '${lead.id}'`);
      await change(entries['crm: refused'], "state = 'refused', last_error = 'no'");
      await change(entries['crm: given up'], "state = 'failed'");
      const held = [entries['held: said stop before'], entries['said stop before']].map(({id}) => `'${id}'`);
      await execute(`UPDATE leads SET suppressed_at = 1 WHERE id IN (${held.join(', ')})`);
      await change(entries['held: crm may have it'], "reason = NULL, last_error = 'sent twice'");
      await planAndErase(admin, [entries.erased.id]);
      await planAndRevoke(admin, {who: entries['said stop'].id});
      await execute(damaged(`lead_id = '${entries['cannot be read'].id}'`));

      const {
        rows: [, ...rows],
      } = await listPage(admin, {}, {limit: 20, seesPersons: true});
      const wordsOf = (some: typeof rows) => some.map(({state}) => state.words);
      assert.deepEqual(wordsOf(rows), Object.keys(entries));
      const blind = await listPage(admin, {}, {limit: 20, seesPersons: false});
      assert.deepEqual(
        wordsOf(blind.rows.slice(1)),
        Object.keys(entries).map((words) => (words === 'cannot be read' ? 'done' : words)),
      );
    });

    test('who sees no persons gets the same leads without any, and nothing is opened or noted', async (t) => {
      const entries = [before(1), before(2, {deliveries: [to('crm')]}), before(3)];
      const {admin} = await begin(t, entries);
      const blind = {...admin, store: {...admin.store, listLeads: () => assert.fail('it opens leads')}};
      const {rows, after} = await listPage(blind, {}, {limit: 2, seesPersons: false});
      assert.deepEqual(idsOf(rows), idsOf(entries.slice(0, 2)));
      assert.ok(rows.every(({record}) => record === null));
      const words = rows.map(({state}) => state.words);
      assert.deepEqual(words, ['done', 'crm waits']);
      const rest = await listPage(blind, {partner: 'acme'}, {limit: 2, after, seesPersons: false});
      assert.deepEqual([idsOf(rest.rows), rest.after], [idsOf(entries.slice(2)), undefined]);
      assert.deepEqual(await admin.store.auditEntries({}, 1), []);
    });

    test('a filter that misses stops looking in time, and goes on there', async (t) => {
      const others = Array.from({length: 7}, (_, index) => before(index));
      const [rare, rarest] = [before(20, {partner: 'rare'}), before(30, {partner: 'rare'})];
      const {admin} = await begin(t, [...others, rare, rarest]);
      const {store} = admin;
      const sliceEnd: typeof store.sliceEnd = (from) => store.sliceEnd(from, 3);
      const slicing: Admin = {...admin, store: {...store, sliceEnd}};
      const how = {limit: 1, seesPersons: true, milliseconds: 0};
      const looked: (number | undefined)[] = [];
      const found: unknown[] = [];
      for (let after: string | undefined, isEnd = false; !isEnd;) {
        const page = await listPage(slicing, {partner: 'rare'}, {...how, after});
        found.push(...idsOf(page.rows));
        looked.push(page.lookedTo);
        ({after} = page);
        isEnd = after === undefined;
      }
      assert.deepEqual(found, [rare.id, rarest.id]);
      assert.deepEqual(looked.slice(0, 2), [others[2]?.createdAt, others[5]?.createdAt]);
      const whole = await listPage(slicing, {partner: 'rare'}, {...how, limit: 9, milliseconds: 60_000});
      assert.deepEqual([idsOf(whole.rows), whole.lookedTo], [[rare.id, rarest.id], undefined]);
    });

    test('the leads of a person are found by number, also those that cannot be read, and noted', async (t) => {
      const phone = '(415) 555-0132';
      const hers = before(5, {lead: leadWith({phone})});
      const {admin} = await begin(t, [before(3), hers]);
      const {rows, more} = await personPage(admin, {}, {phone: '+14155550132'}, {limit: 9});
      assert.deepEqual([idsOf(rows), more, rows[0]?.record?.lead.phone.typed], [[hers.id], 0, phone]);
      const [{filter, ids} = assert.fail()] = await admin.store.auditEntries({}, 1);
      assert.deepEqual([filter, ids], [{phone: true}, [hers.id]]);
    });
  });
