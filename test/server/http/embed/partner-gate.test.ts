import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, suite, test} from 'node:test';
import {readJson, readProblem} from '../../../support/http.ts';
import {listedOrigin, otherOrigin, startTestServer} from '../../../support/test-server.ts';
import {openFor} from '../../../support/opened.ts';

const server = await startTestServer();
after(() => server.close());

const fromPage = {origin: listedOrigin};
const corsHeaders = ({headers}: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const routes: [method: string, path: string][] = [
  ['GET', '/embed/v1/config'],
  ['POST', '/embed/v1/leads'],
  ['GET', `/embed/v1/leads/${randomUUID()}`],
];
const ask = (method: string, path: string, headers: Record<string, string>, partner = 'acme') =>
  server.fetch(`${path}?partner=${partner}`, {method, headers, ...(method === 'POST' && {body: '{}'})});

suite('the origin of a page', () => {
  const refused: [what: string, headers: Record<string, string>][] = [
    ['foreign', {origin: 'https://evil.example'}],
    ["another partner's", {origin: otherOrigin}],
    ['of another scheme', {origin: 'http://www.partner.example'}],
    ['of another port', {origin: 'https://www.partner.example:8443'}],
    ['that only starts alike', {origin: 'https://www.partner.example.evil.example'}],
    ['of a subdomain', {origin: 'https://a.www.partner.example'}],
    ['absent', {}],
    ['null', {origin: 'null'}],
    ['absent on another site', {'sec-fetch-site': 'cross-site'}],
    ['null on another site', {origin: 'null', 'sec-fetch-site': 'same-site'}],
    ['foreign that claims to be ours', {origin: 'https://evil.example', 'sec-fetch-site': 'same-origin'}],
  ];
  for (const [what, headers] of refused) {
    test(`may not be ${what}`, async () => {
      for (const [method, path] of routes) {
        const response = await ask(method, path, headers);
        const mayRead = method === 'GET' && headers['origin'];
        assert.equal(response.headers.get('access-control-allow-origin'), mayRead || null);
        assert.equal(response.headers.get('access-control-allow-credentials'), null);
        await readProblem(response, 403, 'origin-not-allowed');
      }
    });
  }
  for (const headers of [
    {'sec-fetch-site': 'same-origin'},
    {origin: 'null', 'sec-fetch-site': 'same-origin'},
  ]) {
    test(`no Origin is needed on a page of the service itself: ${JSON.stringify(headers)}`, async () => {
      await readJson(await ask('GET', '/embed/v1/config', headers), 200);
    });
  }
  test('a page of the service itself may send leads of every partner', async () => {
    const origin = 'https://leads.example.com';
    for (const partner of ['acme', 'contact-only']) {
      await readJson(await ask('GET', '/embed/v1/config', {origin}, partner), 200);
      await readProblem(await ask('POST', '/embed/v1/leads', {origin}, partner), 415, 'not-json');
    }
  });
  for (const origin of [
    'http://leads.example.com',
    'https://leads.example.com:8443',
    'https://a.leads.example.com',
    'https://leads.example.com.evil.example',
  ]) {
    test(`a page of ${origin} is no page of the service itself`, async () => {
      for (const [method, path] of routes) {
        const headers = {origin, 'sec-fetch-site': 'same-site'};
        await readProblem(await ask(method, path, headers), 403, 'origin-not-allowed');
      }
    });
  }
  test('an allowed origin gets its own name, and the headers that its scripts may read', async () => {
    for (const [method, path] of routes) {
      const headers = corsHeaders(await ask(method, path, fromPage));
      assert.equal(headers['access-control-allow-origin'], listedOrigin);
      assert.equal(headers['access-control-expose-headers'], 'RateLimit,RateLimit-Policy,Retry-After');
      assert.equal(headers['access-control-allow-credentials'], undefined);
    }
  });
});

suite('a partner', () => {
  for (const partner of ['nobody', 'ACME', '__proto__', '%20', ',']) {
    test(`is not known as "${partner}"`, async () => {
      for (const [method, path] of routes) {
        await readProblem(await ask(method, path, fromPage, partner), 403, 'unknown-partner');
      }
    });
  }
  for (const origin of [listedOrigin, 'https://evil.example', 'null']) {
    test(`a page of the origin ${origin} can read that its partner is not known`, async () => {
      for (const [method, path] of routes) {
        const response = await ask(method, path, {origin}, 'nobody');
        assert.equal(response.headers.get('access-control-allow-origin'), origin);
        assert.equal(response.headers.get('access-control-allow-credentials'), null);
        assert.match(response.headers.get('vary') ?? '', /\bOrigin\b/);
        assert.match(response.headers.get('cache-control') ?? '', /\bno-store\b/);
        await readProblem(response, 403, 'unknown-partner');
      }
    });
  }
  for (const query of ['', '?', '?partner', '?partner=', '?lang=en&partner=']) {
    test(`a page that names no partner is one of the first: "${query}"`, async () => {
      for (const [method, path] of routes) {
        const [own, first] = await Promise.all(
          [path + query, `${path}?partner=acme`].map((address) =>
            server.fetch(address, {method, headers: fromPage, ...(method === 'POST' && {body: '{}'})}),
          ),
        );
        assert.deepEqual([own!.status, await own!.text()], [first!.status, await first!.text()]);
        const foreign = await server.fetch(path + query, {method, headers: {origin: otherOrigin}});
        await readProblem(foreign, 403, 'origin-not-allowed');
      }
    });
  }
  for (const query of [
    'partner=acme&partner=acme',
    'partner=acme&partner=',
    'partner=&partner=',
    'partner&a=b&partner=nobody',
  ]) {
    test(`a page must name its partner once, and is told so: ${query}`, async () => {
      for (const [method, path] of routes) {
        const response = await server.fetch(`${path}?${query}`, {method, headers: fromPage});
        const {detail} = await readProblem(response, 403, 'unknown-partner');
        assert.match(detail, /once/);
      }
    });
  }
});

suite('an address that asks for partners that are not known', () => {
  for (const method of ['GET', 'OPTIONS'] as const) {
    test(`guesses of partners get 429 for a minute, which spares known partners: ${method}`, async (t) => {
      const limit = 5;
      const limited = await openFor(t, startTestServer({rateLimit: limit, trustProxy: 1}));
      const guess = (partner: string, from: string) =>
        limited.fetch(`/embed/v1/config?partner=${partner}`, {
          method,
          headers: {...fromPage, 'access-control-request-method': 'GET', 'x-forwarded-for': from},
        });
      const guesses = await Promise.all(
        Array.from({length: 30}, (_, index) => guess(`nobody-${index}`, `2001:db8::${index + 1}`)),
      );
      const statuses = Map.groupBy(guesses, ({status}) => status);
      const answered = method === 'OPTIONS' ? 204 : 403;
      assert.deepEqual([statuses.get(answered)?.length, statuses.get(429)?.length], [limit, 30 - limit]);
      const refused = await guess('nobody', '2001:db8::b');
      assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
      await readProblem(refused, 429, 'too-many-requests');
      assert.ok((await guess('acme', '2001:db8::a')).ok);
      assert.equal((await guess('nobody', '2001:db8:0:1::1')).status, answered);
    });
  }
});

suite('a preflight', () => {
  const preflight = (path: string, origin: string, method: string, partner = 'acme') =>
    ask('OPTIONS', path, {origin, 'access-control-request-method': method}, partner);

  test('from a listed origin allows what the form needs', async () => {
    for (const [method, path] of routes) {
      const response = await preflight(path, listedOrigin, method);
      assert.equal(response.status, 204);
      assert.equal(await response.text(), '');
      assert.deepEqual(corsHeaders(response), {
        'access-control-allow-origin': listedOrigin,
        'access-control-allow-methods': 'GET,POST',
        'access-control-allow-headers': 'Content-Type,Authorization,Idempotency-Key',
        'access-control-expose-headers': 'RateLimit,RateLimit-Policy,Retry-After',
        'access-control-max-age': '7200',
      });
      assert.match(response.headers.get('vary') ?? '', /\bOrigin\b/);
    }
  });
  test('from any other origin is refused', async () => {
    for (const [method, path] of routes) {
      const foreign = await preflight(path, 'https://evil.example', method);
      assert.deepEqual(corsHeaders(foreign), {});
      await readProblem(foreign, 403, 'origin-not-allowed');
    }
  });
  test('for an unknown partner is answered, so that the page can read the refusal', async () => {
    for (const [method, path] of routes) {
      const response = await preflight(path, 'https://evil.example', method, 'nobody');
      assert.equal(response.status, 204);
      assert.equal(response.headers.get('access-control-allow-origin'), 'https://evil.example');
      assert.match(response.headers.get('vary') ?? '', /\bOrigin\b/);
    }
  });
});

suite('other methods', () => {
  for (const [method, path, allow] of [
    ['POST', '/embed/v1/config', 'GET, HEAD, OPTIONS'],
    ['GET', '/embed/v1/leads', 'POST, OPTIONS'],
    ['DELETE', '/embed/v1/leads', 'POST, OPTIONS'],
    ['PUT', '/embed/v1/leads/1', 'GET, HEAD, OPTIONS'],
  ] as const) {
    test(`${method} ${path} is refused with what is allowed`, async () => {
      const response = await ask(method, path, fromPage);
      assert.equal(response.headers.get('allow'), allow);
      await readProblem(response, 405, 'method-not-allowed');
    });
  }
});
