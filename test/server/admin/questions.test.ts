/** A partner's own questions: from what a page sends to what operators and receivers read. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {writeConfig} from '../../support/config-file.ts';
import {formConfig, sendLead, sentLead, somebody} from '../../support/embed-client.ts';
import {fieldCodes, readProblem} from '../../support/http.ts';
import {databaseKinds, linesOf, operate} from '../../support/operator.ts';
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
