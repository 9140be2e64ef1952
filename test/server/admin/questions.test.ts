/** A partner's own questions: from what a page sends to what operators and receivers read. */
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {formQuestionNames, questionNames, questionOf} from '../../../contract/questions.ts';
import {contactLine} from '../../../server/destinations/email/visitor-lines.ts';
import {notesOf} from '../../../server/destinations/lead-api/notes.ts';
import {leadEventSchema} from '../../../server/leads/lead-event.ts';
import type {Lead} from '../../../server/leads/lead-schema.ts';
import type {LeadView} from '../../../server/leads/lead-view.ts';
import type {LeadRecord} from '../../../server/leads/stored-lead.ts';
import {routes} from '../../../server/pages/routes.ts';
import {writeConfig} from '../../support/config-file.ts';
import {formConfig, sendLead, sentLead, somebody} from '../../support/embed-client.ts';
import {fieldCodes, readProblem} from '../../support/http.ts';
import {listPage} from '../../../server/admin/listing.ts';
import type {OwnAnswer} from '../../../server/leads/own-answers.ts';
import {tables} from '../../../server/store/columns.ts';
import {assertFails, databaseKinds, idsOf, linesOf, operate} from '../../support/operator.ts';
import {servePages} from '../../support/pages.ts';
import {asLead, entryAt, newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {openFor} from '../../support/opened.ts';
import {newSecret, startWebhookReceiver} from '../../support/webhook-receiver.ts';

const hook = {type: 'webhook', url: 'http://127.0.0.1:9/', credentials: 'HOOK', internal: true};
const revenue = {
  name: 'revenue',
  label: {en: 'Monthly revenue', es: 'Ingresos al mes'},
  choices: [
    {value: 'under-10k', en: 'Under $10,000', es: 'Menos de $10,000'},
    {value: 'over-50k', en: 'Over $50,000', 'es-MX': 'Más de $50,000'},
  ],
  required: true,
  step: 'funds',
};
const since = {name: 'since', label: {en: 'In business since'}, kind: 'text'};
const begun = Date.now();
const answers = [
  {name: 'revenue', label: 'Monthly revenue', value: 'over-50k', text: 'Over $50,000'},
  {name: 'since', label: 'In business since', value: '=2019', text: '=2019'},
];
type Line = {lead: {answers?: unknown}};

for (const {name, postgres, skip} of databaseKinds)
  suite(`a partner's own questions over ${name}`, {skip}, () => {
    test('come to the form in its language, and their answers to whoever reads the lead', async (t) => {
      const partner = {ask: [since, 'notes', revenue], send_to: ['crm']};
      const file = writeConfig(temporaryFolder(t), [partner], {crm: hook});
      const settings = {CONFIG_FILE: file, CREDENTIALS_HOOK_SECRET: newSecret()};
      const {does, serve} = await operate(t, [], {postgres, settings});
      const server = await serve();
      const {ask} = await formConfig(server, 'acme', {lang: 'es-US'});
      assert.deepEqual(ask?.slice(1), [
        {name: 'since', label: 'In business since'},
        {
          ...{name: 'revenue', label: 'Ingresos al mes', required: true, step: 'funds'},
          choices: {'under-10k': 'Menos de $10,000', 'over-50k': 'Más de $50,000'},
        },
      ]);
      const lead = somebody({revenue: 'over-50k', since: ' =2019 ', notes: 'Hi'});
      const {id} = await sentLead(server, lead);
      const [line] = linesOf<Line>(await does('leads', 'show', id, '--json'));
      assert.deepEqual(line?.lead.answers, answers.toReversed());
      const {stdout} = await does('leads', 'show', id);
      assert.match(stdout, /^Monthly revenue +Over \$50,000$/m);
      const [head, row] = (await does('leads', 'export', '--format', 'csv')).stdout.split('\r\n');
      const cells = head!.split(',').map((column, index) => [column, row!.split(',')[index]]);
      assert.equal(new Map(cells as [string, string][]).get('answer_revenue'), 'over-50k');
      assert.match(String(row), /,'=2019,/, 'no spreadsheet takes it for a formula');
      const sales = (await does('leads', 'export', '--for', 'sales')).stdout.split('\r\n');
      assert.match(sales[0]!, /"Notes","In business since","Monthly revenue",/);
      assert.match(sales[1]!, /"Hi","'=2019","Over \$50,000",/);

      const changed = await sentLead(server, {...lead, revenue: 'under-10k'});
      const [other] = linesOf<{duplicate_of: unknown}>(await does('leads', 'show', changed.id, '--json'));
      assert.equal(other?.duplicate_of, null, 'another answer makes it another lead');
      const again = await sentLead(server, lead);
      assert.deepEqual(
        linesOf(await does('leads', 'show', again.id, '--json')).map((each) => each['duplicate_of']),
        [id],
      );
    });

    test('that are not answered cost no lead; another value does, and is named', async (t) => {
      const settings = {CONFIG_FILE: writeConfig(temporaryFolder(t), [{ask: [revenue, since]}])};
      const {does, serve} = await operate(t, [], {postgres, settings});
      const server = await serve();
      const {id} = await sentLead(server);
      const [line] = linesOf<Line>(await does('leads', 'show', id, '--json'));
      assert.deepEqual(line?.lead.answers, [{...answers[0], value: null, text: null}]);
      assert.match((await does('leads', 'show', id)).stdout, /^Monthly revenue +not asked: /m);
      for (const [sent, code] of [
        [{revenue: 'gone'}, 'invalid'],
        [{revenue: 7}, 'invalid'],
        [{since: 'a\nb'}, 'invalid'],
        [{since: 'x'.repeat(201)}, 'too_long'],
      ] as const) {
        const problem = await readProblem(await sendLead(server, somebody(sent)), 422, 'invalid-lead');
        assert.deepEqual(fieldCodes(problem), {[Object.keys(sent)[0]!]: code});
      }
    });

    test('are corrected as the form would take them, and stay otherwise', async (t) => {
      const lead = {...newEntry().lead, answers: [...answers]};
      const entry = newEntry({partner: 'acme', lead});
      const gone = [{...answers[0]!, name: 'gone'}];
      const former = newEntry({partner: 'acme', lead: {...lead, answers: gone}});
      const settings = {CONFIG_FILE: writeConfig(temporaryFolder(t), [{ask: [revenue, since]}])};
      const {does, run} = await operate(t, [entry, former], {postgres, settings});
      const correct = (...words: string[]) => run('leads', 'correct', ...words);
      for (const [wrong, says] of [
        ['revenue=gone', /revenue must be one of: under-10k, over-50k\./],
        ['revenue=', /revenue is required\./],
        ['gone=over-50k', /gone is not asked, but revenue, since\./],
        ['since=' + 'x'.repeat(201), /since must be a text of one line/],
        ['revenue=over-50k', /says all of this already/],
      ] as const)
        assertFails(await correct(entry.id, '--answer', wrong), says);
      const corrected = async (id: string, ...words: string[]) => {
        await does('leads', 'correct', id, ...words);
        const [before] = linesOf<{superseded_by: string[]}>(await does('leads', 'show', id, '--json'));
        const [by = assert.fail()] = before?.superseded_by ?? [];
        return {by, answers: linesOf<Line>(await does('leads', 'show', by, '--json'))[0]?.lead.answers};
      };
      const small = {...answers[0]!, value: 'under-10k', text: 'Under $10,000'};
      const first = await corrected(entry.id, '--answer', 'revenue=under-10k');
      assert.deepEqual(first.answers, [small, answers[1]]);
      const second = await corrected(first.by, '--answer', 'since=', '--last-name', 'Roe');
      assert.deepEqual(second.answers, [small]);
      const third = await corrected(former.id, '--last-name', 'Roe');
      assert.deepEqual(third.answers, gone, 'also of a question that the file has no more');
    });

    test('are in no table and no file in clear, and nothing of them outlives the lead', async (t) => {
      const settings = {
        CONFIG_FILE: writeConfig(temporaryFolder(t), [{ask: [revenue, since], send_to: ['crm']}], {
          crm: hook,
        }),
      };
      const own = {...settings, CREDENTIALS_HOOK_SECRET: newSecret()};
      const {does, run, serve, select, admin} = await operate(t, [], {postgres, settings: own});
      const server = await serve();
      const {id, token} = await sentLead(server, somebody({revenue: 'over-50k', since: 'Zzyzx 2019'}));
      const changed = somebody({revenue: 'under-10k', since: 'Zzyzx 2020'});
      const {id: other} = await sentLead(server, changed, {body: {supersedes: {id, token}}});
      await does('leads', 'list', '--answer', 'revenue=under-10k');
      const {config} = await admin();
      const texts = async () => {
        const rows = await Promise.all(Object.keys(tables).map((table) => select(`SELECT * FROM ${table}`)));
        const values = rows.flat().flatMap((row) => Object.values(row));
        const files = postgres
          ? []
          : ['', '-wal'].map((end) => `${config.databasePath}${end}`).filter(existsSync);
        return [
          ...values.map((each) =>
            each instanceof Uint8Array ? Buffer.from(each).toString('latin1') : String(each),
          ),
          ...files.map((file) => readFileSync(file, 'latin1')),
        ].join('\n');
      };
      assert.match((await does('leads', 'export', '--format', 'jsonl')).stdout, /Zzyzx 2020/);
      const before = await texts();
      assert.match(before, new RegExp(id));
      const answer = /Zzyzx|over-50k|under-10k|Over \$50|Under \$10/;
      assert.doesNotMatch(before, answer);
      await does('leads', 'erase', other, '--yes');
      assert.doesNotMatch(await texts(), answer);
      for (const lead of [id, other]) {
        assert.deepEqual(await select(`SELECT 1 FROM sealed WHERE lead_id = '${lead}'`), []);
        assert.doesNotMatch((await run('leads', 'show', lead, '--json')).stdout, answer);
      }
      assert.equal((await does('leads', 'export', '--format', 'jsonl')).stdout, '');
    });

    test('select leads by a choice, page by page, and who looked is noted', async (t) => {
      const former = {...answers[0]!, name: 'former'};
      const choosing = (value: string, index: number, more: object[] = []) =>
        entryAt(begun - index * 60_000, {
          partner: index % 3 === 0 ? 'acme' : 'other',
          lead: {...newEntry().lead, answers: [{...answers[0]!, value}, ...more] as OwnAnswer[]},
        });
      // More than are read at once, and the few that are looked for stand apart.
      const entries = Array.from({length: 430}, (_each, index) =>
        choosing(index % 100 === 50 ? 'over-50k' : 'under-10k', index, index === 250 ? [former] : []),
      );
      const found = entries.filter((_each, index) => index % 100 === 50);
      const settings = {
        CONFIG_FILE: writeConfig(temporaryFolder(t), [{ask: [revenue, since]}, {key: 'other', cid: '2'}]),
      };
      const {does, run, admin} = await operate(t, entries, {postgres, settings});
      const over = ['--answer', 'revenue=over-50k'];
      const listed = async (...more: string[]) =>
        idsOf(linesOf(await does('leads', 'list', '--json', ...over, ...more)));
      assert.deepEqual(await listed(), idsOf(found), 'the newest first');
      assert.deepEqual(await listed('--limit', '2'), idsOf(found.slice(0, 2)));
      assert.deepEqual(
        await listed('--answer', 'former=over-50k'),
        [found[2]!.id],
        'also what a lead alone knows',
      );
      assert.equal((await does('leads', 'count', ...over)).stdout, '4\n');
      const [noted] = linesOf(await does('audit', 'list', '--limit', '1', '--json'));
      assert.partialDeepStrictEqual(noted, {action: 'leads count', filter: {answers: true}, leads: 4});
      assert.deepEqual(
        linesOf(await does('leads', 'count', ...over, '--by', 'partner', '--json')),
        [...Map.groupBy(found, ({partner}) => partner)]
          .map(([partner, {length}]) => ({partner, leads: length}))
          .sort((one, other) => (String(one.partner) < String(other.partner) ? -1 : 1)),
      );
      const exported = linesOf(await does('leads', 'export', '--format', 'jsonl', ...over));
      assert.deepEqual(idsOf(exported), idsOf(found).toReversed());
      const beside = await admin();
      const pages: unknown[] = [];
      for (let after: string | undefined; ;) {
        const page = await listPage(
          beside,
          {answers: {revenue: 'over-50k'}},
          {limit: 3, after, milliseconds: 0, seesPersons: true},
        );
        pages.push(...idsOf(page.rows));
        after = page.after;
        if (after === undefined) break;
      }
      assert.deepEqual(pages, idsOf(found));
      assertFails(await run('leads', 'list', '--answer', 'since=2019'), /since is answered in words/);
      for (const wrong of ['revenue=over', 'revenu=over-50k']) {
        const counted = await does('leads', 'count', '--answer', wrong);
        assert.equal(counted.stdout, '0\n');
        assert.match(counted.stderr, /There are: revenue=under-10k, revenue=over-50k\./);
      }
    });

    test('decide where a lead goes, and stand in its event', async (t) => {
      const receiver = await openFor(t, startWebhookReceiver());
      const send_to = [{to: 'large', when: {answers: {revenue: ['over-50k']}}}];
      const crm = {...hook, url: `http://127.0.0.1:${receiver.port}/`};
      const file = writeConfig(temporaryFolder(t), [{ask: [revenue], send_to}], {large: crm});
      const settings = {CONFIG_FILE: file, CREDENTIALS_HOOK_SECRET: receiver.secret};
      const {does, serve} = await operate(t, [], {postgres, settings});
      const server = await serve();
      const small = await sentLead(server, somebody({revenue: 'under-10k'}));
      const event = (await receiver.heardOf(() => sentLead(server, somebody({revenue: 'over-50k'})))) as {
        data: Line;
      };
      assert.deepEqual(event.data.lead.answers, [answers[0]]);
      assert.match(
        (await does('routes', 'try', small.id)).stdout,
        /no +revenue=under-10k, not revenue=over-50k/,
      );
    });
  });

test('a question of ours is a row of the table: whoever asks or reads it needs nothing else', async (t) => {
  const said = formQuestionNames.map((name) => ({name, ...questionOf(name).choices![1]!}));
  const given = Object.fromEntries(said.map(({name, value}) => [name, value]));
  const settings = {CONFIG_FILE: writeConfig(temporaryFolder(t), [{ask: questionNames}])};
  const {does, serve} = await operate(t, [], {settings});
  const server = await serve();
  const {ask = []} = await formConfig(server, 'acme', {lang: 'es-US'});
  assert.deepEqual(
    ask.map(({label}) => label),
    questionNames.map((name) => questionOf(name).label.es),
  );
  const {id} = await sentLead(server, somebody(given));
  const {stdout} = await does('leads', 'show', id);
  const [line] = linesOf<{lead: Record<string, string>}>(await does('leads', 'show', id, '--json'));
  const [head, row] = (await does('leads', 'export', '--format', 'csv')).stdout.trim().split('\r\n');
  const cells = new Map(head!.split(',').map((column, index) => [column, row!.split(',')[index]]));
  const entry = newEntry({lead: {...asLead(prequalificationBody), ...given} as Lead});
  const served = await servePages(t, routes);
  await served.accept(entry);
  const cookie = await served.sessionOf('admin', 'Ana');
  const page = await served.ask(`/leads/${entry.id}`, {headers: {cookie}});
  const notes = notesOf({lead: entry.lead, partner: 'acme', consent: null, attribution: null}, false);
  const mail = contactLine({lead: entry.lead} as LeadRecord, {consent: null} as LeadView);
  for (const {name, value, said: words = ''} of said) {
    assert.ok(name in leadEventSchema.shape.data.shape.lead.shape);
    assert.equal(line?.lead[name], value);
    assert.equal(cells.get(name), value);
    assert.ok(stdout.includes(`${questionOf(name).label.en} `) && stdout.includes(words), stdout);
    assert.ok(page.text.toLowerCase().includes(words.toLowerCase()), 'the page of the lead');
    assert.ok(notes?.includes(`${name}: ${value}`), notes);
    assert.ok(mail.includes(words), mail);
  }
});
