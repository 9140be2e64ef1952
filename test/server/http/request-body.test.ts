import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, suite, test} from 'node:test';
import {brotliCompressSync, gzipSync} from 'node:zlib';
import {limits} from '../../../contract/api.ts';
import {openConnection, requestText} from '../../support/connection.ts';
import {basic, fieldCodes, postJson, readJson, readProblem, requestRaw} from '../../support/http.ts';
import {prequalificationBody, standardBody} from '../../support/sample-leads.ts';
import {acme, listedOrigin, startTestServer} from '../../support/test-server.ts';

const server = await startTestServer();
after(() => server.close());

const address = `${server.url}/json/leads`;
const bytes = Buffer.from(JSON.stringify(standardBody));

/** To both APIs, as their callers would; one after the other, for each must say the same. */
async function bothProblems(
  body: BodyInit | undefined,
  headers: Record<string, string>,
  status: number,
  code: string,
) {
  const [toLeads, toEmbed] = [
    ['/json/leads', basic(acme)],
    ['/embed/v1/leads?partner=acme', {origin: listedOrigin, 'idempotency-key': 'a-key-of-sixteen'}],
  ] as const;
  const problems = [];
  for (const [path, own] of [toLeads, toEmbed]) {
    const init = {method: 'POST', body: body ?? null, headers: {...own, ...headers}};
    problems.push(await readProblem(await server.fetch(path, init), status, code));
  }
  return problems;
}
const json = {'content-type': 'application/json'};
const post = (body: unknown, headers: Record<string, string> = {}) =>
  server.fetch('/json/leads', postJson(body, {...basic(acme), ...headers}));

suite('a body that is not JSON', () => {
  for (const [what, body] of [
    ['cut off', '{"cid": "1001"'],
    ['of one brace', '{'],
    ['with a trailing comma', '{"cid": "1001",}'],
    ['with single quotes', "{'cid': '1001'}"],
    ['of two values', '{}{}'],
    ['of a form', 'cid=1001&first_name=Jane'],
    ['of spaces', '   '],
    ['that is empty', ''],
    ['of NaN', '{"cash": NaN}'],
    ['with a raw NUL', '{"cid": "10\0"}'],
  ] as const) {
    test(`is refused as malformed: ${what}`, async () => {
      await bothProblems(body, json, 400, 'malformed-json');
    });
  }
  test('an empty body is refused as malformed', async () => {
    await bothProblems(undefined, json, 400, 'malformed-json');
  });
  test('a body that is not UTF-8 is refused as malformed', async () => {
    const latin1 = Buffer.from(JSON.stringify({...standardBody, first_name: 'José'}), 'latin1');
    await bothProblems(latin1, json, 400, 'malformed-json');
  });
});

suite('the type of a body', () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/vnd.api+json',
    'text/json',
    'nonsense',
    'application/json; charset=utf-16',
    'application/json; charset=utf-7',
    'application/json; charset=iso-8859-1',
    'application/json; charset=nonsense',
  ]) {
    test(`may not be ${type}`, async () => {
      await bothProblems(bytes, {'content-type': type}, 415, 'not-json');
    });
  }
  test('may not be left out', async () => {
    const {status, body} = await requestRaw(address, {method: 'POST', headers: basic(acme)}, bytes);
    assert.equal(status, 415, body.toString());
  });
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json; charset=utf8',
  ]) {
    test(`may be ${type}`, async () => {
      await readJson(await post(standardBody, {'content-type': type}), 201);
    });
  }
  for (const name of ['expect', 'content-encoding']) {
    test(`may come with an empty header ${name}, as libraries write it that shall send none`, async () => {
      const headers = {...json, ...basic(acme), [name]: ''};
      const {status, body} = await requestRaw(address, {method: 'POST', headers}, bytes);
      assert.equal(status, 201, body.toString());
    });
  }
  for (const [encoding, body] of [
    ['gzip', gzipSync(bytes)],
    ['br', brotliCompressSync(bytes)],
    ['nonsense', bytes],
  ] as const) {
    test(`may not be compressed: ${encoding}`, async () => {
      await bothProblems(body, {...json, 'content-encoding': encoding}, 415, 'not-json');
    });
  }
});

suite('a byte order mark', () => {
  test('before the JSON is left out, for some clients on Windows always send it', async () => {
    const body = `\ufeff${JSON.stringify(standardBody)}`;
    await readJson(await post(body), 201);
    const lead = `\ufeff${JSON.stringify({lead: standardBody})}`;
    const headers = {origin: listedOrigin, 'idempotency-key': randomUUID()};
    await readJson(await server.fetch('/embed/v1/leads?partner=acme', postJson(lead, headers)), 201);
  });
});

suite('the size of a body', () => {
  const padded = (size: number) => {
    const start = JSON.stringify({...standardBody, padding: ''}).slice(0, -2);
    return `${start}${'x'.repeat(size - start.length - 2)}"}`;
  };
  test('may be 16 KiB', async () => {
    await readJson(await post(padded(16_384)), 201);
  });
  test('may not be a byte more', async () => {
    await bothProblems(padded(16_385), json, 413, 'body-too-large');
  });
  test('may not be more where its length is not announced', async () => {
    const body = new Blob([padded(200_000)]).stream();
    const init = {method: 'POST', body, duplex: 'half', headers: {...json, ...basic(acme)}} as RequestInit;
    await readProblem(await server.fetch('/json/leads', init), 413, 'body-too-large');
  });
});

suite('the shape of a body', () => {
  const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;
  const fields = Object.keys(standardBody).length;
  const {bodyDepth, bodyEntries} = limits;
  for (const [what, body] of Object.entries({
    'the most levels': {...standardBody, unknown: deep(bodyDepth - 1)},
    'the most values': {...standardBody, unknown: Array(bodyEntries - fields).fill(0)},
    'brackets and commas in its texts': {...standardBody, notes: '[{,'.repeat(600)},
    'escaped quotes in its texts': {...standardBody, notes: '\\"[\\'.repeat(400)},
  })) {
    test(`may have ${what}`, async () => {
      await readJson(await post(body), 201);
    });
  }
  for (const [what, body] of Object.entries({
    'a level more': {...standardBody, unknown: deep(bodyDepth)},
    'a value more': {...standardBody, unknown: Array(bodyEntries - fields + 1).fill(0)},
    'a field more': {...standardBody, ...Object.fromEntries(Array(bodyEntries).fill(0).entries())},
  })) {
    test(`may not have ${what}`, async () => {
      for (const problem of await bothProblems(JSON.stringify(body), json, 422, 'invalid-lead')) {
        assert.deepEqual(fieldCodes(problem), {'': 'invalid'});
      }
    });
  }
});

suite('JSON that is no lead', () => {
  for (const body of ['null', '5', '"lead"', 'true', '[]', '[{}]', '-0']) {
    test(`is refused as a whole: ${body}`, async () => {
      for (const problem of await bothProblems(body, json, 422, 'invalid-lead')) {
        assert.deepEqual(fieldCodes(problem), {'': 'invalid'});
      }
    });
  }
  test('JSON that is nested 8,000 deep is refused, wherever it stands', async () => {
    const deep = `${'['.repeat(8_000)}${']'.repeat(8_000)}`;
    await bothProblems(deep, json, 422, 'invalid-lead');
    const whole = JSON.stringify({...prequalificationBody, unknown: 0});
    const body = whole.replace('0}', `${deep.slice(1_000, -1_000)}}`);
    await bothProblems(body, json, 422, 'invalid-lead');
    const asName = body.replace('"unknown"', '"notes"');
    await readProblem(await post(asName), 422, 'invalid-lead');
  });
  test('of a field that stands twice in the JSON the last value is taken', async () => {
    const body = `{"cid": "9999", ${JSON.stringify(standardBody).slice(1)}`;
    await readJson(await post(body), 201);
  });
  test('a prototype that is planted in the JSON is harmless', async () => {
    const body = `{"__proto__": {"cid": "1001", "first_name": "Eve"}, "constructor": {"prototype": {"x": 1}}}`;
    const problem = await readProblem(await post(body), 422, 'invalid-lead');
    assert.equal(fieldCodes(problem)['first_name'], 'required');
  });
});

suite('what Node itself cannot parse', () => {
  for (const [what, sent, status, code] of [
    ['garbage', 'lead please\r\n\r\n', 400, 'bad-request'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n', 400, 'bad-request'],
    [
      'two lengths',
      'POST /json/leads HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
      'bad-request',
    ],
    [
      'a header of 20 kB',
      `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers-too-large',
    ],
    ['an address of another kind', 'GET foo://bar?x HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad-request'],
    ['a broken address', 'GET http://[::/json/leads HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad-request'],
    ['a missing host', 'GET /json/leads/1 HTTP/1.1\r\n\r\n', 400, 'bad-request'],
    ['two hosts', 'GET /json/leads/1 HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400, 'bad-request'],
    [
      'an unknown expectation',
      'POST /json/leads HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}',
      417,
      'expectation-failed',
    ],
  ] as const) {
    test(`what Node cannot parse gets a problem, and ends the connection: ${what}`, async () => {
      const connection = await openConnection(server.port);
      connection.send(sent);
      const [answer, ...others] = await connection.ended();
      await readProblem(answer!, status, code);
      assert.deepEqual(others, []);
    });
  }
  test('what Node cannot parse does not change the response to the whole request before it', async () => {
    const connection = await openConnection(server.port);
    const body = JSON.stringify(standardBody);
    const headers = {...basic(acme), ...json, 'content-length': String(Buffer.byteLength(body))};
    connection.send(`${requestText('POST', '/json/leads', headers, body)}XX\r\n\r\n`);
    const [answer, ...others] = await connection.ended();
    const {id} = await readJson<{id: string}>(answer!, 201);
    assert.deepEqual(others, []);
    const read = await server.fetch(`/json/leads/${id}`, {headers: basic(acme)});
    await readProblem(read, 404, 'no-prequalification');
  });
  test('a request that Node cannot parse leaves the server at work', async () => {
    await readJson(await post(standardBody), 201);
  });
});
