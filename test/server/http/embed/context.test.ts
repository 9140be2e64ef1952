/** Hidden fields: from the partners file over the page and the store to the receiver. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import type {EmbedConfig} from '../../../../contract/embed.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {leadEventSchema} from '../../../../server/leads/lead-event.ts';
import {sentLead, somebody} from '../../../support/embed-client.ts';
import {basic, postJson, readJson} from '../../../support/http.ts';
import {openForSuite} from '../../../support/opened.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {prequalificationBody} from '../../../support/sample-leads.ts';
import {forEachStore} from '../../../support/stores.ts';
import {acme, listedOrigin} from '../../../support/test-server.ts';
import {startWebhookReceiver} from '../../../support/webhook-receiver.ts';

const of = {origins: [listedOrigin], cid: '1001', send_to: ['crm']};
const partners = [
  onePartner({...of, key: 'acme', context_fields: ['store', {name: 'brand', filter: true}, 'constructor']}),
  onePartner({...of, key: 'plain'}),
] as const;
const longest = '🎉'.repeat(200);

suite('hidden fields', () => {
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
    const heard = (context: unknown, partner = 'acme') =>
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
      test(`the event has what is allowed of ${name}`, async () => {
        const {data} = await heard(given);
        assert.deepEqual(data.context, kept);
        assert.equal('context' in data, kept !== undefined);
      });
    }

    test('an event with hidden fields is valid by the published schema', async () => {
      const schema = (await (await server.fetch('/schemas/lead-event-v1.json')).json()) as object;
      const ajv = new Ajv2020({strict: true, allowUnionTypes: true, formats: {'date-time': true}});
      const isValid = ajv.compile(schema);
      const event = await heard({brand: 'north'});
      assert.ok(isValid(event), ajv.errorsText(isValid.errors));
      assert.deepEqual(leadEventSchema.parse(event), event);
      assert.ok(!isValid({...event, data: {...event.data, context: {brand: 7}}}));
    });

    test('the lead of a partner that lists none has none, in event, configuration and tables', async () => {
      const event = await heard({brand: 'north'}, 'plain');
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
      const config = async (partner: string) =>
        readJson<EmbedConfig>(
          await server.fetch(`/embed/v1/config?partner=${partner}`, {headers: {origin: listedOrigin}}),
          200,
        );
      assert.ok(!('context_fields' in (await config('plain'))));
      assert.deepEqual((await config('acme')).context_fields, ['store', 'brand', 'constructor']);
    });

    test('only filters are stored without the sealer', async () => {
      const {data} = await heard({brand: 'north', store: '7'});
      const rows = await server.select(`SELECT name, value FROM context_values WHERE lead_id = '${data.id}'`);
      assert.deepEqual(
        rows.map((row) => ({...row})),
        [{name: 'brand', value: 'north'}],
      );
    });

    test('callers of /json/leads cannot send any', async () => {
      const body = {...prequalificationBody, context: {brand: 'north'}, 'context-brand': 'north'};
      const event = await receiver.heardOf(async () =>
        readJson<{id: string}>(await server.fetch('/json/leads', postJson(body, basic(acme))), 201),
      );
      assert.ok(!('context' in event.data));
    });
  });
});
