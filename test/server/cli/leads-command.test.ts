/** `lead-prequal leads`: what commands print of the leads that are stored. */
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {assertFails, linesOf, operate} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {
  asLead,
  doneAnswer,
  newDelivery,
  newEntry,
  prequalificationBody,
  sampleConsent,
  standardBody,
} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

test('leads are listed, counted, shown and written to a file, which is not overwritten', async (t) => {
  const context = {brand: 'north', store: '7'};
  const entries = ['acme', 'acme', null].map((partner) =>
    newEntry({partner, context, contextFilters: {brand: 'north'}, attribution: {utm_campaign: 'spring'}}),
  );
  const fields = {context_fields: ['store', {name: 'brand', filter: true}]};
  const CONFIG_FILE = writeConfig(temporaryFolder(t), [fields]);
  const {run, folder} = await operate(t, entries, {settings: {CONFIG_FILE}});
  const leads = (...words: string[]) => run('leads', ...words);
  const acme = await leads('list', '--partner', 'acme', '--context', 'brand=north');
  assert.match(acme.stdout, /^reference +received +partner/);
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
  assert.match(noFilter.stderr, /No partner has store as a filter: see its context_fields/);
  for (const words of [['brand'], ['Brand=x'], ['brand='], ['brand=a', '--context', 'brand=b']])
    assert.equal((await leads('list', '--context', ...words)).code, 2, words.join(' '));

  const {id} = entries[0]!;
  const shown = await leads('show', id);
  assert.ok(shown.stdout.includes(id));
  assert.match(shown.stdout, /^Name +Jane Doe\nPhone +/);
  assert.match(shown.stdout, /^brand +north$/m);

  const file = join(folder, 'leads.csv');
  const exported = await leads('export', file, '--context', 'brand=north');
  assert.equal(exported.code, 0, exported.stderr);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const again = await leads('export', file);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /exists already/);
  assert.ok((await leads('export', '--excel')).stdout.startsWith('\uFEFFid,'));
});

const phone = '202-555-0142 x7 (work)';
const funded = asLead({...prequalificationBody, phone, state: 'HI', notes: 'Call my office.\nTotal  $9'});
const parts = {...doneAnswer.amounts!, rollover_amount: 84_999, total_qualified_amount: 846_999};
const hugeParts = {...parts, rollover_amount: 99_999_999_999, total_qualified_amount: 100_000_761_999};
const attribution = {utm_source: 'google', utm_medium: 'cpc', utm_campaign: '春'.repeat(100)};
const ofAcme = newEntry({
  ...{partner: 'acme', lead: funded, answer: {...doneAnswer, amounts: parts}, attribution},
  consent: {
    ...sampleConsent,
    page: `https://acme.example/${'long/'.repeat(9)}`,
    form: {version: '1.7.0', button: 'See my estimate', inView: false, width: 390, slot: 'Machines call.'},
  },
  deliveries: ['crm', 'sales'].map((destination) => newDelivery({destination, content: 'created'})),
});
const standard = newEntry({
  lead: asLead(standardBody),
  answer: {...doneAnswer, amounts: null, policyVersion: null},
});
const others = [
  newEntry({partner: 'p'.repeat(64), attribution, answer: {...doneAnswer, amounts: hugeParts}}),
  newEntry({answer: {...doneAnswer, amounts: parts, policyVersion: null}}),
  newEntry({answer: {status: 'pending'}}),
  newEntry({answer: {status: 'refused'}}),
];

test('people read the amounts that the form shows, in lines that a terminal does not wrap', async (t) => {
  const {run} = await operate(t, [ofAcme, standard, ...others]);
  const list = await run('leads', 'list');
  assert.match(list.stdout, / acme +done +\$846,000 +春/);
  assert.match(list.stdout, / done +\$846,999$/m, 'the form does not round the amounts of an upstream');
  assert.match(list.stdout, / - +done +standard$/m);
  const show = await run('leads', 'show', ofAcme.id);
  const whom = [
    'Name',
    'Phone',
    'May be called +(?:May be called|Not now): ',
    'Time there now .* in Honolulu',
  ];
  const amounts = ['Email', 'Total +\\$846,000', 'Made up of', 'Cash', 'Notes', 'Reference', 'Received'];
  const agreed = ['Consent', 'Button, it says +See my estimate$', 'Text in view +no$'];
  const rest = [
    'Beside the text +Machines call\\.$',
    'utm_source',
    'Goes to +crm: created, waiting',
    ' +sales: ',
  ];
  const inOrder = [...whom, ...amounts, ...agreed, ...rest];
  assert.match(show.stdout, new RegExp(inOrder.map((line) => `^${line}`).join('[^]*?'), 'm'));
  assert.doesNotMatch(show.stdout, /\w\.first_name|^Total +\$9|84,999/m);
  assert.ok(show.stdout.split('\n').length <= 44);
  for (const line of `${list.stdout}${show.stdout}`.split('\n'))
    assert.ok(line.length + (line.match(/春/g)?.length ?? 0) <= 78, line);
  const [{total} = {}] = linesOf(await run('leads', 'list', '--partner', 'acme', '--json'));
  assert.equal(total, 846_999);

  const {code, stdout} = await run('leads', 'export', '--for', 'sales', '--partner', 'acme');
  assert.equal(code, 0);
  const [head = '', row = ''] = stdout.split('\r\n');
  const titles = ['Received', 'Name', 'Phone', 'May be called', 'Time there', 'State', 'Language', 'Email'];
  titles.push('When to call', 'Total', 'Credit score', 'Notes', 'Do not sell or share', 'Partner');
  titles.push('Campaign', 'Reference', 'Result');
  assert.equal(head, `\uFEFF"${titles.join('","')}"`);
  assert.match(row, /^"\d{4}-\d\d-\d\d \d\d:\d\d","Jane Doe","\(202\) 555-0142 ext\. 7",.*,846000,/);
  assert.match(row, /\d [AP]M in Honolulu","HI",/);
  assertFails(
    await run('leads', 'export', '--for', 'sales', '--format', 'jsonl'),
    /--for sales writes a CSV/,
  );
});

test('people see which leads lack a consent that they should have, and programs who brought it', async (t) => {
  const certificateUrl = 'https://cert.trustedform.com/0123456789abcdef';
  const ofCaller = {...sampleConsent, agreed: null, source: 'caller', words: 'Yes', certificateUrl} as const;
  const entries = [
    ...[newEntry(), newEntry({consent: ofCaller}), newEntry({partner: 'acme', consent: sampleConsent})],
    newEntry({lead: asLead({...standardBody, cid: '2001'})}),
  ];
  const CONFIG_FILE = writeConfig(temporaryFolder(t), [{consent: {text: 'Yes', version: '1'}}]);
  const {run} = await operate(t, entries, {settings: {CONFIG_FILE}});
  const rows = linesOf(await run('leads', 'list', '--json'));
  const consentOf = new Map(rows.map(({id, consent}) => [id, consent]));
  assert.deepEqual(
    entries.map(({id}) => consentOf.get(id)),
    ['missing', 'caller', 'form', null],
  );
  const {stdout} = await run('leads', 'list');
  assert.deepEqual(stdout.match(/^.* no consent$/gm)?.length, 1);
  const shown = await Promise.all(entries.map(({id}) => run('leads', 'show', id)));
  assert.match(shown[0]!.stdout, /^Consent +none$/m);
  assert.match(
    shown[1]!.stdout,
    /^How agreed +Agreed, says the caller who sent the lead\nCertificate +https:\/\/cert\./m,
  );
  assert.doesNotMatch(shown[2]!.stdout, /none|Consent from|Certificate/);
  const [head = '', ...cells] = (await run('leads', 'export')).stdout.trim().split('\r\n');
  const at = head.split(',').indexOf('consent_text_version');
  assert.deepEqual(cells.map((row) => row.split(',')[at]).toSorted(), ['', '', '1', '1']);
});

test('an opt-out signal is shown and exported, and an export without its column says so', async (t) => {
  const entry = newEntry({attribution: {opt_out_signal: 'gpc'}});
  const {run} = await operate(t, [entry]);
  assert.match(
    (await run('leads', 'show', entry.id)).stdout,
    /^Opt-out signal +do not sell or share the data/m,
  );
  assert.match((await run('leads', 'export', '--format', 'jsonl')).stdout, /"opt_out_signal":"gpc"/);
  const {stdout, stderr} = await run('leads', 'export');
  assert.doesNotMatch(stdout, /gpc/);
  assert.match(stderr, /lacks what no partner lists or asks for: opt_out_signal\. --format jsonl has/);
});
