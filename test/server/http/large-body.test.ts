/** Bodies that are larger than a lead can be, on any path: the server answers without reading them to the end. */
import assert from 'node:assert/strict';
import {connect} from 'node:net';
import {after, suite, test} from 'node:test';
import {openConnection, requestText} from '../../support/connection.ts';
import {basic, readJson, readProblem} from '../../support/http.ts';
import {standardBody} from '../../support/sample-leads.ts';
import {acme, listedOrigin, startTestServer} from '../../support/test-server.ts';

const server = await startTestServer();
after(() => server.close());

const json = {'content-type': 'application/json'};
const page = {origin: listedOrigin, 'idempotency-key': 'a-key-of-sixteen'};
const large = {'content-length': String(10 * 1024 ** 3)};
const chunked = {'transfer-encoding': 'chunked'};
/** One chunk of 20,000 bytes; the chunk that would end the body never comes. */
const chunks = `4e20\r\n${' '.repeat(20_000)}\r\n`;

const rows: Record<
  string,
  [method: string, path: string, headers: Record<string, string>, status: number, code?: string]
> = {
  'a lead of a caller': ['POST', '/json/leads', {...json, ...basic(acme)}, 413, 'body-too-large'],
  'a lead of a page': ['POST', '/embed/v1/leads?partner=acme', {...json, ...page}, 413, 'body-too-large'],
  'a caller without credentials': ['POST', '/json/leads', json, 401, 'unauthorized'],
  'a body that is not JSON': ['POST', '/json/leads', basic(acme), 415, 'not-json'],
  'a path that there is not': ['POST', '/nowhere', json, 404, 'not-found'],
  'a method that there is not': ['PUT', '/json/leads', {...json, ...basic(acme)}, 405, 'method-not-allowed'],
  'a GET': ['GET', '/openapi.json', {}, 200],
};

for (const [how, headers, sent] of [
  ['10 GB are declared and none has come', large, ''],
  ['10 GB are declared and some have come', large, 'x'.repeat(100_000)],
  ['20 kB have come in chunks without an end', chunked, chunks],
] as const) {
  suite(`when ${how}`, () => {
    for (const [what, [method, path, own, status, code]] of Object.entries(rows)) {
      test(`${what} is answered with ${status}, and the connection ends`, async () => {
        const connection = await openConnection(server.port);
        connection.send(requestText(method, path, {...own, ...headers}, sent));
        const answer = await connection.answer();
        assert.equal(answer.headers.get('connection'), 'close');
        if (code) await readProblem(answer, status, code);
        else assert.equal(answer.status, status);
        assert.deepEqual(await connection.ended(), []);
      });
    }
  });
}

suite('the body of a request', () => {
  test('is not asked for when it is too large', async () => {
    const connection = await openConnection(server.port);
    const headers = {...json, ...basic(acme), ...large, expect: '100-continue'};
    connection.send(requestText('POST', '/json/leads', headers));
    await readProblem(await connection.answer(), 413, 'body-too-large');
    assert.deepEqual(await connection.ended(), []);
  });
  test('an endless body is not read on beyond the buffers of the server', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const {promise: closed, resolve} = Promise.withResolvers<void>();
    socket.on('close', () => resolve());
    socket.resume();
    socket.write(requestText('POST', '/json/leads', {...json, ...chunked}));
    const megabyte = Buffer.from(`100000\r\n${'x'.repeat(0x100000)}\r\n`);
    let taken = 0;
    const pour = () => {
      if (socket.writable) socket.write(megabyte, (error) => error || ((taken += 1), pour()));
    };
    pour();
    await closed;
    assert.ok(taken < 50, `${taken} MB were taken`);
  });
  test('may come in chunks, and the connection goes on', async () => {
    const connection = await openConnection(server.port);
    const text = JSON.stringify(standardBody);
    const body = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    for (let count = 0; count < 2; count += 1) {
      connection.send(requestText('POST', '/json/leads', {...json, ...basic(acme), ...chunked}, body));
      const answer = await connection.answer();
      assert.notEqual(answer.headers.get('connection'), 'close');
      await readJson(answer, 201);
    }
    connection.close();
  });
  test('a small body leaves the connection as it was, and the answer says how long it is kept', async () => {
    const connection = await openConnection(server.port);
    const text = JSON.stringify(standardBody);
    const length = {'content-length': String(Buffer.byteLength(text))};
    connection.send(requestText('POST', '/json/leads', {...json, ...basic(acme), ...length}, text));
    const answer = await connection.answer();
    assert.equal(answer.headers.get('connection'), 'keep-alive');
    assert.match(answer.headers.get('keep-alive') ?? '', /^timeout=\d+$/);
    await readJson(answer, 201);
    connection.close();
  });
  test('that breaks off stores nothing and is no fault of the server', async () => {
    const connection = await openConnection(server.port);
    const before = server.logLines.length;
    const headers = {...json, ...basic(acme), 'content-length': '1000', expect: '100-continue'};
    connection.send(requestText('POST', '/json/leads', headers));
    await connection.continued();
    connection.close();
    while (server.logLines.length === before) await new Promise((resolve) => setImmediate(resolve));
    assert.doesNotMatch(server.logLines.slice(before).join(''), /"level":50/);
  });
});
