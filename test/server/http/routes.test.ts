import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, suite, test} from 'node:test';
import {basic, postJson, readProblem} from '../../support/http.ts';
import {prequalificationBody, standardBody} from '../../support/sample-leads.ts';
import {acme, startTestServer} from '../../support/test-server.ts';

const server = await startTestServer();
after(() => server.close());

const create = (body: unknown, headers: Record<string, string> = basic(acme)) =>
  server.fetch('/json/leads', postJson(body, headers));
const read = (id: string) => server.fetch(`/json/leads/${id}`, {headers: basic(acme)});

suite('addresses and methods', () => {
  for (const [method, path, allow] of [
    ...['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, '/json/leads', 'POST'] as const),
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(
      (method) => [method, '/json/leads/1', 'GET, HEAD'] as const,
    ),
  ]) {
    test(`${method} ${path} is refused with what is allowed`, async () => {
      const response = await server.fetch(path, {method, headers: basic(acme)});
      await readProblem(response, 405, 'method-not-allowed');
      assert.equal(response.headers.get('allow'), allow);
    });
  }
  for (const path of [
    '/',
    '/json',
    '/json/lead',
    '/json/leads/1/amounts',
    '/embed',
    '/favicon.ico',
    '/%2e%2e/x',
    '//',
  ]) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      test(`${method} ${path} finds nothing`, async () => {
        await readProblem(await server.fetch(path, {method}), 404, 'not-found');
      });
    }
  }
});

suite('a path in other letters', () => {
  for (const path of [
    '/JSON/LEADS',
    '/json/Leads',
    '/Json/leads/1',
    '/EMBED/v1/config',
    '/embed/V1/leads',
    '/embed/v1/LEADS/1',
    '/Health',
    '/READYZ',
    '/livez'.toUpperCase(),
    '/OpenAPI.json',
    '/Docs',
    '/docs/START.js',
  ]) {
    test(`is another path: ${path} finds nothing`, async () => {
      for (const method of ['GET', 'POST']) {
        await readProblem(await server.fetch(path, {method, headers: basic(acme)}), 404, 'not-found');
      }
    });
  }
});

suite('every answer', () => {
  const answers = async () => [
    await create(prequalificationBody),
    await create({}),
    await create('{'),
    await create(standardBody, {}),
    await read(randomUUID()),
    await server.fetch('/nowhere'),
  ];
  test('has an id of its own, is not stored on the way and not guessed at', async () => {
    const all = await answers();
    const ids = all.map((response) => response.headers.get('x-request-id'));
    assert.equal(new Set(ids).size, all.length);
    for (const {headers} of all) assert.equal(headers.get('cache-control'), 'no-store');
  });
});
