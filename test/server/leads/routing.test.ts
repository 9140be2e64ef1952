/** Leads that go where the rules of `send_to` say: at once, or when their amounts are known. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {usualTimings} from '../../../server/config/timings.ts';
import type {Rule, When} from '../../../server/config/routes.ts';
import {createLeadService} from '../../../server/leads/lead-service.ts';
import type {NewLead} from '../../../server/leads/new-lead.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {routed} from '../../../server/leads/routing.ts';
import type {Answer} from '../../../server/leads/stored-lead.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {openFor} from '../../support/opened.ts';
import {asLead, claimAt, doneAnswer, prequalificationBody, standardBody} from '../../support/sample-leads.ts';
import {forEachStore, type Store} from '../../support/stores.ts';
import {testEncryptor} from '../../support/test-server.ts';

// Its total is $862,000, and its score is above 720.
const inTexas = asLead({...prequalificationBody, state: 'TX'});
const known = {lead: inTexas, answer: doneAnswer, language: 'es-US', context: {brand: 'north'}};
const [pending, refused]: Answer[] = [{status: 'pending'}, {status: 'refused'}];

suite('the rules of a route', () => {
  const cases: [when: When, holds: boolean, facts?: object][] = [
    [{state: ['OK', 'TX']}, true],
    [{state: ['OK']}, false],
    [{state: ['TX']}, false, {lead: asLead(prequalificationBody)}],
    [{total_at_least: 862_000}, true],
    [{total_at_least: 862_001}, false],
    [{total_at_least: 1}, false, {answer: refused}],
    [{total_at_least: 1}, false, {lead: asLead(standardBody), answer: {...doneAnswer, amounts: null}}],
    [{credit_score: ['Above 720']}, true],
    [{credit_score: ['Above 720']}, false, {lead: asLead(standardBody)}],
    [{lead_type: ['standard']}, false],
    [{language: ['es']}, true],
    [{language: ['es']}, false, {language: undefined}],
    [{context: {brand: ['south', 'north']}}, true],
    [{context: {brand: ['north'], campaign: ['x']}}, false],
    [{state: ['TX'], language: ['en']}, false],
  ];
  for (const [when, holds, facts = {}] of cases)
    test(`${JSON.stringify(when)} is ${holds}${JSON.stringify(facts).slice(0, 40)}`, () => {
      const rules: Rule[] = [
        {to: 'some', when},
        {to: 'rest', otherwise: true},
      ];
      assert.deepEqual(routed(rules, {...known, ...facts}), {taken: [holds ? 'some' : 'rest'], open: []});
    });

  test('what depends on amounts that are not known stays open, and so does who gets the others', () => {
    const facts = {...known, answer: pending!};
    const [large, elsewhere, spanish, rest]: Rule[] = [
      {to: 'large', when: {total_at_least: 500_000, state: ['TX']}},
      {to: 'elsewhere', when: {total_at_least: 1, state: ['NY']}},
      {to: 'spanish', when: {language: ['es']}},
      {to: 'rest', otherwise: true},
    ];
    const isOpen = {to: 'large', least: 500_000};
    assert.deepEqual(routed([large!, elsewhere!, rest!], facts), {
      taken: [],
      open: [isOpen, {to: 'rest', least: null}],
    });
    assert.deepEqual(routed([large!, spanish!, rest!], facts), {taken: ['spanish'], open: [isOpen]});
    assert.deepEqual(routed([elsewhere!, rest!], facts), {taken: ['rest'], open: []});
  });
});

const rules: Rule[] = [
  {to: 'large', when: {total_at_least: 800_000}},
  {to: 'small', when: {total_at_least: 1}},
  {to: 'texas', when: {state: ['TX']}},
  {to: 'rest', otherwise: true},
];
const lead = asLead(prequalificationBody);

async function openService(t: TestContext, over: Store) {
  const server = await openFor(t, over.startServer());
  const store = await openFor(t, openStore(server.config, testEncryptor));
  const dispatcher = {
    deliver: () => Promise.resolve(pending!),
    contentFor: (name: string) => (name === 'up' ? ('lead' as const) : ('created' as const)),
    addressOf: (name: string) => (name === 'gone' ? null : `at ${name}`),
    reserve: () => false,
    abandon: () => undefined,
    close: () => Promise.resolve(),
  };
  const given = {store, dispatcher, emit: () => undefined, timings: usualTimings};
  const service = createLeadService({...given, calculate: () => doneAnswer});
  const take = async (changes: Partial<NewLead> = {}) => {
    const given = {lead, partner: 'acme', answerFrom: 'up', rules, sendTo: ['all'], ...changes};
    const accepted = await service.submit(given);
    assert.ok(accepted.outcome === 'created');
    return accepted.stored.id;
  };
  const settle = async (state: 'delivered' | 'refused', meanwhile?: () => Promise<void>) => {
    const now = Date.now();
    const {due} = await store.claimDue('up', claimAt(now));
    const [{lead}] = due as [(typeof due)[number]];
    await meanwhile?.();
    const key = {lead: lead.id, destination: 'up', content: 'lead' as const};
    const settlement =
      state === 'refused' ? ({state, reason: 'no'} as const) : ({state, answer: doneAnswer} as const);
    await store.settle(key, due[0]!.leaseEnd, settlement);
  };
  return {store, take, settle, ...server};
}
/** Who gets the lead by an event of its own, and how many open questions there are. */
const wentTo = async (store: LeadStore, id: string) =>
  (await store.listDeliveries(100, {lead: id}))
    .concat(await store.listDeliveries(100, {lead: id, state: 'dropped'}))
    .filter(({content}) => content === 'created')
    .map(({destination, state}) => (state === 'waiting' ? destination : `${destination} ${state}`))
    .toSorted();

forEachStore((over) => {
  suite(`routes over ${over.name}`, () => {
    test('the amounts of an upstream decide, once, by the rules of the commit', async (t) => {
      const {store, take, settle, ...server} = await openService(t, over);
      const id = await take();
      assert.deepEqual(await wentTo(store, id), ['all']);
      await settle('delivered');
      assert.deepEqual(await wentTo(store, id), ['all', 'large', 'small']);
      assert.deepEqual(await server.select('SELECT * FROM open_routes'), []);
      const told = await store.listDeliveries(100, {lead: id, content: 'answered'});
      assert.deepEqual(
        told.map(({destination}) => destination),
        ['all'],
        'the others read the answer in the lead itself',
      );
      const [row] = await store.listDeliveries(1, {lead: id, destination: 'large'});
      assert.equal(row?.address, 'at large');
    });

    test('a refusal leaves no amounts, also one by an operator', async (t) => {
      const {store, take, settle} = await openService(t, over);
      const first = await take();
      await settle('refused');
      assert.deepEqual(await wentTo(store, first), ['all', 'rest']);
      const dropped = await take();
      assert.equal(await store.dropDeliveries(Date.now(), {lead: dropped, destination: 'up'}), 1);
      assert.deepEqual(await wentTo(store, dropped), ['all', 'rest']);
      const texan = await take({lead: inTexas});
      await settle('refused');
      assert.deepEqual(await wentTo(store, texan), ['all', 'texas'], 'a rule took it before');
    });

    test('a correction and a repeat go where the first went, whatever the rules say now', async (t) => {
      const {store, take} = await openService(t, over);
      const given = {answerFrom: undefined, sendTo: []};
      const earlier: Rule[] = [
        {to: 'former', when: {state: ['TX']}},
        {to: 'gone', otherwise: true},
      ];
      const leadDigests = ['the same'];
      const first = await take({...given, rules: [...earlier], lead: inTexas, leadDigests});
      const now = [
        {to: 'large', when: {total_at_least: 800_000}},
        {to: 'rest', otherwise: true as const},
      ];
      const correction = await take({...given, rules: now, lead: inTexas, supersedes: first});
      assert.deepEqual(await wentTo(store, correction), ['former', 'large']);
      const repeat = await take({...given, rules: [now[1]!], lead: inTexas, leadDigests});
      assert.deepEqual(await wentTo(store, repeat), ['former', 'rest']);
      const elsewhere = await take({...given, rules: earlier});
      const later = await take({...given, rules: now, supersedes: elsewhere});
      assert.deepEqual(
        await wentTo(store, later),
        ['large'],
        'no destination that is not configured any more',
      );
    });

    test('after a stop or an erasure nobody else is told', async (t) => {
      const {store, take, settle, ...server} = await openService(t, over);
      const stopped = await take();
      await settle('delivered', () =>
        server.execute(`UPDATE leads SET revoked_at = 1, revoked_for = 'all' WHERE id = '${stopped}'`),
      );
      assert.deepEqual(await wentTo(store, stopped), ['all']);
      const erased = await take();
      await store.erase(erased, Date.now(), () => false);
      assert.deepEqual(await server.select('SELECT * FROM open_routes'), []);
    });

    test('what is held until somebody decides about a sender holds those that come later, too', async (t) => {
      const {store, take, settle} = await openService(t, over);
      const id = await take({hold: true, suspect: 'trap'});
      await store.retryDeliveries(Date.now(), {lead: id, destination: 'up', state: 'held'});
      await settle('delivered');
      assert.deepEqual(await wentTo(store, id), ['all held', 'large held', 'small held']);
    });
  });
});
