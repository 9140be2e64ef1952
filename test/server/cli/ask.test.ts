/** When visitors want to be called, in `lead-prequal leads`: what is shown, and the column of an export. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {parse} from 'csv-parse/sync';
import {parseFormLead} from '../../../server/leads/lead-schema.ts';
import {missing} from '../../support/installed.ts';
import {suiteOwner} from '../../support/opened.ts';
import {databaseKinds, operate, runCommand} from '../../support/operator.ts';
import {newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';

const folder = makeTemporaryFolder();
after(() => folder.remove());
const partner = {origins: [listedOrigin], cid: '1001'};
const fileOf = (name: string, ...partners: object[]) => {
  const path = join(folder.path, name);
  writeFileSync(path, JSON.stringify({partners: partners.map((each) => ({...partner, ...each}))}));
  return path;
};
const asking = fileOf(
  'asking.json',
  {key: 'acme', ask: ['call_time', 'notes'], context_fields: ['brand']},
  {key: 'other', ask: ['state']},
);
const without = fileOf('without.json', {key: 'acme'}, {key: 'other'});

const notes = '=1+1\nCall my office.';
const entries = [{call_time: 'evening', notes}, {}]
  .map((asked) => newEntry({partner: 'acme', lead: parseFormLead({...prequalificationBody, ...asked}).data!}))
  .toSorted((one, other) => (one.id < other.id ? -1 : 1));
const callTimes = entries.map(({lead}) => lead.call_time ?? '');
const id = entries.find(({lead}) => lead.call_time)!.id;

const readInPython = `
import csv, io, json, sys
rows = csv.DictReader(io.StringIO(sys.stdin.buffer.read().decode(), newline=''))
print(json.dumps([[row['call_time'], row['notes']] for row in rows]))
`;

for (const {name, postgres, skip} of databaseKinds) {
  suite(`the time of the call in the command "leads" over ${name}`, {skip}, () => {
    const owner = suiteOwner();
    let operated: ReturnType<typeof operate> | undefined;
    const stored = () =>
      (operated ??= operate(owner, entries, {postgres, settings: {PARTNERS_FILE: asking}}));
    const leads = async (...words: string[]) => (await stored()).run('leads', ...words);

    test('show has it among the fields of the lead', async () => {
      const {stdout} = await leads('show', id);
      assert.match(stdout, /^lead\.call_time +evening$/m);
      const {lead} = JSON.parse((await leads('show', id, '--json')).stdout) as {lead: {notes: string}};
      assert.equal(lead.notes, notes);
    });

    test('an export has a column for it, and JSON Lines have it', async () => {
      const csv = (await leads('export')).stdout;
      assert.ok(csv.split('\r\n')[0]?.endsWith(',supersedes,call_time,context_brand'));
      const rows: Record<string, string>[] = parse(csv, {columns: true});
      assert.deepEqual(
        rows.map((row) => row['call_time']),
        callTimes,
      );
      const lines = (await leads('export', '--format', 'jsonl')).stdout.trim().split('\n');
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as {lead: {call_time?: string}}).lead.call_time ?? ''),
        callTimes,
      );
      const ofOther = (await leads('export', '--partner', 'other')).stdout;
      assert.ok(ofOther.split('\r\n')[0]?.endsWith(',suspect,duplicate_of,supersedes'));
    });

    test('Python reads the column of an export', {skip: missing('python3')}, async () => {
      const input = (await leads('export')).stdout;
      assert.deepEqual(
        JSON.parse(execFileSync('python3', ['-c', readInPython], {input, encoding: 'utf8'})),
        callTimes.map((time) => (time ? [time, `'${notes}`] : ['', ''])),
      );
    });

    test('an export has the columns of before if no partner asks for it, and says what it lacks', async () => {
      const {settings} = await stored();
      const {stdout, stderr} = await runCommand({...settings, PARTNERS_FILE: without}, 'leads', 'export');
      assert.ok(stdout.split('\r\n')[0]?.endsWith(',suspect,duplicate_of,supersedes'));
      assert.match(stderr, /lacks what no partner lists or asks for any more: call_time\. --format jsonl/);
    });
  });
}
