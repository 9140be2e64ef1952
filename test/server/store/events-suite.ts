/** What every store must do with the events of leads: who gets which, when, and what operators can do with it. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {
  DeliveryContent,
  DeliveryRow,
  NewDelivery,
  Settlement,
} from '../../../server/leads/deliveries.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {createEncryptor, DecryptionError, type Encryptor} from '../../../server/store/encryption.ts';
import {openForSuite} from '../../support/opened.ts';
import {columnOf, leadIdsOf} from '../../support/rows.ts';
import {
  claimAt,
  doneAnswer,
  entryAt,
  failedAttempt,
  keyOf,
  newDelivery,
  newEntry,
} from '../../support/sample-leads.ts';

const hour = 3_600_000;
const due = Date.UTC(2026, 0, 1);
const done: Settlement = {state: 'delivered', answer: doneAnswer};
const taken: Settlement = {state: 'delivered', answer: null};
const refused: Settlement = {state: 'refused', reason: 'The upstream refused the lead with 422'};
const keyOfEvent = (lead: string, destination: string, content: DeliveryContent) => ({
  lead,
  destination,
  content,
});
/** An event that waits for the destination. */
const event = (
  destination: string,
  content: NewDelivery['content'] = 'created',
  changes: Partial<NewDelivery> = {},
) => newDelivery({destination, content, givesAnswer: false, nextAttemptAt: due, ...changes});

/** Opens nothing of the leads in `lost`. */
const lost = new Set<string>();
const usual = createEncryptor(['a data key of at least 32 characters']);
const binding: Encryptor = {
  ...usual,
  of(lead) {
    if (lost.has(lead.id)) throw new DecryptionError('The key of this lead is missing');
    return usual.of(lead);
  },
};

export function describeEvents(
  name: string,
  openStore: (data: string, encryptor?: Encryptor) => Promise<LeadStore>,
) {
  suite(`${name}: events of leads`, () => {
    const store = openForSuite(() => openStore('events', binding));

    const accept = async (deliveries: NewDelivery[], changes: Partial<LeadEntry> = {}) => {
      const entry = newEntry({deliveries, answer: {status: 'pending'}, ...changes});
      const accepted = await store.accept(entry);
      assert.ok(accepted.outcome === 'created');
      return {...accepted, id: entry.id};
    };
    /** A lead that the default destination answers, and an event of it. Resolves to its id. */
    const acceptWith = async (...others: NewDelivery[]) =>
      (await accept([newDelivery({nextAttemptAt: due}), ...others])).id;
    const rowsOf = async (lead: string): Promise<DeliveryRow[]> => {
      const rows: DeliveryRow[] = [];
      for (const state of [undefined, 'delivered', 'dropped'] as const)
        rows.push(...(await store.listDeliveries(100, {lead, state})));
      return rows;
    };
    const statesOf = async (lead: string) =>
      (await rowsOf(lead))
        .filter(({content}) => content !== 'lead')
        .map(({destination, content, state}) => `${destination} ${content} ${state}`)
        .toSorted();
    const rowOf = async (lead: string, destination: string, content: DeliveryContent) =>
      (await rowsOf(lead)).find((row) => row.destination === destination && row.content === content);
    const claim = async (destination: string, now = due) =>
      (await store.claimDue(destination, claimAt(now))).due;
    /** Refuses the lead at the default destination, which must be waiting. */
    const refuse = async (id: string, now = due) => {
      const claimed = (await claim('default', now)).find(({lead}) => lead.id === id);
      await store.settle(keyOf(id), claimed!.leaseEnd, refused);
    };

    suite('of an answer', () => {
      test('the event of an answer is due once to all that got the event of the lead', async () => {
        const id = await acceptWith(event('crm'), event('mail'));
        const before = Date.now();
        await store.settle(keyOf(id), 0, done);
        const expected = [
          'crm answered waiting',
          'crm created waiting',
          'mail answered waiting',
          'mail created waiting',
        ];
        assert.deepEqual(await statesOf(id), expected);
        const {happenedAt, nextAttemptAt, ...row} = (await rowOf(id, 'crm', 'answered'))!;
        assert.ok(happenedAt >= before && happenedAt <= Date.now());
        assert.ok(nextAttemptAt <= Date.now());
        assert.partialDeepStrictEqual(row, {attempts: 0, ambiguous: 0, leasedUntil: 0, lastError: null});

        const [answered] = (await claim('crm', Date.now())).filter(({content}) => content === 'answered');
        assert.partialDeepStrictEqual(answered, {
          happenedAt,
          lead: {isAnsweredLater: true, answer: doneAnswer},
        });
        await store.settle(keyOfEvent(id, 'crm', 'answered'), answered!.leaseEnd, taken);
        await store.settle(keyOf(id), 0, done);
        assert.deepEqual(await statesOf(id), ['crm answered delivered', ...expected.slice(1)]);
        assert.equal((await rowOf(id, 'crm', 'answered'))?.happenedAt, happenedAt);
      });
      test('the event of an answer is due to destinations that have the event of the lead already', async () => {
        const id = await acceptWith(event('crm'));
        await store.settle(keyOfEvent(id, 'crm', 'created'), 0, taken);
        assert.deepEqual((await store.find(id))?.answer, {status: 'pending'}, 'an event gives no answer');
        await store.settle(keyOf(id), 0, done);
        assert.deepEqual(await statesOf(id), ['crm answered waiting', 'crm created delivered']);
      });
      test('the event of an answer is not due to a destination that takes leads itself', async () => {
        const id = await acceptWith(newDelivery({destination: 'other', givesAnswer: false}), event('crm'));
        await store.settle(keyOf(id, 'other'), 0, done);
        assert.deepEqual(await statesOf(id), ['crm created waiting'], 'this destination gives no answer');
        await store.settle(keyOf(id), 0, done);
        assert.deepEqual(await statesOf(id), ['crm answered waiting', 'crm created waiting']);
        assert.equal((await rowsOf(id)).length, 4);
      });
      test('the event of a refusal is due at the refusal, and that of an answer if it is taken later', async () => {
        const id = await acceptWith(event('crm'));
        await refuse(id);
        assert.deepEqual(await statesOf(id), ['crm created waiting', 'crm refused waiting']);
        assert.equal(await store.retryDeliveries(due, {lead: id, destination: 'default'}), 1);
        await refuse(id);
        assert.deepEqual(await statesOf(id), ['crm created waiting', 'crm refused waiting'], 'once');
        await store.settle(keyOf(id), 0, done);
        assert.deepEqual(await statesOf(id), [
          'crm answered waiting',
          'crm created waiting',
          'crm refused waiting',
        ]);
      });
      test('the event of a refusal is due when an operator drops the delivery that answers the lead', async () => {
        const [id, first] = [await acceptWith(event('crm')), await acceptWith(event('crm'))];
        // These two are between leads of one batch.
        const answered = await acceptWith(event('crm'));
        const calculated = (await accept([event('crm')], {answer: {status: 'refused'}})).id;
        const last = await acceptWith(event('crm'));
        assert.equal(await store.dropDeliveries(due, {lead: id, destination: 'default'}), 1);
        assert.deepEqual((await store.find(id))?.answer, {status: 'refused'});
        assert.deepEqual(await statesOf(id), ['crm created waiting', 'crm refused waiting']);
        for (const other of [first, answered, calculated, last])
          assert.deepEqual(await statesOf(other), ['crm created waiting']);

        await store.settle(keyOf(answered), 0, done);
        assert.ok((await store.dropDeliveries(due, {destination: 'default'})) >= 2);
        for (const dropped of [id, first, last]) {
          assert.deepEqual((await store.find(dropped))?.answer, {status: 'refused'});
          assert.deepEqual(await statesOf(dropped), ['crm created waiting', 'crm refused waiting']);
        }
        assert.deepEqual((await store.find(answered))?.answer, doneAnswer);
        assert.deepEqual(await statesOf(answered), ['crm answered waiting', 'crm created waiting']);
        assert.deepEqual(await statesOf(calculated), ['crm created waiting']);
      });
      test('the event of an answer is held while that of the lead is, and let go with it', async () => {
        const id = await acceptWith(event('crm', 'created', {state: 'held'}), event('mail'));
        await store.settle(keyOf(id), 0, done);
        assert.deepEqual(await statesOf(id), [
          'crm answered held',
          'crm created held',
          'mail answered waiting',
          'mail created waiting',
        ]);
        assert.deepEqual(
          (await claim('crm', Date.now())).filter(({lead}) => lead.id === id),
          [],
        );
        assert.equal(await store.retryDeliveries(due, {lead: id, destination: 'crm'}), 2);
        const claimed = (await claim('crm', Date.now())).filter(({lead}) => lead.id === id);
        assert.deepEqual(claimed.map(({content}) => content).toSorted(), ['answered', 'created']);
      });
      test('the event of an answer is due to no destination whose event of the lead was dropped', async () => {
        const id = await acceptWith(event('crm'), event('erp'));
        assert.equal(await store.dropDeliveries(due, {lead: id, destination: 'crm'}), 1);
        assert.deepEqual((await store.find(id))?.answer, {status: 'pending'});
        await store.settle(keyOf(id), 0, done);
        assert.deepEqual(await statesOf(id), [
          'crm created dropped',
          'erp answered waiting',
          'erp created waiting',
        ]);
      });
      test('the event of an answer is not made for a lead that the calculator answered', async () => {
        const receives = newDelivery({destination: 'other', givesAnswer: false});
        const {id} = await accept([receives, event('crm')], {answer: doneAnswer});
        await store.settle(keyOf(id, 'other'), 0, done);
        const [claimed] = (await claim('crm')).filter(({lead}) => lead.id === id);
        assert.partialDeepStrictEqual(claimed, {
          content: 'created',
          lead: {isAnsweredLater: false, answer: doneAnswer},
        });
        await store.settle(keyOfEvent(id, 'crm', 'created'), claimed!.leaseEnd, taken);
        assert.deepEqual(await statesOf(id), ['crm created delivered']);
      });
    });

    test('a duplicate keeps its events, and is sent to no destination that takes leads', async () => {
      const same = {partner: 'acme', leadDigests: [randomUUID()]};
      const leaseEnd = due + hour;
      const both = () => [
        newDelivery({leaseEnd}),
        event('crm', 'created', {nextAttemptAt: leaseEnd, leaseEnd}),
      ];
      const original = await accept(both(), same);
      assert.deepEqual(original.stored.duplicateOf, null);
      assert.deepEqual(original.leased.map(({content}) => content).toSorted(), ['created', 'lead']);
      const again = await accept(both(), same);
      assert.deepEqual(again.stored.duplicateOf, original.id);
      assert.deepEqual(columnOf(again.leased, 'content'), ['created']);
      assert.deepEqual(columnOf(await rowsOf(again.id), 'content'), ['created']);

      await store.settle(keyOf(original.id), 0, done);
      assert.deepEqual(await statesOf(original.id), ['crm answered waiting', 'crm created waiting']);
      assert.deepEqual(
        await statesOf(again.id),
        ['crm created waiting'],
        'its answer is that of the original',
      );
      const [claimed] = (await claim('crm', leaseEnd)).filter(({lead}) => lead.id === again.id);
      assert.partialDeepStrictEqual(claimed?.lead, {
        duplicateOf: original.id,
        isAnsweredLater: false,
        answer: {status: 'pending'},
      });
    });

    suite('that an operator sends again', () => {
      /** A lead of that time with an event for the destination, both delivered. Resolves to its id. */
      const delivered = async (destination: string, createdAt: number) => {
        const {id} = entryAt(createdAt);
        await accept([newDelivery({destination}), event(destination)], {id, createdAt});
        await store.settle(keyOf(id, destination), 0, done);
        for (const content of ['created', 'answered'] as const)
          await store.settle(keyOfEvent(id, destination, content), 0, taken);
        return id;
      };
      const allDelivered = (destination: string) => [
        `${destination} answered delivered`,
        `${destination} created delivered`,
      ];
      const allDue = (destination: string) => [
        `${destination} answered waiting`,
        `${destination} created waiting`,
      ];

      test('a delivered event is sent again by the id of its lead, and the lead itself never is', async () => {
        const id = await delivered('by-id', due);
        assert.equal(await store.retryDeliveries(due, {lead: id}), 0, 'only where the state is named');
        assert.deepEqual(await statesOf(id), allDelivered('by-id'));
        assert.equal(await store.retryDeliveries(due, {lead: id, state: 'delivered'}), 2);
        assert.deepEqual(await statesOf(id), allDue('by-id'));
        assert.partialDeepStrictEqual(await rowOf(id, 'by-id', 'lead'), {state: 'delivered', attempts: 1});
        assert.partialDeepStrictEqual(await rowOf(id, 'by-id', 'created'), {settledAt: null, attempts: 1});
        assert.deepEqual((await store.find(id))?.answer, doneAnswer);
        const claimed = await claim('by-id');
        assert.deepEqual(claimed.map(({content}) => content).toSorted(), ['answered', 'created']);
      });
      test('an event that was delivered is sent again by destination and time', async () => {
        const times = [due - 1, due, due + hour - 1, due + hour];
        const ids: string[] = [];
        for (const time of times) ids.push(await delivered('by-time', time));
        const other = await delivered('by-time-other', due);
        const range = {since: due, until: due + hour};
        const filter = {destination: 'by-time', state: 'delivered', ...range} as const;
        assert.equal((await store.listDeliveries(100, filter)).length, 6);
        assert.equal(await store.retryDeliveries(due, filter), 4);
        const [before, first, last, after] = ids;
        for (const id of [before, after]) assert.deepEqual(await statesOf(id!), allDelivered('by-time'));
        for (const id of [first, last]) assert.deepEqual(await statesOf(id!), allDue('by-time'));
        assert.deepEqual(await statesOf(other), allDelivered('by-time-other'));
      });
      test('a dropped event is sent again where its state is named, and the lead itself never is', async () => {
        const {id} = await accept([newDelivery({destination: 'dropping'}), event('dropping')]);
        assert.equal(await store.dropDeliveries(due, {lead: id}), 2);
        assert.equal(await store.retryDeliveries(due, {destination: 'dropping'}), 0);
        assert.equal(await store.retryDeliveries(due, {destination: 'dropping', state: 'dropped'}), 1);
        assert.deepEqual(await statesOf(id), ['dropping created waiting']);
        assert.partialDeepStrictEqual(await rowOf(id, 'dropping', 'lead'), {state: 'dropped'});
        assert.deepEqual((await store.find(id))?.answer, {status: 'refused'});
      });
      test('an event that is held is left out by an operator who names neither its state nor its lead', async () => {
        const later = due + 9 * hour;
        const {id} = await accept([event('holding', 'created', {state: 'held'})]);
        const waiting = await accept([event('holding', 'created', {nextAttemptAt: later})]);
        assert.equal(await store.retryDeliveries(due, {destination: 'holding'}), 1);
        assert.deepEqual(await statesOf(id), ['holding created held']);
        assert.deepEqual(leadIdsOf(await claim('holding')), [waiting.id]);
        assert.equal(await store.retryDeliveries(due, {destination: 'holding', state: 'held'}), 1);
        assert.deepEqual(await statesOf(id), ['holding created waiting']);
      });
      test('an event that was given up is listed as failed, and tried again', async () => {
        const {id} = await accept([event('giving-up')]);
        const [claimed] = await claim('giving-up');
        const key = keyOfEvent(id, 'giving-up', 'created');
        await store.postpone(key, claimed!.leaseEnd, {...failedAttempt, state: 'failed', until: due});
        assert.deepEqual(await claim('giving-up', due + 99 * hour), []);
        const filter = {destination: 'giving-up', state: 'failed'} as const;
        assert.partialDeepStrictEqual(await store.listDeliveries(10, filter), [{lead: id, settledAt: null}]);
        assert.equal(await store.retryDeliveries(due, filter), 1);
        assert.equal((await claim('giving-up')).length, 1);
      });
    });

    suite('whose destination fails', () => {
      test('a failing delivery keeps the time of its first failure until a pause has ended', async (t) => {
        const {id} = await accept([event('failing')]);
        const key = keyOfEvent(id, 'failing', 'created');
        const since = async () => (await rowOf(id, 'failing', 'created'))?.failingSince;
        /** @returns since when the delivery had been failing when it was claimed */
        const attempt = async (now: number, tried: boolean) => {
          t.mock.timers.setTime(now);
          const [claimed] = await claim('failing', now);
          await store.postpone(key, claimed!.leaseEnd, {...failedAttempt, tried, until: now});
          return claimed!.failingSince;
        };
        t.mock.timers.enable({apis: ['Date'], now: due});
        assert.equal(await attempt(due, false), null);
        assert.equal(await since(), null, 'nothing was sent');
        assert.equal(await attempt(due + 1, true), null);
        assert.equal(await since(), due + 1);
        assert.equal(await attempt(due + 2, true), due + 1);
        assert.equal(await attempt(due + 3, false), due + 1);
        assert.equal(await since(), due + 1);
        assert.equal(await store.retryDeliveries(due, {destination: 'failing'}), 1);
        assert.equal(await since(), due + 1);
        await store.pauseDestination({destination: 'failing', pausedAt: due, reason: 'it moves'});
        assert.equal(await store.resumeDestination(due, 'failing'), true);
        assert.equal(await since(), null);
        assert.equal(await attempt(due + 4, true), null);
        assert.equal(await since(), due + 4);
      });

      test('the last reply that a destination gave is encrypted, and decrypted for operators', async () => {
        const {id} = await accept([event('replying'), event('silent')]);
        const other = (await accept([event('replying')])).id;
        const key = keyOfEvent(id, 'replying', 'created');
        const attempt = async (excerpt: string | null) => {
          const claimed = (await claim('replying')).find(({lead}) => lead.id === id)!;
          await store.postpone(key, claimed.leaseEnd, {...failedAttempt, excerpt, until: due});
        };
        assert.deepEqual(await store.lastReplies(id), []);
        await attempt('jane@example.com is unknown');
        await attempt("ü'$1 jane@example.com");
        await attempt(null);
        assert.deepEqual(await store.lastReplies(id), [{...key, reply: "ü'$1 jane@example.com"}]);
        assert.deepEqual(await store.lastReplies(other), []);
        assert.doesNotMatch(JSON.stringify(await rowsOf(id)), /jane@/);
        lost.add(id);
        assert.deepEqual(await store.lastReplies(id), [{...key, reply: null}], 'nobody has the key');
        lost.delete(id);
      });
    });

    test('a lead that cannot be read does not keep the others of the batch, and is tried again later', async () => {
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) ids.push((await accept([event('reading')])).id);
      const [, , unread] = ids as [string, string, string];
      lost.add(unread);
      const {due: claimed, held, unreadable} = await store.claimDue('reading', claimAt(due));
      assert.deepEqual(leadIdsOf(claimed).toSorted(), ids.filter((id) => id !== unread).toSorted());
      assert.deepEqual([held, unreadable], [[], [unread]]);
      const row = (await rowOf(unread, 'reading', 'created'))!;
      assert.partialDeepStrictEqual(row, {state: 'waiting', leasedUntil: 0, attempts: 0, ambiguous: 0});
      assert.match(row.lastError!, /key of this lead is missing/);
      assert.ok(row.nextAttemptAt > due);
      const records = await store.findRecords([...ids, randomUUID()]);
      assert.deepEqual([...records.keys()].toSorted(), ids.toSorted());
      assert.ok('unreadable' in records.get(unread)!);

      lost.delete(unread);
      // The leases of the others end much earlier.
      for (const id of ids.filter((each) => each !== unread))
        await store.settle(keyOfEvent(id, 'reading', 'created'), 0, taken);
      assert.deepEqual(await claim('reading', row.nextAttemptAt - 1), []);
      const [again] = await claim('reading', row.nextAttemptAt);
      assert.partialDeepStrictEqual(again, {lead: {id: unread}, attempts: 0});
    });

    test('the pause of a destination keeps its first reason until an operator resumes it', async () => {
      assert.deepEqual(await store.pausedDestinations(), []);
      const [first, other] = [
        {destination: 'gone', pausedAt: due, reason: 'The receiver answered with 410', isGone: true},
        {destination: 'crm', pausedAt: due + 2, reason: 'By an operator', isGone: false},
      ];
      await store.pauseDestination(first);
      await store.pauseDestination({...first, pausedAt: due + 1, reason: 'another'});
      await store.pauseDestination(other);
      const paused = async () => (await store.pausedDestinations()).map((row) => ({...row}));
      assert.deepEqual(await paused(), [other, first]);
      assert.equal(await store.resumeDestination(Date.now(), 'gone'), true);
      assert.equal(await store.resumeDestination(Date.now(), 'gone'), false);
      assert.equal(await store.resumeDestination(Date.now(), 'unknown'), false);
      assert.deepEqual(await paused(), [other]);
      await store.pauseDestination({...first, pausedAt: due + 3});
      assert.deepEqual(await paused(), [other, {...first, pausedAt: due + 3}]);
    });
  });
}
