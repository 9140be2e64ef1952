import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, suite, test} from 'node:test';
import fc from '../../support/properties.ts';
import {Pool} from 'undici';
import {assertDeclared} from '../../support/declared.ts';
import {sentBody, type SentBody} from '../../support/hostile-bodies.ts';
import {basic} from '../../support/http.ts';
import {openForSuite} from '../../support/opened.ts';
import {acme, listedOrigin, startTestServer} from '../../support/test-server.ts';

/** Ten thousand bodies where other inputs are tried than in each run (`PROPERTY_SEED`), else a fifth. */
const [atOnce, rounds] = [50, process.env['PROPERTY_SEED'] ? 200 : 40];
const connections = 10;

/** For people: what can be printed of a body. */
const shown = (bytes: Uint8Array) => JSON.stringify(Buffer.from(bytes).toString().slice(0, 120));

suite('right, nearly right and hostile bodies', () => {
  const service = openForSuite(() => startTestServer());
  let pool: Pool;
  before(() => {
    pool = new Pool(service.url, {connections});
  });
  after(async () => {
    await pool.close();
  });

  const ways = {
    leads: {path: '/json/leads', headers: basic(acme)},
    embed: {path: '/embed/v1/leads?partner=acme', headers: {origin: listedOrigin}},
  };
  async function send({to, bytes}: SentBody) {
    const {path, headers} = ways[to];
    const own = {...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID()};
    const start = performance.now();
    const reply = await pool.request({method: 'POST', path, headers: own, body: bytes});
    const body = await reply.body.text();
    const answered = new Headers(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]));
    return {ms: performance.now() - start, path, status: reply.statusCode, headers: answered, body};
  }

  test('each of thousands of bodies gets an answer that is declared, and never a 5xx', async (t) => {
    const statuses = new Map<number, number>();
    let slowest: {ms: number; sent: SentBody}[] = [];
    const bodies = fc.array(sentBody, {minLength: atOnce, maxLength: atOnce, size: 'max'});
    await fc.assert(
      fc.asyncProperty(bodies, async (sent) => {
        const answers = await Promise.all(sent.map(send));
        for (const [index, {path, ms, ...answer}] of answers.entries()) {
          assert.ok(answer.status < 500, `${answer.status} to ${shown(sent[index]!.bytes)}`);
          assertDeclared('POST', path, answer);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          slowest.push({ms, sent: sent[index]!});
        }
        slowest = slowest.sort((a, b) => b.ms - a.ms).slice(0, 50);
      }),
      {numRuns: rounds},
    );
    t.diagnostic(`answers by status: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);
    // Among many a body waits for others: what it costs itself shows when it comes alone.
    let [alone, most] = [0, slowest[0]!.sent];
    for (const {sent} of slowest) {
      const {ms} = await send(sent);
      if (ms > alone) [alone, most] = [ms, sent];
    }
    t.diagnostic(
      `slowest: ${slowest[0]!.ms.toFixed(1)} ms among ${atOnce} at once, ${alone.toFixed(1)} ms alone`,
    );
    t.diagnostic(`slowest body: ${most.bytes.length} bytes to ${most.to}: ${shown(most.bytes)}`);
  });
});
