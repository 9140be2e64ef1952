/** Which requests have a line in the log, and what stands in it. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import type {Config} from '../../../server/config/config.ts';
import {makeEmbedVersion} from '../../support/embed-folder.ts';
import {leadApi} from '../../support/fake-upstream.ts';
import {basic, postJson, readJson} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {sendLead} from '../../support/embed-client.ts';
import {columnOf} from '../../support/rows.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {acme, listedOrigin, startTestServer, through, type TestServer} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

type Line = {
  request?: string;
  path?: string;
  status?: number;
  caller?: string;
  partner?: string;
  lead?: string;
};

const script = 'lead-prequal-form.js';
const nobody = {...leadApi, url: 'http://127.0.0.1:1', user: 'user', password: 'password', cid: '1'};

async function start(t: TestContext, logLevel: Config['logLevel'] = 'info'): Promise<TestServer> {
  const starting = startTestServer((folder) => {
    makeEmbedVersion(join(folder, 'embed'), '1.99.0', {[script]: 'export {};'});
    return {embedFolder: join(folder, 'embed'), logLevel, ...through(nobody)};
  });
  return openFor(t, starting);
}

const requestLines = ({logLines}: TestServer) =>
  logLines.map((line) => JSON.parse(line) as Line).filter(({request, path}) => request && path);

/** Sends a request that has a line in any case, and waits for that line: those before it are written by then. */
async function settled(server: TestServer): Promise<Line[]> {
  const response = await server.fetch(`/json/leads/${randomUUID()}`, {headers: basic(acme)});
  const id = response.headers.get('x-request-id')!;
  await until(() => server.logLines.some((line) => line.includes(id)));
  return requestLines(server).filter(({request}) => request !== id);
}

suite('the line of a request', () => {
  test('names the caller or the partner, the route and the lead', async (t) => {
    const server = await start(t);
    const created = await server.fetch('/json/leads', postJson(prequalificationBody, basic(acme)));
    const {id} = await readJson<{id: string}>(created, 201);
    await server.fetch(`/json/leads/${randomUUID()}`, {headers: basic(acme)});
    const sent = await readJson<{id: string; token: string}>(await sendLead(server), 201);
    const headers = {origin: listedOrigin, authorization: `Bearer ${sent.token}`};
    await server.fetch(`/embed/v1/leads/${sent.id}?partner=acme`, {headers});
    const lines = await settled(server);
    assert.partialDeepStrictEqual(lines, [
      {path: '/json/leads', status: 201, caller: 'acme', lead: id},
      {path: '/json/leads/:id', status: 404, caller: 'acme'},
      {path: '/embed/v1/leads', status: 201, partner: 'acme', lead: sent.id},
      {path: '/embed/v1/leads/:id', status: 200, partner: 'acme', lead: sent.id},
    ]);
    assert.deepEqual(
      lines.map((line) => 'lead' in line),
      [true, false, true, true],
    );
  });
  test('holds nothing of a path that was typed', async (t) => {
    const server = await start(t, 'debug');
    const typed = 'jane%40example.com';
    for (const path of ['/', '/json/leads/', '/embed/v1/', '/embed/1.99.0/', '/docs/', '/json/leads/1/']) {
      await server.fetch(`${path}${typed}`, {headers: basic(acme)});
    }
    const lines = await settled(server);
    assert.equal(lines.length, 6);
    assert.ok(lines.some(({path}) => path === ':unknown'));
    assert.doesNotMatch(server.logLines.join(''), /jane/);
  });
});

suite('requests that anybody can send', () => {
  const ask: Record<string, (server: TestServer) => Promise<Response>> = {
    'for a path that there is not': (server) => server.fetch('/nowhere'),
    'without credentials': (server) => server.fetch('/json/leads/1'),
    'of a page that is not listed': (server) => sendLead(server, {}, {origin: 'https://evil.example'}),
    'for the configuration': (server) =>
      server.fetch('/embed/v1/config?partner=acme', {headers: {origin: listedOrigin}}),
  };
  for (const [what, send] of Object.entries(ask)) {
    test(`${what} have one line and a number, however many there are`, async (t) => {
      const server = await start(t);
      const statuses = [];
      for (let count = 0; count < 30; count += 1) statuses.push((await send(server)).status);
      const lines = await settled(server);
      assert.deepEqual(columnOf(lines, 'status'), [...new Set(statuses)]);
      await server.close();
      assert.ok(server.logLines.some((line) => line.includes('"repeated":29')));
    });
  }
  test('an answered request for a file, for health or for documentation has no line', async (t) => {
    const server = await start(t);
    for (const path of [`/embed/v1/${script}`, `/embed/1.99.0/${script}`, '/health', '/livez', '/docs']) {
      assert.equal((await server.fetch(path)).status, 200);
    }
    assert.deepEqual(await settled(server), []);
  });
  test('have a line each at the level debug', async (t) => {
    const server = await start(t, 'debug');
    for (const path of [`/embed/v1/${script}`, '/health', '/nowhere', '/nowhere']) await server.fetch(path);
    assert.equal((await settled(server)).length, 4);
  });
});

suite('an answer 503', () => {
  test('has one line and a number, also for a caller', async (t) => {
    const server = await start(t);
    const created = await server.fetch('/json/leads', postJson(prequalificationBody, basic(acme)));
    const {id} = await readJson<{id: string}>(created, 201);
    for (let count = 0; count < 20; count += 1) {
      const {status} = await server.fetch(`/json/leads/${id}`, {headers: basic(acme)});
      assert.equal(status, 503);
    }
    const lines = (await settled(server)).filter(({status}) => status === 503);
    assert.equal(lines.length, 1);
  });
});
