import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {createIdempotencyDigests, comparableText} from '../../../server/leads/idempotency.ts';
import {parseLead} from '../../../server/leads/lead-schema.ts';
import {createResultTokens} from '../../../server/leads/result-tokens.ts';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {prequalificationBody, standardBody} from '../../support/sample-leads.ts';
import {sqlite} from '../../support/stores.ts';
import {acme, acmeToo, listedOrigin, otherOrigin} from '../../support/test-server.ts';

const server = sqlite.useServer();
const storedLeads = async () => (await server.select('SELECT id FROM leads')).length;

/** Each side of the service, as it is asked to create a lead under a key. */
const sides: Record<string, (body: object, key: string) => Promise<Response>> = {
  'a caller': (body, key) =>
    server.fetch('/json/leads', postJson(body, {...basic(acme), 'idempotency-key': key})),
  'a page': (body, key) =>
    server.fetch(
      '/embed/v1/leads?partner=acme',
      postJson({lead: body}, {origin: listedOrigin, 'idempotency-key': key}),
    ),
};

for (const [side, create] of Object.entries(sides)) {
  suite(`${side} that repeats a request`, () => {
    test(`gets the same answer, and one lead is stored`, async () => {
      const [key, before] = [randomUUID(), await storedLeads()];
      const first = await readJson(await create(prequalificationBody, key), 201);
      const second = await readJson(await create(prequalificationBody, key), 201);
      assert.deepEqual(second, first);
      assert.equal(await storedLeads(), before + 1);
    });
    test(`may write the same lead in another way`, async () => {
      const key = randomUUID();
      const first = await readJson(await create(prequalificationBody, key), 201);
      const asTexts = {...prequalificationBody, first_name: ' Jane ', cash: '038000', unknown: 1};
      const reversed = Object.fromEntries(Object.entries(asTexts).reverse());
      assert.deepEqual(await readJson(await create(reversed, key), 201), first);
    });
    test(`${side} that uses a key again for another lead is refused with 422, and nothing is stored`, async () => {
      const key = randomUUID();
      await readJson(await create(prequalificationBody, key), 201);
      const before = await storedLeads();
      for (const other of [{...prequalificationBody, cash: 50_001}, standardBody]) {
        await readProblem(await create(other, key), 422, 'idempotency-key-reused');
      }
      assert.equal(await storedLeads(), before);
    });
    test(`fifty times at once gets one lead`, async () => {
      const [key, before] = [randomUUID(), await storedLeads()];
      const responses = await Promise.all(Array.from({length: 50}, () => create(prequalificationBody, key)));
      const answers = await Promise.all(responses.map((response) => readJson<object>(response, 201)));
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.equal(await storedLeads(), before + 1);
    });
    test(`${side} that sends the same lead under a new key gets a new lead`, async () => {
      const ids = [];
      for (const key of [randomUUID(), randomUUID()]) {
        ids.push((await readJson<{id: string}>(await create(prequalificationBody, key), 201)).id);
      }
      assert.notEqual(ids[0], ids[1]);
    });
    test(`${side} whose lead was invalid may send it corrected under the same key`, async () => {
      const key = randomUUID();
      await readProblem(await create({...prequalificationBody, cash: 'much'}, key), 422, 'invalid-lead');
      await readJson(await create(prequalificationBody, key), 201);
    });
    for (const length of [16, 128]) {
      test(`${side} may use a key of ${length} characters`, async () => {
        await readJson(await create(standardBody, randomUUID().padEnd(128, '~').slice(0, length)), 201);
      });
    }
  });
}

suite('a key', () => {
  test('an idempotency key belongs to the caller or partner that chose it', async () => {
    const key = {'idempotency-key': randomUUID()};
    const [standard, fromOther] = [{lead: standardBody}, {origin: otherOrigin}];
    const responses = [
      await server.fetch('/json/leads', postJson(standardBody, {...basic(acme), ...key})),
      await server.fetch('/json/leads', postJson(standardBody, {...basic(acmeToo), ...key})),
      await server.fetch('/embed/v1/leads?partner=acme', postJson(standard, {origin: listedOrigin, ...key})),
      await server.fetch('/embed/v1/leads?partner=contact-only', postJson(standard, {...fromOther, ...key})),
    ];
    const ids = await Promise.all(
      responses.map(async (response) => (await readJson<EmbedAnswer>(response, 201)).id),
    );
    assert.equal(new Set(ids).size, 4);
  });
  test('a caller without an idempotency key gets a new lead each time', async () => {
    const create = () => server.fetch('/json/leads', postJson(standardBody, basic(acme)));
    const ids = [
      (await readJson<EmbedAnswer>(await create(), 201)).id,
      (await readJson<EmbedAnswer>(await create(), 201)).id,
    ];
    assert.notEqual(ids[0], ids[1]);
  });
  test('an idempotency key that is not well-formed is refused with 400', async () => {
    for (const key of ['short', 'a'.repeat(129), 'with spaces in the key', '']) {
      const response = await server.fetch(
        '/json/leads',
        postJson(standardBody, {...basic(acme), 'idempotency-key': key}),
      );
      await readProblem(response, 400, 'idempotency-key-invalid');
    }
  });
  test('an idempotency key is stored only as a digest', async () => {
    const key = 'a-key-that-nobody-else-has';
    await readJson(await sides['a caller']!(prequalificationBody, key), 201);
    const rows = JSON.stringify(await server.select('SELECT * FROM idempotency_keys'));
    assert.ok(!rows.includes(key) && !rows.includes(standardBody.email));
  });
});

suite('a digest of an idempotency key', () => {
  const [oldKey, newKey] = ['old-key-'.repeat(5), 'new-key-'.repeat(5)];
  const digests = createIdempotencyDigests([oldKey]);

  test('is the same for the same text only, and needs the token key', () => {
    assert.deepEqual(digests.ofLead('a key'), digests.ofLead('a key'));
    assert.notDeepEqual(digests.ofLead('a key'), digests.ofLead('another key'));
    assert.notDeepEqual(digests.ofLead('a key'), createIdempotencyDigests([newKey]).ofLead('a key'));
  });
  test('is made once for each token key, with the first key first', () => {
    const rotated = createIdempotencyDigests([newKey, oldKey]);
    const alone = createIdempotencyDigests([newKey]);
    assert.deepEqual(rotated.ofLead('a key'), [...alone.ofLead('a key'), ...digests.ofLead('a key')]);
    assert.deepEqual(rotated.ofKey('acme', 'a key', 'a lead'), [
      ...alone.ofKey('acme', 'a key', 'a lead'),
      ...digests.ofKey('acme', 'a key', 'a lead'),
    ]);
  });
  test('the digest of an id is not the result token of that id', () => {
    const id = '0190aaaa-0000-7000-8000-000000000001';
    const [digest = ''] = digests.ofLead(id);
    const token = createResultTokens([oldKey]).issue(id);
    assert.notEqual(Buffer.from(digest, 'hex').toString('base64url'), token);
  });
});

suite('the fingerprint of a lead', () => {
  test('is the same in every version, because keys are stored with it', () => {
    const {data} = parseLead({
      ...prequalificationBody,
      state: 'CA',
      notes: 'Call me',
      time_frame: '2-6 months',
    });
    assert.ok(data);
    assert.equal(
      comparableText(data),
      '{"lead_type":"prequalification","cid":"1001","first_name":"Jane","last_name":"Doe","email":"jane@example.com","phone":"+12025550142","state":"CA","time_frame":"2-6 months","notes":"Call me","credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":38000,"investments":100001}',
    );
  });
});
