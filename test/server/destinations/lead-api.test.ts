import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {createLeadApi} from '../../../server/destinations/lead-api/lead-api.ts';
import {openSqliteStore} from '../../../server/store/sqlite/store.ts';
import type {StoredLead} from '../../../server/leads/stored-lead.ts';
import {
  failures,
  json,
  leadApi,
  startFakeUpstream,
  upstreamAccess,
  type FakeUpstream,
  type Reply,
  type Script,
} from '../../support/fake-upstream.ts';
import {eraseLead} from '../../support/erase-lead.ts';
import {failureOf} from '../../support/delivery-failure.ts';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {leadRequest} from '../../support/served.ts';
import {readLead, sentLead} from '../../support/embed-client.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {columnOf, rowsOf} from '../../support/rows.ts';
import {
  amounts,
  asLead,
  newEntry,
  prequalificationBody,
  standardBody,
  toRecord,
  without,
} from '../../support/sample-leads.ts';
import {acme, startTestServer, through, type TestServer, testEncryptor} from '../../support/test-server.ts';

/** The upstream goes first, so that nobody waits for its reply any more. */
async function withUpstream(
  script: Script,
  work: (upstream: FakeUpstream, server: TestServer) => Promise<void>,
) {
  const upstream = await startFakeUpstream(script);
  // Only what happens at once is looked at: the worker sleeps.
  const server = await startTestServer(through(upstream.settings), {idlePoll: 3_600_000});
  try {
    await work(upstream, server);
  } finally {
    await upstream.close();
    await server.close();
  }
}

const created = (server: TestServer, lead: object = prequalificationBody, key: string = randomUUID()) =>
  sentLead(server, lead, {key});
const readByCaller = (server: TestServer, {id}: {id: string}) =>
  server.fetch(`/json/leads/${id}`, {headers: basic(acme)});

/** The lead, and the id that the upstream gave to it. */
async function inStore(path: string, id: string): Promise<(StoredLead & {upstreamId: unknown}) | undefined> {
  const stored = await openWhile(openSqliteStore(path, testEncryptor), (store) => store.find(id));
  const [row] = rowsOf(path, 'SELECT remote_id FROM deliveries WHERE lead_id = ?', id);
  return stored && {...stored, upstreamId: row?.['remote_id']};
}

suite('an upstream that works', () => {
  test('gets a number in plain signs, whatever a caller pasted, and otherwise as it was sent', () =>
    withUpstream({}, async (upstream, server) => {
      await created(server, {...prequalificationBody, phone: 'tel:+1‑202‑555‑0143 x7 (work)'});
      await created(server, {...prequalificationBody, phone: '1-202.555.0144 ext. 7'});
      const phones = upstream.exchanges
        .filter(({method}) => method === 'POST')
        .map(({body}) => (body as {phone: string}).phone);
      assert.deepEqual(phones, ['(202) 555-0143 x7', '1-202.555.0144 ext. 7']);
    }));

  test('gives the amounts, to the page as to the caller', () =>
    withUpstream({}, async (_upstream, server) => {
      const answer = await created(server);
      const prequalification = {first_name: 'Jane', ...amounts};
      assert.partialDeepStrictEqual(answer, {status: 'done', prequalification, reasons: {}});
      assert.deepEqual(await readJson(await readLead(server, answer), 200), answer);
      assert.deepEqual(await readJson(await readByCaller(server, answer), 200), prequalification);
    }));

  test('an upstream gets as many leads at once as the setting `parallel` says', async (t) => {
    const parallel = 20;
    const waiting: (() => void | Promise<void>)[] = [];
    const script: Script = {
      create(...exchange) {
        waiting.push(() => json(201, {id: 'upstream-1'})(...exchange));
        if (waiting.length === parallel) for (const reply of waiting) void reply();
      },
      read: json(200, {first_name: 'Jane', ...amounts}),
    };
    const upstream = await openFor(t, startFakeUpstream(script));
    const api = await openFor(t, createLeadApi({...upstream.settings, parallel}, 5_000));
    const deliveries = Array.from({length: parallel}, () => api.deliver(leadRequest()));
    const outcomes = await Promise.all(deliveries);
    assert.ok(outcomes.every(({state}) => state === 'delivered'));
  });

  test('an upstream gets its own credentials and cid, and nothing of the caller', () =>
    withUpstream({}, async ({exchanges}, server) => {
      const body = {...prequalificationBody, cid: '1002', notes: 'Call me', unknown: 1};
      const {id} = await readJson<EmbedAnswer>(
        await server.fetch('/json/leads', postJson(body, basic(acme))),
        201,
      );
      const [post, get, ...others] = exchanges;
      assert.deepEqual(post?.body, {...without(body, 'unknown'), cid: upstreamAccess.cid});
      assert.equal(`${post?.method} ${post?.path}`, 'POST /base/json/leads');
      assert.equal(post?.headers['content-type'], 'application/json');
      assert.equal(post?.headers['idempotency-key'], id);
      assert.match(`${get?.method} ${get?.path}`, /^GET \/base\/json\/leads\/upstream-/);
      for (const exchange of [post, get]) {
        assert.equal(exchange?.headers.authorization, basic(upstreamAccess).authorization);
      }
      assert.deepEqual(others, []);
      assert.equal((await inStore(server.config.databasePath, id))?.lead.cid, '1002');
    }));

  test('is not asked for the amounts of a standard lead', () =>
    withUpstream({}, async ({exchanges}, server) => {
      const answer = await created(server, standardBody);
      assert.partialDeepStrictEqual(answer, {status: 'done', prequalification: null, reasons: {}});
      assert.deepEqual(columnOf(exchanges, 'method'), ['POST']);
      await readProblem(await readByCaller(server, answer), 404, 'no-prequalification');
    }));

  test('may have its own rule for the total, and fields of its own', () => {
    const own = {...amounts, total_qualified_amount: 1, portfolio_loan_qualified_amount: 0};
    return withUpstream({read: json(200, {...own, first_name: 'Other', score: 5})}, async (_, server) => {
      const answer = await created(server);
      assert.deepEqual(answer.prequalification, {first_name: 'Jane', ...own});
      assert.deepEqual(await readJson(await readByCaller(server, answer), 200), {first_name: 'Jane', ...own});
    });
  });

  test('may give ids that look like addresses', () =>
    withUpstream({create: json(200, {id: '../a/b?c#d é'})}, async ({exchanges}, server) => {
      await created(server);
      assert.equal(exchanges[1]?.path, '/base/json/leads/..%2Fa%2Fb%3Fc%23d%20%C3%A9');
    }));

  test('hears of a lead only once it is committed', async () => {
    let path = '';
    let stored: Awaited<ReturnType<typeof inStore>>;
    const create: Reply = async (response, exchange) => {
      stored = await inStore(path, String(exchange.headers['idempotency-key']));
      return json(201, {id: '1'})(response, exchange);
    };
    await withUpstream({create, read: json(200, amounts)}, async (_upstream, server) => {
      path = server.config.databasePath;
      const {id} = await created(server);
      assert.partialDeepStrictEqual(stored, {id, answer: {status: 'pending'}, upstreamId: null});
    });
  });
});

/** Whatever the upstream does, the visitor gets an answer and the lead stays. */
async function assertPending(server: TestServer, upstreamId: string | null) {
  const answer = await created(server);
  assert.partialDeepStrictEqual(answer, {status: 'pending', prequalification: null, reasons: {}});
  const toPage = await readLead(server, answer);
  assert.deepEqual(await readJson(toPage, 200), answer);
  const toCaller = await readByCaller(server, answer);
  await readProblem(toCaller, 503, 'result-pending');
  for (const {headers} of [toPage, toCaller]) assert.match(headers.get('retry-after') ?? '', /^\d+$/);
  assert.partialDeepStrictEqual(await inStore(server.config.databasePath, answer.id), {
    lead: asLead(prequalificationBody),
    answer: {status: 'pending'},
    upstreamId,
  });
}

suite('an upstream that cannot take the lead now', () => {
  // Of what cannot be read: unreadable-replies.slow.ts.
  const kinds = ['an error of its own', 'too many requests', 'bad credentials', 'nothing found'] as const;
  const others = ['a reset', 'a redirect', 'a page of HTML'] as const;
  const replies = [...kinds, ...others].map((what): [string, Reply] => [what, failures[what]]);
  for (const [what, create] of [...replies, ['no reply at all', () => {}] as [string, Reply]]) {
    test(`leaves it pending: ${what}`, () =>
      withUpstream({create}, async ({exchanges}, server) => {
        await assertPending(server, null);
        assert.deepEqual(columnOf(exchanges, 'path'), ['/base/json/leads']);
      }));
  }
  test('an upstream that is not there leaves the lead pending', () =>
    withUpstream({}, async (upstream, server) => {
      await upstream.close();
      await assertPending(server, null);
    }));
  test('a repeated request gets the same lead and does not ask the upstream again', () =>
    withUpstream({create: failures['an error of its own']}, async ({exchanges}, server) => {
      const key = randomUUID();
      const first = await created(server, prequalificationBody, key);
      assert.deepEqual(await created(server, prequalificationBody, key), first);
      assert.equal(exchanges.length, 1);
    }));
});

suite('an upstream that took the lead but cannot say the amounts', () => {
  const replies = {
    'an error': failures['an error of its own'],
    'a reset': failures['a reset'],
    'amounts as texts': json(200, {...amounts, rollover_amount: '100000'}),
  };
  for (const [what, read] of Object.entries(replies)) {
    test(`a lead whose amounts cannot be read stays pending under the upstream's id: ${what}`, () =>
      withUpstream({create: json(201, {id: 'u-1'}), read}, async ({exchanges}, server) => {
        await assertPending(server, 'u-1');
        assert.deepEqual(columnOf(exchanges, 'path'), ['/base/json/leads', '/base/json/leads/u-1']);
      }));
  }
});

suite('an upstream that will never take the lead', () => {
  for (const status of [400, 413, 422]) {
    test(`refuses it for good: ${status}`, () =>
      withUpstream({create: json(status, {email: 'jane@example.com'})}, async ({exchanges}, server) => {
        const answer = await created(server);
        assert.partialDeepStrictEqual(answer, {status: 'refused', prequalification: null, reasons: {}});
        const again = await readLead(server, answer);
        assert.deepEqual(await readJson(again, 200), answer);
        assert.equal(again.headers.get('retry-after'), null);
        await readProblem(await readByCaller(server, answer), 502, 'upstream-refused');
        assert.deepEqual(columnOf(exchanges, 'method'), ['POST']);
      }));
  }
});

test('a lead that the upstream of an upstream refuses is refused', async (t) => {
  const last = await openFor(t, startFakeUpstream({create: json(422, {})}));
  const {url} = await openFor(t, startTestServer(through(last.settings)));
  const server = await openFor(t, startTestServer(through({...leadApi, ...acme, url, cid: '1001'})));
  const answer = await created(server);
  assert.equal(answer.status, 'refused');
  await readProblem(await readByCaller(server, answer), 502, 'upstream-refused');
});

test('a lead that an upstream has already, with other notes, does not count as refused', async (t) => {
  const {url} = await openFor(t, startTestServer());
  const lead = toRecord(newEntry(), {attribution: {gclid: 'abc'}});
  const request = {...leadRequest(), content: 'lead', lead} as const;
  const withNotes = (attributionInNotes: boolean) =>
    openFor(t, createLeadApi({...leadApi, ...acme, url, cid: '1001', attributionInNotes}, 5_000));
  assert.equal((await (await withNotes(false)).deliver(request)).state, 'delivered');
  const {fault, aboutLead} = await failureOf((await withNotes(true)).deliver(request));
  assert.deepEqual([fault, aboutLead], ['ambiguous', true]);
});

test('a lead that an upstream has erased since an attempt is refused, and says nothing of others', async (t) => {
  const {url, config} = await openFor(t, startTestServer());
  const api = await openFor(t, createLeadApi({...leadApi, ...acme, url, cid: '1001'}, 5_000));
  let taken = '';
  const request = leadRequest((id) => (taken = id));
  await api.deliver(request);
  await eraseLead(config, taken);
  const reason = 'The upstream refused the lead with 410';
  assert.deepEqual(await api.deliver(request), {state: 'refused', reason});
});

suite('an upstream that names the fields that it refuses', () => {
  const bodies: Record<string, [body: unknown, fields: string[] | undefined]> = {
    'as our own API does': [
      {errors: [{field: 'phone', code: 'invalid', message: '+15550100'}, {field: 'email'}]},
      ['email', 'phone'],
    ],
    'as a table by field': [{errors: {credit_score: ['is not accepted']}}, ['credit_score']],
    'with fields that the form does not ask for': [{errors: [{field: 'notes'}, {field: 'cid'}]}, undefined],
    'as a table of all fields': [
      {errors: {email: null, phone: [], cash: '', credit_score: 'no'}},
      ['credit_score'],
    ],
    'beside an error without a field': [{errors: [{field: 'email'}, {message: 'x'}]}, ['email']],
    'with a text': [{errors: 'email'}, undefined],
    'with nothing': [{}, undefined],
    'with null': [null, undefined],
  };
  for (const [how, [body, fields]] of Object.entries(bodies)) {
    test(`of fields that an upstream refuses ${how}, visitors are told ${fields?.join() ?? 'none'}`, () =>
      withUpstream({create: json(422, body)}, async (_, server) => {
        const answer = await created(server);
        assert.equal(answer.status, 'refused');
        assert.deepEqual(answer.refused_fields, fields);
        assert.deepEqual(await readJson(await readLead(server, answer), 200), answer);
      }));
  }

  test('an upstream that never ends the text of its refusal does not keep the visitor waiting', () =>
    withUpstream(
      {
        create: (response) => {
          response.writeHead(422, {'content-type': 'application/json'}).write('{"errors": [');
        },
      },
      async (_, server) => assert.equal((await created(server)).status, 'refused'),
    ));
});
