/** Global Privacy Control: on each way to the server it is encrypted with the lead, and told to the receivers. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {onePartner} from '../../../server/config/partners.ts';
import {toEventData} from '../../../server/destinations/webhook/event.ts';
import {leadEmail} from '../../../server/destinations/email/lead-email.ts';
import {openAttachedStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {sentLead, somebody} from '../../support/embed-client.ts';
import {basic, fieldCodes, postJson, readJson, readProblem} from '../../support/http.ts';
import {openForSuite, openWhile} from '../../support/opened.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {eventRequest} from '../../support/sample-events.ts';
import {forEachStore} from '../../support/stores.ts';
import {acme, listedOrigin} from '../../support/test-server.ts';
import {startWebhookReceiver} from '../../support/webhook-receiver.ts';

const gpc = {opt_out_signal: 'gpc'} as const;
const attribution = {utm_source: 'news'};
const header = {'sec-gpc': '1'};

forEachStore((store) => {
  suite('the opt-out signal of a browser', () => {
    const receiver = openForSuite(() => startWebhookReceiver());
    const server = openForSuite(() =>
      store.startServer(
        {
          dataKeys: ['a data key of at least 32 characters'],
          destinations: new Map([['crm', receiver.settings]]),
          partners: [onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', send_to: ['crm']})],
          callers: [{...acme, send_to: ['crm']}],
        },
        quickTimings,
      ),
    );
    const create = (body: object, headers: Record<string, string> = {}) =>
      server.fetch('/json/leads', postJson({...standardBody, ...body}, {...basic(acme), ...headers}));
    const called = async (...sent: Parameters<typeof create>) =>
      readJson<{id: string}>(await create(...sent), 201);
    const visited = (body: object, headers: Record<string, string>) =>
      sentLead(server, somebody(), {body: {attribution, ...body}, headers});

    const cases: Record<
      string,
      [send: () => Promise<{id: string}>, signal: 'gpc' | undefined, came: object]
    > = {
      'in the header of a visitor': [() => visited({}, header), 'gpc', {}],
      'in the body of the form alone': [() => visited(gpc, {}), 'gpc', {}],
      'in header and body': [() => visited(gpc, {...header, dnt: '1'}), 'gpc', {}],
      'in a value that nobody knows': [
        () => visited({opt_out_signal: 'x'}, {'sec-gpc': '0'}),
        undefined,
        attribution,
      ],
      'as Do Not Track alone': [() => visited({}, {dnt: '1'}), undefined, {}],
      'said by a caller': [() => called(gpc), 'gpc', {}],
      'in the header of a caller, whose browser it is not': [() => called({}, header), undefined, {}],
    };
    for (const [what, [send, signal, came]] of Object.entries(cases))
      test(`${what}: the event has ${signal ?? 'none'}, and the lead as it is stored as well`, async () => {
        const {data} = await receiver.heardOf(send);
        const {id} = data;
        assert.deepEqual([data.opt_out_signal, data.attribution], [signal, came]);
        const [row] = await server.select(`SELECT attribution FROM leads WHERE id = '${id}'`);
        assert.equal(row?.['attribution'], null, 'it is encrypted');
        const attached = openAttachedStore(server.config, createEncryptor(server.config.dataKeys), false);
        const found = await openWhile(attached, (kept) => kept.readLead(id));
        assert.ok(found && 'consent' in found.lead);
        assert.equal(toEventData(found.lead, null).opt_out_signal, signal);
      });

    test('that is wrong is refused with its field', async () => {
      for (const opt_out_signal of [null, 'GPC', true, ['gpc']]) {
        const problem = await readProblem(await create({opt_out_signal, email: 'x'}), 422, 'invalid-lead');
        assert.deepEqual(fieldCodes(problem), {email: 'invalid', opt_out_signal: 'invalid'});
      }
    });

    test('is a part of what a caller must repeat under the same key', async () => {
      const key = {'idempotency-key': crypto.randomUUID()};
      const {id} = await called(gpc, key);
      assert.equal((await called(gpc, key)).id, id);
      await readProblem(await create({}, key), 422, 'idempotency-key-reused');
    });
  });
});

test('the people who call are told of the signal, and nobody without contact details is', () => {
  const request = eventRequest({attribution: gpc});
  const textFor = (details: 'contact' | 'none', type: 'email' | 'chat') =>
    JSON.stringify(leadEmail(request, {type, rounding: 1, details}));
  for (const type of ['email', 'chat'] as const) {
    assert.match(textFor('contact', type), /Opt-out signal: do not sell or share the data \(Global/);
    assert.doesNotMatch(textFor('none', type), /Opt-out/);
  }
});
