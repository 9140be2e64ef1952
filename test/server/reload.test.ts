/** A configuration that is read again while the server runs: what it changes, and what it leaves alone. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import type {EmbedConfig} from '../../contract/embed.ts';
import {defaultPolicy} from '../../calculator/policy.ts';
import {readRanges} from '../../server/config/addresses.ts';
import {addressOf} from '../../server/config/destinations.ts';
import {onePartner} from '../../server/config/partners.ts';
import {usualTimings} from '../../server/config/timings.ts';
import {newRequest} from '../../server/reload/reloads.ts';
import {startServer} from '../../server/server.ts';
import {makeEmbedVersion} from '../support/embed-folder.ts';
import {openConnection, requestText} from '../support/connection.ts';
import {readLead, sendLead, sentLead, somebody} from '../support/embed-client.ts';
import {basic, postJson, readJson, readProblem} from '../support/http.ts';
import {openFor} from '../support/opened.ts';
import {quickTimings} from '../support/quick-timings.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {forEachStore, sqlite, type StoredServer} from '../support/stores.ts';
import {acme, globex, listedOrigin, partners, testEncryptor} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {replyWith, startWebhookReceiver} from '../support/webhook-receiver.ts';
import {openAttachedStore} from '../../server/store/open-store.ts';

const [first] = partners;
const newcomer = onePartner({key: 'newcomer', origins: [listedOrigin], cid: '1001'});
const configOf = (server: StoredServer, partner: string) =>
  server.fetch(`/embed/v1/config?partner=${partner}`, {headers: {origin: listedOrigin}});
const consented = (version: string, text: string) =>
  onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', consent: {version, text, required: true}});
const consentTo = (version: string) => ({body: {consent: {version, agreed: true}}});

suite('a reload', () => {
  test('adds a partner, removes another one, and says both in the log', async (t) => {
    const server = await openFor(t, sqlite.startServer());
    await readProblem(await configOf(server, 'newcomer'), 403, 'unknown-partner');
    await server.reload({partners: [first, newcomer]});
    await readJson<EmbedConfig>(await configOf(server, 'newcomer'), 200);
    await readProblem(await configOf(server, 'contact-only'), 403, 'unknown-partner');
    const [line] = server.logLines.filter((text) => text.includes('"changes"'));
    assert.deepEqual((JSON.parse(line!) as {changes: string[]}).changes, [
      'partner newcomer added',
      'partner contact-only removed',
    ]);
  });

  test('warns of leads that nobody is told of, or may call, if the log has not just said so', async (t) => {
    const server = await openFor(t, sqlite.startServer({partners: [first]}));
    const doubts = () => server.logLines.join('\n').match(/(?<="warning":")[^.]+/g);
    const said = [
      'Nobody is told of the leads of acme',
      'Nobody is told of the leads that callers send (acme, acme-too, globex)',
      'Nobody may call the leads of acme, because visitors agree to nothing',
    ];
    assert.deepEqual(doubts(), said);
    await server.reload({partners: [consented('1', 'Acme may call me.')]});
    assert.deepEqual(doubts(), said);
    await server.reload({partners: [consented('1', '\u200b')]});
    const wordless = 'Consent texts are probably wrong: acme (has no words to read)';
    await server.reload({partners: [first]});
    assert.deepEqual(doubts(), [...said, wordless, said[2]]);
  });

  test('lets a request that has begun end under the configuration with which it began', async (t) => {
    const server = await openFor(t, sqlite.startServer());
    const connection = await openFor(t, openConnection(server.port));
    const body = JSON.stringify({lead: somebody()});
    const headers = {
      origin: listedOrigin,
      expect: '100-continue',
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    connection.send(requestText('POST', '/embed/v1/leads?partner=acme', headers));
    await connection.continued();
    await server.reload({partners: [newcomer]});
    connection.send(body);
    assert.equal((await connection.answer()).status, 201);
    await readProblem(await sendLead(server), 403, 'unknown-partner');
  });

  test('changes callers, token keys, policy and confirmations', async (t) => {
    const server = await openFor(t, sqlite.startServer());
    const create = (user: typeof acme) =>
      server.fetch('/json/leads', postJson({...prequalificationBody, cid: user.cids[0]}, basic(user)));
    const {id, token} = await sentLead(server);
    const policy = {...defaultPolicy, version: 'another', rollover: {minimum: 75_000}};
    const tokenKeys = ['a-new-token-key-that-is-long-enough-too', ...server.config.tokenKeys] as const;
    await server.reload({callers: [globex], tokenKeys, policy, confirmations: false});
    await readProblem(await create(acme), 401, 'unauthorized');
    await readJson(await create(globex), 201);
    await readJson(await readLead(server, {id, token}), 200);
    const later = await sentLead(server);
    assert.notEqual(later.token, token);
    const {minimums} = await readJson<EmbedConfig>(await configOf(server, 'acme'), 200);
    assert.equal(minimums.rollover_amount, 75_000);
    const [line] = server.logLines.filter((text) => text.includes('"changes"'));
    assert.doesNotMatch(line!, /a-new-token-key|password/);
  });

  test('stands for all signals that come before it begins to read', async (t) => {
    const server = await openFor(t, sqlite.startServer());
    await Promise.all(Array.from({length: 100}, () => server.reload({})));
    const count = () => server.logLines.filter((line) => line.includes('was read again')).length;
    assert.equal(count(), 1);
    await server.reload({});
    assert.equal(count(), 2);
  });

  test('changes limits, pages and versions, and keeps what was counted', async (t) => {
    const server = await openFor(
      t,
      sqlite.startServer((folder) => {
        const embedFolder = join(folder, 'embed');
        for (const version of ['1.98.0', '1.99.0'])
          makeEmbedVersion(embedFolder, version, {
            'lead-prequal-form.js': version,
            'lead-prequal-form.classic.js': version,
          });
        return {embedFolder, rateLimit: 3};
      }),
    );
    const statusOf = async (path: string) => (await server.fetch(path)).status;
    const old = '/embed/1.98.0/lead-prequal-form.js';
    for (let count = 0; count < 3; count += 1) await readJson(await configOf(server, 'acme'), 200);
    for (let count = 0; count < 20; count += 1)
      await server.fetch('/json/leads/1', {headers: basic({...acme, password: 'a-wrong-password'})});
    const pages = async () => [await statusOf(old), await statusOf('/embed/snippets?partner=acme')];
    const read = async () => (await server.fetch('/json/leads/1', {headers: basic(acme)})).status;
    assert.deepEqual([await pages(), await read()], [[200, 200], 429]);

    await server.reload({withdrawnVersions: ['9.9.9'], snippetsPage: false});
    assert.ok(server.logLines.some((line) => line.includes('withdrawn_versions names 9.9.9')));
    assert.deepEqual(await pages(), [200, 200]);

    await server.reload({withdrawnVersions: ['1.98.0'], snippetsPage: false, partners: [first, newcomer]});
    assert.deepEqual([await pages(), await read()], [[410, 404], 429]);
    await readProblem(await configOf(server, 'newcomer'), 429, 'too-many-requests');

    await server.reload({rateLimit: 5, proofOfWork: 7, signInExempt: readRanges('127.0.0.1')});
    const {challenge} = await readJson<EmbedConfig>(await configOf(server, 'newcomer'), 200);
    assert.ok(challenge);
    assert.equal(await read(), 404);
  });
});

forEachStore((store) => {
  suite('a reload', () => {
    test('asks for the new consent whoever saw the one before', async (t) => {
      const server = await openFor(t, store.startServer({partners: [consented('1', 'You may call me.')]}));
      const key = randomUUID();
      const lead = somebody();
      const {id} = await sentLead(server, lead, {key, ...consentTo('1')});
      await server.reload({partners: [consented('2', 'You may call me at any time.')]});
      await readProblem(await sendLead(server, somebody(), consentTo('1')), 422, 'consent-outdated');
      await sentLead(server, somebody(), consentTo('2'));
      assert.equal((await sentLead(server, lead, {key, ...consentTo('1')})).id, id);
    });

    test('is refused if a consent has another text under the same version', async (t) => {
      const server = await openFor(t, store.startServer({partners: [consented('1', 'You may call me.')]}));
      await sentLead(server, somebody(), consentTo('1'));
      await server.reload({partners: [consented('1', 'You may call me at any time.')]});
      const {consent} = await readJson<EmbedConfig>(await configOf(server, 'acme'), 200);
      assert.equal(consent?.text, 'You may call me.');
      assert.ok(server.logLines.some((line) => line.includes('give the new text a new version')));
    });
  });

  suite('a reload that would keep less than before', () => {
    const longer = {partners: [{...first, retainDays: 365, keepConsentYears: 7}, newcomer]} as const;
    const shorter = {partners: [{...first, retainDays: 30, keepConsentYears: 7}, newcomer]} as const;
    const noted = (server: StoredServer, text: string) =>
      server.logLines.filter((line) => line.includes(text)).length;

    test('is taken once the command asks for it, and not by the next signal', async (t) => {
      const server = await openFor(t, store.startServer(longer, quickTimings));
      const attached = await openFor(t, openAttachedStore(server.config, testEncryptor, true));
      await server.reload(shorter);
      assert.equal(noted(server, 'partner acme changed'), 0);
      await attached.askForReload(newRequest(true));
      await until(() => noted(server, 'partner acme changed') === 1);
      await server.reload({partners: [{...first, retainDays: 7, keepConsentYears: 7}, newcomer]});
      assert.equal(noted(server, 'partner acme changed'), 1);
      assert.equal(noted(server, 'from 30 to 7'), 1);
    });

    test('is refused by a server that starts after the command has asked for it', async (t) => {
      const server = await openFor(t, store.startServer(longer, quickTimings));
      const attached = await openFor(t, openAttachedStore(server.config, testEncryptor, true));
      await attached.askForReload(newRequest(true));
      const {promise: isRead, resolve} = Promise.withResolvers<readonly string[]>();
      const late = await startServer(
        {...server.config, port: 0},
        (seen) => seen.type === 'config-refused' && resolve(seen.faults),
        undefined,
        {...usualTimings, ...quickTimings},
        () => ({...server.config, ...shorter}),
      );
      t.after(() => late.close());
      assert.match((await isRead).join(), /from 365 to 30/);
    });
  });

  suite('a destination after a reload', () => {
    /** A server whose partner sends leads to a webhook that does not take them. */
    async function startAway(t: TestContext) {
      const receiver = await openFor(t, startWebhookReceiver(replyWith(500)));
      const sending = {partners: [{...first, sendTo: ['crm']}]} as const;
      const server = await openFor(
        t,
        store.startServer({...sending, destinations: new Map([['crm', receiver.settings]])}, quickTimings),
      );
      const rows = () => server.select('SELECT state, reason FROM deliveries');
      const states = async () => (await rows()).map(({state}) => state);
      return {receiver, sending, server, rows, states};
    }

    test('that was removed gets nothing until it is there again', async (t) => {
      const {receiver, sending, server, states} = await startAway(t);
      await sentLead(server);
      await receiver.hasReceived(2);
      await server.reload({partners: [first], destinations: new Map()});
      const isMissing = async () =>
        (await readJson<{status: string}>(await server.fetch('/health'), 200)).status === 'degraded';
      await until(isMissing);
      receiver.answerWith(replyWith(204));
      const before = receiver.received.length;
      await sentLead(server);
      assert.deepEqual(await states(), ['waiting']);
      assert.equal(receiver.received.length, before);
      await server.reload({...sending, destinations: new Map([['crm', receiver.settings]])});
      await until(async () => (await states()).join() === 'delivered');
      await until(async () => !(await isMissing()));
    });

    test('that has another address gets what comes, and what waited once an operator accepts it', async (t) => {
      const {receiver, server, states, rows} = await startAway(t);
      const next = await openFor(t, startWebhookReceiver());
      const earlier = await sentLead(server);
      await receiver.hasReceived(1);
      await server.reload({destinations: new Map([['crm', next.settings]])});
      await until(async () => (await states()).join() === 'held');
      assert.equal((await rows())[0]?.['reason'], 'elsewhere');
      const before = receiver.received.length;
      const later = await sentLead(server);
      await next.hasReceived(1);
      assert.ok(next.received[0]!.body.includes(later.id));

      const attached = await openAttachedStore(server.config, testEncryptor, true);
      assert.equal(await attached.acceptAddress(Date.now(), 'crm', addressOf(next.settings)), 1);
      await attached.close();
      await next.hasReceived(2);
      assert.ok(next.received[1]!.body.includes(earlier.id));
      await until(async () => (await states()).every((state) => state === 'delivered'));
      assert.equal(receiver.received.length, before);
    });

    test('whose address is the same goes on with its new terms', async (t) => {
      const {receiver, server, states} = await startAway(t);
      await sentLead(server);
      await receiver.hasReceived(1);
      receiver.answerWith(replyWith(204));
      await server.reload({destinations: new Map([['crm', {...receiver.settings, perSecond: 50}]])});
      await until(async () => (await states()).join() === 'delivered');
    });

    test('stays paused, and is not held for its address by a change of others', async (t) => {
      const {receiver, server, states} = await startAway(t);
      receiver.answerWith(replyWith(410));
      await sentLead(server);
      await until(() => server.logLines.some((line) => line.includes('is paused')));
      const count = receiver.received.length;
      await server.reload({partners: [{...first, sendTo: ['crm']}, newcomer]});
      await sentLead(server);
      assert.deepEqual(await states(), ['waiting', 'waiting']);
      assert.equal(receiver.received.length, count);
    });
  });
});
