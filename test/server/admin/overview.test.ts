/** Today beside what is usual, in the time zone of the operator, and the hours of destinations. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {DateTime} from 'luxon';
import type {Admin} from '../../../server/admin/admin.ts';
import {readDestinationHours, resumeDestination} from '../../../server/admin/destinations.ts';
import {readOverview} from '../../../server/admin/overview.ts';
import type {Status} from '../../../server/admin/status.ts';
import {databaseKinds, operateAdmin, planAndErase, statusOf} from '../../support/operator.ts';
import {entryAt, eventTo} from '../../support/sample-leads.ts';

/** A Thursday in Denver, where it is still Wednesday in UTC minus something: the day begins at 07:00 UTC. */
const now = DateTime.fromISO('2026-11-26T11:30', {zone: 'America/Denver'});
const at = (weeks: number, hour: number, minute = 0) =>
  now.minus({weeks}).startOf('day').set({hour, minute}).toMillis();

for (const {name, postgres, skip} of databaseKinds)
  suite(`the overview over ${name}`, {skip}, () => {
    test('today stands beside the mean of four such weekdays until this time of the day', async (t) => {
      const held = eventTo('crm', {state: 'held'});
      const entries = [
        entryAt(at(0, 0), {partner: 'acme'}),
        entryAt(at(0, 9), {partner: 'acme', answer: {status: 'pending'}}),
        entryAt(at(0, 10), {partner: null, deliveries: [held]}),
        // The evening before, which is the same day in UTC.
        entryAt(at(0, 0) - 60_000, {partner: 'acme'}),
        ...[1, 2, 3, 4].flatMap((week) => [
          ...[entryAt(at(week, 9, 59), {partner: 'acme'}), entryAt(at(week, 10), {partner: 'acme'})],
          // Half of this hour has gone by.
          ...[entryAt(at(week, 11, 10), {partner: 'acme'}), entryAt(at(week, 11, 50), {partner: 'acme'})],
          entryAt(at(week, 15), {partner: 'acme'}),
        ]),
        entryAt(at(5, 9), {partner: 'acme'}),
      ];
      const {admin} = await operateAdmin(t, entries, {postgres});
      const status = await statusOf(admin);
      const partners = [
        {
          ...status.partners[0],
          partner: 'acme',
          silent: true,
          refusals: 31,
          refused_for: 'origin-not-allowed',
        },
        {...status.partners[0], partner: null, silent: false, last_lead_at: null},
      ] as Status['partners'];
      let counted = 0;
      const countSpans: Admin['store']['countSpans'] = (spans) => {
        counted += spans.length;
        return admin.store.countSpans(spans);
      };
      const counting = {...admin, store: {...admin.store, countSpans}};
      const seen = await readOverview(counting, {now, status: {...status, partners}});
      assert.partialDeepStrictEqual(seen, {
        ...{today: 3, usual: 3, lastLeadAt: at(0, 10)},
        ...{answers: {done: 2, pending: 1, refused: 0}, held: 1, oldestHeldAt: at(0, 10), stopped: 0},
        partners: [
          {
            ...{partner: 'acme', today: 2, usual: 3, silent: true},
            why: '31 refused: the page is not allowed to use this partner',
          },
          {partner: null, today: 1, usual: 0, lastLeadAt: null, silent: false, why: null},
        ],
      });
      assert.equal(seen.hours.length, 24);
      assert.deepEqual(seen.hours[9], {today: 1, usual: 1});
      assert.deepEqual(seen.hours[15], {today: 0, usual: 1});
      const first = counted;
      assert.deepEqual(await readOverview(counting, {now, status: {...status, partners}}), seen);
      assert.equal(counted - first, 1, 'only the hour that is not over is counted again');
    });

    test('a day without leads is empty, and a day of 23 hours has no lead twice', async (t) => {
      const {admin, adminUnder, accept} = await operateAdmin(t, [], {postgres});
      const status = await statusOf(admin);
      const empty = await readOverview(admin, {now, status});
      assert.partialDeepStrictEqual(empty, {today: 0, usual: 0, lastLeadAt: null});
      const sunday = DateTime.fromISO('2026-03-08T23:30', {zone: 'America/Denver'});
      await accept(
        ...[1, 3, 23].map((hour) => entryAt(sunday.set({hour, minute: 15}).toMillis(), {partner: 'acme'})),
      );
      const {today, hours} = await readOverview(await adminUnder(), {now: sunday, status});
      assert.equal(today, 3);
      const busy = hours.flatMap((hour, index) => (hour.today > 0 ? index : []));
      assert.deepEqual(busy, [1, 3, 23]);
      // In Santiago, this Sunday begins at one o'clock.
      const later = DateTime.fromISO('2026-09-13T23:30', {zone: 'America/Santiago'});
      const monday = later.minus({weeks: 1}).plus({hours: 1});
      await accept(entryAt(monday.toMillis(), {partner: 'acme'}));
      const usual = await readOverview(await adminUnder(), {now: later, status});
      assert.equal(usual.hours[23]?.usual, 0);
    });

    test('each half hour of a destination is as its worst delivery', async (t) => {
      const noon = Date.UTC(2026, 10, 26, 12);
      const before = (minutes: number) => entryAt(noon - minutes * 60_000, {deliveries: [eventTo('crm')]});
      const [intime, late, open, old] = [before(40), before(70), before(5), before(25 * 60)] as const;
      const {admin, execute} = await operateAdmin(t, [intime, late, open, old], {postgres});
      const settle = (id: string, time: number) =>
        execute(`UPDATE deliveries SET state = 'delivered', settled_at = ${time} WHERE lead_id = '${id}'`);
      await settle(intime.id, intime.createdAt + 1_000);
      await settle(late.id, late.createdAt + 61_000);
      const hours = await readDestinationHours(admin, noon);
      const cells = hours.get('crm') ?? [];
      assert.equal(cells.length, 48);
      assert.deepEqual(cells.slice(-4), ['late', 'in-time', 'open', 'none']);
      assert.ok(cells.slice(0, -4).every((cell) => cell === 'none'));
    });

    test('a break ends, but a pause does not', async (t) => {
      const nextAttemptAt = Date.now() + 3_600_000;
      const entry = entryAt(Date.now(), {deliveries: [eventTo('crm', {nextAttemptAt})]});
      const {admin} = await operateAdmin(t, [entry], {postgres});
      const {store} = admin;
      const destinations = new Map([
        ['crm', {type: 'webhook'}],
      ]) as unknown as Admin['config']['destinations'];
      const configured = {...admin, config: {...admin.config, destinations}};
      await store.pauseDestination({destination: 'crm', pausedAt: 0, reason: 'it moves'});
      assert.equal(await resumeDestination(configured, 'crm'), true);
      assert.equal(await resumeDestination(configured, 'crm'), false);
      const [row] = await store.listDeliveries(1, {lead: entry.id});
      assert.ok((row?.nextAttemptAt ?? Infinity) <= Date.now());
      await planAndErase(configured, [entry.id]);
    });
  });

test('a thousand partners do not hold up who asks at the same time', async () => {
  const keys = Array.from({length: 2_000}, (_, index) => `partner-${index}`);
  const leads = keys.map((partner) => ({partner, leads: 3}));
  const store = {
    countSpans: (spans: readonly unknown[]) => Promise.resolve(spans.map(() => leads)),
    listOutlines: () => Promise.resolve([]),
    countStopped: () => Promise.resolve({held: 0, oldestHeld: null, stopped: 0}),
    countLeadsBy: () => Promise.resolve([]),
  };
  const row = {silent: false, last_lead_at: null, refusals: 0, refused_for: null};
  const status = {partners: keys.map((partner) => ({...row, partner}))};
  const begun = process.cpuUsage();
  const {partners} = await readOverview({store} as unknown as Admin, {
    now,
    status: status as unknown as Status,
  });
  assert.equal(partners.length, keys.length);
  const {user} = process.cpuUsage(begun);
  // Some 50 ms. Whatever looks for each partner among all others takes seconds.
  assert.ok(user < 1_000_000, `${user / 1_000} ms`);
});
