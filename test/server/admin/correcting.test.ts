/** Correcting a lead: another one takes its place, as when a visitor changes her answers. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {mayCall} from '../../../server/leads/may-call.ts';
import {isErased} from '../../../server/store/rows.ts';
import {
  assertFails,
  databaseKinds,
  hookAndUpstream,
  linesOf,
  operate,
  planAndErase,
} from '../../support/operator.ts';
import {eventTo, leadWith, newDelivery, newEntry, sampleConsent} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const consent = {...sampleConsent, evidence: {key: 'k', salt: 's'}};

for (const {name, postgres, skip} of databaseKinds)
  suite(`correcting a lead over ${name}`, {skip}, () => {
    test('stores another lead, tells its receivers, and leaves the consent as it is', async (t) => {
      const entry = newEntry({partner: 'acme', consent, context: {brand: 'north'}});
      const settings = hookAndUpstream(temporaryFolder(t));
      const {does, run, admin} = await operate(t, [entry], {postgres, settings});
      await does('leads', 'requests', 'add', entry.id, '--kind', 'correct', '--via', 'phone');
      assertFails(await run('leads', 'correct', entry.id), /Say what is right/, 2);
      assertFails(await run('leads', 'correct', entry.id, '--phone', '12'), /: phone must be a US telephone/);
      const same = ['--phone', '+1 202 555 0142', '--first-name', entry.lead.first_name];
      assertFails(await run('leads', 'correct', entry.id, ...same), /says all of this already/);
      await does(
        'leads',
        'correct',
        referenceOf(entry.id),
        '--phone',
        '(202) 555-0177',
        '--last-name',
        'Lovelace',
        '--first-name',
        entry.lead.first_name,
      );
      const [noted] = linesOf(await does('audit', 'list', '--limit', '1', '--json'));
      assert.partialDeepStrictEqual(noted, {filter: {corrected: 'last_name, phone'}});

      const {store} = await admin();
      const by = (await store.corrections([entry.id])).get(entry.id) ?? assert.fail();
      const {lead: stored} = (await store.readLead(by)) ?? assert.fail();
      assert.ok(!isErased(stored) && !('unreadable' in stored));
      assert.partialDeepStrictEqual(stored, {
        lead: {...entry.lead, last_name: 'Lovelace', phone: {typed: '(202) 555-0177', e164: '+12025550177'}},
        ...{partner: 'acme', context: {brand: 'north'}, supersedes: entry.id, answer: {status: 'pending'}},
      });
      assert.equal(stored.consent?.evidence, undefined, 'the statement names the number that was agreed to');
      assert.equal(mayCall(stored, Date.now()).reason, 'consent_for_other_number');
      const [before] = linesOf(await does('leads', 'show', entry.id, '--json'));
      assert.partialDeepStrictEqual(before, {may_call: {reason: 'corrected'}});
      const deliveries = linesOf(await does('deliveries', 'list', by, '--json'));
      assert.deepEqual(
        deliveries.map(({destination, content, state}) => [destination, content, state]),
        [
          ['hook', 'created', 'waiting'],
          ['up', 'lead', 'waiting'],
        ],
      );
      assert.deepEqual(linesOf(await does('leads', 'requests', '--json')), [], 'the request was followed');
      assertFails(
        await run('leads', 'correct', entry.id, '--email', 'a@example.com'),
        /was corrected before/,
      );
    });

    test('leaves a consent with its number, whatever is corrected later and erased', async (t) => {
      const entry = newEntry({consent});
      const {does, run, admin} = await operate(t, [entry], {postgres});
      await does('leads', 'correct', entry.id, '--phone', '(202) 555-0177');
      const beside = await admin();
      const by = (await beside.store.corrections([entry.id])).get(entry.id) ?? assert.fail();
      await does('leads', 'correct', by, '--first-name', 'Grace');
      const last = (await beside.store.corrections([by])).get(by) ?? assert.fail();
      const {lead} = (await beside.store.readLead(last)) ?? assert.fail();
      assert.ok('consent' in lead && lead.consent?.givenWith === entry.id);
      await planAndErase(beside, [entry.id, by, last]);
      const kept = await beside.store.keptConsents([entry.id, by, last]);
      assert.deepEqual([...kept.keys()], [entry.id]);
      assertFails(await run('leads', 'correct', last, '--first-name', 'Ada'), /is erased/);
    });

    test('a lead that is held as a bot’s stays so, and only its correction can go out', async (t) => {
      const deliveries = [newDelivery({destination: 'up', state: 'held'}), eventTo('hook', {state: 'held'})];
      const entry = newEntry({partner: 'acme', suspect: 'trap', deliveries});
      const settings = hookAndUpstream(temporaryFolder(t));
      const {does, run, admin} = await operate(t, [entry], {postgres, settings});
      await does('leads', 'requests', 'add', entry.id, '--kind', 'correct', '--via', 'phone');
      const plan = await does('leads', 'correct', entry.id, '--last-name', 'Lovelace', '--dry-run');
      assert.match(
        plan.stderr,
        /it is held, as a bot may have sent this one\.\nWhat is held of this one is dropped: /,
      );
      const {stdout} = await does('leads', 'correct', entry.id, '--last-name', 'Lovelace');
      assert.match(stdout, /^Held: hook, up, as a bot may have sent it/m);
      assert.match(stdout, /^Dropped, because it was held of \S+: hook, up$/m);
      const {store} = await admin();
      const by = (await store.corrections([entry.id])).get(entry.id) ?? assert.fail();
      const statesOf = async (lead: string) =>
        linesOf(await does('deliveries', 'list', lead, '--json')).map(({state}) => state);
      assert.deepEqual(
        [await statesOf(entry.id), await statesOf(by)],
        [Array(2).fill('dropped'), Array(2).fill('held')],
      );
      assertFails(await run('deliveries', 'release', entry.id), /No such delivery/);
      assert.partialDeepStrictEqual((await store.findRecords([by])).get(by), {suspect: 'trap'});
      await does('deliveries', 'release', by);
      await does('leads', 'correct', by, '--last-name', 'Byron');
      const last = (await store.corrections([by])).get(by) ?? assert.fail();
      assert.deepEqual(await statesOf(last), ['waiting', 'waiting'], 'somebody has let it go');
      assert.deepEqual(linesOf(await does('leads', 'requests', '--json')), []);
    });

    test('to a number that said stop is held, says so, and is still to be answered', async (t) => {
      const [entry, stopped] = [
        newEntry({partner: 'acme'}),
        newEntry({lead: leadWith({phone: '415-555-0132'})}),
      ];
      const settings = hookAndUpstream(temporaryFolder(t));
      const {does} = await operate(t, [entry, stopped], {postgres, settings});
      await does('consent', 'revoke', stopped.id, '--yes');
      await does('leads', 'requests', 'add', entry.id, '--kind', 'correct', '--via', 'phone');
      const {stdout} = await does('leads', 'correct', entry.id, '--phone', '(415) 555-0132');
      assert.match(stdout, /^Held: hook, up, because somebody with that number said stop/m);
      assert.doesNotMatch(stdout, /Told soon/);
      assert.equal(linesOf(await does('leads', 'requests', '--json')).length, 1);
    });

    test('tells nobody after a stop', async (t) => {
      const entry = newEntry({consent});
      const {does, run} = await operate(t, [entry], {postgres});
      await does('consent', 'revoke', entry.id, '--yes');
      assertFails(await run('leads', 'correct', entry.id, '--phone', '202-555-0177'), /said stop/);
    });
  });
