/** Clients that send extremely slowly. The server's limits are 10 s for headers and 15 s for a whole request. */
import assert from 'node:assert/strict';
import {after, before, suite, test} from 'node:test';
import {openConnection, requestText} from '../support/connection.ts';
import {basic, postJson, readJson, readProblem} from '../support/http.ts';
import {standardBody} from '../support/sample-leads.ts';
import {acme, startTestServer, type TestServer} from '../support/test-server.ts';

suite('a client that is too slow', {concurrency: true}, () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const body = JSON.stringify(standardBody);
  const length = {'content-type': 'application/json', 'content-length': String(body.length)};
  const request = () => requestText('POST', '/json/leads', {...basic(acme), ...length}, body);
  const headers = () => request().indexOf('\r\n\r\n') + 4;
  const rows: Record<string, {sent: () => string; drips?: string}> = {
    'with nothing at all': {sent: () => ''},
    'with half of its headers': {sent: () => request().slice(0, 40)},
    'with headers that never end': {sent: () => request().slice(0, 40), drips: 'x'},
    'with its body': {sent: () => request().slice(0, headers())},
    'with a body that comes in drips': {
      sent: () => request().slice(0, headers()),
      drips: ' ',
    },
  };
  for (const [how, {sent, drips}] of Object.entries(rows)) {
    test(`${how} is cut off, and holds up nobody else`, async () => {
      const connection = await openConnection(server.port);
      connection.send(sent());
      const dripping = drips && setInterval(() => connection.send(drips), 500);
      const answers = connection.ended().finally(() => clearInterval(dripping || undefined));
      await readJson(await server.fetch('/json/leads', postJson(standardBody, basic(acme))), 201);
      const [answer, ...others] = await answers;
      assert.deepEqual(others, []);
      await readProblem(answer!, 408, 'request-timeout');
    });
  }
});
