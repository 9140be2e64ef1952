/** Attacks that were tried against the service and got nowhere. They stay, so that none begins to succeed. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import {onePartner} from '../../../server/config/partners.ts';
import {openConnection, requestText} from '../../support/connection.ts';
import {basic, postJson, readJson} from '../../support/http.ts';
import {readLead, sendLead, sentLead, somebody} from '../../support/embed-client.ts';
import {openForSuite} from '../../support/opened.ts';
import {prequalificationBody, standardBody} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {acme, listedOrigin, startTestServer} from '../../support/test-server.ts';
import {openedLead} from '../../support/encrypted-rows.ts';

const consent = {text: 'I agree.', version: '2026-11', required: false};

const payloads = {
  'SQL that ends the statement': `x'); DROP TABLE leads; --`,
  'SQL that is always true': `x' OR '1'='1`,
  'a parameter of SQL': '$1 ? :name @x',
  'a cast of PostgreSQL': `x'::text || pg_sleep(5)::text`,
  'a script': '<script>alert(1)</script>',
  'an attribute that runs': '"><img src=x onerror=alert(1)>',
  'a formula of a spreadsheet': '=HYPERLINK("http://x.example";"y")',
  'a line of a log': '{"level":60,"msg":"planted"}',
  'a template': '${7*7}{{7*7}}<%= 7*7 %>',
};

forEachStore((store) => {
  const server = store.useServer({
    partners: [onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', consent})],
  });
  const counts = async () =>
    (
      await server.select(
        'SELECT (SELECT COUNT(*) FROM leads) AS leads, (SELECT COUNT(*) FROM idempotency_keys) AS keys',
      )
    )[0];

  suite('what an attacker types into a lead', () => {
    for (const [what, payload] of Object.entries(payloads)) {
      test(`a lead keeps hostile text as it is, in whichever field: ${what}`, async () => {
        const email = `${payload.replaceAll(/[\s@]/g, '')}@example.com`;
        const typed = {first_name: payload, last_name: payload, email, notes: payload};
        const body = postJson({...prequalificationBody, ...typed}, basic(acme));
        const {id} = await readJson<{id: string}>(await server.fetch('/json/leads', body), 201);
        assert.partialDeepStrictEqual((await openedLead(server, id)).lead, typed);
        const result = await server.fetch(`/json/leads/${id}`, {headers: basic(acme)});
        assert.equal((await readJson<{first_name: string}>(result, 200)).first_name, payload);
      });

      test(`hostile text changes nothing beside a lead, in any field, header or address: ${what}`, async () => {
        const before = await counts();
        const answer = await sentLead(server, somebody(), {
          body: {
            consent: {version: '2026-11', agreed: true},
            attribution: {utm_source: payload, referrer: payload, gclid: payload},
            page: payload,
            trap: payload,
            supersedes: {id: payload, token: payload},
          },
        });
        const encoded = encodeURIComponent(payload);
        const statuses = [
          await readLead(server, {id: encoded, token: answer.token}),
          await readLead(server, {id: answer.id, token: encoded}),
          await readLead(server, answer, {partner: encoded}),
          await server.fetch(`/json/leads/${encoded}`, {headers: basic(acme)}),
          await sendLead(server, somebody(), {key: payload.slice(0, 16).padEnd(16, "'")}),
        ].map(({status}) => status);
        assert.ok(
          statuses.every((status) => [201, 400, 403, 404, 422].includes(status)),
          `answered with ${statuses.join(', ')}`,
        );
        const now = await counts();
        assert.ok(Number(now!['leads']) >= Number(before!['leads']) + 1);
        const result = await readJson<{id: string}>(await readLead(server, answer), 200);
        assert.equal(result.id, answer.id);
      });
    }
  });

  suite('races on one idempotency key', () => {
    test('of two leads that race on one idempotency key one is stored, and the rest are told so', async () => {
      const key = randomUUID();
      const [first, second] = [somebody(), somebody()];
      const body = {consent: {version: '2026-11', agreed: true}};
      const responses = await Promise.all(
        Array.from({length: 40}, (_, index) => sendLead(server, index % 2 ? first : second, {key, body})),
      );
      const ids = new Set<string>();
      for (const response of responses) {
        assert.ok([201, 422].includes(response.status), String(response.status));
        if (response.status === 201) ids.add(((await response.json()) as {id: string}).id);
      }
      assert.equal(ids.size, 1);
      assert.equal(responses.filter(({status}) => status === 422).length, 20);
    });
  });
});

suite('a request that hides another one', () => {
  const server = openForSuite(() => startTestServer());

  const hidden = requestText('POST', '/json/leads', {...basic(acme), 'content-length': '0'});
  const json = {...basic(acme), 'content-type': 'application/json'};
  const body = JSON.stringify(standardBody);
  const withHead = (lines: string, rest: string) =>
    `POST /json/leads HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${basic(acme).authorization}\r\n` +
    `Content-Type: application/json\r\n${lines}\r\n\r\n${rest}`;
  const rows: Record<string, string> = {
    'behind two ways to tell its length': withHead(
      `Content-Length: 5\r\nTransfer-Encoding: chunked`,
      `0\r\n\r\n${hidden}`,
    ),
    'behind two ways to tell its length, in the other order': withHead(
      `Transfer-Encoding: chunked\r\nContent-Length: ${body.length}`,
      `0\r\n\r\n${hidden}`,
    ),
    'behind an encoding that is spelt oddly': withHead('Transfer-Encoding: xchunked', `0\r\n\r\n${hidden}`),
    'behind an encoding with a space before its colon': withHead(
      'Transfer-Encoding : chunked',
      `0\r\n\r\n${hidden}`,
    ),
    'behind two encodings': withHead(
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
      `0\r\n\r\n${hidden}`,
    ),
    'behind a folded header': withHead('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${hidden}`),
    'behind a length with a sign': withHead('Content-Length: +0', hidden),
    'behind a length in hexadecimal': withHead('Content-Length: 0x0', hidden),
    'behind a chunk whose size is too large': withHead(
      'Transfer-Encoding: chunked',
      `fffffffffffffffff\r\n${hidden}`,
    ),
    'behind a bare line feed': withHead('X: y\nContent-Length: 0', hidden),
  };
  for (const [how, sent] of Object.entries(rows)) {
    test(`is refused, and the hidden one is not answered: ${how}`, async () => {
      const connection = await openConnection(server.port);
      connection.send(sent);
      const statuses = (await connection.ended()).map(({status}) => status);
      assert.equal(statuses.length, 1, `answered with ${statuses.join(', ')}`);
      assert.equal(statuses[0], 400);
    });
  }

  test('is a request of its own where it is a body by its length', async () => {
    const connection = await openConnection(server.port);
    const length = String(Buffer.byteLength(hidden));
    connection.send(requestText('POST', '/json/leads', {...json, 'content-length': length}, hidden));
    assert.equal((await connection.answer()).status, 400);
    connection.close();
  });
});
