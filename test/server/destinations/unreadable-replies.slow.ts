/** Successes that cannot be read: what is read all the same, how often a lead is sent again, and who is told. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {brotliCompressSync, deflateRawSync, deflateSync, gzipSync} from 'node:zlib';
import type {LeadApiSettings} from '../../../server/config/destinations.ts';
import {DeliveryError} from '../../../server/destinations/destination.ts';
import {createLeadApi} from '../../../server/destinations/lead-api/lead-api.ts';
import type {DeliveryRow} from '../../../server/leads/deliveries.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {failures, json, startFakeUpstream, type Reply, type Script} from '../../support/fake-upstream.ts';
import {readJson} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {sentLead} from '../../support/embed-client.ts';
import {quickTimings as usualQuickPace} from '../../support/quick-timings.ts';
import {leadRequest} from '../../support/served.ts';
import {columnOf, rowsOf} from '../../support/rows.ts';
import {amounts} from '../../support/sample-leads.ts';
import {startTestServer, through, type TestServer, testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

/** A lead is sent so often in all while the replies leave open whether it was taken. */
const maxSends = 3;
/** So many replies of one kind in a row are told to whoever watches the health page. */
const alarming = 5;

/** No process dies here, so no lease may end, however busy the machine is. */
const quickTimings = {...usualQuickPace, delivery: 20_000, lease: 60_000};

async function startBoth(t: TestContext, script: Script, changes: Partial<LeadApiSettings> = {}) {
  const upstream = await openFor(t, startFakeUpstream(script));
  const config = through({...upstream.settings, ...changes});
  return {upstream, server: await openFor(t, startTestServer(config, quickTimings))};
}

/** Delivers a lead once, without a server. @returns what came of it, and the ids that the upstream gave */
async function deliver(t: TestContext, script: Script) {
  const upstream = await openFor(t, startFakeUpstream(script));
  const api = await openFor(t, createLeadApi(upstream.settings, quickTimings.delivery));
  const taken: string[] = [];
  const outcome: unknown = await api
    .deliver(leadRequest((id) => taken.push(id)))
    .catch((error: unknown) => error);
  return {upstream, outcome, taken};
}

/** What is in the outbox, past the service. */
function outbox({config}: TestServer): (DeliveryRow & {ambiguousCounted: number})[] {
  const select = `
    SELECT *, lead_id AS lead, last_error AS "lastError", ambiguous_counted AS "ambiguousCounted"
    FROM deliveries WHERE settled_at IS NULL ORDER BY lead_id`;
  return rowsOf(config.databasePath, select) as ReturnType<typeof outbox>;
}

const linesOf = (server: TestServer, state: string) =>
  server.logLines.filter((line) => line.includes(`"state":"${state}"`)).length;
const stateOf = async (server: TestServer) =>
  JSON.stringify(await readJson<object>(await server.fetch('/health'), 200));

const body = (content: string | Buffer, headers: Record<string, string> = {}, status = 201): Reply => {
  return (response) => void response.writeHead(status, headers).end(content);
};
/** What no HTTP server would write. */
const raw = (text: string): Reply => {
  return (response) => void response.socket?.end(text);
};
const created = JSON.stringify({id: 'u-1'});
const ends = 'connection: close\r\n\r\n';

suite('an upstream takes a lead with a reply that is not quite the specification’s', () => {
  const encoded = (encoding: string, content: Buffer) => body(content, {'content-encoding': encoding});
  const replies: Record<string, [Reply, string]> = {
    'an id that is a number': [json(201, {id: 5}), '5'],
    'an id of more digits than a number keeps': [
      body('{"id": 90071992547409931234}'),
      '90071992547409931234',
    ],
    gzip: [encoded('gzip', gzipSync(created)), 'u-1'],
    'x-gzip in capitals': [encoded('X-GZIP', gzipSync(created)), 'u-1'],
    deflate: [encoded('deflate', deflateSync(created)), 'u-1'],
    'deflate without its header': [encoded('deflate', deflateRawSync(created)), 'u-1'],
    brotli: [encoded('br', brotliCompressSync(created)), 'u-1'],
    'gzip twice': [encoded('gzip, gzip', gzipSync(gzipSync(created))), 'u-1'],
    identity: [encoded('identity', Buffer.from(created)), 'u-1'],
    'a byte order mark': [body(`\uFEFF${created}`), 'u-1'],
    'lines after it': [body(`\r\n${created}\r\n\n`), 'u-1'],
    'status 200': [json(200, {id: 'u-1'}), 'u-1'],
    'status 202': [json(202, {id: 'u-1'}), 'u-1'],
    'an early hint before it': [
      raw(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 201 Created\r\n${ends}${created}`),
      'u-1',
    ],
  };
  for (const [what, [create, id]] of Object.entries(replies)) {
    test(`a lead is sent once if the reply is nearly right: ${what}`, async (t) => {
      const {upstream, outcome, taken} = await deliver(t, {create, read: json(200, amounts)});
      assert.partialDeepStrictEqual(outcome, {state: 'delivered', answer: {status: 'done'}});
      assert.deepEqual(taken, [id]);
      assert.deepEqual(
        [upstream.sent().length, upstream.exchanges.at(-1)?.path],
        [1, `/base/json/leads/${id}`],
      );
    });
  }
});

suite('a lead whose POST was answered with a success that cannot be read', () => {
  const noId = /no usable field id: must be a text of 1 to 256 characters or a whole number/;
  const notJson = /not JSON/;
  const cutOff = /could not be read to its end|is broken/;
  const replies: Record<string, [Reply, RegExp]> = {
    'another shape': [json(201, {lead: {id: 'u-1'}}), noId],
    'an id in the Location header alone': [body('{}', {location: '/leads/u-1'}), noId],
    'an id that is null': [json(201, {id: null}), noId],
    'an id that is empty': [json(201, {id: ''}), noId],
    'an id that is a fraction': [json(201, {id: 1.5}), noId],
    'an id below zero': [json(201, {id: -1}), noId],
    'an id that is true': [json(201, {id: true}), noId],
    'an id that is an object': [json(201, {id: {value: 'u-1'}}), noId],
    'an id of 300 characters': [json(201, {id: 'x'.repeat(300)}), noId],
    'an id of 300 digits': [body(`{"id": ${'9'.repeat(300)}}`), noId],
    'an id with a NUL': [json(201, {id: 'u\0'}), noId],
    'no id': [json(201, {ok: true}), noId],
    'wrong types': [failures['wrong types'], noId],
    'a body of 200 kB': [failures['a body of 200 kB'], cutOff],
    'an id with a line break': [json(201, {id: 'u-1\r\nx: y'}), noId],
    'an id that walks up the address': [json(201, {id: '..'}), noId],
    'an id of a prototype': [body('{"__proto__": {"id": "u-1"}}'), noId],
    'a list': [json(201, [{id: 'u-1'}]), /not a JSON object/],
    null: [json(201, null), /not a JSON object/],
    'a text': [json(201, 'u-1'), /not a JSON object/],
    'lines of JSON': [body('{"id": "u-1"}\n{"id": "u-2"}\n'), notJson],
    'half of its JSON': [body('{"id": "u-1"'), notJson],
    'brackets without end': [body('['.repeat(60_000)), notJson],
    HTML: [failures['a page of HTML'], notJson],
    'UTF-16': [body(Buffer.from(created, 'utf16le')), notJson],
    'Latin-1': [body(Buffer.from('{"id": "José"}', 'latin1')), /not UTF-8/],
    'nothing with 200': [failures['an empty body'], /an empty body/],
    'nothing with 204': [(response) => void response.writeHead(204).end(), /an empty body/],
    'nothing with 205': [(response) => void response.writeHead(205).end(), /an empty body/],
    'gzip that is none': [body(created, {'content-encoding': 'gzip'}), /cannot be decompressed/],
    'gzip cut off': [
      body(gzipSync(created.padEnd(200)).subarray(0, -12), {'content-encoding': 'gzip'}),
      /cannot be decompressed/,
    ],
    'gzip of 10 MB': [
      body(gzipSync(created.padEnd(10_000_000)), {'content-encoding': 'gzip'}),
      /cannot be decompressed/,
    ],
    'an encoding that nobody knows': [
      body(created, {'content-encoding': 'secret'}),
      /cannot be decompressed/,
    ],
    'a body that ends early': [failures['a body cut off'], cutOff],
    'a body of 10 MB': [failures['a body of 10 MB'], cutOff],
    'chunks that are broken': [
      raw(`HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n${ends}zz\r\n${created}`),
      cutOff,
    ],
    'two lengths': [
      raw(`HTTP/1.1 201 Created\r\ncontent-length: 13\r\ncontent-length: 5\r\n${ends}${created}`),
      /answer to POST is broken/,
    ],
    'headers of 40 kB': [
      raw(`HTTP/1.1 201 Created\r\nx-long: ${'x'.repeat(40_000)}\r\n${ends}${created}`),
      /answer to POST is broken/,
    ],
    'what is not HTTP': [raw(`${created}\r\n\r\n`), /answer to POST is broken/],
  };
  for (const [what, [create, words]] of Object.entries(replies)) {
    test(`a success that cannot be read leaves open whether the lead was taken: ${what}`, async (t) => {
      const {outcome, taken} = await deliver(t, {create});
      assert.ok(outcome instanceof DeliveryError, JSON.stringify(outcome));
      assert.partialDeepStrictEqual({...outcome}, {fault: 'ambiguous', unreadable: true});
      assert.match(outcome.message, words);
      assert.doesNotMatch(outcome.message, /u-1|José|secret/);
      assert.deepEqual(taken, []);
    });
  }

  test(`a lead with an unreadable success is sent ${maxSends} times, then held`, async (t) => {
    const {upstream, server} = await startBoth(t, {create: failures['a page of HTML']});
    const ids = [await sentLead(server), await sentLead(server)].map(({id}) => id);
    await until(() => outbox(server).every(({state}) => state === 'held'));
    const rows = outbox(server);
    assert.deepEqual(columnOf(rows, 'lead'), ids);
    for (const {lead, lastError, ambiguous, ambiguousCounted} of rows) {
      assert.equal(upstream.sent().filter((id) => id === lead).length, maxSends);
      assert.deepEqual([ambiguous, ambiguousCounted], [maxSends, maxSends]);
      assert.match(lastError ?? '', notJson);
      const line = server.logLines.find((text) => text.includes(lead) && text.includes('"held"'));
      assert.match(line ?? '', /delivery held for the operator/);
    }
    assert.match(await stateOf(server), /"degraded"/);
    assert.equal(linesOf(server, 'unreadable'), 1);
  });
  test(`a lead with an unreadable success is sent ${maxSends} times, then held, also after 409`, async (t) => {
    const {upstream, server} = await startBoth(t, {create: json(409, {id: 'u-1'})});
    const {id} = await sentLead(server);
    await until(() => outbox(server).every(({state}) => state === 'held'));
    assert.deepEqual(upstream.sent(), [id, id, id]);
    assert.partialDeepStrictEqual(outbox(server), [
      {ambiguous: maxSends, lastError: 'The upstream answered POST with 409'},
    ]);
  });
  test('where the operator wants that, a lead is held at the first unreadable success', async (t) => {
    const {upstream, server} = await startBoth(t, {create: json(409, {})}, {onLostReply: 'hold'});
    const {id} = await sentLead(server);
    await until(() => outbox(server).every(({state}) => state === 'held'));
    assert.deepEqual(upstream.sent(), [id]);
  });
  test('a held lead is sent once more when the operator says so, and can then be delivered', async (t) => {
    const script: Script = {create: json(201, {})};
    const {upstream, server} = await startBoth(t, script);
    const {id} = await sentLead(server);
    const isHeld = () => outbox(server).every(({state}) => state === 'held');
    await until(isHeld);
    const store = await openFor(t, openStore(server.config, testEncryptor));
    assert.equal(await store.retryDeliveries(Date.now(), {state: 'held'}), 1);
    await until(() => upstream.sent().length === maxSends + 1);
    await until(isHeld);
    delete script.create;
    assert.equal(await store.retryDeliveries(Date.now(), {lead: id}), 1);
    await until(() => outbox(server).length === 0);
    assert.equal(upstream.sent().length, maxSends + 2);
    assert.match(await stateOf(server), /"status":"ok"/);
  });
});

suite('an upstream that took the lead but cannot say the amounts', () => {
  const wrong = (change: object) => json(200, {...amounts, ...change});
  const replies: Record<string, Reply> = {
    ...failures,
    'amounts as texts': wrong({rollover_amount: '100000'}),
    'a negative amount': wrong({unsecured_amount: -1}),
    cents: wrong({sba_qualified_amount: 0.5}),
    'an amount that is null': wrong({total_qualified_amount: null}),
    'an amount too large to be exact': wrong({total_qualified_amount: 2 ** 60}),
    'an amount missing': wrong({portfolio_loan_qualified_amount: undefined}),
  };
  for (const [what, read] of Object.entries(replies)) {
    test(`a lead whose amounts cannot be read was taken under its id, and fails for now: ${what}`, async (t) => {
      const {upstream, outcome, taken} = await deliver(t, {create: json(201, {id: 'u-1'}), read});
      assert.ok(outcome instanceof DeliveryError, JSON.stringify(outcome));
      assert.notEqual(outcome.fault, 'ambiguous');
      assert.deepEqual(taken, ['u-1']);
      assert.deepEqual(columnOf(upstream.exchanges, 'path'), ['/base/json/leads', '/base/json/leads/u-1']);
    });
  }
});

suite('a lead is never held for an outage', () => {
  const outages: Record<string, Reply> = {
    '503': json(503, {}),
    '429': json(429, {}),
    'wrong credentials': json(401, {}),
    'a redirect': failures['a redirect'],
  };
  for (const [what, create] of Object.entries(outages)) {
    test(`however often it is tried: ${what}`, async (t) => {
      const script: Script = {create};
      const {upstream, server} = await startBoth(t, script);
      await sentLead(server);
      await until(() => upstream.exchanges.length > 3 * maxSends);
      assert.partialDeepStrictEqual(outbox(server), [{state: 'waiting', ambiguous: 0, ambiguousCounted: 0}]);
      delete script.create;
      await until(() => outbox(server).length === 0);
    });
  }
  test('of an upstream that is not there', async (t) => {
    const {upstream, server} = await startBoth(t, {});
    await upstream.close();
    await sentLead(server);
    await until(() => outbox(server)[0]!.attempts > 3 * maxSends);
    assert.partialDeepStrictEqual(outbox(server), [{state: 'waiting', ambiguous: 0, ambiguousCounted: 0}]);
  });
  test('an outage in which a gateway answers for all leads holds none of them', async (t) => {
    const script: Script = {create: json(502, {})};
    const {upstream, server} = await startBoth(t, script);
    await Promise.all(Array.from({length: 12}, () => sentLead(server)));
    await until(() => upstream.exchanges.length > 60);
    const rows = outbox(server);
    assert.ok(rows.every(({state}) => state === 'waiting'));
    // What the operator reads counts every lost reply, also those of an outage.
    assert.ok(rows.some(({ambiguous, ambiguousCounted}) => ambiguous > ambiguousCounted));
    assert.match(await stateOf(server), /"degraded"/);
    delete script.create;
    await until(() => outbox(server).length === 0);
  });
});

suite('an upstream that answers every lead alike is told to whoever watches', () => {
  for (const status of [400, 422]) {
    test(`health is degraded after ${alarming} refused leads in a row, until one is taken: ${status}`, async (t) => {
      const script: Script = {create: json(status, {email: 'jane@example.com'})};
      const {server} = await startBoth(t, script);
      const sayRefused = () =>
        outbox(server).filter(({lastError}) => lastError === `The upstream refused the lead with ${status}`);
      // On a busy machine, the visitor is answered before the upstream refuses the lead.
      const sendRefused = async (count: number) => {
        await sentLead(server);
        await until(() => sayRefused().length === count);
      };
      for (let count = 1; count < alarming; count += 1) await sendRefused(count);
      assert.match(await stateOf(server), /"status":"ok"/);
      await sendRefused(alarming);
      await until(async () => (await stateOf(server)).includes('"degraded"'));
      assert.equal(linesOf(server, 'refusing'), 1);
      assert.equal(outbox(server).length, alarming);
      delete script.create;
      await sentLead(server);
      await until(async () => (await stateOf(server)).includes('"status":"ok"'));
    });
  }
  test('amounts that cannot be read degrade health and are asked for less and less often', async (t) => {
    const {upstream, server} = await startBoth(t, {read: json(200, {...amounts, unsecured_amount: 'much'})});
    const {id} = await sentLead(server);
    await until(() => outbox(server)[0]!.attempts >= alarming);
    assert.match(await stateOf(server), /"degraded"/);
    assert.equal(linesOf(server, 'unreadable'), 1);
    assert.deepEqual(upstream.sent(), [id]);
    assert.partialDeepStrictEqual(outbox(server), [
      {
        state: 'waiting',
        ambiguous: 0,
        lastError:
          "The upstream's answer to GET has no usable field unsecured_amount: must be a whole number",
      },
    ]);
  });
});
