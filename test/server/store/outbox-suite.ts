/** What every store's outbox must do: give out what is due, once, and believe only who may know. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {
  DeliveryFilter,
  DeliveryKey,
  DueDelivery,
  NewDelivery,
  Settlement,
} from '../../../server/leads/deliveries.ts';
import type {LeadStore} from '../../../server/leads/ports.ts';
import {openForSuite} from '../../support/opened.ts';
import {
  amounts,
  claimAt,
  doneAnswer,
  failedAttempt,
  keyOf,
  newDelivery,
  newEntry,
  toRecord,
} from '../../support/sample-leads.ts';
import {columnOf, leadIdsOf} from '../../support/rows.ts';

const hour = 3_600_000;
const due = Date.UTC(2026, 0, 1);
const lost = {...failedAttempt, ambiguous: true, isCounted: true};
const refused: Settlement = {state: 'refused', reason: 'The upstream refused the lead with 422'};
const done: Settlement = {state: 'delivered', answer: doneAnswer};

export function describeOutbox(name: string, openStore: (data: string) => Promise<LeadStore>) {
  suite(`${name}: what is to be delivered`, () => {
    const store = openForSuite(() => openStore('outbox'));

    const accept = async (changes: Partial<NewDelivery> = {}, count = 1) => {
      const deliveries = [newDelivery({nextAttemptAt: due, ...changes})];
      const entries = Array.from({length: count}, () => newEntry({deliveries, answer: {status: 'pending'}}));
      for (const entry of entries) await store.accept(entry);
      return entries.map(({id}) => id);
    };
    const claimAll = (now: number, limit = 100, maxSends = 3) =>
      store.claimDue('default', claimAt(now, {limit, maxSends}));
    const claim = async (now: number, limit?: number) =>
      (await claimAll(now, limit)).due.map(({lead}) => lead.id);
    const claimOne = async (now: number): Promise<DueDelivery> => {
      const [only, ...others] = (await claimAll(now)).due;
      assert.deepEqual(others, []);
      return only!;
    };
    // One lead after the other, because a caller that waits three seconds for a connection to PostgreSQL gets an error.
    const settle = async (ids: (string | undefined)[]) => {
      for (const id of ids) {
        for (const destination of ['default', 'other']) await store.settle(keyOf(id!, destination), 0, done);
      }
    };
    const rowOf = async (id: string | undefined) =>
      (await store.listDeliveries(100, {})).find(({lead}) => lead === id);

    test('a delivery is given out when it is due, the longest due first, as many as asked for', async () => {
      const [[second], [first], [third]] = [
        await accept(),
        await accept({nextAttemptAt: due - 1}),
        await accept({nextAttemptAt: due + 1}),
      ];
      assert.deepEqual(await claim(due - 2), []);
      assert.deepEqual(await claim(due + 1, 1), [first]);
      assert.deepEqual((await claim(due + 1, 2)).toSorted(), [second, third].toSorted());
      await settle([first, second, third]);
    });
    test('a delivery has its lead, where it goes, how often it was tried and until when it is taken', async () => {
      const [id] = await accept();
      await store.recordRemoteId(keyOf(id!), 'u-1');
      const stored = (await store.find(id!))!;
      const expected = {
        lead: toRecord(stored),
        destination: 'default',
        content: 'lead',
        happenedAt: stored.createdAt,
        failingSince: null,
        remoteId: 'u-1',
        recipients: null,
        address: null,
        attempts: 0,
        ambiguousCounted: 0,
        leaseEnd: due + hour,
      };
      assert.deepEqual(await claimAll(due), {due: [expected], held: [], unreadable: []});
      await settle([id]);
    });
    test('a delivery belongs to its taker until the lease ends', async () => {
      const ids = await accept();
      assert.deepEqual(await claim(due), ids);
      assert.deepEqual(await claim(due + hour - 1), []);
      assert.deepEqual(await claim(due + hour), ids);
      await settle(ids);
      assert.deepEqual(await claim(due + 10 * hour), []);
    });
    test('a delivery belongs from the start to who handed it in and sends it at once', async () => {
      const [id] = await accept({nextAttemptAt: due + hour, leaseEnd: due + hour});
      assert.deepEqual(await claim(due + hour - 1), []);
      await store.postpone(keyOf(id!), due + hour, {...failedAttempt, until: due + 1});
      assert.deepEqual(await claim(due + 1), [id]);
      await settle([id]);
    });
    test('a delivery is given out for one upstream, whatever waits for another', async () => {
      const others = await accept({destination: 'other', nextAttemptAt: due - hour}, 20);
      const [id] = await accept();
      assert.deepEqual(await claim(due, 5), [id]);
      assert.deepEqual(
        (await store.countOutbox()).map(({destination, state, deliveries}) => [
          destination,
          state,
          deliveries,
        ]),
        [
          ['default', 'waiting', 1],
          ['other', 'waiting', 20],
        ],
      );
      await settle([id, ...others]);
    });
    test('a delivery goes to one of those who ask at the same time', async () => {
      const ids = await accept({}, 60);
      const claims = await Promise.all(Array.from({length: 20}, () => claim(due, 3)));
      assert.ok(claims.every(({length}) => length <= 3));
      const rest = await claim(due);
      assert.deepEqual([...claims.flat(), ...rest].toSorted(), ids.toSorted());
      await settle(ids);
    });
    test('a delivery waits as long as it is postponed; only attempts and lost replies are counted', async () => {
      const [id] = await accept();
      const outcomes = [
        [
          {tried: false, ambiguous: false},
          {attempts: 0, ambiguous: 0},
        ],
        [
          {tried: true, ambiguous: false},
          {attempts: 1, ambiguous: 0},
        ],
        [
          {tried: true, ambiguous: true},
          {attempts: 2, ambiguous: 1},
        ],
      ] as const;
      for (const [index, [outcome, counted]] of outcomes.entries()) {
        const [now, until] = [due + index * 10, due + index * 10 + 10];
        const {leaseEnd} = await claimOne(now);
        assert.equal((await rowOf(id))?.leasedUntil, leaseEnd);
        await store.postpone(keyOf(id!), leaseEnd, {...failedAttempt, ...outcome, until});
        assert.deepEqual(await claim(until - 1), []);
        const {failingSince, ...rest} = (await rowOf(id))!;
        const row = {
          lead: id,
          destination: 'default',
          content: 'lead',
          state: 'waiting',
          happenedAt: (await store.find(id!))!.createdAt,
          nextAttemptAt: until,
          leasedUntil: 0,
          reason: null,
          remoteId: null,
          recipients: null,
          settledAt: null,
          address: null,
          formerAddresses: [],
        };
        assert.deepEqual(rest, {...row, lastError: 'failed', ...counted});
        assert.equal(failingSince === null, !outcome.tried);
      }
      assert.equal((await claimOne(due + 30)).attempts, 2);
      await settle([id]);
      assert.deepEqual(await store.listDeliveries(10, {}), []);
    });
    test('a delivery is out of reach while it is held or refused, until an operator says so', async () => {
      const [held, given] = await accept({}, 2);
      const [{leaseEnd}] = (await claimAll(due)).due as [DueDelivery];
      await store.postpone(keyOf(held!), leaseEnd, {...lost, state: 'held', until: due});
      await store.settle(keyOf(given!), leaseEnd, refused);
      assert.deepEqual(await claim(due + 99 * hour), []);
      assert.deepEqual(columnOf(await store.listDeliveries(10, {}), 'state').toSorted(), ['held', 'refused']);
      assert.equal(await store.retryDeliveries(due, {lead: given!}), 1);
      assert.deepEqual((await store.find(given!))?.answer, {status: 'pending'});
      assert.deepEqual(await claim(due), [given]);
      assert.equal(await store.retryDeliveries(due, {}), 0, 'none that is held or under way');
      assert.equal(await store.retryDeliveries(due, {state: 'held'}), 1);
      assert.deepEqual(await claim(due), [held]);
      assert.equal(await store.retryDeliveries(due, {lead: randomUUID()}), 0);
      await settle([held, given]);
    });

    test('a delivery is listed in pages, by state and by upstream, and counted as it is', async () => {
      const waiting = await accept({}, 5);
      const held = await accept({state: 'held'}, 2);
      const elsewhere = await accept({destination: 'other', state: 'held'}, 2);
      const all = [...waiting, ...held, ...elsewhere].toSorted();
      const list = async (limit: number, filter: DeliveryFilter = {}, after?: DeliveryKey) =>
        (await store.listDeliveries(limit, filter, after)).map(({lead}) => lead);
      assert.deepEqual(await list(100), all);
      assert.deepEqual(await list(4), all.slice(0, 4));
      const rows = await store.listDeliveries(100, {});
      assert.deepEqual(await list(4, {}, rows[3]), all.slice(4, 8));
      assert.deepEqual(await list(4, {}, rows[7]), all.slice(8));
      assert.deepEqual(await list(100, {state: 'waiting'}), waiting.toSorted());
      assert.deepEqual(await list(100, {state: 'held'}), [...held, ...elsewhere].toSorted());
      assert.deepEqual(await list(100, {state: 'held', destination: 'other'}), elsewhere.toSorted());
      const [first] = held.toSorted();
      assert.deepEqual(
        await list(100, {state: 'held', destination: 'default'}, keyOf(first!)),
        held.toSorted().slice(1),
      );
      assert.deepEqual(await list(100, {destination: 'nobody'}), []);
      assert.deepEqual(
        (await store.countOutbox()).map((row) => ({...row})),
        [
          {destination: 'default', state: 'held', deliveries: 2, oldest: held.toSorted()[0]},
          {destination: 'default', state: 'waiting', deliveries: 5, oldest: waiting.toSorted()[0]},
          {destination: 'other', state: 'held', deliveries: 2, oldest: elsewhere.toSorted()[0]},
        ],
      );
      await settle(all);
      assert.deepEqual(await store.countOutbox(), []);
    });
    test('the last success of a destination is that of the newest lead that it has', async () => {
      const before = Date.now();
      const [lead] = await accept({destination: 'slow'});
      await accept({destination: 'slow'});
      const last = async (name: string) =>
        (await store.lastDelivered(['never', name])).map(({destination, deliveredAt}) => [
          destination,
          deliveredAt >= before,
        ]);
      assert.deepEqual(await last('slow'), []);
      await store.settle(keyOf(lead!, 'slow'), 0, done);
      assert.deepEqual(await last('slow'), [['slow', true]]);
      await store.dropDeliveries(due, {destination: 'slow'});
    });
    test('deliveries are made due by the hundreds, of one upstream if wanted, and only those meant', async () => {
      const entries = ['default', 'other'].map((destination) => accept({destination, state: 'held'}, 700));
      const [mine, others] = await Promise.all(entries);
      const waiting = await accept({nextAttemptAt: due + 9 * hour}, 2);
      assert.equal(await store.retryDeliveries(due, {state: 'held', destination: 'default'}), 700);
      assert.deepEqual((await claim(due, 2_000)).toSorted(), mine!.toSorted());
      await settle(mine!);
      assert.equal(await store.retryDeliveries(due, {}), 2, 'what is held stays held');
      assert.deepEqual((await claim(due)).toSorted(), waiting.toSorted());
      assert.equal((await store.listDeliveries(2_000, {state: 'held'})).length, 700);
      assert.equal(await store.retryDeliveries(due, {state: 'held'}), 700);
      await settle([...others!, ...waiting]);
    });
    test('a delivery has the reason where the upstream refused it', async () => {
      const [id] = await accept();
      const {leaseEnd} = await claimOne(due);
      await store.settle(keyOf(id!), leaseEnd, refused);
      assert.partialDeepStrictEqual(await rowOf(id), {lastError: 'The upstream refused the lead with 422'});
      await settle([id]);
    });

    suite('and that an operator settles', () => {
      const remoteId = 'u-by-phone';
      const statusOf = async (id: string) => (await store.find(id))?.answer.status;

      for (const state of ['held', 'waiting'] as const) {
        test(`a settled delivery is asked for its amounts alone if the upstream has it: ${state}`, async () => {
          const [id] = await accept({state, nextAttemptAt: due + 9 * hour});
          assert.equal(await store.settleAs(due, {lead: id!}, remoteId), 'settled');
          assert.equal((await claimOne(due)).remoteId, 'u-by-phone');
          await settle([id]);
        });
        test(`a delivery that an operator settles is refused and never sent where that is said: ${state}`, async () => {
          const [id] = await accept({state});
          assert.equal(await store.dropDeliveries(due, {lead: id!}), 1);
          assert.equal(await statusOf(id!), 'refused');
          assert.equal(await store.retryDeliveries(due, {}), 0);
          assert.equal(await store.retryDeliveries(due, {lead: id!}), 0);
          assert.deepEqual(await store.listDeliveries(10, {}), []);
        });
      }
      test('a settled delivery is pending again if it was refused but the upstream has it', async () => {
        const [id] = await accept();
        const {leaseEnd} = await claimOne(due);
        await store.settle(keyOf(id!), leaseEnd, refused);
        assert.equal(await store.settleAs(due, {lead: id!}, remoteId), 'settled');
        assert.equal(await statusOf(id!), 'pending');
        assert.equal((await claimOne(due)).remoteId, 'u-by-phone');
        await settle([id]);
      });
      test('a delivery that an operator settles is left alone while it is under way', async () => {
        const [id] = await accept();
        await claimOne(due);
        const before = await rowOf(id);
        assert.equal(await store.settleAs(due, {lead: id!}, remoteId), 'under-way');
        assert.equal(await store.dropDeliveries(due, {lead: id!}), 0);
        assert.deepEqual(await rowOf(id), before);
        assert.deepEqual((await store.find(id!))?.answer, {status: 'pending'});
        await settle([id]);
      });
      test('a settled delivery keeps the id that the upstream gave before', async () => {
        const [id] = await accept({state: 'held'});
        await store.recordRemoteId(keyOf(id!), 'u-1');
        assert.equal(await store.settleAs(due, {lead: id!}, remoteId), 'taken-already');
        assert.partialDeepStrictEqual(await rowOf(id), {state: 'held'});
        await store.retryDeliveries(due, {lead: id!});
        assert.equal((await claimOne(due)).remoteId, 'u-1');
        await settle([id]);
      });
      test('a delivery that is not there cannot be settled, and nothing changes', async () => {
        assert.equal(await store.settleAs(due, {lead: randomUUID()}, remoteId), 'absent');
        assert.equal(await store.dropDeliveries(due, {lead: randomUUID()}), 0);
      });
      test('a settled delivery is done when a taker whose lease is over brings the amounts', async () => {
        const [id] = await accept();
        const {leaseEnd} = await claimOne(due);
        assert.equal(await store.dropDeliveries(leaseEnd, {lead: id!}), 1);
        await store.settle(keyOf(id!), leaseEnd, done);
        assert.equal(await statusOf(id!), 'done');
        await store.postpone(keyOf(id!), leaseEnd, {...failedAttempt, until: due});
        assert.deepEqual(await store.listDeliveries(10, {}), []);
      });
    });

    suite('and whose taker outlived its lease', () => {
      /** Claimed twice: the first taker's lease is over, the second is at it. */
      const claimedTwice = async () => {
        const [id] = await accept();
        const [{leaseEnd: over}, {leaseEnd: holds}] = [await claimOne(due), await claimOne(due + hour)];
        return {id: id!, over, holds};
      };

      test('a delivery whose taker outlived its lease is not postponed, held or given up by that one', async () => {
        const {id, over, holds} = await claimedTwice();
        const before = await rowOf(id);
        for (const state of ['waiting', 'held'] as const) {
          await store.postpone(keyOf(id), over, {...lost, state, until: due});
        }
        await store.settle(keyOf(id), over, refused);
        assert.deepEqual(await rowOf(id), before);
        assert.deepEqual((await store.find(id))?.answer, {status: 'pending'});
        assert.deepEqual(await claim(holds - 1), []);
        await settle([id]);
      });
      test('amounts of a taker whose lease is over end the delivery, and nothing changes that', async () => {
        const {id, over, holds} = await claimedTwice();
        await store.recordRemoteId(keyOf(id), 'first');
        await store.settle(keyOf(id), over, done);
        await store.recordRemoteId(keyOf(id), 'second');
        await store.settle(keyOf(id), holds, refused);
        await store.postpone(keyOf(id), holds, {...failedAttempt, until: due});
        const other = {...doneAnswer, amounts: {...amounts, total_qualified_amount: 1}} as const;
        const recorded = await store.settle(keyOf(id), holds, {state: 'delivered', answer: other});
        assert.deepEqual([(await store.find(id))?.answer, recorded], [doneAnswer, doneAnswer]);
        assert.deepEqual(await store.listDeliveries(10, {}), []);
      });
      test('amounts of a taker whose lease is over end the delivery, although another was refused', async () => {
        const {id, over, holds} = await claimedTwice();
        await store.settle(keyOf(id), holds, refused);
        await store.settle(keyOf(id), over, done);
        assert.deepEqual((await store.find(id))?.answer, doneAnswer);
        assert.deepEqual(await store.listDeliveries(10, {}), []);
      });
    });

    suite('and was left by its taker without a word', () => {
      test('a delivery that its taker left may have been sent: it is counted, and sent again', async () => {
        const [id] = await accept({nextAttemptAt: due, leaseEnd: due});
        assert.partialDeepStrictEqual(await claimOne(due), {attempts: 1});
        assert.partialDeepStrictEqual(await rowOf(id), {ambiguous: 1, attempts: 1, state: 'waiting'});
        await settle([id]);
      });
      test('a delivery that its taker left is held where that is wanted, and an operator sends it', async () => {
        const [id] = await accept();
        await claimOne(due);
        assert.deepEqual(await claimAll(due + hour, 10, 1), {due: [], held: [id], unreadable: []});
        assert.partialDeepStrictEqual(await rowOf(id), {ambiguous: 1, state: 'held', leasedUntil: 0});
        assert.deepEqual(await claimAll(due + 9 * hour, 10, 1), {due: [], held: [], unreadable: []});
        assert.equal(await store.retryDeliveries(due, {lead: id!}), 1);
        assert.deepEqual(leadIdsOf((await claimAll(due, 10, 1)).due), [id]);
        await settle([id]);
      });
      test('a lead whose taker dies each time is given out three times in all, then held', async () => {
        const [id] = await accept();
        const later = (times: number) => due + times * 2 * hour;
        for (let times = 0; times < 3; times += 1) {
          assert.deepEqual((await claimAll(later(times))).held, [], `after ${times}`);
        }
        assert.deepEqual(await claimAll(later(3)), {due: [], held: [id], unreadable: []});
        assert.partialDeepStrictEqual(await rowOf(id), {ambiguous: 3, attempts: 3, state: 'held'});
        assert.deepEqual(await claimAll(later(4)), {due: [], held: [], unreadable: []});
        await settle([id]);
      });
      test('a delivery whose taker never knew of it is not taken for one that may have been sent', async () => {
        const [first, second] = [await accept(), await accept({leaseEnd: due + 7, nextAttemptAt: due + 7})];
        await claimOne(due);
        const unused = [
          {leaseEnd: due + hour, dueAgain: due + hour},
          {leaseEnd: due + 7, lead: second[0]!},
        ];
        const ids = [...first, ...second];
        const again = claimAt(due + 1, {maxSends: 1, unused});
        const {due: claimed, held} = await store.claimDue('default', again);
        assert.deepEqual([claimed.map(({lead}) => lead.id).toSorted(), held], [ids.toSorted(), []]);
        for (const id of ids) assert.partialDeepStrictEqual(await rowOf(id), {ambiguous: 0, attempts: 0});
        await settle(ids);
      });
      test('a lease of another process does not end with those that a process was never told of', async () => {
        const [mine, others] = [await accept(), await accept()];
        const claimed = await store.claimDue('default', claimAt(due, {leaseEnd: due + 5, limit: 1}));
        const [taken] = claimed.due.map(({lead}) => lead.id);
        await store.claimDue('default', claimAt(due, {limit: 1}));
        const unused = [
          {leaseEnd: due + 5, dueAgain: due + 5},
          ...[...mine, ...others].map((lead) => ({lead, leaseEnd: due + 5})),
        ];
        const {due: again} = await store.claimDue('default', claimAt(due + 1, {maxSends: 1, unused}));
        assert.deepEqual(leadIdsOf(again), [taken]);
        await settle([...mine, ...others]);
      });
      test('a lease that another process took at the same millisecond does not end with an unused one', async () => {
        const [id] = await accept({leaseEnd: due + hour, nextAttemptAt: due + hour});
        await store.claimDue('default', claimAt(due));
        const unused = [{leaseEnd: due + hour, dueAgain: due + hour + 1}];
        assert.deepEqual((await store.claimDue('default', claimAt(due + 1, {unused}))).due, []);
        await settle([id!]);
      });
      test('a lease beyond any wait is left alone: the clock of its process is ahead', async () => {
        const [id] = await accept();
        const far = due + 100 * hour;
        await store.claimDue('default', claimAt(due, {leaseEnd: far}));
        const latest = {latest: due + hour, latestOfStops: due + hour};
        const recall = (endedLeases: number[]) =>
          store.recallDeliveries('default', {now: due, ...latest, endedLeases});
        assert.deepEqual(await recall([]), [far]);
        assert.partialDeepStrictEqual(await rowOf(id), {nextAttemptAt: far});
        assert.deepEqual(await recall([far]), []);
        assert.partialDeepStrictEqual(await rowOf(id), {nextAttemptAt: due});
        await settle([id!]);
      });
      test('a delivery that its taker left is not sent again if the upstream is known to have it', async () => {
        const [id] = await accept();
        await claimOne(due);
        await store.recordRemoteId(keyOf(id!), 'u-1');
        const {due: claimed, held} = await claimAll(due + hour, 10, 1);
        assert.deepEqual([claimed.map(({remoteId}) => remoteId), held], [['u-1'], []]);
        assert.partialDeepStrictEqual(await rowOf(id), {ambiguous: 0, state: 'waiting'});
        await settle([id]);
      });
      test('a delivery that its taker left is not made due by an operator while its lease runs', async () => {
        const [id] = await accept();
        await claimOne(due);
        assert.equal(await store.retryDeliveries(due, {lead: id!}), 0);
        await settle([id]);
      });
    });
  });
}
