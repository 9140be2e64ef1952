/** The figures of operators, and the lists of leads with open deliveries, in each kind of store. */
import assert from 'node:assert/strict';
import {randomUUID, randomUUIDv7} from 'node:crypto';
import {before, suite, test} from 'node:test';
import {auditKept, maxIds} from '../../../server/leads/audit.ts';
import {firstIdAt} from '../../../server/leads/lead-ids.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {openFor, openForSuite} from '../../support/opened.ts';
import {entryAt, failedAttempt, keyOf, newDelivery, type newEntry} from '../../support/sample-leads.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const start = Date.UTC(2026, 2, 1);
const idsOf = (rows: readonly {id: string}[]) => rows.map(({id}) => id);
const acceptInto = async (
  store: LeadStore,
  createdAt: number,
  changes: Parameters<typeof newEntry>[0] = {},
) => {
  const entry = entryAt(createdAt, changes);
  assert.equal((await store.accept(entry)).outcome, 'created');
  return entry.id;
};

export function describeFigures(name: string, openStore: (data: string) => Promise<LeadStore>) {
  suite(`${name}: figures`, () => {
    test('leads are counted by day and partner, a day once for all as soon as it is closed', async (t) => {
      const store = await openFor(t, openStore('lead days'));
      const accept = (at: number, partner: string | null) => acceptInto(store, at, {partner});
      assert.deepEqual(await store.leadDays(0, start), [], 'an empty store has none');
      await accept(start + hour, 'acme');
      const last = await accept(start + 2 * hour, 'acme');
      const caller = await accept(start + 3 * hour, null);
      // No lead comes for two days.
      const later = await accept(start + 3 * day + hour, 'globex');
      const first = [
        {day: start, partner: null, leads: 1, newest: caller},
        {day: start, partner: 'acme', leads: 2, newest: last},
      ];
      const fourth = {day: start + 3 * day, partner: 'globex', leads: 1, newest: later};
      const daysAt = async (now: number, since = start) =>
        (await store.leadDays(since, now)).toSorted((one, other) =>
          one.newest === caller ? -1 : other.newest === caller ? 1 : one.day - other.day,
        );
      assert.deepEqual(await daysAt(start + 3 * day + 2 * hour), [...first, fourth]);
      assert.deepEqual(await daysAt(start + 3 * day + 2 * hour), [...first, fourth], 'as they were stored');
      assert.deepEqual(await daysAt(start + 3 * day + 2 * hour, start + day), [fourth]);

      // What comes late for a day that was counted is missed, and what comes within an hour of its end is not.
      await accept(start + 4 * hour, 'acme');
      const newest = await accept(start + 4 * day - minute, 'globex');
      const now = {...fourth, leads: 2, newest};
      assert.deepEqual(await daysAt(start + 4 * day + 30 * minute), [...first, now]);
      const latest = await accept(start + 4 * day - 1, 'globex');
      const closed = {...fourth, leads: 3, newest: latest};
      for (const at of [30 * minute, hour, 2 * hour])
        assert.deepEqual(await daysAt(start + 4 * day + at), [...first, closed]);
      await accept(start + 4 * day - 1, 'globex');
      assert.deepEqual(await daysAt(start + 4 * day + 2 * hour), [...first, closed]);
      const asked = Array.from({length: 4}, () => daysAt(start + 40 * day));
      for (const days of await Promise.all(asked)) assert.deepEqual(days, [...first, closed]);
    });

    test('leads are counted in spans, which may meet, overlap, or be empty', async (t) => {
      const store = await openFor(t, openStore('lead spans'));
      for (const minutes of [0, 59, 60, 61])
        await acceptInto(store, start + minutes * minute, {partner: minutes === 59 ? null : 'acme'});
      const span = (since: number, until: number) => ({
        since: start + since * hour,
        until: start + until * hour,
      });
      const spans = [span(0, 1), span(1, 2), span(0, 2), span(0, 1), span(5, 9)];
      const counts = await store.countSpans(spans);
      const byPartner = counts.map((each) =>
        Object.fromEntries(each.map(({partner, leads}) => [String(partner), leads])),
      );
      const firstHour = {acme: 1, null: 1};
      assert.deepEqual(byPartner, [firstHour, {acme: 2}, {acme: 3, null: 1}, firstHour, {}]);
      assert.deepEqual(await store.countSpans([]), []);
    });

    test('the end of a slice is the time of its last lead', async (t) => {
      const store = await openFor(t, openStore('slices'));
      for (let number = 0; number < 5; number += 1) await acceptInto(store, start + number * hour);
      assert.equal(await store.sliceEnd(undefined, 1), start + 4 * hour);
      assert.equal(await store.sliceEnd(undefined, 2), start + 3 * hour);
      assert.equal(await store.sliceEnd(firstIdAt(start + 3 * hour), 3), start);
      assert.equal(await store.sliceEnd(firstIdAt(start + 3 * hour), 4), undefined);
    });
  });

  suite(`${name}: open deliveries`, () => {
    const store = openForSuite(() => openStore('open deliveries'));
    const [ids, held, open]: [string[], string[], string[]] = [[], [], []];
    /** Ten leads, one an hour. The third, sixth and ninth are held, the others but the first wait, two of them twice. */
    before(async () => {
      for (let number = 0; number < 10; number += 1) {
        const isHeld = number % 3 === 2;
        const delivery = newDelivery({state: isHeld ? 'held' : 'waiting', nextAttemptAt: start});
        const other = {...delivery, destination: 'other', givesAnswer: false};
        const id = await acceptInto(store, start + number * hour, {
          partner: number % 2 === 0 ? 'acme' : null,
          answer: {status: 'pending'},
          attribution: {utm_campaign: 'spring'},
          context: {brand: 'north'},
          contextFilters: number > 4 ? {brand: 'north'} : undefined,
          deliveries: number === 0 ? [] : [4, 8].includes(number) ? [delivery, other] : [delivery],
        });
        ids.push(id);
        if (isHeld) held.unshift(id);
        if (number > 0) open.unshift(id);
      }
    });

    test('leads with a delivery that is held, or that has not ended, come page by page, each once', async () => {
      for (const [filter, expected] of [
        [{open: 'held'}, held],
        [{open: 'any'}, open],
      ] as const) {
        const first = idsOf(await store.listLeads(filter, {limit: 2}));
        const rest = idsOf(await store.listLeads(filter, {limit: 20, after: first.at(-1)}));
        assert.deepEqual([first.length, ...first, ...rest], [2, ...expected]);
        assert.deepEqual(idsOf(await store.readLeads(filter, {limit: 20})), expected.toReversed());
        assert.equal(await store.countLeads(filter), expected.length);
      }
    });
    test('they can be chosen by whatever else leads are chosen by', async () => {
      const chosen = (some: string[], is: (number: number) => boolean) =>
        some.filter((id) => is(ids.indexOf(id)));
      const list = async (filter: Parameters<LeadStore['listLeads']>[0]) =>
        idsOf(await store.listLeads({open: 'any', ...filter}, {limit: 20}));
      assert.deepEqual(
        await list({partner: 'acme'}),
        chosen(open, (number) => number % 2 === 0),
      );
      assert.deepEqual(
        await list({partner: null, open: 'held'}),
        chosen(held, (number) => number % 2 === 1),
      );
      assert.deepEqual(await list({status: 'pending', campaign: 'spring'}), open);
      assert.deepEqual(await list({status: 'done'}), []);
      assert.deepEqual(
        await list({context: {brand: 'north'}}),
        chosen(open, (number) => number > 4),
      );
      assert.deepEqual(await list({endOfId: ids[3]!.slice(26)}), [ids[3]]);
      assert.deepEqual(await list({endOfId: ids[3]!.slice(26), open: 'held'}), []);
      const times = {since: start + 2 * hour, until: start + 4 * hour};
      assert.deepEqual(await list(times), [ids[3], ids[2]]);
      const counts = await store.countLeadsBy({open: 'any'}, ['partner'], (time) => time - (time % day));
      const groups = counts.map(({partner, leads, newest}) => [String(partner), [leads, newest]]);
      assert.deepEqual(Object.fromEntries(groups), {acme: [4, ids[8]], null: [5, ids[9]]});
    });
    test('the open deliveries of some leads are told, and how many leads are held and stopped', async () => {
      const found = await store.openDeliveriesOf([ids[0]!, ids[4]!, ids[5]!, randomUUID()]);
      const content = 'lead';
      assert.deepEqual(found, [
        {lead: ids[4], destination: 'default', content, state: 'waiting', reason: null},
        {lead: ids[4], destination: 'other', content, state: 'waiting', reason: null},
        {lead: ids[5], destination: 'default', content, state: 'held', reason: 'suspect'},
      ]);
      assert.deepEqual(await store.countStopped(), {held: 3, oldestHeld: held.at(-1), stopped: 0});
    });
    test('deliveries are counted by destination and time: in time, late, or open', async (t) => {
      const own = await openFor(t, openStore('cells'));
      const [now, leaseEnd] = [Date.now(), Date.now() + hour];
      const add = async (at: number) => {
        const delivery = newDelivery({destination: 'crm', nextAttemptAt: at, leaseEnd});
        return keyOf(await acceptInto(own, at, {deliveries: [delivery]}), 'crm');
      };
      const settle = (key: ReturnType<typeof keyOf>) =>
        own.settle(key, leaseEnd, {state: 'delivered', answer: null});
      await add(now - day - 1);
      await settle(await add(now));
      await settle(await add(now));
      await settle(await add(now - hour));
      await add(now - hour);
      const givenUp = {...failedAttempt, until: now + day, state: 'failed' as const};
      await own.postpone(await add(now - 2 * hour), leaseEnd, givenUp);
      const cells = await own.deliveryCells(now - day, hour);
      const [destination, cell] = ['crm', Math.floor(now / hour)];
      const order = (one: {cell: number; kind: string}) => `${one.cell} ${one.kind}`;
      assert.deepEqual(
        cells.toSorted((one, other) => order(one).localeCompare(order(other))),
        [
          {destination, cell: cell - 2, kind: 'open', deliveries: 1},
          {destination, cell: cell - 1, kind: 'late', deliveries: 1},
          {destination, cell: cell - 1, kind: 'open', deliveries: 1},
          {destination, cell, kind: 'in-time', deliveries: 2},
        ],
      );
      assert.partialDeepStrictEqual(await own.countStopped(), {held: 0, oldestHeld: null, stopped: 1});
    });

    test('an outline has what a lead has in clear, also of one that was erased', async (t) => {
      const own = await openFor(t, openStore('outlines'));
      const erased = await acceptInto(own, start, {partner: 'acme', attribution: {utm_campaign: 'spring'}});
      const pending = {answer: {status: 'pending'}, supersedes: erased} as const;
      const id = await acceptInto(own, start + 1, pending);
      assert.ok(await own.erase(erased, start + hour, () => false));
      const outlines = await own.listOutlines({}, {limit: 5});
      const usual = {createdAt: start, partner: null, status: 'done', campaign: null, erasedAt: null};
      const nothing = {...usual, revokedAt: null, suppressedAt: null, supersedes: null};
      assert.deepEqual(outlines, [
        {...nothing, id, createdAt: start + 1, status: 'pending', supersedes: erased},
        {...nothing, id: erased, partner: 'acme', campaign: 'spring', erasedAt: start + hour},
      ]);
      const newer = await acceptInto(own, start + 2, {supersedes: erased});
      assert.deepEqual([...(await own.corrections([id, erased]))], [[erased, newer]]);
      assert.deepEqual(await own.listOutlines({id: erased}, {limit: 1}), [outlines[1]]);
      assert.deepEqual(await own.listOutlines({id: erased, partner: 'globex'}, {limit: 1}), []);
      assert.deepEqual(idsOf(await own.listOutlines({}, {limit: 5, after: id})), [erased]);
    });
    test('the audit of a lead has each entry that names it, and no list of more leads than it names', async (t) => {
      const own = await openFor(t, openStore('audit of a lead'));
      const [lead, other] = [randomUUIDv7(), randomUUIDv7()];
      const some = Array.from({length: maxIds - 1}, () => randomUUIDv7());
      const note = async (time: number, ids: string[], action = 'leads show', more = {}) => {
        const entry = {id: entryAt(time).id, at: new Date(time).toISOString(), actor: 'operator Ann', action};
        await own.addAuditEntry({...entry, filter: {}, leads: ids.length, ids, ...more});
        return entry.id;
      };
      const first = await note(start, [lead]);
      await note(start + 1, [other, ...some]);
      const both = await note(start + 2, [other, lead], 'leads erase');
      const list = await note(start + 3, [...some, lead], 'leads list');
      await note(start + 4, [...some, lead], 'leads list', {leads: maxIds + 1});
      const grown = await note(start + 5, [lead, other], 'leads export');
      assert.equal((await own.auditEntries({lead}, 10))[0]?.id, grown);
      await note(start + 5, [lead, ...some], 'leads export', {id: grown, leads: 600});
      const last = await note(start + 6, [lead]);
      assert.deepEqual(idsOf(await own.auditEntries({lead}, 10)), [last, list, both, first]);
      assert.deepEqual(idsOf(await own.auditEntries({lead}, 2)), [last, list]);
      assert.deepEqual(idsOf(await own.auditEntries({lead, isListed: false}, 10)), [last, both, first]);
      const since = start + 3;
      assert.deepEqual(idsOf(await own.auditEntries({lead, since, who: 'ann'}, 10)), [last, list]);

      await own.deleteExpired(start + 3 + auditKept);
      assert.deepEqual(idsOf(await own.auditEntries({lead}, 10)), [last, list]);
      await own.deleteExpired(start + 7 + auditKept);
      assert.deepEqual([await own.auditEntries({}, 10), await own.auditEntries({lead}, 10)], [[], []]);
    });
  });
}
