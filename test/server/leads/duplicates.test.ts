/** The same person's same lead again, corrections, and what looks like a machine's. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, mock, suite, test} from 'node:test';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {onePartner} from '../../../server/config/partners.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {json, startFakeUpstream, type FakeUpstream, type Script} from '../../support/fake-upstream.ts';
import {readJson} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {readLead, sendLead, sentLead, somebody} from '../../support/embed-client.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {standardBody, without} from '../../support/sample-leads.ts';
import {forEachStore, type StoredServer} from '../../support/stores.ts';
import {listedOrigin, through, testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const hour = 3_600_000;
const partner = (key: string, changes: object = {}) =>
  onePartner({key, origins: [listedOrigin], cid: '1001', ...changes});
const all = [
  partner('acme'),
  partner('other'),
  partner('unmerged', {merge_duplicates: false}),
  partner('merged', {merge_duplicates: true}),
  partner('held', {suspect: 'hold'}),
] as const;

async function later(milliseconds: number, work: () => Promise<void>) {
  mock.timers.enable({apis: ['Date'], now: Date.now() + milliseconds});
  await work().finally(() => mock.timers.reset());
}

forEachStore((store) => {
  const script: Script = {};
  const server = {} as StoredServer;
  let upstream: FakeUpstream;
  before(async () => {
    upstream = await startFakeUpstream(script);
    const timings = {...quickTimings, answerWait: 2_500, delivery: 30_000, lease: 45_000};
    Object.assign(server, await store.startServer(through(upstream.settings, [...all]), timings));
  });
  after(async () => {
    await upstream.close();
    await server.close();
  });

  const deliveries = (...answers: EmbedAnswer[]) =>
    answers.filter(({id}) => upstream.sent().includes(id)).length;
  const column = async (name: string, {id}: EmbedAnswer) =>
    (await server.select(`SELECT ${name} FROM leads WHERE id = '${id}'`))[0]?.[name];
  const read = async (answer: EmbedAnswer) => readJson<EmbedAnswer>(await readLead(server, answer), 200);

  suite('the same lead of the same person under another key', () => {
    test('the same lead under another key is answered like a first one, and delivered once', async () => {
      const lead = somebody();
      const first = await sentLead(server, lead);
      const again = await sentLead(server, {
        ...lead,
        email: lead.email.toUpperCase(),
        phone: '(202) 555-0142',
      });
      assert.notEqual(again.id, first.id);
      assert.notEqual(again.token, first.token);
      assert.deepEqual({...again, id: '', token: ''}, {...first, id: '', token: ''});
      assert.deepEqual(await read(again), again);
      assert.equal(deliveries(first, again), 1);
      assert.equal(await column('duplicate_of', again), first.id);
      assert.equal(await column('duplicate_of', first), null);
    });
    const standard = () => ({...without(standardBody, 'cid'), email: `${randomUUID()}@example.com`});
    test('a repeated standard lead is delivered twice, because a stranger may know its few fields', async () => {
      const lead = standard();
      const [first, again] = [await sentLead(server, lead), await sentLead(server, lead)];
      assert.equal(deliveries(first, again), 2);
      assert.equal(await column('duplicate_of', again), null);
    });
    test('a repeated standard lead is delivered once if the partner merges all', async () => {
      const [lead, sending] = [standard(), {partner: 'merged'}];
      const [first, again] = [await sentLead(server, lead, sending), await sentLead(server, lead, sending)];
      assert.equal(deliveries(first, again), 1);
      assert.equal(await column('duplicate_of', again), first.id);
    });
    test('is delivered once of twenty at once', async () => {
      const lead = somebody();
      const answers = await Promise.all(Array.from({length: 20}, () => sentLead(server, lead)));
      assert.equal(new Set(answers.map(({id}) => id)).size, 20);
      assert.equal(new Set(answers.map(({token}) => token)).size, 20);
      for (const answer of answers) {
        assert.deepEqual(Object.keys(answer), Object.keys(answers[0]!));
        await until(async () => (await read(answer)).status === 'done');
      }
      assert.equal(deliveries(...answers), 1);
    });
    test('the same lead under another key shows what becomes of the one that is delivered', async () => {
      const lead = somebody();
      script.create = json(422, {});
      const first = await sentLead(server, lead);
      const again = await sentLead(server, lead);
      delete script.create;
      assert.deepEqual([first.status, again.status], ['refused', 'refused']);
    });
    test('at another partner is another lead', async () => {
      const lead = somebody();
      const first = await sentLead(server, lead);
      const other = await sentLead(server, lead, {partner: 'other'});
      assert.equal(deliveries(first, other), 2);
    });
    test('a lead of the same person that says something else is another lead', async () => {
      const lead = somebody();
      const first = await sentLead(server, lead);
      const changed = await sentLead(server, {...lead, cash: 1});
      assert.equal(deliveries(first, changed), 2);
    });
    test('the same lead is another lead if the partner wants each', async () => {
      const lead = somebody();
      const sending = () => sentLead(server, lead, {partner: 'unmerged'});
      assert.equal(deliveries(await sending(), await sending()), 2);
    });
    test('is another lead a day later', async () => {
      const lead = somebody();
      const first = await sentLead(server, lead);
      await later(23.9 * hour, async () => assert.equal(deliveries(await sentLead(server, lead)), 0));
      await later(24.1 * hour, async () => assert.equal(deliveries(await sentLead(server, lead)), 1));
      assert.equal(deliveries(first), 1);
    });
    test('a duplicate that is repeated under its own key gives its own answer again', async () => {
      const [lead, key] = [somebody(), randomUUID()];
      await sentLead(server, lead);
      const again = await sentLead(server, lead, {key});
      assert.deepEqual(await sentLead(server, lead, {key}), again);
    });
  });

  suite('a lead that corrects another', () => {
    const correct = (supersedes: unknown, partnerKey = 'acme') =>
      sentLead(server, somebody(), {body: {supersedes}, partner: partnerKey});

    test('names it for operators', async () => {
      const {id, token} = await sentLead(server);
      assert.equal(await column('supersedes', await correct({id, token})), id);
    });
    test('a correction is the last word, even if it says what the visitor said before', async () => {
      const lead = somebody();
      const first = await sentLead(server, lead);
      const {id, token} = first;
      const second = await sentLead(server, {...lead, cash: 1}, {body: {supersedes: {id, token}}});
      const named = {id: second.id, token: second.token};
      const third = await sentLead(server, lead, {body: {supersedes: named}});
      assert.equal(await column('duplicate_of', third), null);
      assert.equal(upstream.sent().at(-1), third.id);
      assert.equal(deliveries(first, second, third), 3);
    });
    test('a correction names no lead without its token, at another partner, or in another form', async () => {
      const [mine, theirs] = [await sentLead(server), await sentLead(server)];
      for (const wrong of [
        {id: mine.id, token: theirs.token},
        {id: mine.id, token: ''},
        {id: mine.id},
        {id: randomUUID(), token: mine.token},
        {id: 'x'.repeat(3_000), token: mine.token},
        mine.id,
        null,
      ]) {
        assert.equal(await column('supersedes', await correct(wrong)), null);
      }
      const {id, token} = mine;
      assert.equal(await column('supersedes', await correct({id, token}, 'other')), null);
    });
  });

  suite('what looks like a machine', () => {
    const odd: [body: object, mark: string | null][] = [
      [{trap: 'x'}, 'trap'],
      [{elapsed_ms: 100}, 'fast'],
      [{trap: 'x', elapsed_ms: 0}, 'trap fast'],
      [{trap: '', elapsed_ms: 60_000}, null],
      [{}, null],
    ];
    for (const [body, mark] of odd) {
      test(`a suspect lead is marked and delivered all the same: ${JSON.stringify(body)}`, async () => {
        const answer = await sentLead(server, somebody(), {body});
        assert.equal(answer.status, 'done');
        assert.equal(await column('suspect', answer), mark);
        assert.equal(deliveries(answer), 1);
      });
    }
    test("a lead that looks like a machine's waits for the operator where the partner says so", async (t) => {
      const plain = await sentLead(server, somebody(), {partner: 'held'});
      assert.equal(plain.status, 'done');
      const answer = await sentLead(server, somebody(), {partner: 'held', body: {trap: 'x'}});
      assert.equal(answer.status, 'pending');
      const operator = await openFor(t, openStore(server.config, testEncryptor));
      const rows = (await operator.listDeliveries(100, {})).filter(({lead}) => lead === answer.id);
      assert.partialDeepStrictEqual(rows, [{state: 'held'}]);
      assert.equal(deliveries(answer), 0);
      await operator.retryDeliveries(Date.now(), {lead: answer.id});
      await until(() => deliveries(answer) === 1);
    });
    test('a lead that looks like that of a robot is answered as any other', async () => {
      const response = await sendLead(server, somebody(), {body: {trap: 'x'}});
      const plain = await sendLead(server);
      assert.deepEqual([...response.headers.keys()], [...plain.headers.keys()]);
    });
  });
});
