/** Hidden fields, and what a partner asks for, in `lead-prequal leads`: filters, and the columns of an export. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {parse} from 'csv-parse/sync';
import {parseFormLead} from '../../../server/leads/lead-schema.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {suiteOwner} from '../../support/opened.ts';
import {databaseKinds, operate, runCommand} from '../../support/operator.ts';
import {newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {listedOrigin} from '../../support/test-server.ts';

const folder = temporaryFolder({after});
const partner = {origins: [listedOrigin], cid: '1001'};
const fileOf = (name: string, ...partners: object[]) => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({partners: partners.map((each) => ({...partner, ...each}))}));
  return path;
};
const listing = fileOf(
  'listing.json',
  {key: 'acme', ask: ['call_time', 'notes'], context_fields: ['store', {name: 'brand', filter: true}]},
  {key: 'other', ask: ['state'], context_fields: [{name: 'brand', filter: true}]},
);
const without = fileOf('without.json', {key: 'acme'}, {key: 'other'});

const contexts: readonly (Record<string, string> | undefined)[] = [
  {brand: 'north', store: '=7'},
  {brand: 'south'},
  {brand: 'north'},
  undefined,
];
const asked = {call_time: 'evening', notes: '=1+1\nCall my office.'};
const entries = contexts
  .map((context, index) =>
    newEntry({
      lead: parseFormLead({...prequalificationBody, ...(context?.['store'] && asked)}).data!,
      partner: index === 2 ? 'other' : 'acme',
      context,
      contextFilters: context && {brand: context['brand'] ?? ''},
    }),
  )
  .toSorted((a, b) => (a.id < b.id ? -1 : 1));

for (const {name, postgres, skip} of databaseKinds) {
  suite(`hidden fields in the command "leads" over ${name}`, {skip}, () => {
    const owner = suiteOwner();
    let operated: ReturnType<typeof operate> | undefined;
    const stored = () =>
      (operated ??= operate(owner, entries, {postgres, settings: {PARTNERS_FILE: listing}}));
    const leads = async (...words: string[]) => (await stored()).run('leads', ...words);
    const idsOf = (output: string) =>
      output
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as {id: string}).id);
    const north = entries.filter(({context}) => context?.['brand'] === 'north').map(({id}) => id);

    test('list, count and export take a value as a filter', async () => {
      const listed = await leads('list', '--json', '--context', 'brand=north');
      assert.equal(listed.code, 0, listed.stderr);
      assert.deepEqual(idsOf(listed.stdout), north.toReversed());
      const table = await leads('list', '--context', 'brand=north', '--partner', 'other');
      assert.match(table.stderr, /^1 lead; /m);
      assert.equal((await leads('count', '--context', 'brand=north')).stdout, '2\n');
      const byPartner = await leads('count', '--context', 'brand=north', '--by', 'partner,day', '--json');
      assert.equal(byPartner.stdout.trim().split('\n').length, 2);
      const exported = await leads('export', '--format', 'jsonl', '--context', 'brand=north');
      assert.deepEqual(idsOf(exported.stdout), north);
    });

    test('a field that is no filter finds nothing, and the command says so', async () => {
      const found = await leads('count', '--context', 'store==7');
      assert.equal(found.stdout, '0\n');
      assert.match(found.stderr, /No partner has store as a filter: see context_fields/);
    });

    test('a wrong --context is refused with status 2', async () => {
      for (const words of [['brand'], ['Brand=x'], ['brand='], ['brand=a', '--context', 'brand=b']])
        assert.equal((await leads('list', '--context', ...words)).code, 2, words.join(' '));
    });

    test('an export has a column for each field that is listed or asked, and JSON Lines have all', async () => {
      const csv = (await leads('export')).stdout;
      const rows: Record<string, string>[] = parse(csv, {columns: true});
      assert.deepEqual(
        rows.map((row) => [row['context_store'], row['context_brand']]),
        entries.map(({context}) => [context?.['store'] ? "'=7" : '', context?.['brand'] ?? '']),
      );
      assert.ok(csv.split('\r\n')[0]?.endsWith(',supersedes,call_time,context_store,context_brand'));
      assert.deepEqual(
        rows.map((row) => [row['call_time'], row['notes']]),
        entries.map(({lead}) => [lead.call_time ?? '', lead.notes ? `'${lead.notes}` : '']),
      );
      const ofOther = (await leads('export', '--partner', 'other')).stdout;
      assert.ok(ofOther.split('\r\n')[0]?.endsWith(',supersedes,context_brand'));
      const lines = (await leads('export', '--format', 'jsonl')).stdout.trim().split('\n');
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as {context?: object}).context),
        entries.map(({context}) => context),
      );
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as {lead: {call_time?: string}}).lead.call_time),
        entries.map(({lead}) => lead.call_time),
      );
      const {id, lead} = entries.find((entry) => entry.lead.call_time)!;
      const {stdout} = await leads('show', id);
      assert.match(stdout, /^context\.brand +north$/m);
      assert.match(stdout, /^lead\.call_time +evening$/m);
      const shown = JSON.parse((await leads('show', id, '--json')).stdout) as {lead: {notes: string}};
      assert.equal(shown.lead.notes, lead.notes);
    });

    test('an export has the columns of before if no partner lists any, and says what it lacks', async () => {
      const {settings} = await stored();
      const {stdout, stderr} = await runCommand({...settings, PARTNERS_FILE: without}, 'leads', 'export');
      assert.ok(stdout.split('\r\n')[0]?.endsWith(',suspect,duplicate_of,supersedes'));
      assert.match(
        stderr,
        /lacks what no partner lists or asks for any more: (?=.*call_time)(?=.*brand).* --format jsonl/,
      );
    });
  });
}
