/** What stands in the head of every answer, right or wrong, and what in none. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {makeEmbedVersion} from '../../support/embed-folder.ts';
import {basic, postJson} from '../../support/http.ts';
import {sendLead} from '../../support/embed-client.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {acme, listedOrigin, startTestServer} from '../../support/test-server.ts';

const script = 'lead-prequal-form.js';
const server = await startTestServer((folder) => {
  makeEmbedVersion(join(folder, 'embed'), '1.0.0', {[script]: 'export {};'});
  return {embedFolder: join(folder, 'embed'), rateLimit: 50};
});
after(() => server.close());

const page = {headers: {origin: listedOrigin}};
const answers: Record<string, () => Promise<Response>> = {
  'a lead of a caller': () => server.fetch('/json/leads', postJson(prequalificationBody, basic(acme))),
  'a caller without credentials': () => server.fetch('/json/leads', postJson(prequalificationBody)),
  'a lead of a page': () => sendLead(server),
  'a lead that is wrong': () => sendLead(server, {}),
  'a foreign page': () => sendLead(server, {}, {origin: 'https://evil.example'}),
  'the configuration': () => server.fetch('/embed/v1/config?partner=acme', page),
  'no such result': () => server.fetch(`/embed/v1/leads/${randomUUID()}?partner=acme`, page),
  'a preflight': () => server.fetch('/embed/v1/leads?partner=acme', {...page, method: 'OPTIONS'}),
  health: () => server.fetch('/health'),
  'that it lives': () => server.fetch('/livez'),
  'that it is ready': () => server.fetch('/readyz'),
  'the document of the API': () => server.fetch('/openapi.json'),
  'its page': () => server.fetch('/docs'),
  nothing: () => server.fetch('/nowhere'),
  'another method': () => server.fetch('/json/leads', {method: 'DELETE', headers: basic(acme)}),
  'malformed JSON': () => server.fetch('/json/leads', postJson('{', basic(acme))),
};
const bundles = {
  'the form': () => server.fetch(`/embed/1.0.0/${script}`),
  'the newest form': () => server.fetch(`/embed/v1/${script}`),
};

suite('every answer', () => {
  const ids = new Set<string | null>([null]);
  for (const [what, ask] of Object.entries({...answers, ...bundles})) {
    const isForm = what in bundles;
    test(`is guarded, has an id, and pages of other origins load the form alone: ${what}`, async () => {
      const {headers, status} = await ask();
      const id = headers.get('x-request-id');
      assert.ok(!ids.has(id));
      ids.add(id);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /^default-src '(none|self)'/);
      assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{7,}/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-frame-options'), isForm ? null : 'SAMEORIGIN');
      const policy = isForm ? 'cross-origin' : 'same-origin';
      assert.equal(headers.get('cross-origin-resource-policy'), policy);
      if (isForm) assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, '*']);
      else assert.equal(headers.get('cache-control'), 'no-store');
      for (const name of ['x-powered-by', 'server', 'set-cookie'])
        assert.equal(headers.get(name), null, name);
    });
  }
});

suite('answers to callers', () => {
  test('may be read by no page', async () => {
    const asked = {...basic(acme), origin: listedOrigin};
    for (const init of [postJson(prequalificationBody, asked), {method: 'OPTIONS', headers: asked}]) {
      const names = [...(await server.fetch('/json/leads', init)).headers.keys()];
      assert.deepEqual(
        names.filter((name) => name.startsWith('access-control-')),
        [],
      );
    }
  });
});
