import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {Validator} from '@seriousme/openapi-schema-validator';
import {openapiDocument} from '../../../server/http/openapi.ts';
import {operations} from '../../../server/http/operations.ts';
import {assertDeclared} from '../../support/declared.ts';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {acme, listedOrigin, startTestServer} from '../../support/test-server.ts';

const server = await startTestServer();
after(() => server.close());

suite('/openapi.json', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const document = await readJson<Record<string, unknown>>(await server.fetch('/openapi.json'), 200);
    const validator = new Validator();
    const {valid, errors} = await validator.validate(document);
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, '3.1');
  });
  test('is the document to which all these tests hold the answers', async () => {
    const document = await readJson(await server.fetch('/openapi.json'), 200);
    assert.deepEqual(document, JSON.parse(JSON.stringify(openapiDocument('https://leads.example.com'))));
  });
  test('has what linters of documents ask for', () => {
    // Spectral (spectral:oas) and Redocly (recommended) warn without these. They are too large to be installed here.
    const {info, tags, paths, components} = openapiDocument('https://leads.example.com');
    assert.ok(info.contact.name && info.license.identifier && tags.every(({description}) => description));
    type Described = {tags: string[]; summary: string; description: string};
    for (const [path, methods] of Object.entries(paths as Record<string, Record<string, Described>>)) {
      for (const operation of Object.values(methods)) {
        assert.ok(operation.summary && operation.description, path);
        assert.ok(operation.tags.length === 1 && tags.some(({name}) => name === operation.tags[0]), path);
      }
    }
    const text = JSON.stringify({paths, webhooks: openapiDocument('').webhooks});
    for (const kind of ['responses', 'schemas'] as const) {
      for (const name of Object.keys(components[kind])) {
        assert.ok(text.includes(`"#/components/${kind}/${name}"`), `${kind} ${name} is never used`);
      }
    }
    assert.doesNotMatch(text, /"oneOf"/);
  });
  test('may be read by tools on any page', async () => {
    const {headers} = await server.fetch('/openapi.json');
    assert.equal(headers.get('access-control-allow-origin'), '*');
  });
  test('gives examples that work', async () => {
    const {createLead, embedCreate} = operations;
    await readJson(await server.fetch(createLead.path, postJson(createLead.body.example, basic(acme))), 201);
    const headers = {origin: listedOrigin, 'idempotency-key': 'a-key-of-sixteen'};
    await readJson(await server.fetch(embedCreate.path, postJson(embedCreate.body.example, headers)), 201);
  });
  for (const [method, path] of [
    ['DELETE', '/json/leads'],
    ['PUT', '/embed/v1/leads'],
    ['GET', '/json/nowhere'],
  ] as const) {
    test(`says what any other request gets: ${method} ${path}`, async () => {
      const headers = {origin: listedOrigin};
      const {status, headers: answered} = await server.fetch(path, {method, headers});
      const {responses} = openapiDocument('').components;
      const declared = responses[status] as {headers?: object} | undefined;
      assert.deepEqual(Object.keys(declared?.headers ?? {}), answered.has('allow') ? ['Allow'] : []);
    });
  }
});

suite('the check of all answers against the document', () => {
  const problem = {title: 'x', detail: 'x', status: 404};
  const notFound = {...problem, type: 'urn:lead-prequal:problem:not-found'};
  const rows: Record<string, [method: string, path: string, status: number, body: unknown, type?: string]> = {
    'a status': ['POST', '/json/leads', 404, notFound],
    'a problem': [
      'GET',
      '/json/leads/1',
      404,
      {...problem, type: 'urn:lead-prequal:problem:unknown-partner'},
    ],
    'a type of content': ['POST', '/json/leads', 201, {id: '1'}, 'text/html'],
    'a field': ['POST', '/json/leads', 201, {id: '1', cid: '1'}],
    'a header that is missing': ['POST', '/json/leads', 201, {id: '1'}],
    'an answer to another method': ['PUT', '/json/leads', 201, {id: '1'}],
    'an answer of another path': ['GET', '/json/lead', 200, {}],
  };
  for (const [what, [method, path, status, body, type]] of Object.entries(rows)) {
    test(`refuses ${what} that is not declared`, () => {
      const headers = new Headers({
        'content-type': type ?? (status < 400 ? 'application/json' : 'application/problem+json'),
        ...(what !== 'a header that is missing' && {location: '/json/leads/1'}),
      });
      const answer = {status, headers, body: JSON.stringify(body)};
      assert.throws(() => assertDeclared(method, path, answer), assert.AssertionError);
    });
  }
  test('takes what is declared', () => {
    const headers = new Headers({'content-type': 'application/problem+json'});
    assertDeclared('GET', '/json/leads/1', {status: 404, headers, body: JSON.stringify(notFound)});
  });
});

suite('/docs', () => {
  for (const address of ['/docs', '/docs/']) {
    test(`${address} is a page that works offline: all it refers to is here`, async () => {
      const page = await server.fetch(address);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html\b/);
      assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'self';/);
      const html = await page.text();
      const references = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference!);
      const files = references.filter((reference) => !reference.startsWith('data:'));
      assert.deepEqual(
        files.map((file) => new URL(file, server.url + address).origin).filter((o) => o !== server.url),
        [],
      );
      assert.ok(files.length >= 3);
      for (const file of files) {
        const response = await fetch(new URL(file, server.url + address));
        assert.equal(response.status, 200, file);
        const expected = file.endsWith('.css') ? /^text\/css\b/ : /^text\/javascript\b/;
        assert.match(response.headers.get('content-type') ?? '', expected);
      }
    });
  }
  test('/docs may be framed by no page, and has no other base, form or plugin', async () => {
    const policy = (await server.fetch('/docs')).headers.get('content-security-policy') ?? '';
    for (const directive of ['frame-ancestors', 'base-uri', 'form-action', 'object-src']) {
      assert.ok(policy.split('; ').includes(`${directive} 'none'`), policy);
    }
  });
  test('/docs reads the document from its own origin', async () => {
    const script = await (await server.fetch('/docs/start.js')).text();
    const [, address = ''] = /url: '([^']+)'/.exec(script) ?? [];
    await readJson(await server.fetch(address), 200);
  });
  test('/docs gives none of the other files of its package', async () => {
    for (const file of ['package.json', 'index.html', '..%2fpackage.json', 'swagger-ui-bundle.js.map']) {
      await readProblem(await server.fetch(`/docs/${file}`), 404, 'not-found');
    }
  });
});
