/** `lead-prequal leads` as an operator runs it: a process beside the service. */
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import {neutralize} from '../../../server/cli/export.ts';
import {clearText} from '../../../server/store/codec.ts';
import {openStore} from '../../../server/store/open-store.ts';
import type {LeadEntry} from '../../../server/leads/lead-store.ts';
import {openWhile} from '../../support/opened.ts';
import {runCommand} from '../../support/operator.ts';
import {createDatabase, withoutPostgres} from '../../support/postgres.ts';
import {asLead, newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {baseConfig} from '../../support/test-server.ts';

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

async function readsWhatIsStored(folder: string, databaseUrl?: string) {
  const databasePath = join(folder, 'leads.sqlite');
  const entries: LeadEntry[] = hostile
    .map((first_name, index) =>
      newEntry({
        lead: asLead({...prequalificationBody, first_name}),
        partner: index % 2 === 0 ? 'acme' : null,
        attribution: {utm_campaign: 'spring'},
      }),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await openWhile(openStore({...baseConfig(folder), databasePath, databaseUrl}, clearText), async (store) => {
    for (const entry of entries) await store.accept(entry);
  });
  const settings = {...serviceSettings(folder), ...(databaseUrl && {DATABASE_URL: databaseUrl})};
  const leads = (...words: string[]) => runCommand(settings, 'leads', ...words);

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

  const file = join(folder, 'leads.csv');
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
  const wrong = [
    ['show'],
    ['list', '--since', 'soon'],
    ['list', '--limit', '0'],
    ['count', '--by', 'colour'],
    ['list', '--since', 'today', '--until', 'yesterday'],
    ['list', '--reference', 'U'],
    ['list', '--state', 'lost'],
  ];
  for (const words of wrong) assert.equal((await leads(...words)).code, 2, words.join(' '));
}

suite('the leads command', () => {
  test('the leads command reads what is stored on SQLite', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    await readsWhatIsStored(folder.path);
  });
  test('the leads command reads what is stored on PostgreSQL', {skip: withoutPostgres}, async (t) => {
    const [folder, database] = [makeTemporaryFolder(), await createDatabase()];
    t.after(async () => {
      await database.drop();
      folder.remove();
    });
    await readsWhatIsStored(folder.path, database.url);
  });
});

test('a text that a spreadsheet would take for a formula gets an apostrophe, and other texts stay as they are', () => {
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
