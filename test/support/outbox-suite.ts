/** What every store's outbox must do: give out what is due, once, and believe only who may know. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, suite, test} from 'node:test';
import type {DueDelivery, LeadEntry, LeadStore} from '../../server/store/lead-store.ts';
import {amounts, doneAnswer, newEntry} from './sample-leads.ts';

const hour = 3_600_000;
const due = Date.UTC(2026, 0, 1);
const failed = {error: 'failed', tried: true, ambiguous: false, state: 'waiting'} as const;
const refused = {status: 'refused'} as const;

export function describeOutbox(name: string, openStore: (data: string) => Promise<LeadStore>) {
  suite(`${name}: what is to be delivered`, async () => {
    const store = await openStore('outbox');
    after(() => store.close());

    const accept = async (changes: Partial<NonNullable<LeadEntry['delivery']>> = {}, count = 1) => {
      const delivery = {upstream: 'default', state: 'waiting', nextAttemptAt: due, ...changes} as const;
      const entries = Array.from({length: count}, () => newEntry({delivery, answer: {status: 'pending'}}));
      for (const entry of entries) await store.accept(entry);
      return entries.map(({id}) => id);
    };
    const claimAll = (now: number, limit = 100, onAmbiguous: 'send' | 'hold' = 'send') =>
      store.claimDue('default', now, now + hour, limit, onAmbiguous);
    const claim = async (now: number, limit?: number) =>
      (await claimAll(now, limit)).due.map(({lead}) => lead.id);
    const claimOne = async (now: number): Promise<DueDelivery> => {
      const [only, ...others] = (await claimAll(now)).due;
      assert.deepEqual(others, []);
      return only!;
    };
    const settle = (ids: (string | undefined)[]) =>
      Promise.all(ids.map((id) => store.recordAnswer(id!, doneAnswer, 0)));
    const rowOf = async (id: string | undefined) =>
      (await store.listOutbox(100)).find(({lead}) => lead === id);

    test('is given out when it is due, the longest due first, as many as asked for', async () => {
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
    test('has its lead, where it goes, how often it was tried and until when it is taken', async () => {
      const [id] = await accept();
      await store.recordUpstreamId(id!, 'u-1');
      const lead = await store.find(id!);
      const expected = {lead, upstream: 'default', attempts: 0, ambiguous: 0, leaseEnd: due + hour};
      assert.deepEqual(await claimAll(due), {due: [expected], held: []});
      await settle([id]);
    });
    test('belongs to its taker until the lease ends', async () => {
      const ids = await accept();
      assert.deepEqual(await claim(due), ids);
      assert.deepEqual(await claim(due + hour - 1), []);
      assert.deepEqual(await claim(due + hour), ids);
      await settle(ids);
      assert.deepEqual(await claim(due + 10 * hour), []);
    });
    test('belongs from the start to who handed it in and sends it at once', async () => {
      const [id] = await accept({nextAttemptAt: due + hour, leaseEnd: due + hour});
      assert.deepEqual(await claim(due + hour - 1), []);
      await store.postpone(id!, due + hour, {...failed, until: due + 1});
      assert.deepEqual(await claim(due + 1), [id]);
      await settle([id]);
    });
    test('is given out for one upstream, whatever waits for another', async () => {
      const others = await accept({upstream: 'other', nextAttemptAt: due - hour}, 20);
      const [id] = await accept();
      assert.deepEqual(await claim(due, 5), [id]);
      assert.deepEqual(
        (await store.countWaiting()).toSorted((a, b) => a.leads - b.leads).map((row) => ({...row})),
        [
          {upstream: 'default', leads: 1},
          {upstream: 'other', leads: 20},
        ],
      );
      await settle([id, ...others]);
    });
    test('goes to one of those who ask at the same time', async () => {
      const ids = await accept({}, 60);
      const claims = await Promise.all(Array.from({length: 20}, () => claim(due, 3)));
      assert.ok(claims.every(({length}) => length <= 3));
      const rest = await claim(due);
      assert.deepEqual([...claims.flat(), ...rest].toSorted(), ids.toSorted());
      await settle(ids);
    });
    test('waits as long as it is postponed; only attempts are counted, and replies that were lost', async () => {
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
        await store.postpone(id!, leaseEnd, {...failed, ...outcome, until});
        assert.deepEqual(await claim(until - 1), []);
        const row = {lead: id, upstream: 'default', state: 'waiting', nextAttemptAt: until, leasedUntil: 0};
        assert.deepEqual({...(await rowOf(id))}, {...row, lastError: 'failed', ...counted});
      }
      assert.equal((await claimOne(due + 30)).attempts, 2);
      await settle([id]);
      assert.deepEqual(await store.listOutbox(10), []);
    });
    test('is out of reach while it is held or refused, until an operator says so', async () => {
      const [held, given] = await accept({}, 2);
      const [{leaseEnd}] = (await claimAll(due)).due as [DueDelivery];
      await store.postpone(held!, leaseEnd, {...failed, ambiguous: true, state: 'held', until: due});
      await store.recordAnswer(given!, refused, leaseEnd);
      assert.deepEqual(await claim(due + 99 * hour), []);
      assert.deepEqual((await store.listOutbox(10)).map(({state}) => state).toSorted(), ['held', 'refused']);
      assert.equal(await store.retryOutbox(due, {id: given!}), 1);
      assert.deepEqual((await store.find(given!))?.answer, {status: 'pending'});
      assert.deepEqual(await claim(due), [given]);
      assert.equal(await store.retryOutbox(due, 'all'), 0, 'none that is held or under way');
      assert.equal(await store.retryOutbox(due, 'held'), 1);
      assert.deepEqual(await claim(due), [held]);
      assert.equal(await store.retryOutbox(due, {id: randomUUID()}), 0);
      await settle([held, given]);
    });

    test('is listed in pages, by state and by upstream, and counted as it is', async () => {
      const waiting = await accept({}, 5);
      const held = await accept({state: 'held'}, 2);
      const elsewhere = await accept({upstream: 'other', state: 'held'}, 2);
      const all = [...waiting, ...held, ...elsewhere].toSorted();
      const list = async (...given: Parameters<LeadStore['listOutbox']>) =>
        (await store.listOutbox(...given)).map(({lead}) => lead);
      assert.deepEqual(await list(100), all);
      assert.deepEqual(await list(4), all.slice(0, 4));
      assert.deepEqual(await list(4, {after: all[3]}), all.slice(4, 8));
      assert.deepEqual(await list(4, {after: all[7]}), all.slice(8));
      assert.deepEqual(await list(100, {state: 'waiting'}), waiting.toSorted());
      assert.deepEqual(await list(100, {state: 'held'}), [...held, ...elsewhere].toSorted());
      assert.deepEqual(await list(100, {state: 'held', upstream: 'other'}), elsewhere.toSorted());
      const [first] = held.toSorted();
      assert.deepEqual(
        await list(100, {state: 'held', upstream: 'default', after: first}),
        held.toSorted().slice(1),
      );
      assert.deepEqual(await list(100, {upstream: 'nobody'}), []);
      assert.deepEqual(
        (await store.countOutbox()).map((row) => ({...row})),
        [
          {upstream: 'default', state: 'held', leads: 2, oldest: held.toSorted()[0]},
          {upstream: 'default', state: 'waiting', leads: 5, oldest: waiting.toSorted()[0]},
          {upstream: 'other', state: 'held', leads: 2, oldest: elsewhere.toSorted()[0]},
        ],
      );
      await settle(all);
      assert.deepEqual(await store.countOutbox(), []);
    });
    test('is made due by the hundreds, of one upstream where that is wanted, and only what is meant', async () => {
      const entries = ['default', 'other'].map((upstream) => accept({upstream, state: 'held'}, 700));
      const [mine, others] = await Promise.all(entries);
      const waiting = await accept({nextAttemptAt: due + 9 * hour}, 2);
      assert.equal(await store.retryOutbox(due, 'held', 'default'), 700);
      assert.deepEqual((await claim(due, 2_000)).toSorted(), mine!.toSorted());
      await settle(mine!);
      assert.equal(await store.retryOutbox(due, 'all'), 2, 'what is held stays held');
      assert.deepEqual((await claim(due)).toSorted(), waiting.toSorted());
      assert.equal((await store.listOutbox(2_000, {state: 'held'})).length, 700);
      assert.equal(await store.retryOutbox(due, 'held'), 700);
      await settle([...others!, ...waiting]);
    });
    test('has the reason where the upstream refused it', async () => {
      const [id] = await accept();
      const {leaseEnd} = await claimOne(due);
      await store.recordAnswer(id!, refused, leaseEnd, 'The upstream refused the lead with 422');
      assert.partialDeepStrictEqual(await rowOf(id), {lastError: 'The upstream refused the lead with 422'});
      await settle([id]);
    });

    suite('and that an operator settles', () => {
      const takenAs = {upstreamId: 'u-by-phone'};
      const statusOf = async (id: string) => (await store.find(id))?.answer.status;

      for (const state of ['held', 'waiting'] as const) {
        test(`is asked for its amounts alone where the upstream has it: ${state}`, async () => {
          const [id] = await accept({state, nextAttemptAt: due + 9 * hour});
          assert.equal(await store.settleOutbox(due, id!, takenAs), 'settled');
          assert.equal((await claimOne(due)).lead.upstreamId, 'u-by-phone');
          await settle([id]);
        });
        test(`is refused and never sent where that is said: ${state}`, async () => {
          const [id] = await accept({state});
          assert.equal(await store.settleOutbox(due, id!, 'never-send'), 'settled');
          assert.equal(await statusOf(id!), 'refused');
          assert.equal(await store.retryOutbox(due, 'all'), 0);
          assert.equal(await store.retryOutbox(due, {id: id!}), 0);
          assert.deepEqual(await store.listOutbox(10), []);
        });
      }
      test('is pending again where it was refused, but the upstream has it', async () => {
        const [id] = await accept();
        const {leaseEnd} = await claimOne(due);
        await store.recordAnswer(id!, refused, leaseEnd);
        assert.equal(await store.settleOutbox(due, id!, takenAs), 'settled');
        assert.equal(await statusOf(id!), 'pending');
        assert.equal((await claimOne(due)).lead.upstreamId, 'u-by-phone');
        await settle([id]);
      });
      test('is left alone while it is under way', async () => {
        const [id] = await accept();
        await claimOne(due);
        const before = await rowOf(id);
        assert.equal(await store.settleOutbox(due, id!, takenAs), 'under-way');
        assert.equal(await store.settleOutbox(due, id!, 'never-send'), 'under-way');
        assert.deepEqual(await rowOf(id), before);
        assert.partialDeepStrictEqual(await store.find(id!), {upstreamId: null, answer: {status: 'pending'}});
        await settle([id]);
      });
      test('keeps the id that the upstream gave, which is known already', async () => {
        const [id] = await accept({state: 'held'});
        await store.recordUpstreamId(id!, 'u-1');
        assert.equal(await store.settleOutbox(due, id!, takenAs), 'taken-already');
        assert.partialDeepStrictEqual(await store.find(id!), {upstreamId: 'u-1'});
        assert.partialDeepStrictEqual(await rowOf(id), {state: 'held'});
        await settle([id]);
      });
      test('is not there: nothing changes', async () => {
        for (const outcome of [takenAs, 'never-send'] as const)
          assert.equal(await store.settleOutbox(due, randomUUID(), outcome), 'absent');
      });
      test('is done all the same when a taker whose lease is over brings the amounts', async () => {
        const [id] = await accept();
        const {leaseEnd} = await claimOne(due);
        assert.equal(await store.settleOutbox(leaseEnd, id!, 'never-send'), 'settled');
        await store.recordAnswer(id!, doneAnswer, leaseEnd);
        assert.equal(await statusOf(id!), 'done');
        await store.postpone(id!, leaseEnd, {...failed, until: due});
        assert.deepEqual(await store.listOutbox(10), []);
      });
    });

    suite('and whose taker outlived its lease', () => {
      /** Claimed twice: the first taker's lease is over, the second is at it. */
      const claimedTwice = async () => {
        const [id] = await accept();
        const [{leaseEnd: over}, {leaseEnd: holds}] = [await claimOne(due), await claimOne(due + hour)];
        return {id: id!, over, holds};
      };

      test('is not postponed, held or given up by that one', async () => {
        const {id, over, holds} = await claimedTwice();
        const before = await rowOf(id);
        for (const state of ['waiting', 'held'] as const) {
          await store.postpone(id, over, {...failed, ambiguous: true, state, until: due});
        }
        await store.recordAnswer(id, refused, over);
        assert.deepEqual(await rowOf(id), before);
        assert.deepEqual((await store.find(id))?.answer, {status: 'pending'});
        assert.deepEqual(await claim(holds - 1), []);
        await settle([id]);
      });
      test('is done when that one brings the amounts, and what the other says then changes nothing', async () => {
        const {id, over, holds} = await claimedTwice();
        await store.recordUpstreamId(id, 'first');
        await store.recordAnswer(id, doneAnswer, over);
        await store.recordUpstreamId(id, 'second');
        await store.recordAnswer(id, refused, holds);
        await store.postpone(id, holds, {...failed, until: due});
        const other = {...doneAnswer, amounts: {...amounts, total_qualified_amount: 1}} as const;
        await store.recordAnswer(id, other, holds);
        assert.partialDeepStrictEqual(await store.find(id), {upstreamId: 'first', answer: doneAnswer});
        assert.deepEqual(await store.listOutbox(10), []);
      });
      test('is done when that one brings the amounts, although the other was refused', async () => {
        const {id, over, holds} = await claimedTwice();
        await store.recordAnswer(id, refused, holds);
        await store.recordAnswer(id, doneAnswer, over);
        assert.deepEqual((await store.find(id))?.answer, doneAnswer);
        assert.deepEqual(await store.listOutbox(10), []);
      });
    });

    suite('and was left by its taker without a word', () => {
      test('may have been sent: it is counted, and sent again', async () => {
        const [id] = await accept({nextAttemptAt: due, leaseEnd: due});
        assert.partialDeepStrictEqual(await claimOne(due), {attempts: 1});
        assert.partialDeepStrictEqual(await rowOf(id), {ambiguous: 1, attempts: 1, state: 'waiting'});
        await settle([id]);
      });
      test('may have been sent: it is held where that is wanted, and only an operator sends it again', async () => {
        const [id] = await accept();
        await claimOne(due);
        assert.deepEqual(await claimAll(due + hour, 10, 'hold'), {due: [], held: [id]});
        assert.partialDeepStrictEqual(await rowOf(id), {ambiguous: 1, state: 'held', leasedUntil: 0});
        assert.deepEqual(await claimAll(due + 9 * hour, 10, 'hold'), {due: [], held: []});
        assert.equal(await store.retryOutbox(due, {id: id!}), 1);
        assert.deepEqual(
          (await claimAll(due, 10, 'hold')).due.map(({lead}) => lead.id),
          [id],
        );
        await settle([id]);
      });
      test('is not sent again when the upstream is known to have it', async () => {
        const [id] = await accept();
        await claimOne(due);
        await store.recordUpstreamId(id!, 'u-1');
        const {due: claimed, held} = await claimAll(due + hour, 10, 'hold');
        assert.deepEqual([claimed.map(({lead}) => lead.upstreamId), held], [['u-1'], []]);
        assert.partialDeepStrictEqual(await rowOf(id), {ambiguous: 0, state: 'waiting'});
        await settle([id]);
      });
      test('is not made due by an operator while its lease runs', async () => {
        const [id] = await accept();
        await claimOne(due);
        assert.equal(await store.retryOutbox(due, {id: id!}), 0);
        await settle([id]);
      });
    });
  });
}
