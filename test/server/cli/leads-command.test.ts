/** `lead-prequal leads`: what commands print of the leads that are stored. */
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import {neutralize} from '../../../server/admin/exporting.ts';
import {suiteOwner} from '../../support/opened.ts';
import {operate} from '../../support/operator.ts';
import {asLead, newEntry, prequalificationBody} from '../../support/sample-leads.ts';

const hostile = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '  =1',
  '"=1',
  "'=1",
  '＝1',
  'Ana, "the" one',
  "O'Neil",
  'Zoë',
];

const entries = hostile
  .map((first_name, index) =>
    newEntry({
      lead: asLead({...prequalificationBody, first_name}),
      partner: index % 2 === 0 ? 'acme' : null,
      attribution: {utm_campaign: 'spring'},
    }),
  )
  .toSorted((a, b) => (a.id < b.id ? -1 : 1));

suite('the command "leads"', () => {
  const owner = suiteOwner();
  let operated: ReturnType<typeof operate> | undefined;
  /** One store, which all tests read. */
  const stored = () => (operated ??= operate(owner, entries));
  const leads = async (...words: string[]) => (await stored()).run('leads', ...words);

  test('a list has the newest leads first, and no personal data', async () => {
    const listed = await leads('list', '--json');
    assert.equal(listed.code, 0, listed.stderr);
    const lines = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as {id: string});
    assert.deepEqual(
      lines.map(({id}) => id),
      entries.map(({id}) => id).toReversed(),
    );
    for (const secret of ['Zoë', 'jane@', '202-555']) {
      assert.ok(!listed.stdout.includes(secret), 'a list has no personal data');
    }
    const table = await leads('list', '--partner', 'acme');
    assert.match(table.stdout, /^reference +received +partner/);
    for (const line of table.stdout.split('\n')) assert.ok(line.length <= 100);
    assert.match(table.stderr, /^6 leads; times are those of /m);
  });

  test('leads are counted by filter and by group', async () => {
    const count = async (...words: string[]) => (await leads('count', ...words)).stdout;
    assert.equal(await count(), '11\n');
    assert.equal(await count('--partner', 'acme', '--since', '1h'), '6\n');
    assert.equal(await count('--partner', '-'), '5\n');
    assert.equal(await count('--until', 'yesterday'), '0\n');
    assert.deepEqual(
      (await count('--by', 'partner,state', '--json'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
      [
        {partner: null, state: 'done', leads: 5},
        {partner: 'acme', state: 'done', leads: 6},
      ],
    );

    const byPartner = async (...words: string[]) => {
      const lines = (await count('--json', '--by', ...words)).trim().split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as object);
    };
    // A partner without leads is the one whose form may have stopped working.
    assert.deepEqual(await byPartner('partner', '--until', 'yesterday'), [{partner: 'acme', leads: 0}]);
    assert.deepEqual(await byPartner('partner', '--partner', '-'), [{partner: null, leads: 5}]);
    assert.deepEqual(await byPartner('partner', '--partner', 'acme'), [{partner: 'acme', leads: 6}]);
    assert.deepEqual(await byPartner('partner,day', '--until', 'yesterday'), []);
  });

  test('an export has all leads, the oldest first, and overwrites no file', async () => {
    const file = join((await stored()).folder, 'leads.csv');
    const exported = await leads('export', file);
    assert.equal(exported.code, 0, exported.stderr);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const rows: Record<string, string>[] = parse(readFileSync(file), {columns: true});
    assert.deepEqual(
      rows.map(({id}) => id),
      entries.map(({id}) => id),
    );
    const names = rows.map((row) => row['first_name'] ?? '');
    assert.deepEqual(
      names,
      entries.map(({lead}) => neutralize(lead.first_name)),
    );
    assert.equal(rows[0]?.['phone_e164'], "'+12025550142");
    assert.equal(rows[0]?.['total_qualified_amount'], '862000');
    const again = await leads('export', file);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /exists already/);
    const jsonLines = (await leads('export', '--format', 'jsonl')).stdout.trim().split('\n');
    assert.deepEqual(
      jsonLines.map((line) => (JSON.parse(line) as {lead: {first_name: string}}).lead.first_name),
      entries.map(({lead}) => lead.first_name),
    );
    const excel = await leads('export', '--excel');
    assert.ok(excel.stdout.startsWith('\uFEFFid,'));
  });

  test('a lead is shown by its id and by its reference, however that is spelt', async () => {
    const [first] = entries;
    const id = first!.id;
    const spelt = referenceOf(id).toLowerCase().replace('-', '').replaceAll('0', 'o').replaceAll('1', 'l');
    for (const name of [id, spelt]) {
      const shown = await leads('show', name, '--json');
      assert.partialDeepStrictEqual(JSON.parse(shown.stdout), {
        id,
        lead: {first_name: first!.lead.first_name},
      });
    }
    assert.ok((await leads('show', id)).stdout.includes(id));
    assert.equal((await leads('show', 'ZZZZ-ZZZZ')).code, 1);
  });
});

test('a text that a spreadsheet would take for a formula gets an apostrophe, and no other', () => {
  for (const text of hostile.slice(0, 8)) assert.equal(neutralize(text), `'${text}`);
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
  for (const text of [...hostile.slice(8), '', '2026-11-21', 'a=b', 'Tel. 5; 6, or 7\nC:\\x'])
    assert.equal(neutralize(text), text);
});
