/** What can be done with one lead is planned first, and not done if the lead has changed meanwhile. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {readCallSheet} from '../../../server/admin/call-sheet.ts';
import {changeNamed, planChange} from '../../../server/admin/operations/changes.ts';
import {noting} from '../../../server/admin/audit.ts';
import {done, inputOf, saidIn} from '../../../server/admin/operations/operation.ts';
import {allowConsent} from '../../../server/admin/revocations.ts';
import type {NewDelivery} from '../../../server/leads/deliveries.ts';
import {databaseKinds, operate, planAndRevoke} from '../../support/operator.ts';
import {newDelivery, newEntry, eventTo, sampleConsent} from '../../support/sample-leads.ts';

const to = (destination: string, state: 'waiting' | 'held', nextAttemptAt = Date.now() + 3_600_000) =>
  eventTo(destination, {state, nextAttemptAt});

type Making = {destination?: string; agreed?: string; reason?: string};

for (const {name, postgres, skip} of databaseKinds)
  suite(`what is done with a lead over ${name}`, {skip}, () => {
    const begin = async (t: TestContext, ...deliveries: NewDelivery[]) => {
      const entry = newEntry({partner: 'acme', consent: sampleConsent, deliveries});
      const {admin: open, execute, accept} = await operate(t, [entry], {postgres});
      const [admin, lead] = [await open(), entry.id];
      const rowNamed = (verb: string) => changeNamed(verb) ?? assert.fail(verb);
      /** As the page of a lead does it, which is noted under the words of the command. */
      const by = (verb: string) => ({
        ...admin,
        noteAccess: noting(admin.store, {actor: 'ana', action: rowNamed(verb).words}),
      });
      const plan = async (verb: string, destination?: string) => {
        const {plan: planned, ...others} = await planChange(
          by(verb),
          rowNamed(verb),
          lead,
          destination === undefined ? {} : {destination},
        );
        const lines = planned.does.flatMap((line) =>
          typeof line === 'string' ? [line] : line.fields.map(([field, value]) => `${field}: ${value}`),
        );
        return {...others, does: lines};
      };
      /** @param agreed the digest of the plan that somebody has read, if that is not the one of now */
      const make = async (verb: string, {destination, agreed, ...asked}: Making = {}) => {
        const [row, noted] = [rowNamed(verb), by(verb)];
        const planned = await planChange(noted, row, lead, destination === undefined ? {} : {destination});
        const input = inputOf(
          row,
          {...row.onLead.input(lead, destination === undefined ? {} : {destination}), ...asked},
          true,
        );
        const result = await done(row, noted, input, planned, agreed ?? planned.digest);
        const {said, fails} = saidIn(row.said(result, input, noted));
        return [...said, ...fails].join('. ');
      };
      const statesNow = async () =>
        (await admin.store.listDeliveries(9, {lead})).map(
          (row) => `${row.destination} ${row.state}${row.nextAttemptAt <= Date.now() ? ' now' : ''}`,
        );
      return {admin, accept, execute, lead, reference: referenceOf(lead), plan, make, statesNow};
    };

    test('what waits or was given up is due now, but not what is held', async (t) => {
      const waiting = ['a', 'b', 'c'].map((destination) => to(destination, 'waiting'));
      const {admin, execute, plan, make, reference, statesNow} = await begin(t, ...waiting, to('d', 'held'));
      await execute("UPDATE deliveries SET state = 'failed', ambiguous = 2 WHERE destination = 'b'");
      await admin.store.pauseDestination({destination: 'c', pausedAt: 0, reason: 'it moves'});
      const {person, reference: of, does} = await plan('retry');
      assert.deepEqual([person, of], ['Jane Doe', reference]);
      assert.deepEqual(does, [
        'a gets the lead now.',
        'b gets the lead now.',
        'b may have it already: nobody knows what became of 2 attempts.',
        'c gets the lead now.',
        'c is paused (it moves), so it goes there once c is resumed.',
      ]);
      assert.equal(await make('retry', {destination: 'b'}), '1 delivery due now');
      assert.deepEqual(await statesNow(), ['a waiting', 'b waiting now', 'c waiting', 'd held']);
      assert.equal(await make('retry'), '3 deliveries due now');
    });

    test('what is held is sent on; what is held because of its number needs a reason, which is kept', async (t) => {
      const {admin, execute, lead, make, plan, statesNow} = await begin(t, to('a', 'held'));
      assert.equal(await make('release'), '1 delivery due now');
      assert.deepEqual(await statesNow(), ['a waiting now']);
      await execute("UPDATE deliveries SET state = 'held', reason = 'suppressed'");
      await execute('UPDATE leads SET suppressed_at = 1');
      assert.deepEqual((await readCallSheet(admin, lead, {seesPersons: true})).changes, [
        ...['allow', 'drop', 'revoke', 'add', 'keep', 'erase'],
      ]);
      await assert.rejects(plan('release'), /Nothing of it is held/);
      await assert.rejects(make('allow', {reason: ' '}), /say why/);
      assert.match(await make('allow', {reason: 'asked for it'}), /is sent now\. 1 lead released$/);
      assert.deepEqual(await statesNow(), ['a waiting now']);
      assert.match(JSON.stringify(await admin.store.auditEntries({lead}, 9)), /asked for it/);
    });

    test('what is held because of its number and because of a bot is sent on with a reason alone', async (t) => {
      const {admin, execute, lead, make, plan, statesNow} = await begin(t, to('a', 'held'), to('b', 'held'));
      await execute("UPDATE deliveries SET reason = 'suppressed' WHERE destination = 'b'");
      await execute('UPDATE leads SET suppressed_at = 1');
      const sheet = await readCallSheet(admin, lead, {seesPersons: true});
      assert.deepEqual(sheet.changes, ['allow', 'drop', 'revoke', 'add', 'keep', 'erase']);
      assert.equal(sheet.view.state.words, 'held: said stop before');
      await assert.rejects(plan('release'), /Nothing of it is held/);
      assert.deepEqual((await plan('allow')).does.slice(1), ['a gets the lead now.', 'b gets the lead now.']);
      await make('allow', {reason: 'asked for it'});
      assert.deepEqual(await statesNow(), ['a waiting now', 'b waiting now']);
    });

    test('a number that is let go holds no lead that comes meanwhile', async (t) => {
      const {admin, accept, lead} = await begin(t);
      await planAndRevoke(admin, {who: lead});
      const late = newEntry({partner: 'acme', deliveries: [to('a', 'waiting')]});
      const statesOf = async () =>
        (await admin.store.listDeliveries(9, {lead: late.id})).map(({state}) => state);
      const allow: typeof admin.store.allow = async (...words) => {
        await accept(late);
        assert.deepEqual(await statesOf(), ['held']);
        return admin.store.allow(...words);
      };
      const {phone} = late.lead;
      await allowConsent(
        {...admin, store: {...admin.store, allow}},
        {who: {phone: phone.e164}, reason: 'asked'},
      );
      assert.deepEqual(await statesOf(), ['waiting']);
    });

    test('what is dropped never goes out, and a lead that it was to answer counts as refused', async (t) => {
      const {admin, lead, make, plan, statesNow} = await begin(t, newDelivery(), to('a', 'held'));
      assert.deepEqual((await plan('drop')).does, [
        'a never gets the lead.',
        'default never gets the lead.',
        'If default was to answer the lead, it counts as refused.',
      ]);
      const titles = async () =>
        (await readCallSheet(admin, lead, {seesPersons: true})).timeline.map(({title}) => title);
      assert.ok((await titles()).includes('ana, by a command, asked what dropping it would do'));
      assert.equal(await make('drop'), '2 deliveries dropped');
      assert.ok((await titles()).includes('ana, by a command, dropped it'));
      assert.deepEqual(await statesNow(), []);
      await assert.rejects(plan('drop'), {kind: 'conflict'});
    });

    test('a consent is taken back, and then the lead is erased, in the words of the command', async (t) => {
      const {admin, lead, reference, make, plan} = await begin(t, to('a', 'waiting'));
      assert.match((await plan('revoke')).does[0] ?? '', new RegExp(`^Nothing of ${reference} goes out`));
      const reason = async () => (await readCallSheet(admin, lead, {seesPersons: true})).view.call?.reason;
      assert.match((await reason()) ?? '', /_hours$/);
      assert.match(await make('revoke'), /^The consent of \S+ is revoked$/);
      assert.equal(await reason(), 'stopped');
      await assert.rejects(plan('revoke'), {kind: 'conflict'});
      assert.match((await plan('erase')).does[0] ?? '', /^goes: name, e-mail, telephone/);
      assert.equal(await make('erase'), `${reference} is erased`);
      await assert.rejects(plan('erase'), {kind: 'conflict'});
    });

    for (const change of ['retry', 'drop', 'revoke', 'erase'] as const)
      test(`"${change}" is refused if it would do something else by now than was planned`, async (t) => {
        const {admin, accept, execute, lead, make, plan} = await begin(
          t,
          to('a', 'waiting'),
          to('b', 'waiting'),
        );
        const {digest} = await plan(change);
        await execute("UPDATE deliveries SET state = 'refused' WHERE destination = 'b'");
        // It goes with the other, and has the same number.
        await accept(newEntry({supersedes: lead}));
        await assert.rejects(make(change, {agreed: digest}), {
          ...{kind: 'conflict', message: /has changed meanwhile/},
        });
        assert.equal((await admin.store.listDeliveries(9, {lead})).length, 2);
      });

    test('nothing is sent if the destination may have it by now, of which the plan said nothing', async (t) => {
      const {execute, make, plan} = await begin(t, to('a', 'waiting'));
      const {digest} = await plan('retry');
      await execute('UPDATE deliveries SET ambiguous = 1');
      await assert.rejects(make('retry', {agreed: digest}), /changed meanwhile/);
    });
  });
