/** A new token key in front of the old one: what the old one made is still understood. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test, type TestContext} from 'node:test';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {startFakeUpstream} from '../../support/fake-upstream.ts';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {readLead, sendLead, sentLead, somebody} from '../../support/embed-client.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {newProof} from '../../support/solve.ts';
import {forEachStore, sqlite, type Store} from '../../support/stores.ts';
import {acme, startTestServer, through} from '../../support/test-server.ts';

const [oldKey, newKey] = ['old-token-key-'.repeat(3), 'new-token-key-'.repeat(3)];

/** The service before and after the change of keys, over one database. */
async function rotate(t: TestContext, store: Store, changes: object = {}) {
  const upstream = await startFakeUpstream();
  const config = {...through(upstream.settings), ...changes};
  const before = await store.startServer({...config, tokenKeys: [oldKey]});
  const {databasePath, databaseUrl} = before.config;
  const after = await startTestServer({...config, databasePath, databaseUrl, tokenKeys: [newKey, oldKey]});
  t.after(async () => {
    await upstream.close();
    await after.close();
    await before.close();
  });
  const stored = async () => (await before.select('SELECT id FROM leads')).length;
  return {upstream, before, after, stored};
}

forEachStore((store) => {
  suite('when the token key is rotated', () => {
    test('a request of a page finds its lead again after a rotation, and its key is still used', async (t) => {
      const {before, after, stored} = await rotate(t, store);
      const [lead, key] = [somebody(), randomUUID()];
      const first = await sentLead(before, lead, {key});
      const again = await sentLead(after, lead, {key});
      assert.equal(again.id, first.id);
      assert.equal(await stored(), 1);
      await readProblem(await sendLead(after, somebody(), {key}), 422, 'idempotency-key-reused');
      for (const {token} of [first, again]) {
        const read = await readJson<EmbedAnswer>(await readLead(after, {id: first.id, token}), 200);
        assert.equal(read.status, 'done');
      }
    });
    test('a repeated request of a caller gets its lead again', async (t) => {
      const {before, after, stored} = await rotate(t, store);
      const request = postJson(prequalificationBody, {...basic(acme), 'idempotency-key': randomUUID()});
      const first = await readJson(await before.fetch('/json/leads', request), 201);
      assert.deepEqual(await readJson(await after.fetch('/json/leads', request), 201), first);
      assert.equal(await stored(), 1);
    });
    test('the same lead of the same person is still delivered once', async (t) => {
      const {before, after, stored, upstream} = await rotate(t, store);
      const lead = somebody();
      const [first, again] = [await sentLead(before, lead), await sentLead(after, lead)];
      assert.notEqual(again.id, first.id);
      assert.equal(await stored(), 2);
      assert.deepEqual(upstream.sent(), [first.id]);
    });
  });
});

suite('a proof of work when the token key is rotated', () => {
  test('after a rotation a challenge of before is solved, and one of a lost key is not', async (t) => {
    const {before, after} = await rotate(t, sqlite, {proofOfWork: 4});
    const proof = await newProof(before);
    assert.equal((await sentLead(after, somebody(), {body: {proof}})).status, 'done');
    const ofNew = {body: {proof: await newProof(after)}};
    await readProblem(await sendLead(before, somebody(), ofNew), 403, 'proof-needed');
  });
  test('after a rotation a request without a proof finds its lead under the old key', async (t) => {
    const {before, after} = await rotate(t, sqlite, {proofOfWork: 4});
    const [lead, key] = [somebody(), randomUUID()];
    const first = await sentLead(before, lead, {key, body: {proof: await newProof(before)}});
    assert.equal((await sentLead(after, lead, {key})).id, first.id);
  });
});
