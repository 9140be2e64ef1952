/** What can be done with one lead is planned first, and not done if the lead has changed meanwhile. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {finish} from '../../../server/admin/admin.ts';
import {readCallSheet} from '../../../server/admin/call-sheet.ts';
import {makeChange, planChange, type ChangeInput} from '../../../server/admin/changes.ts';
import {allowConsent, revokeConsent} from '../../../server/admin/revocations.ts';
import {suppressedNumber, type NewDelivery} from '../../../server/leads/deliveries.ts';
import {databaseKinds, operate} from '../../support/operator.ts';
import {newDelivery, newEntry, newsTo, sampleConsent} from '../../support/sample-leads.ts';

const to = (destination: string, state: 'waiting' | 'held', nextAttemptAt = Date.now() + 3_600_000) =>
  newsTo(destination, {state, nextAttemptAt});

for (const {name, postgres, skip} of databaseKinds)
  suite(`what is done with a lead over ${name}`, {skip}, () => {
    const begin = async (t: TestContext, ...deliveries: NewDelivery[]) => {
      const entry = newEntry({partner: 'acme', consent: sampleConsent, deliveries});
      const {admin: open, execute, accept} = await operate(t, [entry], {postgres});
      const [admin, lead] = [await open(), entry.id];
      const plan = (change: ChangeInput['change'], destination?: string) =>
        planChange(admin, {lead, change, destination});
      const make = async (input: Omit<ChangeInput, 'lead'>, reason = '') => {
        const {confirm} = await planChange(admin, {lead, ...input});
        return makeChange(admin, {lead, ...input, confirm, reason});
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
      const {title, who, reference: of, does, needsReason} = await plan('send');
      assert.deepEqual([title, who, of], ['Send again', 'Jane Doe', reference]);
      assert.deepEqual(does, [
        'a gets the lead now.',
        'b gets the lead now.',
        'b may have it already: nobody knows what became of 2 attempts.',
        'c gets the lead now.',
        'c is paused (it moves), so it goes there once c is resumed.',
      ]);
      assert.equal(needsReason, false);
      assert.equal(await make({change: 'send', destination: 'b'}), '1 delivery is due now.');
      assert.deepEqual(await statesNow(), ['a waiting', 'b waiting now', 'c waiting', 'd held']);
      assert.equal(await make({change: 'send'}), '3 deliveries are due now.');
    });

    test('what is held is sent on; what is held because of its number needs a reason, which is kept', async (t) => {
      const {admin, execute, lead, make, plan, statesNow} = await begin(t, to('a', 'held'));
      assert.equal(await make({change: 'release'}), '1 delivery is due now.');
      assert.deepEqual(await statesNow(), ['a waiting now']);
      await execute(`UPDATE deliveries SET state = 'held', last_error = '${suppressedNumber}'`);
      await execute('UPDATE leads SET suppressed_at = 1');
      assert.deepEqual((await readCallSheet(admin, lead, {seesPersons: true})).changes, [
        ...['allow', 'drop', 'revoke', 'erase'],
      ]);
      await assert.rejects(plan('release'), /Nothing of it is held/);
      await assert.rejects(make({change: 'allow'}, ' '), /say why/);
      assert.match(await make({change: 'allow'}, 'asked for it'), /is sent now\.$/);
      assert.deepEqual(await statesNow(), ['a waiting now']);
      assert.match(JSON.stringify(await admin.store.auditEntries({lead}, 9)), /asked for it/);
    });

    test('what is held because of its number and because of a bot is sent on with a reason alone', async (t) => {
      const {admin, execute, lead, make, plan, statesNow} = await begin(t, to('a', 'held'), to('b', 'held'));
      await execute(`UPDATE deliveries SET last_error = '${suppressedNumber}' WHERE destination = 'b'`);
      await execute('UPDATE leads SET suppressed_at = 1');
      const sheet = await readCallSheet(admin, lead, {seesPersons: true});
      assert.deepEqual(sheet.changes, ['allow', 'drop', 'revoke', 'erase']);
      assert.equal(sheet.view.state.words, 'held: said stop before');
      await assert.rejects(plan('release'), /Nothing of it is held/);
      assert.deepEqual((await plan('allow')).does.slice(1), ['a gets the lead now.', 'b gets the lead now.']);
      await make({change: 'allow'}, 'asked for it');
      assert.deepEqual(await statesNow(), ['a waiting now', 'b waiting now']);
    });

    test('a number that is let go holds no lead that comes meanwhile', async (t) => {
      const {admin, accept, lead} = await begin(t);
      await finish(revokeConsent(admin, {who: lead}), () => undefined);
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
        (await readCallSheet(admin, lead, {seesPersons: true})).story.map(({title}) => title);
      assert.ok((await titles()).includes('ana, by a command, asked what dropping it would do'));
      assert.equal(await make({change: 'drop'}), '2 deliveries were dropped.');
      assert.ok((await titles()).includes('ana, by a command, dropped it'));
      assert.deepEqual(await statesNow(), []);
      await assert.rejects(plan('drop'), {kind: 'conflict'});
    });

    test('a consent is taken back, and then the lead is erased, in the words of the command', async (t) => {
      const {admin, lead, reference, make, plan} = await begin(t, to('a', 'waiting'));
      assert.match((await plan('revoke')).does[0] ?? '', new RegExp(`^Nothing of ${reference} goes out`));
      const reason = async () => (await readCallSheet(admin, lead, {seesPersons: true})).view.call?.reason;
      assert.match((await reason()) ?? '', /_hours$/);
      assert.match(await make({change: 'revoke'}), /consent of 1 lead is taken back/);
      assert.equal(await reason(), 'stopped');
      await assert.rejects(plan('revoke'), {kind: 'conflict'});
      const {does, button} = await plan('erase');
      assert.equal(button, 'Erase for ever');
      assert.match(does[0] ?? '', /^Goes: name, e-mail, telephone/);
      assert.equal(await make({change: 'erase'}), `${reference} is erased.`);
      await assert.rejects(plan('erase'), {kind: 'conflict'});
    });

    for (const change of ['send', 'drop', 'revoke', 'erase'] as const)
      test(`"${change}" is refused if it would do something else by now than was planned`, async (t) => {
        const {admin, accept, execute, lead, plan} = await begin(t, to('a', 'waiting'), to('b', 'waiting'));
        const {confirm} = await plan(change);
        await execute("UPDATE deliveries SET state = 'refused' WHERE destination = 'b'");
        // It goes with the other, and has the same number.
        await accept(newEntry({supersedes: lead}));
        await assert.rejects(makeChange(admin, {lead, change, confirm, reason: ''}), {
          ...{kind: 'conflict', message: /has changed meanwhile/},
        });
        assert.equal((await admin.store.listDeliveries(9, {lead})).length, 2);
      });

    test('nothing is sent if the destination may have it by now, of which the plan said nothing', async (t) => {
      const {admin, execute, lead, plan} = await begin(t, to('a', 'waiting'));
      const {confirm} = await plan('send');
      await execute('UPDATE deliveries SET ambiguous = 1');
      await assert.rejects(
        makeChange(admin, {lead, change: 'send', confirm, reason: ''}),
        /changed meanwhile/,
      );
    });
  });
