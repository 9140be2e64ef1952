/** Addresses, headers and bodies with 8 kB of something that is expensive to read, at every route of the server. */
import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import express from 'express';
import {createApp} from '../../../server/app.ts';
import {createAddressReader} from '../../../server/http/client-address.ts';
import {operations} from '../../../server/http/operations.ts';
import {requestContext} from '../../../server/http/request-context.ts';
import {makeEmbedVersion} from '../../support/embed-folder.ts';
import {listen} from '../../support/listening.ts';
import {ignoreObservations} from '../../support/observation-log.ts';
import {
  hostileFields,
  hostileHeaders,
  hostilePaths,
  hostileQueries,
  routesOf,
  usualRequest,
  type HostileRequest,
} from '../../support/hostile-requests.ts';
import {basic, readProblem, requestRaw} from '../../support/http.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {acme, baseConfig, listedOrigin, startTestServer} from '../../support/test-server.ts';

const folder = makeTemporaryFolder();
const embedFolder = join(folder.path, 'embed');
makeEmbedVersion(embedFolder, '1.99.0', {'lead-prequal-form.js': '1', 'lead-prequal-form.classic.js': '1'});
const changes = {embedFolder, trustProxy: 'loopback'};
const listed = await createApp({...baseConfig(folder.path), ...changes}, ignoreObservations);
const routes = routesOf(listed);
await listed.close(0);
const server = await startTestServer(changes);
after(async () => {
  await server.close();
  folder.remove();
});

const send = ({method, path, headers, body}: HostileRequest) =>
  requestRaw(server.url, {method, path, headers}, Buffer.from(body));
const apiPaths = new Set<string>(Object.values(operations).map(({path}) => path));

suite('every route', () => {
  test('the routes are found, those of all routers', () => {
    assert.ok(routes.length > 25);
    for (const {path} of Object.values(operations)) assert.ok(routes.some((route) => route.path === path));
  });
  for (const route of routes) {
    const usual = usualRequest(route);
    const name = `${route.method} ${route.path}`;
    test(`${name} answers 8 kB of query as it answers no query, or with 400 if it belongs to an API`, async () => {
      const {headers} = await send(usual);
      for (const [what, change] of Object.entries(hostileQueries)) {
        const answer = await send(change(usual));
        if (apiPaths.has(route.path)) assert.equal(answer.status, 400, what);
        else assert.equal(answer.headers['content-type'], headers['content-type'], what);
      }
    });
    test(`${name} answers 8 kB of anything else, and not with an error of its own`, async () => {
      for (const [what, change] of Object.entries({...hostilePaths, ...hostileHeaders, ...hostileFields})) {
        const {status} = await send(change(usual));
        assert.ok(status < 500, `${status} to ${what}`);
      }
    });
  }
});

suite('a query', () => {
  test('a query is parsed once, however often the handlers of its request read it', async (t) => {
    const app = express().use(
      requestContext(ignoreObservations, createAddressReader(0)),
      (request, response) => {
        response.json(request.query === request.query && request.query);
      },
    );
    const listening = createServer(app);
    t.after(() => listening.close());
    const {url} = await listen(listening);
    const response = await fetch(`${url}/?a=1&b=50%off&a=%C3%A9`);
    assert.deepEqual(await response.json(), {a: ['1', 'é'], b: '50%off'});
  });

  const languageAfter = async (query: string) =>
    /<html lang="(\w+)"/.exec(await (await server.fetch(`/apply/acme?${query}lang=es`)).text())?.[1];
  for (const [what, query, language] of [
    ['63 parameters', 'utm=1&'.repeat(63), 'es'],
    ['64 parameters', 'utm=1&'.repeat(64), 'en'],
    ['4,000 characters', `utm=${'a'.repeat(4_000)}&`, 'es'],
    ['4,100 characters', `utm=${'a'.repeat(4_100)}&`, 'en'],
    ['so many characters that the limit falls into its value', `utm=${'a'.repeat(4_085)}&`, 'en'],
    ['a malformed escape', 'utm_campaign=50%off&', 'es'],
    ['bytes that are not UTF-8', 'utm_campaign=%ff&', 'es'],
  ] as const) {
    const read = language === 'es' ? 'read' : 'ignored';
    test(`a parameter of a page is ${read} after ${what}`, async () => {
      assert.equal(await languageAfter(query), language);
    });
  }
  test('a malformed escape stays as it was typed in the link to the other language', async () => {
    const text = await (await server.fetch('/apply/acme?utm_campaign=50%off+now')).text();
    assert.ok(text.includes('href="?utm_campaign=50%25off+now&amp;lang=es"'));
  });

  const apis = [
    ['/json/leads/01900000-0000-7000-8000-000000000000', basic(acme), 404],
    ['/embed/v1/config', {origin: listedOrigin}, 200],
    ['/embed/versions.json', {}, 200],
  ] as const;
  for (const [path, headers, usual] of apis) {
    for (const [what, query, status] of [
      ['a malformed escape', 'a=50%off', 400],
      ['an escape that is not UTF-8', 'a=%ff', 400],
      ['65 parameters', 'a=1&'.repeat(64), 400],
      ['4,097 characters', 'a'.repeat(4_097), 400],
      ['64 parameters', 'a=1&'.repeat(63), usual],
      ['4,096 characters', 'a'.repeat(4_096), usual],
    ] as const) {
      test(`a query with ${what} is answered with ${status} by ${path}`, async () => {
        const response = await server.fetch(`${path}?${query}`, {headers});
        if ('origin' in headers)
          assert.equal(response.headers.get('access-control-allow-origin'), headers.origin);
        if (status === 400) await readProblem(response, 400, 'bad-request');
        else assert.equal(response.status, status);
      });
    }
  }
});
