/**
 * What a partner asks for besides, and hidden fields: from the partners file over the form's API and the store to all
 * receivers. That their events are valid is proved in test/server/destinations/webhook/event.test.ts.
 */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {EmbedConfig} from '../../../../contract/embed.ts';
import {questionNames, callerQuestions, formQuestions} from '../../../../contract/questions.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {formConfig, sendLead, sentLead, somebody} from '../../../support/embed-client.ts';
import {json, startFakeUpstream, type Script} from '../../../support/fake-upstream.ts';
import {basic, fieldCodes, postJson, readJson, readProblem} from '../../../support/http.ts';
import {openFor, openForSuite} from '../../../support/opened.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {columnOf} from '../../../support/rows.ts';
import {prequalificationBody, standardBody, without} from '../../../support/sample-leads.ts';
import {forEachStore} from '../../../support/stores.ts';
import {acme, listedOrigin, startTestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';
import {startWebhookReceiver} from '../../../support/webhook-receiver.ts';

const required = {origins: [listedOrigin], cid: '1001'};
const all = {
  call_time: 'text_first',
  state: 'CA',
  time_frame: '2-6 months',
  notes: 'Call my office,\nnot my home. 🎉',
};
const promise = {en: 'We call within a day.', es: 'Le llamamos en un día.'};
const longest = '🎉'.repeat(200);
const sent = {...required, send_to: ['crm']};
const context_fields = ['store', {name: 'brand', filter: true}, 'constructor'];
const partners = [
  onePartner({
    ...sent,
    key: 'acme',
    ask: [...questionNames].reverse(),
    call_promise: promise,
    context_fields,
  }),
  onePartner({...sent, key: 'some', ask: ['notes'], call_promise: 'We call soon.'}),
  onePartner({...sent, key: 'plain'}),
] as const;

suite('what a partner asks for besides', () => {
  forEachStore((store) => {
    const receiver = openForSuite(() => startWebhookReceiver());
    const server = openForSuite(() =>
      store.startServer(
        {
          destinations: new Map([['crm', receiver.settings]]),
          partners: [...partners],
          callers: [{...acme, send_to: ['crm']}],
        },
        quickTimings,
      ),
    );
    const heard = async (changes: object, partner = 'acme') =>
      (await receiver.heardOf(() => sentLead(server, somebody(changes), {partner}))).data.lead;
    const askedOf = (lead: object) =>
      Object.fromEntries(
        Object.entries(lead).filter(([name]) => questionNames.some((asked) => asked === name)),
      );

    test('the event has all that the partner asks for, of both types of leads', async () => {
      assert.deepEqual(askedOf(await heard(all)), all);
      const standard = {...without(standardBody, 'cid'), ...all, email: 'ask@example.com'};
      const {data} = await receiver.heardOf(() => sentLead(server, standard));
      assert.deepEqual(askedOf(data.lead), all);
    });

    test('every choice is taken, as it is in the configuration', async () => {
      const config = await formConfig(server, 'acme', {lang: 'en-US'});
      for (const {name, choices = {}} of config.ask ?? [])
        for (const value of name === 'state' ? ['AL', 'WY', 'VI'] : Object.keys(choices))
          assert.deepEqual(askedOf(await heard({[name]: value})), {[name]: value});
    });

    test('what the partner does not ask for is ignored, and may be anything', async () => {
      assert.deepEqual(askedOf(await heard({...all, state: 7}, 'some')), {notes: all.notes});
      assert.deepEqual(askedOf(await heard({...all, call_time: 'never'}, 'plain')), {});
    });

    test('visitors may leave all of it empty', async () => {
      assert.deepEqual(askedOf(await heard({})), {});
    });

    async function errorsOf(changes: object) {
      return fieldCodes(await readProblem(await sendLead(server, somebody(changes)), 422, 'invalid-lead'));
    }

    test('a wrong value is refused, and the error names its field', async () => {
      const wrong = {call_time: 'at noon', state: 'California', time_frame: 'soon', notes: 'a\0b'};
      for (const [field, value] of Object.entries(wrong)) {
        assert.deepEqual(await errorsOf({[field]: value}), {[field]: 'invalid'});
      }
      assert.deepEqual(await errorsOf({notes: 'n'.repeat(2_001)}), {notes: 'too_long'});
    });

    test('callers of /json/leads send what the reference has, and no call_time', async () => {
      const {data} = await receiver.heardOf(async () =>
        readJson<{id: string}>(
          await server.fetch('/json/leads', postJson({...standardBody, ...all}, basic(acme))),
          201,
        ),
      );
      assert.deepEqual(askedOf(data.lead), without(all, 'call_time'));
    });

    test('the configuration has the choices in the language of the form, in a fixed order', async () => {
      const [english, spanish, unknown] = await Promise.all(
        ['en-US', 'es-US', undefined].map((lang) => formConfig(server, 'acme', {lang})),
      );
      for (const {ask = []} of [english!, spanish!, unknown!]) {
        assert.deepEqual(columnOf(ask, 'name'), ['call_time', 'state', 'time_frame', 'notes']);
        const values = ask.map(({choices}) => choices && Object.keys(choices).toSorted());
        assert.deepEqual(
          values,
          [
            formQuestions.call_time.choices,
            callerQuestions.state.choices,
            callerQuestions.time_frame.choices,
            undefined,
          ].map((each) => each?.toSorted()),
        );
      }
      const wordsOf = ({ask = []}: EmbedConfig) => ask.map(({choices = {}}) => Object.values(choices)[0]);
      assert.deepEqual(wordsOf(english!), ['In the morning', 'Alabama', 'I do not know yet', undefined]);
      assert.deepEqual(wordsOf(spanish!), ['Por la mañana', 'Alabama', 'Todavía no lo sé', undefined]);
      assert.deepEqual(unknown!.ask, english!.ask);
      assert.equal(spanish!.ask?.[1]?.choices?.['NY'], 'Nueva York');
    });

    test('the configuration has the promise in the language of the form', async () => {
      assert.deepEqual((await formConfig(server, 'acme', {lang: 'es-US'})).call_promise, {es: promise.es});
      assert.deepEqual((await formConfig(server)).call_promise, promise);
      assert.deepEqual((await formConfig(server, 'some', {lang: 'es-US'})).call_promise, {
        und: 'We call soon.',
      });
    });

    test('the configuration of a partner without either is as before', async () => {
      const names = ['lead_types', 'minimums', 'consent', 'colors', 'about', 'challenge'];
      assert.deepEqual(Object.keys(await formConfig(server, 'plain', {lang: 'en-US'})), names);
    });

    const withContext = (context: unknown, partner = 'acme') =>
      receiver.heardOf(() => sentLead(server, somebody(), {partner, body: {context}}));

    const cases: Record<string, [given: unknown, kept: object | undefined]> = {
      'all fields that are listed': [
        {brand: 'north', store: '7'},
        {store: '7', brand: 'north'},
      ],
      'a value in spaces': [{brand: '  north west '}, {brand: 'north west'}],
      'the longest value': [{brand: longest}, {brand: longest}],
      'a value too long': [{brand: `${longest}x`, store: '7'}, {store: '7'}],
      'a name that is not listed': [{email: 'jane@example.com', store: '7'}, {store: '7'}],
      'values of several lines': [{brand: 'a\nb', store: 'a\u2028b'}, undefined],
      'characters that no database should hold': [{brand: 'a\0b', store: '\ud800'}, undefined],
      'values that are no texts': [{brand: 1, store: ['x'], constructor: {}}, undefined],
      'a listed name that objects have': [{constructor: 'x', toString: 'y'}, {constructor: 'x'}],
      'empty values': [{brand: ' ', store: ''}, undefined],
      'a list': [['brand'], undefined],
      'a text': ['brand=north', undefined],
      nothing: [undefined, undefined],
    };
    for (const [name, [given, kept]] of Object.entries(cases)) {
      test(`of hidden fields, the event has what is allowed of ${name}`, async () => {
        const {data} = await withContext(given);
        assert.deepEqual(data.context, kept);
        assert.equal('context' in data, kept !== undefined);
      });
    }

    test('a partner that lists no hidden fields has none, in event, configuration and tables', async () => {
      const event = await withContext({brand: 'north'}, 'plain');
      assert.deepEqual(Object.keys(event.data), [
        ...['id', 'reference', 'created_at', 'partner', 'lead', 'time_zones', 'answer', 'consent'],
        ...['attribution', 'suspect', 'duplicate_of', 'supersedes'],
      ]);
      const rows = await server.select(`
        SELECT context, (SELECT COUNT(*) FROM context_values WHERE lead_id = leads.id) AS filters
        FROM leads WHERE id = '${event.data.id}'`);
      assert.deepEqual(
        rows.map((row) => [row['context'], Number(row['filters'])]),
        [[null, 0]],
      );
      assert.ok(!('context_fields' in (await formConfig(server, 'plain'))));
      assert.deepEqual((await formConfig(server)).context_fields, ['store', 'brand', 'constructor']);
    });

    test('of hidden fields, only filters are stored without the encryptor', async () => {
      const {data} = await withContext({brand: 'north', store: '7'});
      const rows = await server.select(`SELECT name, value FROM context_values WHERE lead_id = '${data.id}'`);
      assert.deepEqual(
        rows.map((row) => ({...row})),
        [{name: 'brand', value: 'north'}],
      );
    });

    test('callers of /json/leads cannot send hidden fields', async () => {
      const body = {...prequalificationBody, context: {brand: 'north'}, 'context-brand': 'north'};
      const event = await receiver.heardOf(async () =>
        readJson<{id: string}>(await server.fetch('/json/leads', postJson(body, basic(acme))), 201),
      );
      assert.ok(!('context' in event.data));
    });
  });
});

suite('what a partner asks for, at a lead-api', () => {
  async function start(t: TestContext, script: Script, ask: Parameters<typeof onePartner>[0]['ask']) {
    const upstream = await openFor(t, startFakeUpstream(script));
    const destinations = new Map([['lender', upstream.settings]]);
    const partners = [onePartner({...required, key: 'acme', answer_from: 'lender', ask})] as const;
    return {upstream, server: await openFor(t, startTestServer({destinations, partners}, quickTimings))};
  }

  test('the upstream gets the fields of the reference, and the time of the call in the notes', async (t) => {
    const {upstream, server} = await start(t, {}, [...questionNames]);
    await sentLead(server, somebody(all));
    await sentLead(server, somebody({call_time: 'morning'}));
    await sentLead(server, somebody({state: 'TX'}));
    await until(() => upstream.taken().length === 3);
    const quoted = all.notes.replace(/^/gm, '> ');
    const bodies = upstream.exchanges.filter(({method}) => method === 'POST').map(({body}) => body ?? {});
    assert.deepEqual(
      bodies.map(({state, time_frame, notes, call_time}) => ({state, time_frame, notes, call_time})),
      [
        {...all, notes: `call_time: text_first\nThe visitor wrote:\n${quoted}`, call_time: undefined},
        {state: undefined, time_frame: undefined, notes: 'call_time: morning', call_time: undefined},
        {state: 'TX', time_frame: undefined, notes: undefined, call_time: undefined},
      ],
    );
  });

  test('the visitor hears that the upstream refused a field only if the lead has it', async (t) => {
    const create = json(422, {errors: [{field: 'state'}, {field: 'email'}]});
    const {server} = await start(t, {create}, ['state']);
    assert.deepEqual((await sentLead(server, somebody({state: 'TX'}))).refused_fields, ['email', 'state']);
    assert.deepEqual((await sentLead(server, somebody())).refused_fields, ['email']);
  });
});
