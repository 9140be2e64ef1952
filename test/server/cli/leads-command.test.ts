/** `lead-prequal leads`: what commands print of the leads that are stored. */
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {operate, runCommand, writePartners} from '../../support/operator.ts';
import {newEntry} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

test('leads are listed, counted, shown and written to a file, which is not overwritten', async (t) => {
  const context = {brand: 'north', store: '7'};
  const entries = ['acme', 'acme', null].map((partner) =>
    newEntry({partner, context, contextFilters: {brand: 'north'}, attribution: {utm_campaign: 'spring'}}),
  );
  const fields = {context_fields: ['store', {name: 'brand', filter: true}]};
  const PARTNERS_FILE = writePartners(temporaryFolder(t), [fields]);
  const {run, folder, settings} = await operate(t, entries, {settings: {PARTNERS_FILE}});
  const leads = (...words: string[]) => run('leads', ...words);
  const acme = await leads('list', '--partner', 'acme', '--context', 'brand=north');
  assert.match(acme.stdout, /^reference +received +partner/);
  for (const line of acme.stdout.split('\n')) assert.ok(line.length <= 100);
  assert.match(acme.stderr, /^2 leads; times are those of /m);

  const count = async (...words: string[]) => (await leads('count', ...words)).stdout;
  assert.equal(await count(), '3\n');
  assert.equal(await count('--partner', 'acme', '--since', '1h', '--context', 'brand=north'), '2\n');
  assert.equal(await count('--partner', '-'), '1\n');
  assert.equal(await count('--until', 'yesterday'), '0\n');
  const byState = await count('--by', 'partner,state', '--json');
  assert.match(byState, /^\{"partner":null,"state":"done","leads":1\}\n.*"acme".*\n$/);
  const noFilter = await leads('count', '--context', 'store=7');
  assert.equal(noFilter.stdout, '0\n');
  assert.match(noFilter.stderr, /No partner has store as a filter: see context_fields/);
  for (const words of [['brand'], ['Brand=x'], ['brand='], ['brand=a', '--context', 'brand=b']])
    assert.equal((await leads('list', '--context', ...words)).code, 2, words.join(' '));

  const {id} = entries[0]!;
  const shown = await leads('show', id);
  assert.ok(shown.stdout.includes(id));
  assert.match(shown.stdout, /^context\.brand +north$/m);
  assert.match(shown.stdout, /^lead\.first_name +Jane$/m);

  const file = join(folder, 'leads.csv');
  const exported = await leads('export', file, '--context', 'brand=north');
  assert.equal(exported.code, 0, exported.stderr);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const again = await leads('export', file);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /exists already/);
  assert.ok((await leads('export', '--excel')).stdout.startsWith('\uFEFFid,'));
  const without = {...settings, PARTNERS_FILE: writePartners(temporaryFolder(t), [{}])};
  const {stderr} = await runCommand(without, 'leads', 'export');
  assert.match(
    stderr,
    /lacks what no partner lists or asks for any more: (?=.*store)(?=.*brand).* --format jsonl/,
  );
});
