import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import {basic, comparable, fieldCodes, postJson, readJson, readProblem} from '../../../support/http.ts';
import {amounts, finances, prequalificationBody, standardBody} from '../../../support/sample-leads.ts';
import {sqlite} from '../../../support/stores.ts';
import {acme, acmeToo, globex} from '../../../support/test-server.ts';

const server = sqlite.useServer();
const create = (body: unknown, headers: Record<string, string> = basic(acme)) =>
  server.fetch('/json/leads', postJson(body, headers));
const read = (id: string, headers: Record<string, string> = basic(acme)) =>
  server.fetch(`/json/leads/${id}`, {headers});
const createdId = async (body: unknown, headers?: Record<string, string>) =>
  (await readJson<{id: string}>(await create(body, headers), 201)).id;

suite('creating a lead', () => {
  for (const [what, body] of [
    ['a standard lead without a type', standardBody],
    ['a standard lead', {...standardBody, lead_type: 'standard'}],
    ['a pre-qualification lead', prequalificationBody],
    ['amounts as strings', {...prequalificationBody, retirement: '100000', cash: '50000', investments: '0'}],
    ['plain digits as telephone number', {...standardBody, phone: '2025550142'}],
  ] as const) {
    test(`with ${what} gives an id and its place`, async () => {
      const response = await create(body);
      const answer = await readJson<{id: string}>(response, 201);
      assert.deepEqual(Object.keys(answer), ['id']);
      assert.match(answer.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(response.headers.get('location'), `/json/leads/${answer.id}`);
    });
  }

  test('a lead may be created for any client of the caller', async () => {
    await createdId({...standardBody, cid: '1002'});
  });
  for (const cid of ['9999', '10011', '*']) {
    test(`a lead for the client ${cid} is refused, because it is not the caller's`, async () => {
      await readProblem(await create({...standardBody, cid}), 403, 'cid-not-allowed');
    });
  }
  test('an error names the cid where it is missing', async () => {
    const problem = await readProblem(await create({...standardBody, cid: undefined}), 422, 'invalid-lead');
    assert.deepEqual(fieldCodes(problem), {cid: 'required'});
  });
});

suite('reading a lead', () => {
  test('gives the six fields of the specification in its order, and nothing else', async () => {
    const answer = await readJson(await read(await createdId(prequalificationBody)), 200);
    assert.equal(JSON.stringify(answer), JSON.stringify({first_name: 'Jane', ...amounts}));
  });
  test('gives the same amounts for numbers sent as strings', async () => {
    const asText = Object.fromEntries(
      Object.entries(finances).map(([name, value]) => [name, String(value)] as const),
    );
    const answer = await readJson(await read(await createdId({...prequalificationBody, ...asText})), 200);
    assert.deepEqual(answer, {first_name: 'Jane', ...amounts});
  });
  for (const type of ['application/json', 'text/plain', 'nonsense']) {
    test(`does not care for Content-Type: ${type}`, async () => {
      const id = await createdId(prequalificationBody);
      await readJson(await read(id, {...basic(acme), 'content-type': type}), 200);
    });
  }
  test('is open to every user of the same client', async () => {
    await readJson(await read(await createdId(prequalificationBody), basic(acmeToo)), 200);
  });
  test('a lead of another client is told apart from an unknown one by nothing', async () => {
    const id = await createdId(prequalificationBody);
    const foreign = await comparable(await read(id, basic(globex)));
    const unknown = await comparable(await read(randomUUID(), basic(globex)));
    assert.deepEqual(foreign, unknown);
  });
  for (const id of [
    '1',
    'null',
    '%00',
    '01900000-0000-7000-8000-00000000000%00',
    "'%20OR%201=1--",
    'a'.repeat(5_000),
    '..%2F..%2Fetc%2Fpasswd',
    '%F0%9F%8E%89',
  ]) {
    test(`by the id ${id.slice(0, 30)} finds nothing`, async () => {
      await readProblem(await read(id), 404, 'not-found');
    });
  }
  test('takes its id in capitals, as databases with a type for UUIDs may give it back', async () => {
    const id = await createdId(prequalificationBody);
    await readJson(await read(id.toUpperCase()), 200);
  });
  test('works with HEAD', async () => {
    const id = await createdId(prequalificationBody);
    const response = await server.fetch(`/json/leads/${id}`, {method: 'HEAD', headers: basic(acme)});
    assert.equal(response.status, 200);
    assert.equal(await response.text(), '');
  });
});

suite('a name in any script', () => {
  for (const name of [
    '🎉👩‍🚀',
    'محمد בן علي',
    '𝒜𠜎',
    '李小龍',
    "'; DROP TABLE leads; --",
    '\\u0000',
    '\u202eabc',
    '"',
    'null',
  ]) {
    test(`is read as it was sent: ${JSON.stringify(name)}`, async () => {
      const id = await createdId({...prequalificationBody, first_name: name, last_name: name});
      assert.deepEqual(await readJson(await read(id), 200), {first_name: name, ...amounts});
    });
  }
  for (const name of ['a\0b', '\ud800', '\udc00x', '\u0007']) {
    test(`is refused: ${JSON.stringify(name)}`, async () => {
      const problem = await readProblem(
        await create({...standardBody, first_name: name}),
        422,
        'invalid-lead',
      );
      assert.deepEqual(fieldCodes(problem), {first_name: 'invalid'});
    });
  }
});
