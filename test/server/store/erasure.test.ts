/** What is left of a lead that was erased, and who is told. The retention job: retention-job.test.ts. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {Settlement} from '../../../server/leads/deliveries.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {putInClear} from '../../support/in-clear.ts';
import {openForSuite} from '../../support/opened.ts';
import {columnOf} from '../../support/rows.ts';
import {
  doneAnswer,
  failedAttempt,
  keyOf,
  newDelivery,
  newEntry,
  eventTo,
  sampleConsent,
} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {testEncryptor} from '../../support/test-server.ts';

const [minute, day] = [60_000, 86_400_000];
const always = () => true;
const never = () => false;

forEachStore((over) => {
  suite('a lead that was erased:', () => {
    const server = over.useServer();
    const store = openForSuite(() => openStore(server.config, testEncryptor));
    const accept = async (changes: Partial<LeadEntry> = {}) => {
      const entry = newEntry({partner: 'acme', consent: sampleConsent, ...changes});
      const accepted = await store.accept(entry);
      assert.ok(accepted.outcome === 'created', accepted.outcome);
      return entry.id;
    };
    const claim = (destination: string, now = Date.now(), leaseEnd = now + minute) =>
      store.claimDue(destination, {now, leaseEnd, limit: 100, maxSends: 3});
    const report = async (
      lead: string,
      destination: string,
      leaseEnd: number,
      settlement: Settlement = {state: 'delivered', answer: null},
    ) => store.settle({lead, destination, content: 'created'}, leaseEnd, settlement);
    /** Reported by the process that has the lease. */
    const delivered = async (lead: string, destination: string) => {
      const rows = await rowsAbout(lead, 'deliveries');
      const row = rows.find((one) => one['destination'] === destination && one['content'] === 'created');
      await report(lead, destination, Number(row?.['leased_until']));
    };
    /** The event of the erasure is due at once then, so that leases alone keep it back. */
    const eraseAndHurry = async (id: string) => {
      await store.erase(id, Date.now(), never);
      assert.equal(await store.retryDeliveries(Date.now(), {lead: id}), 1);
    };
    /** The contents that are claimed. */
    const claimed = async (destination: string, now?: number) =>
      (await claim(destination, now)).due.map(({content}) => content);
    const rowsAbout = (id: string, table: string, column = 'lead_id') =>
      server.select(`SELECT * FROM ${table} WHERE ${column} = '${id}'`);

    test('it is not found, and only its ids, times, partner and campaign are left', async () => {
      const key = {owner: 'caller:acme', digest: randomUUID(), fingerprint: 'of this lead'};
      const id = await accept({
        attribution: {utm_source: 'spring', gclid: 'click'},
        context: {agent: 'a7'},
        contextFilters: {agent: 'a7'},
        idempotency: [key],
        leadDigests: [randomUUID()],
        deliveries: [newDelivery()],
      });
      assert.equal(await store.erase(id, 1_000, never), true);
      assert.equal(await store.find(id), undefined);
      assert.partialDeepStrictEqual((await store.readLead(id))?.lead, {
        id,
        partner: 'acme',
        erasedAt: 1_000,
      });
      for (const table of ['consents', 'context_values', 'same_leads', 'confirmations', 'sealed'])
        assert.deepEqual(await rowsAbout(id, table), [], table);
      const [row] = await rowsAbout(id, 'leads', 'id');
      const {clear_lead, attribution, context, utm_source, rollover_amount} = row!;
      assert.deepEqual(
        {clear_lead, attribution, context, utm_source, rollover_amount},
        {clear_lead: '', attribution: null, context: null, utm_source: 'spring', rollover_amount: null},
      );
      assert.equal(await store.erase(id, 2_000, never), false, 'there is nothing left to erase');
    });

    test('a retry with its key is told so, also long after a key expires', async () => {
      const [first, second] = [randomUUID(), randomUUID()];
      const keys = [first, second].map((digest) => ({owner: 'caller:acme', digest, fingerprint: 'f'}));
      const id = await accept({idempotency: keys});
      await store.erase(id, Date.now(), never);
      for (const later of [0, 400 * day]) {
        await store.deleteExpired(Date.now() + later);
        for (const key of keys)
          assert.deepEqual(
            await store.accept(newEntry({createdAt: Date.now() + later, idempotency: [key]})),
            {outcome: 'erased'},
          );
        assert.partialDeepStrictEqual(await store.findByKey('caller:acme', first), {isErased: true});
      }
    });

    test('the same person may send the same lead again, which is no duplicate', async () => {
      const leadDigests = [randomUUID()];
      await store.erase(await accept({leadDigests}), Date.now(), never);
      const again = await store.accept(newEntry({partner: 'acme', leadDigests}));
      assert.ok(again.outcome === 'created' && again.stored.duplicateOf === null);
    });

    test('those that may have had an event of it are told, and nobody else', async () => {
      const named = (name: string) => `${name}-${randomUUID()}`;
      const [had, failed, neverHad, skipped] = [
        named('had'),
        named('failed'),
        named('never'),
        named('skipped'),
      ];
      const [api, visitor] = [named('api'), named('visitor')];
      const id = await accept({
        deliveries: [
          ...[had, failed, neverHad, skipped].map((name) => eventTo(name)),
          newDelivery({destination: api}),
          newDelivery({destination: visitor, content: 'confirmation', givesAnswer: false}),
        ],
      });
      for (const name of [had, failed, skipped, api, visitor]) await claim(name, Date.now(), 5_000);
      await delivered(id, had);
      const at = (destination: string, content = 'created' as const) => ({lead: id, destination, content});
      const failure = {error: 'It answered with 500', excerpt: 'jane@example.com is unknown'};
      await store.postpone(at(failed), 5_000, {...failedAttempt, ...failure, until: Date.now() + minute});
      await store.settle(at(skipped), 5_000, {state: 'skipped', reason: 'not chosen'});
      await store.settle({...at(api), content: 'lead'}, 0, {state: 'delivered', answer: doneAnswer});
      await store.recordRemoteId({...at(api), content: 'lead'}, 'theirs-7');
      const [planned] = await store.erasable([id]);
      assert.deepEqual(planned?.told.toSorted(), [had, failed].toSorted());
      assert.deepEqual(planned?.remoteIds, [{destination: api, remoteId: 'theirs-7'}]);
      await store.erase(id, Date.now(), never);
      const erased = await server.select(
        `SELECT destination FROM deliveries WHERE lead_id = '${id}' AND content = 'erased'`,
      );
      assert.deepEqual(
        erased.map(({destination}) => String(destination)).toSorted(),
        [had, failed].toSorted(),
      );
      const {due} = await claim(failed);
      assert.partialDeepStrictEqual(due, [{content: 'erased', lead: {id, partner: 'acme'}}]);
      assert.equal(due.length, 1, 'what failed before is not sent any more');
      assert.deepEqual(await store.lastReplies(id), []);
      const left = JSON.stringify(await rowsAbout(id, 'deliveries'));
      assert.doesNotMatch(left, /jane@|answered with 500/);
    });

    test('those that a process may be telling of the lead hear of the erasure after its lease', async () => {
      const name = `leased-${randomUUID()}`;
      const leaseEnd = Date.now() + 10 * minute;
      const id = await accept({deliveries: [eventTo(name, {nextAttemptAt: leaseEnd, leaseEnd})]});
      await store.erase(id, Date.now(), never);
      assert.deepEqual((await claim(name, leaseEnd - 1)).due, []);
      await delivered(id, name);
      assert.deepEqual(await claimed(name, leaseEnd + 1), ['erased']);
    });

    test('no command of an operator makes the event of an erasure overtake a lease', async () => {
      for (const command of ['retry', 'resume'] as const) {
        const name = `${command}-${randomUUID()}`;
        const leaseEnd = Date.now() + 10 * minute;
        const id = await accept({deliveries: [eventTo(name, {nextAttemptAt: leaseEnd, leaseEnd})]});
        await store.erase(id, Date.now(), never);
        if (command === 'retry') assert.equal(await store.retryDeliveries(Date.now(), {lead: id}), 1);
        else await store.resumeDestination(Date.now(), name);
        assert.deepEqual(await claimed(name, leaseEnd - 1), [], command);
        assert.deepEqual(await claimed(name, leaseEnd + 1), ['erased'], command);
      }
    });

    test('the lease of another destination, or of the lead itself, is waited for, too', async () => {
      const [name, upstream] = [`told-${randomUUID()}`, `upstream-${randomUUID()}`];
      const leaseEnd = Date.now() + 10 * minute;
      const id = await accept({
        deliveries: [eventTo(name), newDelivery({destination: upstream, nextAttemptAt: leaseEnd, leaseEnd})],
      });
      await claim(name);
      await delivered(id, name);
      await eraseAndHurry(id);
      assert.deepEqual(await claimed(name), []);
      await store.settle(keyOf(id, upstream), leaseEnd, {state: 'delivered', answer: doneAnswer});
      assert.deepEqual(await claimed(name), ['erased']);
    });

    test('a report that comes late leaves the lease of the process that has the delivery now', async () => {
      const name = `twice-${randomUUID()}`;
      const [first, second] = [Date.now() + minute, Date.now() + 10 * minute];
      const id = await accept({deliveries: [eventTo(name, {nextAttemptAt: first, leaseEnd: first})]});
      assert.equal((await claim(name, first, second)).due.length, 1);
      await report(id, name, first);
      await eraseAndHurry(id);
      assert.deepEqual(await claimed(name, second - 1), []);
      await report(id, name, second);
      assert.deepEqual(await claimed(name), ['erased']);
    });

    test('however an attempt ends during which its lead is erased, nobody waits for its lease then', async () => {
      const ends: Record<string, (id: string, name: string, leaseEnd: number) => Promise<unknown>> = {
        delivered: report,
        refused: (...given) => report(...given, {state: 'refused', reason: '410'}),
        skipped: (...given) => report(...given, {state: 'skipped', reason: 'not chosen'}),
        postponed: (lead, destination, leaseEnd) =>
          store.postpone({lead, destination, content: 'created'}, leaseEnd, {...failedAttempt, until: 0}),
      };
      for (const [how, end] of Object.entries(ends)) {
        const name = `${how}-${randomUUID()}`;
        const leaseEnd = Date.now() + 10 * minute;
        const id = await accept({deliveries: [eventTo(name, {nextAttemptAt: leaseEnd, leaseEnd})]});
        await eraseAndHurry(id);
        assert.deepEqual(await claimed(name), [], how);
        await end(id, name, leaseEnd);
        assert.deepEqual(await claimed(name), ['erased'], how);
      }
    });

    test('an event that a process had which died can be sent again, once its lease has ended', async () => {
      const name = `died-${randomUUID()}`;
      const [first, second] = [Date.now() + minute, Date.now() + 10 * minute];
      const id = await accept({deliveries: [eventTo(name, {nextAttemptAt: first, leaseEnd: first})]});
      await claim(name, first, second);
      await report(id, name, first);
      const again = (now: number) => store.retryDeliveries(now, {lead: id, state: 'delivered'});
      assert.equal(await again(second - 1), 0, 'it may be sending it');
      assert.equal(await again(second), 1);
      assert.partialDeepStrictEqual((await claim(name, second)).due, [
        {content: 'created', ambiguousCounted: 1},
      ]);
    });

    test('an answer, a reply or a failure that comes after the erasure is not stored', async () => {
      const name = `late-${randomUUID()}`;
      const webhook = `webhook-${randomUUID()}`;
      const id = await accept({
        answer: {status: 'pending'},
        deliveries: [newDelivery({destination: name}), eventTo(webhook)],
      });
      await claim(webhook);
      await delivered(id, webhook);
      const {due} = await claim(name);
      const {leaseEnd} = due[0]!;
      await store.erase(id, Date.now(), never);
      const late = {error: 'late', ambiguous: true, isCounted: true, excerpt: 'jane@example.com'};
      await store.postpone(keyOf(id, name), leaseEnd, {...failedAttempt, ...late, until: 0});
      const answered = {state: 'delivered', answer: doneAnswer} as const;
      assert.equal(await store.settle(keyOf(id, name), leaseEnd, answered), undefined);
      assert.deepEqual(await rowsAbout(id, 'sealed'), []);
      const [row] = await rowsAbout(id, 'leads', 'id');
      assert.equal(row?.['total_qualified_amount'], null);
      const contents = (await rowsAbout(id, 'deliveries')).map(({content}) => String(content)).toSorted();
      assert.deepEqual(contents, ['created', 'erased', 'lead']);
      assert.doesNotMatch(JSON.stringify(await rowsAbout(id, 'deliveries')), /jane@|late"/);
    });

    test('what a receiver answers to the event of an erasure is not stored', async () => {
      const name = `answering-${randomUUID()}`;
      const id = await accept({deliveries: [eventTo(name)]});
      await claim(name);
      await delivered(id, name);
      await store.erase(id, Date.now(), never);
      const {due} = await claim(name);
      const key = {lead: id, destination: name, content: 'erased'} as const;
      const failure = {error: 'It answered with 400', excerpt: 'jane@example.com cannot be deleted'};
      const until = Date.now() + minute;
      await store.postpone(key, due[0]!.leaseEnd, {...failedAttempt, ...failure, until});
      assert.deepEqual(await store.lastReplies(id), []);
      assert.partialDeepStrictEqual(await store.listDeliveries(10, {lead: id}), [
        {attempts: 1, lastError: 'It answered with 400'},
      ]);
    });

    test('an operator who sends its event again sends nothing', async () => {
      const name = `retried-${randomUUID()}`;
      const id = await accept({deliveries: [eventTo(name)]});
      await claim(name);
      await delivered(id, name);
      await store.erase(id, Date.now(), never);
      assert.equal(await store.retryDeliveries(Date.now(), {lead: id, state: 'delivered'}), 1);
      assert.deepEqual(await claimed(name), ['erased']);
      const open = await store.listDeliveries(10, {lead: id});
      assert.deepEqual([open.length, open[0]?.content], [1, 'erased']);
    });

    test('duplicates, originals and corrections belong to it, and nothing else', async () => {
      const leadDigests = [randomUUID()];
      const original = await accept({leadDigests});
      const duplicate = await accept({leadDigests});
      const correction = await accept({supersedes: duplicate});
      const other = await accept();
      for (const id of [original, duplicate, correction]) {
        const found = await store.erasable([id]);
        assert.deepEqual(
          found.map((lead) => lead.id),
          [original, duplicate, correction].toSorted(),
        );
        assert.deepEqual(
          found.filter(({because}) => because === 'named').map((lead) => lead.id),
          [id],
        );
      }
      assert.deepEqual(columnOf(await store.erasable([other, randomUUID()]), 'id'), [other]);
    });

    test('a duplicate that came after somebody looked what belongs to a lead goes with it', async () => {
      const leadDigests = [randomUUID()];
      const original = await accept({leadDigests});
      assert.equal((await store.erasable([original])).length, 1);
      const duplicate = await accept({leadDigests});
      await store.erase(original, Date.now(), never);
      assert.equal(await store.find(duplicate), undefined);
      assert.deepEqual(await rowsAbout(duplicate, 'sealed'), []);
    });

    test('a kept consent stays with name and number, until it is erased, too', async () => {
      const id = await accept({attribution: {gclid: 'click'}});
      await store.erase(id, Date.now(), always);
      const [kept, ...others] = await rowsAbout(id, 'sealed');
      assert.deepEqual(others, []);
      assert.equal(kept?.['part'], 'consent');
      assert.partialDeepStrictEqual(await store.erasable([id]), [{hasConsent: true, told: []}]);
      assert.equal(await store.erase(id, Date.now(), always), false);
      assert.equal(await store.erase(id, Date.now(), never), true);
      assert.deepEqual(await rowsAbout(id, 'sealed'), []);
      assert.partialDeepStrictEqual(await store.erasable([id]), [{hasConsent: false}]);
    });
    test('nothing is kept of a lead without a consent', async () => {
      const id = await accept({consent: undefined});
      await store.erase(id, Date.now(), always);
      assert.deepEqual(await rowsAbout(id, 'sealed'), []);
    });
    test('a lead that cannot be read can be erased', async () => {
      const id = await accept();
      await server.execute(`UPDATE sealed SET data_key = 7 WHERE lead_id = '${id}'`);
      assert.equal(await store.erase(id, Date.now(), always), true);
      assert.deepEqual(await rowsAbout(id, 'sealed'), []);
    });
    test('nothing is left of a lead that was not encrypted yet', async () => {
      const id = await accept({attribution: {gclid: 'click'}, context: {agent: 'a7'}});
      await putInClear(server, {only: [id]});
      assert.equal((await rowsAbout(id, 'consents')).length, 1);
      assert.equal(await store.erase(id, Date.now(), never), true);
      assert.partialDeepStrictEqual(await rowsAbout(id, 'leads', 'id'), [
        {clear_lead: '', attribution: null, context: null, rollover_amount: null},
      ]);
      for (const table of ['consents', 'sealed']) assert.deepEqual(await rowsAbout(id, table), []);
    });
  });
});
