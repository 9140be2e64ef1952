/** Signed statements in events, and the keys with which others verify them. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {Config} from '../../../../server/config/config.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {NotTried} from '../../../../server/destinations/breaker.ts';
import {createWebhook} from '../../../../server/destinations/webhook/webhook.ts';
import {renewEvidenceKey} from '../../../../server/admin/evidence.ts';
import {formerKeys, statementOf} from '../../../../server/leads/evidence.ts';
import type {LeadEvent} from '../../../../server/leads/lead-event.ts';
import type {AttachedStore} from '../../../../server/leads/ports.ts';
import {StoreUnavailable} from '../../../../server/leads/store-errors.ts';
import {openStore, openAttachedStore} from '../../../../server/store/open-store.ts';
import {createEncryptor} from '../../../../server/store/encryption.ts';
import {sentLead, somebody} from '../../../support/embed-client.ts';
import {eraseLead} from '../../../support/erase-lead.ts';
import {readJson, readProblem, type FetchPath} from '../../../support/http.ts';
import {openFor, openWhile} from '../../../support/opened.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {sampleConsent} from '../../../support/sample-leads.ts';
import {eventRequest} from '../../../support/sample-events.ts';
import {forEachStore, sqlite} from '../../../support/stores.ts';
import {listedOrigin, startTestServer, type TestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';
import {replyWith, startWebhookReceiver, type WebhookReceiver} from '../../../support/webhook-receiver.ts';

const word = 'a word of at least 32 characters, of 1.8';
const [former] = formerKeys([word]);
const text = 'You may call me about funding.';
const partner = onePartner({
  key: 'acme',
  origins: [listedOrigin],
  cid: '1001',
  send_to: ['crm'],
  consent: {version: '1', text, required: true},
});
const configFor = ({settings}: WebhookReceiver, changes: Partial<Config> = {}): Partial<Config> => ({
  partners: [partner],
  destinations: new Map([['crm', settings]]),
  dataKeys: ['a data key of at least 32 characters'],
  ...changes,
});
const withStore = <Result>({config}: TestServer, work: (store: AttachedStore) => Promise<Result>) =>
  openWhile(openAttachedStore(config, createEncryptor(config.dataKeys), true), work);
const agreed = {body: {consent: {version: '1', agreed: true}}};

const path = '/.well-known/lead-prequal/keys.json';
type Keys = {keys: {kid: string; x: string}[]};
const keysOf = async (server: {fetch: FetchPath}) =>
  (await readJson<Keys>(await server.fetch(path), 200)).keys.map(({kid}) => kid);

const consentIn = (body: string | undefined) => {
  const {consent} = (JSON.parse(body ?? '') as LeadEvent).data;
  return consent ?? assert.fail('The event has no consent');
};
const kidOf = (statement = '') =>
  (JSON.parse(Buffer.from(statement.split('.')[0] ?? '', 'base64url').toString()) as {kid: string}).kid;

/** The bodies that came, once so many have. */
async function bodies(receiver: WebhookReceiver, count: number) {
  await receiver.hasReceived(count);
  return receiver.received.map(({body}) => body);
}

forEachStore((over) => {
  suite('a statement in an event', () => {
    test('is the same in each attempt, also of another process, and after another key came first', async (t) => {
      const receiver = await openFor(t, startWebhookReceiver(replyWith(500)));
      const server = await openFor(
        t,
        over.startServer(configFor(receiver, {formerEvidenceWords: [word]}), quickTimings),
      );
      await sentLead(server, somebody(), agreed);
      await receiver.hasReceived(2);
      const newKey = await withStore(server, (store) => renewEvidenceKey({store}));
      await server.reload({destinations: new Map()});
      const count = receiver.received.length;
      const {databasePath, databaseUrl} = server.config;
      const other = await openFor(
        t,
        startTestServer(configFor(receiver, {databasePath, databaseUrl}), quickTimings),
      );
      await receiver.hasReceived(count + 2);
      receiver.answerWith(replyWith(204));
      const all = await bodies(receiver, receiver.received.length + 1);
      assert.equal(new Set(all).size, 1);
      assert.equal(kidOf(consentIn(all[0]).statement), former?.id);

      await sentLead(other, somebody(), agreed);
      const last = (await bodies(receiver, all.length + 1)).at(-1);
      assert.equal(kidOf(consentIn(last).statement), newKey);
      assert.deepEqual(await keysOf(other), [former?.id, newKey]);
    });

    test('is signed with a new key by a server that runs, once an operator made one', async (t) => {
      const receiver = await openFor(t, startWebhookReceiver());
      const server = await openFor(t, over.startServer(configFor(receiver), quickTimings));
      const newKey = await withStore(server, (store) => renewEvidenceKey({store}));
      await until(async () => {
        const count = receiver.received.length;
        await sentLead(server, somebody(), agreed);
        const last = (await bodies(receiver, count + 1)).at(-1);
        return kidOf(consentIn(last).statement) === newKey;
      });
    });

    test('can be made again of what is kept when the lead is erased', async (t) => {
      const receiver = await openFor(t, startWebhookReceiver());
      const server = await openFor(t, over.startServer(configFor(receiver)));
      const {id} = await sentLead(server, somebody(), agreed);
      const [body] = await bodies(receiver, 1);
      await eraseLead(server.config, id);
      const kept = await openWhile(
        openStore(server.config, createEncryptor(server.config.dataKeys)),
        async (store) => (await store.keptConsents([id])).get(id),
      );
      if (!kept || kept instanceof Error) return assert.fail('Nothing is kept');
      const {consent, digests} = kept;
      const createdAt = Date.parse((JSON.parse(body ?? '') as LeadEvent).data.created_at);
      const lead = {id, createdAt, partner: 'acme'};
      assert.ok(digests);
      const {keys} = await withStore(server, (store) => store.evidenceKeys());
      const again = statementOf({lead, consent, digests, words: text}, keys);
      assert.equal(again, consentIn(body).statement);
      assert.equal(consent.evidence?.salt, consentIn(body).salt);
    });
  });
});

suite('what makes statements', () => {
  const signed = {statement: 'a.b.c', salt: 'salt'};
  const deliver = async (
    t: TestContext,
    sign: () => Promise<typeof signed>,
    content: 'created' | 'answered',
  ) => {
    const {settings, received} = await openFor(t, startWebhookReceiver());
    const statements = {sign, revokeLink: () => Promise.resolve('https://leads.example.com/revoke')};
    const webhook = await openFor(t, createWebhook(settings, 10_000, {}, statements));
    const outcome = await webhook
      .deliver(eventRequest({consent: sampleConsent}, content))
      .catch((error: unknown) => error);
    return {outcome, bodies: received.map(({body}) => body)};
  };
  test('is asked for the event that a lead was created, and for no other', async (t) => {
    const sign = () => Promise.resolve(signed);
    const created = await deliver(t, sign, 'created');
    assert.partialDeepStrictEqual(consentIn(created.bodies[0]), signed);
    const answered = await deliver(t, sign, 'answered');
    assert.ok(!('statement' in consentIn(answered.bodies[0])));
  });
  test('lets the delivery wait when the store cannot be read', async (t) => {
    const sent = await deliver(t, () => Promise.reject(new StoreUnavailable('away')), 'created');
    assert.ok(sent.outcome instanceof NotTried);
    assert.deepEqual(sent.bodies, []);
  });
});

suite('the public keys', () => {
  test('may be read by any page, and are kept for a while', async (t) => {
    const server = await openFor(t, sqlite.startServer({formerEvidenceWords: [word]}));
    const response = await server.fetch(path);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.equal(response.headers.get('cache-control'), 'public, max-age=300');
    const {keys} = await readJson<Keys>(response, 200);
    const {publicKey: x, id: kid} = former!;
    assert.deepEqual(keys, [{kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA'}]);
    await readProblem(await server.fetch(path, {method: 'POST'}), 405, 'method-not-allowed');
  });
  test('are read again after the store could not be read', async (t) => {
    const server = await openFor(t, sqlite.startServer({formerEvidenceWords: [word]}));
    await server.execute('ALTER TABLE evidence_keys RENAME TO elsewhere');
    await readProblem(await server.fetch(path), 500, 'internal');
    await server.execute('ALTER TABLE elsewhere RENAME TO evidence_keys');
    assert.deepEqual(await keysOf(server), [former?.id]);
  });
});
