/** Leads are listed, counted, shown and exported, with their hidden fields and what partners ask for. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import type {Admin} from '../../../server/admin/admin.ts';
import {neutralize} from '../../../server/admin/exporting.ts';
import {countLeads, listLeads, showLead} from '../../../server/admin/leads.ts';
import type {LeadFilter, LeadGroup} from '../../../server/leads/lead-filter.ts';
import {parseFormLead} from '../../../server/leads/lead-schema.ts';
import {suiteOwner} from '../../support/opened.ts';
import {allOf, databaseKinds, exportOf, idsOf, linesOf, operate} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const CONFIG_FILE = writeConfig(temporaryFolder({after}), [
  {ask: ['call_time', 'notes'], context_fields: ['store', {name: 'brand', filter: true}]},
  {key: 'other', ask: ['state'], context_fields: [{name: 'brand', filter: true}]},
]);

const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '  =1', '"=1', "'=1", '＝1'];
const harmless = ['Ana, "the" one', "O'Neil", 'Zoë'];
const contexts = [{brand: 'north', store: '=7'}, {brand: 'south'}, {brand: 'north'}];
const asked = {call_time: 'evening', notes: '=1+1\nCall my office.'};

/** Of the partner acme, but for every third one, which is of another one, and the last, which came without a page. */
const entries = [...formulas, ...harmless]
  .map((first_name, index) => {
    const context = contexts[index];
    return newEntry({
      lead: parseFormLead({...prequalificationBody, first_name, ...(context?.store && asked)}).data!,
      partner: index === 10 ? null : index % 3 === 2 ? 'other' : 'acme',
      attribution: {utm_campaign: 'spring'},
      context,
      contextFilters: context && {brand: context.brand},
    });
  })
  .toSorted((one, other) => (one.id < other.id ? -1 : 1));
const ids = entries.map(({id}) => id);
const withBoth = entries.find(({lead}) => lead.call_time)!;

const headOf = (text: string) => text.split('\r\n')[0] ?? '';
type Exported = {id: string; lead: {first_name: string; call_time?: string}; context?: object};
const jsonOf = async (admin: Admin, filter: LeadFilter = {}) =>
  linesOf<Exported>({stdout: (await exportOf(admin, {format: 'jsonl'}, filter)).text});

for (const {name, postgres, skip} of databaseKinds) {
  suite(`leads over ${name}`, {skip}, () => {
    const owner = suiteOwner();
    let operated: ReturnType<typeof operate> | undefined;
    /** One store, which all tests read. */
    const open = async (changes?: Record<string, string>) =>
      (await (operated ??= operate(owner, entries, {postgres, settings: {CONFIG_FILE}}))).admin(changes);
    const north = entries.filter(({context}) => context?.['brand'] === 'north').map(({id}) => id);

    test('a list has the newest leads first, and no personal data', async () => {
      const rows = await allOf(listLeads(await open(), {}, 50));
      assert.deepEqual(idsOf(rows), ids.toReversed());
      for (const secret of ['Zoë', 'jane@', '202-555'])
        assert.ok(!JSON.stringify(rows).includes(secret), secret);
    });

    test('leads are counted by filter and by group', async () => {
      const admin = await open();
      const count = (filter: LeadFilter, ...by: LeadGroup[]) => countLeads(admin, filter, by);
      assert.deepEqual(await count({}), [{leads: 11}]);
      assert.deepEqual(await count({partner: 'acme', since: Date.now() - 3_600_000}), [{leads: 7}]);
      assert.deepEqual(await count({partner: null}), [{leads: 1}]);
      const before = {until: Date.now() - 3_600_000};
      assert.deepEqual(await count(before), [{leads: 0}]);
      assert.deepEqual(await count({}, 'partner', 'state'), [
        {partner: null, state: 'done', leads: 1},
        {partner: 'acme', state: 'done', leads: 7},
        {partner: 'other', state: 'done', leads: 3},
      ]);
      // A partner without leads is the one whose form may have stopped working.
      assert.deepEqual(await count(before, 'partner'), [
        {partner: 'acme', leads: 0},
        {partner: 'other', leads: 0},
      ]);
      assert.deepEqual(await count({partner: null}, 'partner'), [{partner: null, leads: 1}]);
      assert.deepEqual(await count({partner: 'acme'}, 'partner'), [{partner: 'acme', leads: 7}]);
      assert.deepEqual(await count(before, 'partner', 'day'), []);
      assert.equal((await count({context: {brand: 'north'}}, 'partner', 'day')).length, 2);
    });

    test('a lead is shown by its id and by its reference, however that is spelt', async () => {
      const {id, lead} = withBoth;
      const spelt = referenceOf(id).toLowerCase().replace('-', '').replaceAll('0', 'o').replaceAll('1', 'l');
      for (const named of [id, spelt]) {
        const shown = await showLead(await open(), named);
        const {first_name, notes} = lead;
        assert.partialDeepStrictEqual(shown, {lead: {id, lead: {first_name, notes, call_time: 'evening'}}});
      }
      await assert.rejects(showLead(await open(), 'ZZZZ-ZZZZ'), /There is no lead ZZZZ-ZZZZ/);
    });

    test('an export has all leads, the oldest first, or those with a value of a hidden field', async () => {
      const admin = await open();
      assert.deepEqual(
        (await jsonOf(admin)).map(({id, lead, context}) => [id, lead.first_name, lead.call_time, context]),
        entries.map(({id, lead, context}) => [id, lead.first_name, lead.call_time, context]),
      );
      const filtered = await jsonOf(admin, {context: {brand: 'north'}});
      assert.deepEqual(idsOf(filtered), north);
      assert.ok((await exportOf(admin, {format: 'csv', excel: true})).text.startsWith('\uFEFFid,'));
    });

    test('a CSV has a column for each field that is listed or asked', async () => {
      const admin = await open();
      const {text} = await exportOf(admin, {format: 'csv'});
      const rows: Record<string, string>[] = parse(text, {columns: true});
      assert.deepEqual(
        rows.map((row) => [row['id'], row['first_name'], row['context_store'], row['context_brand']]),
        entries.map(({id, lead, context = {}}) => [
          ...[id, neutralize(lead.first_name)],
          ...[context?.['store'] ? "'=7" : '', context?.['brand'] ?? ''],
        ]),
      );
      assert.deepEqual(
        rows.map((row) => [row['call_time'], row['notes']]),
        entries.map(({lead}) => [lead.call_time ?? '', lead.notes ? `'${lead.notes}` : '']),
      );
      assert.equal(rows[0]?.['phone_e164'], "'+12025550142");
      assert.equal(rows[0]?.['total_qualified_amount'], '862000');
      assert.ok(headOf(text).endsWith(',supersedes,call_time,context_store,context_brand'));
      const ofOther = await exportOf(admin, {format: 'csv'}, {partner: 'other'});
      assert.ok(headOf(ofOther.text).endsWith(',supersedes,context_brand'));
    });

    test('a CSV has the columns of before if no partner lists any, and says what it lacks', async () => {
      const file = writeConfig(temporaryFolder(owner), [{}, {key: 'other'}]);
      const {text, unlisted} = await exportOf(await open({CONFIG_FILE: file}), {format: 'csv'});
      assert.ok(headOf(text).endsWith(',suspect,duplicate_of,supersedes'));
      assert.deepEqual(unlisted.toSorted(), ['brand', 'call_time', 'store']);
    });
  });
}

test('a text that a spreadsheet would take for a formula gets an apostrophe, and no other', () => {
  for (const text of formulas) assert.equal(neutralize(text), `'${text}`);
  const within: Record<string, string> = {
    'a\n=1': "a\n'=1",
    'a\r\n"=1': 'a\r\n\'"=1',
    'a; =1': "a;' =1",
    'a,\t=1': "a,\t'=1",
    '\ta': "'\ta",
    'a;=1,-2': "a;'=1,'-2",
    'ends with \\': 'ends with \\ ',
  };
  for (const [text, cell] of Object.entries(within)) assert.equal(neutralize(text), cell);
  for (const text of [...harmless, '', '2026-11-21', 'a=b', 'Tel. 5; 6, or 7\nC:\\x'])
    assert.equal(neutralize(text), text);
});
