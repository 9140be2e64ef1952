/** Proof of work, and what a repeated request brings of it. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {mock, suite, test} from 'node:test';
import type {EmbedAnswer} from '../../../../contract/embed.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {startFakeUpstream} from '../../../support/fake-upstream.ts';
import {readJson, readProblem} from '../../../support/http.ts';
import {sendLead, sentLead, somebody} from '../../../support/embed-client.ts';
import {newChallenge, newProof, solve} from '../../../support/solve.ts';
import {forEachStore, sqlite} from '../../../support/stores.ts';
import {listedOrigin, through, type TestServer} from '../../../support/test-server.ts';
import {openFor} from '../../../support/opened.ts';

const derivations = 4;
const minute = 60_000;

/** The service's clock, from now on; its timers go on as they are. */
async function later(milliseconds: number, work: () => Promise<void>) {
  mock.timers.enable({apis: ['Date'], now: Date.now() + milliseconds});
  await work().finally(() => mock.timers.reset());
}

forEachStore((store) => {
  const server = store.useServer({proofOfWork: derivations});
  const stored = async () => (await server.select('SELECT id FROM leads')).length;

  suite('a proof of work', () => {
    test('lets a lead in', async () => {
      const {status} = await sentLead(server, somebody(), {body: {proof: await newProof(server)}});
      assert.equal(status, 'done');
    });

    const challengeOf = async () => (await newProof(server)).challenge;
    const wrong: Record<string, () => Promise<unknown>> = {
      missing: () => Promise.resolve(undefined),
      'a text': () => Promise.resolve('x'.repeat(1_000)),
      'an empty object': () => Promise.resolve({}),
      'a list': () => Promise.resolve([[], []]),
      'without a solution': async () => ({challenge: await challengeOf()}),
      'with the solution of another': async () => {
        const {challenge} = await newProof(server);
        return {challenge, solution: (await newProof(server)).solution};
      },
      'with another derived key': async () => {
        const {challenge, solution} = await newProof(server);
        return {challenge, solution: {...solution, derivedKey: solution.derivedKey.replace(/.$/, 'x')}};
      },
      'for an easier challenge': async () => {
        const {parameters, signature} = await challengeOf();
        return solve({parameters: {...parameters, keyPrefix: ''}, signature});
      },
      'for a challenge that never ends': async () => {
        const {parameters, signature} = await challengeOf();
        return solve({parameters: {...parameters, expiresAt: 99_999_999_999}, signature});
      },
      'for a challenge without signature': async () => {
        const {challenge, solution} = await newProof(server);
        return {challenge: {parameters: challenge.parameters}, solution};
      },
      'that costs the server much': async () => {
        const {challenge, solution} = await newProof(server);
        return {challenge: {...challenge, parameters: {...challenge.parameters, cost: 2 ** 31}}, solution};
      },
    };
    for (const [what, proof] of Object.entries(wrong)) {
      test(`is refused: ${what}`, async () => {
        const before = await stored();
        const response = await sendLead(server, somebody(), {body: {proof: await proof()}});
        await readProblem(response, 403, 'proof-needed');
        assert.equal(await stored(), before);
      });
    }

    test('is good for half an hour', async () => {
      const [first, second] = [await newProof(server), await newProof(server)];
      await later(29 * minute, async () => void (await sentLead(server, somebody(), {body: {proof: first}})));
      await later(31 * minute, async () => {
        const response = await sendLead(server, somebody(), {body: {proof: second}});
        await readProblem(response, 403, 'proof-needed');
      });
    });
    test('is good for one lead, and not spent by one that is refused', async () => {
      const proof = await newProof(server);
      await readProblem(await sendLead(server, {}, {body: {proof}}), 422, 'invalid-lead');
      await sentLead(server, somebody(), {body: {proof}});
      const before = await stored();
      const again = await sendLead(server, somebody(), {body: {proof}});
      await readProblem(again, 403, 'proof-needed');
      assert.equal(await stored(), before);
    });
    test('is good for one of many that come at once', async () => {
      const [proof, before] = [await newProof(server), await stored()];
      const responses = await Promise.all(
        Array.from({length: 20}, () => sendLead(server, somebody(), {body: {proof}})),
      );
      const statuses = responses.map(({status}) => status).toSorted();
      assert.deepEqual(statuses, [201, ...Array.from({length: 19}, () => 403)]);
      assert.equal(await stored(), before + 1);
    });
    test('an idempotency key stays free when its request is refused for its proof of work', async () => {
      const [proof, key] = [await newProof(server), randomUUID()];
      await sentLead(server, somebody(), {body: {proof}});
      await readProblem(await sendLead(server, somebody(), {body: {proof}, key}), 403, 'proof-needed');
      await sentLead(server, somebody(), {body: {proof: await newProof(server)}, key});
    });
  });

  suite('a repeated request', () => {
    test('gets its lead with a spent proof, with an expired one, and with none', async () => {
      const [lead, key, proof] = [somebody(), randomUUID(), await newProof(server)];
      const first = await sentLead(server, lead, {key, body: {proof}});
      const again = (body: object) => sentLead(server, lead, {key, body});
      assert.deepEqual(await again({proof}), first);
      assert.deepEqual(await again({}), first);
      assert.deepEqual(await again({proof: await newProof(server)}), first);
      await later(31 * minute, async () => assert.deepEqual(await again({proof}), first));
    });
    test('a key that was used for another lead is refused with 422, whatever the proof', async () => {
      const [key, proof] = [randomUUID(), await newProof(server)];
      await sentLead(server, somebody(), {key, body: {proof}});
      for (const body of [{proof}, {}, {proof: await newProof(server)}]) {
        await readProblem(await sendLead(server, somebody(), {key, body}), 422, 'idempotency-key-reused');
      }
    });
    test('fifty times at once is one lead and one delivery', async (t) => {
      const upstream = await openFor(t, startFakeUpstream());
      const changes = {...through(upstream.settings), proofOfWork: derivations};
      const other = await openFor(t, store.startServer(changes));
      const [lead, sending] = [somebody(), {key: randomUUID(), body: {proof: await newProof(other)}}];
      const responses = await Promise.all(Array.from({length: 50}, () => sendLead(other, lead, sending)));
      const answers = await Promise.all(responses.map((response) => readJson<EmbedAnswer>(response, 201)));
      const [{id, token}] = answers as [EmbedAnswer];
      for (const answer of answers) assert.partialDeepStrictEqual(answer, {id, token});
      assert.deepEqual(
        (await other.select('SELECT id FROM leads')).map((row) => row['id']),
        [id],
      );
      assert.deepEqual(upstream.sent(), [id]);
    });
  });
});

suite('beyond the quota', () => {
  const counters = async (partner: TestServer) =>
    Promise.all(Array.from({length: 8}, async () => solve(await newChallenge(partner)).solution.counter));
  const average = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  test('of a partner its challenges get harder, and nobody is refused', async (t) => {
    const partner = onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', quota_per_hour: 2});
    const other = await openFor(t, sqlite.startServer({proofOfWork: 20, partners: [partner]}));
    const before = await counters(other);
    for (let count = 0; count < 3; count += 1) {
      await sentLead(other, somebody(), {body: {proof: await newProof(other)}});
    }
    const after = await counters(other);
    assert.ok(
      average(after) > average(before) * 1.5 && Math.min(...after) > 30,
      `${before.join()} ${after.join()}`,
    );
    assert.equal(other.logLines.filter((line) => line.includes('over its quota')).length, 1);
  });
  test('a repeated request counts once towards the quota', async (t) => {
    const partner = onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', quota_per_hour: 1});
    const other = await openFor(t, sqlite.startServer({partners: [partner]}));
    const [lead, key] = [somebody(), randomUUID()];
    for (let count = 0; count < 3; count += 1) await sentLead(other, lead, {key});
    const overQuota = () => other.logLines.filter((line) => line.includes('over its quota')).length;
    assert.equal(overQuota(), 0);
    await sentLead(other);
    assert.equal(overQuota(), 1);
  });
  test('of an address its challenges get harder', async (t) => {
    const other = await openFor(t, sqlite.startServer({proofOfWork: 20}));
    for (let count = 0; count < 10; count += 1) {
      await sentLead(other, somebody(), {body: {proof: await newProof(other)}});
    }
    const after = await counters(other);
    assert.ok(Math.min(...after) > 30, String(after));
  });
});
