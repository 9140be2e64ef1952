/** What operators read of the stored leads, in each kind of store. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {firstIdAt} from '../../../server/leads/lead-ids.ts';
import type {LeadFilter, LeadGroup} from '../../../server/leads/lead-filter.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {openForSuite} from '../../support/opened.ts';
import {columnOf} from '../../support/rows.ts';
import {
  asLead,
  doneAnswer,
  newDelivery,
  newEntry,
  sampleConsent,
  standardBody,
} from '../../support/sample-leads.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2026, 2, 1);

/** An id of version 7 that begins with this time and ends with these ten digits. */
const idAt = (time: number, end: string) => `${firstIdAt(time)}-7000-8000-00${end}`;

const endOf = (number: number) => number.toString(16).padStart(10, '0');
const dayOf = (time: number) => Math.floor(time / day) * day;

/** Of three leads, two have a brand that operators filter by, and every second has a store besides. */
function contextOf(number: number) {
  if (number % 3 === 2) return undefined;
  return {brand: number % 3 === 0 ? 'north' : 'south', ...(number % 2 === 0 && {store: '7'})};
}

export function describeLeadQueries(name: string, openStore: (data: string) => Promise<LeadStore>) {
  suite(`${name}: what operators read`, () => {
    const store = openForSuite(() => openStore('operators'));
    let stored: LeadEntry[] | undefined;
    /** Twelve leads, four hours apart, of two partners and callers, in three states and two campaigns. */
    async function entries(): Promise<LeadEntry[]> {
      if (stored) return stored;
      const made = Array.from({length: 12}, (_, number) => {
        const createdAt = start + number * 4 * hour;
        return newEntry({
          id: idAt(createdAt, endOf(number)),
          createdAt,
          partner: [null, 'one', 'two'][number % 3] ?? null,
          answer:
            [doneAnswer, {status: 'pending'} as const, {status: 'refused'} as const][number % 4] ??
            doneAnswer,
          context: {brand: 'north', store: '7'},
          contextFilters: contextOf(number),
          attribution: number % 2 === 0 ? {utm_campaign: number < 6 ? 'spring' : 'autumn'} : undefined,
        });
      });
      for (const entry of made) await store.accept(entry);
      return (stored = made);
    }
    const matches =
      ({partner, status, campaign, context = {}, since = 0, until = Infinity}: LeadFilter) =>
      (entry: LeadEntry) =>
        Object.entries(context).every(([name, value]) => entry.contextFilters?.[name] === value) &&
        (partner === undefined || entry.partner === partner) &&
        (status === undefined || entry.answer.status === status) &&
        (campaign === undefined || entry.attribution?.utm_campaign === campaign) &&
        entry.createdAt >= since &&
        entry.createdAt < until;

    const values = {
      partner: [undefined, null, 'one', 'none'],
      status: [undefined, 'pending', 'done'],
      campaign: [undefined, 'spring', 'never'],
      context: [undefined, {brand: 'north'}, {brand: 'north', store: '7'}, {brand: 'never'}],
      since: [undefined, start + 4 * hour],
      until: [undefined, start + day],
    } as const;
    const filters = values.partner.flatMap((partner) =>
      values.status.flatMap((status) =>
        values.campaign.flatMap((campaign) =>
          values.context.flatMap((context) =>
            values.since.flatMap((since) =>
              values.until.map((until): LeadFilter => ({partner, status, campaign, context, since, until})),
            ),
          ),
        ),
      ),
    );

    test('lists, counts and exports have the same leads for every combination of filters', async () => {
      const all = await entries();
      for (const filter of filters) {
        const expected = all.filter(matches(filter)).map(({id}) => id);
        const words = JSON.stringify(filter);
        const listed = await store.listLeads(filter, {limit: 100});
        assert.deepEqual(columnOf(listed, 'id'), expected.toReversed(), words);
        const read = await store.readLeads(filter, {limit: 100});
        assert.deepEqual(columnOf(read, 'id'), expected, words);
        assert.equal(await store.countLeads(filter), expected.length, words);
        for (const by of [
          ['partner'],
          ['day', 'state'],
          ['partner', 'day', 'state', 'campaign'],
        ] as LeadGroup[][]) {
          const counts = await store.countLeadsBy(filter, by, dayOf);
          assert.equal(
            counts.reduce((sum, {leads}) => sum + leads, 0),
            expected.length,
            words,
          );
        }
      }
    });
    test('pages of leads with a value of a hidden field follow each other', async () => {
      const all = (await entries()).filter(matches({context: {brand: 'north'}})).map(({id}) => id);
      const first = await store.listLeads({context: {brand: 'north'}}, {limit: 2});
      const second = await store.listLeads({context: {brand: 'north'}}, {limit: 2, after: first.at(-1)?.id});
      assert.deepEqual(columnOf([...first, ...second], 'id'), all.toReversed());
      const found = await store.listLeads(
        {context: {brand: 'north'}, endOfId: all[1]?.slice(26)},
        {limit: 9},
      );
      assert.deepEqual(columnOf(found, 'id'), [all[1]]);
    });
    test('a page of leads begins after the last lead of the page before', async () => {
      const ids = (await entries()).map(({id}) => id);
      const first = await store.listLeads({}, {limit: 5});
      const second = await store.listLeads({}, {limit: 5, after: first.at(-1)?.id});
      assert.deepEqual(columnOf([...first, ...second], 'id'), ids.toReversed().slice(0, 10));
      const rest = await store.readLeads({}, {limit: 5, after: ids[9]});
      assert.deepEqual(columnOf(rest, 'id'), ids.slice(10));
    });
    test('leads are counted by partner and day, and days are those that the caller names', async () => {
      await entries();
      const counts = await store.countLeadsBy({}, ['partner', 'day'], dayOf);
      const found = new Map(
        counts.map(({partner, day, leads}) => [`${partner} ${((day ?? 0) - start) / 86_400_000}`, leads]),
      );
      assert.deepEqual(Object.fromEntries(found), {
        'one 0': 2,
        'one 1': 2,
        'two 0': 2,
        'two 1': 2,
        'null 0': 2,
        'null 1': 2,
      });
    });
    test('the newest lead of each group comes with its count', async () => {
      const all = await entries();
      const newestOf = (partner: string | null) => all.findLast((entry) => entry.partner === partner)?.id;
      for (const by of [['partner'], ['partner', 'day']] as LeadGroup[][]) {
        const counts = await store.countLeadsBy({}, by, dayOf);
        for (const partner of ['one', 'two', null]) {
          const own = counts.filter((count) => count.partner === partner).map(({newest}) => newest);
          assert.equal(own.toSorted().at(-1), newestOf(partner));
        }
      }
    });
    test('leads are counted right on the day on which the clocks change', async () => {
      await entries();
      // The first day has 23 hours, as in spring.
      const days = [start, start + 23 * hour, start + 47 * hour, start + 71 * hour];
      const startOfDay = (time: number) => days.findLast((day) => day <= time) ?? start;
      const counts = await store.countLeadsBy({}, ['day'], startOfDay);
      assert.deepEqual(
        counts.map(({day, leads}) => [(day ?? 0) - start, leads]),
        [
          [0, 6],
          [23 * hour, 6],
        ],
      );
    });
    test('a lead is found by the end of its id', async () => {
      const [, second] = await entries();
      const found = await store.listLeads({endOfId: endOf(1)}, {limit: 2});
      assert.deepEqual(columnOf(found, 'id'), [second?.id]);
    });
    test('a lead is read with all that is stored with it, and the leads that refer to it', async () => {
      const consent = {...sampleConsent, givenAt: start};
      const entry = newEntry({
        consent,
        attribution: {utm_campaign: 'later', gclid: 'click'},
        context: {brand: 'north'},
        suspect: 'trap',
        partner: 'three',
        leadDigests: ['digest'],
        answer: {status: 'pending'},
        deliveries: [newDelivery({state: 'held'})],
      });
      const {id} = entry;
      await store.accept(entry);
      const correction = newEntry({supersedes: id, lead: asLead(standardBody)});
      await store.accept(correction);
      const duplicate = newEntry({partner: 'three', leadDigests: ['digest']});
      await store.accept(duplicate);

      const read = await store.readLead(id);
      assert.deepEqual(read?.duplicates, [duplicate.id]);
      assert.deepEqual(read?.supersededBy, [correction.id]);
      assert.partialDeepStrictEqual(read?.lead, {
        id,
        partner: 'three',
        lead: entry.lead,
        consent,
        suspect: 'trap',
        supersedes: null,
        duplicateOf: null,
        attribution: {utm_campaign: 'later', gclid: 'click'},
        context: {brand: 'north'},
      });
      const merged = await store.readLead(duplicate.id);
      // A duplicate has the answer of the original.
      assert.partialDeepStrictEqual(merged?.lead, {duplicateOf: id, answer: {status: 'pending'}});
      assert.equal(await store.readLead(idAt(start, endOf(999))), undefined);
    });
  });
}
