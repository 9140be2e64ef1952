import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {basic, readProblem} from '../../support/http.ts';
import {acme, startTestServer} from '../../support/test-server.ts';

const server = await startTestServer();
after(() => server.close());

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
  const unknown = '/ /json /json/lead /json/leads/1/amounts /embed /favicon.ico /%2e%2e/x //';
  for (const path of unknown.split(' ')) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      test(`${method} ${path} finds nothing`, async () => {
        await readProblem(await server.fetch(path, {method}), 404, 'not-found');
      });
    }
  }
});

suite('a path in other letters', () => {
  const paths =
    '/JSON/LEADS /json/Leads /Json/leads/1 /EMBED/v1/config ' +
    '/embed/V1/leads /embed/v1/LEADS/1 /Health /READYZ /LIVEZ /OpenAPI.json /Docs /docs/START.js';
  for (const path of paths.split(' ')) {
    test(`is another path: ${path} finds nothing`, async () => {
      for (const method of ['GET', 'POST']) {
        await readProblem(await server.fetch(path, {method, headers: basic(acme)}), 404, 'not-found');
      }
    });
  }
});
