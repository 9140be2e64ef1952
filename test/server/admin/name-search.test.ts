/** People found by the beginnings of their names, among the newest leads. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {searchNames} from '../../../server/admin/name-search.ts';
import type {LeadFilter} from '../../../server/leads/lead-filter.ts';
import {databaseKinds, linesOf, operate} from '../../support/operator.ts';
import {entryAt, leadWith} from '../../support/sample-leads.ts';

const people = [
  ['María José', 'Ñúñez-Søren', '202-555-0132'],
  ['Marlon', 'Lopez', '202-555-0177'],
  ['Łukasz', 'Straße', '202-555-0188'],
] as const;
const entries = people.map(([first_name, last_name, phone], index) =>
  entryAt(Date.now() - (index + 1) * 60_000, {
    lead: leadWith({first_name, last_name, phone}),
  }),
);

for (const {name, postgres, skip} of databaseKinds)
  suite(`the search by name over ${name}`, {skip}, () => {
    test('finds beginnings of each word, without accents, and the last four digits', async (t) => {
      const {does} = await operate(t, entries, {postgres});
      const byId = new Map(entries.map(({id}, index) => [id, people[index]?.[0]]));
      const found = async (text: string) =>
        linesOf(await does('leads', 'list', '--name', text, '--json')).map(({id}) => byId.get(String(id)));
      for (const [text, ...names] of [
        ['mar', 'María José', 'Marlon'],
        ['MAR lop', 'Marlon'],
        ['nunez', 'María José'],
        ['soren jose', 'María José'],
        ['luk strasse', 'Łukasz'],
        ['0177', 'Marlon'],
        ['mar 0132', 'María José'],
        ['arlon'],
        ['177'],
        ['mar luk'],
      ])
        assert.deepEqual(await found(String(text)), names, text);
      const {stderr} = await does('leads', 'list', '--name', 'mar');
      assert.match(stderr, /Looked at 3 leads\.$/m);
    });

    test('is noted once, with what was found and not with what was typed', async (t) => {
      const {does} = await operate(t, entries, {postgres});
      await does('leads', 'list', '--name', 'lop');
      const {stdout} = await does('audit', 'list', '--json');
      assert.doesNotMatch(stdout, /lop/);
      const [entry, ...others] = linesOf<{leads: number; ids: string[]; filter: object}>({stdout}).filter(
        ({filter}) => 'name' in filter,
      );
      assert.deepEqual([entry?.leads, entry?.ids, others], [1, [entries[1]?.id], []]);
    });

    test('says how far back it looked', async (t) => {
      const {admin} = await operate(t, entries, {postgres});
      const {store, ...beside} = await admin();
      const [newest] = await store.listLeads({}, {limit: 1});
      let asked = 0;
      // Every page is full, as in a store with many leads.
      const listLeads = (_: LeadFilter, {limit}: {limit: number}) => {
        asked += limit;
        return Promise.resolve(Array.from({length: limit}, () => newest ?? assert.fail()));
      };
      const result = await searchNames({...beside, store: {...store, listLeads}}, {}, 'nobody', 50);
      assert.deepEqual([result.looked, asked], [5_000, 5_000]);
      assert.equal(result.lookedTo, entries[0]?.createdAt);
    });
  });
