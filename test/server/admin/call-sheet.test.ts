/** One lead for the person who calls: whether it may be called, what happened, and nothing of it for those who see no persons. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {DateTime} from 'luxon';
import {referenceOf} from '../../../contract/reference.ts';
import {type Admin} from '../../../server/admin/admin.ts';
import {noting} from '../../../server/admin/audit.ts';
import {readCallSheet, type CallSheet} from '../../../server/admin/call-sheet.ts';
import {planChange, changeNamed} from '../../../server/admin/operations/changes.ts';
import {deliveriesOf} from '../../../server/admin/deliveries.ts';
import {listPage} from '../../../server/admin/listing.ts';
import {allowConsent} from '../../../server/admin/revocations.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import {
  databaseKinds,
  exportOf,
  linesOf,
  planAndErase,
  planAndRevoke,
  operateAdmin,
} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {
  entryAt,
  erasureAsked,
  eventTo,
  failedAttempt,
  leadWith,
  newDelivery,
  newEntry,
  sampleConsent,
} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {encryptOtherwise} from '../../support/encrypted-rows.ts';

const words = 'Call me at any time.';
const consent = {...sampleConsent, textLanguage: 'es', words};
const event = (destination: string, state: 'waiting' | 'held' = 'waiting') => eventTo(destination, {state});
const seen = {seesPersons: true};
const makeAllowed = (admin: Admin, who: string) => allowConsent(admin, {who, reason: 'asked for it'});
/** Why nothing forbids a call but the hours of the day, on which these tests do not depend. */
const byHours = 'within or outside the hours';
/** Why a lead may be called, or not. */
const reasonOf = ({view: {call}}: CallSheet) =>
  call && call.reason.replace(/^(within|outside)_hours$/, byHours);
/** The cells `May be called` of an export, the newest lead first. */
const mayCallOf = (csv: string) =>
  csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split('","')[3]?.replace(/^(May be called|Not now): .*/, byHours));

for (const {name, postgres, skip} of databaseKinds)
  suite(`a call sheet over ${name}`, {skip}, () => {
    const begin = async (t: TestContext, entry: LeadEntry, ...others: LeadEntry[]) => {
      const sales = {type: 'email', to: ['sales@example.com']};
      const from = {mail_from: 'leads@example.com'};
      const settings = {
        CONFIG_FILE: writeConfig(temporaryFolder(t), [{send_to: ['sales']}], {sales}, from),
        SMTP_URL: 'smtp://mail.example.com',
      };
      return {...(await operateAdmin(t, [entry, ...others], {postgres, settings})), id: entry.id};
    };

    test('it says whom to call, in which language, what was seen, and how much it is', async (t) => {
      const lead = leadWith({state: 'CA', phone: '(415) 555-0132'});
      const {admin, id} = await begin(t, newEntry({lead, partner: 'acme', consent, suspect: 'trap'}));
      const sheet = await readCallSheet(admin, referenceOf(id), seen);
      assert.partialDeepStrictEqual(sheet, {
        ...{words, erased: null, changes: ['revoke', 'add', 'correct', 'keep', 'erase']},
        view: {
          ...{id, reference: referenceOf(id), partner: 'acme', state: {kind: 'ok'}, unreadable: null},
          record: {lead: {first_name: 'Jane', phone: {e164: '+14155550132'}}},
          consent: {at: consent.givenAt, language: 'Spanish'},
        },
      });
      assert.equal(reasonOf(sheet), byHours);
      assert.match(sheet.view.call?.there ?? '', /in Los Angeles$/);
      const [{filter, ids} = assert.fail()] = await admin.store.auditEntries({}, 1);
      assert.deepEqual([filter, ids], [{}, [id]]);
    });

    test('after a stop, a sheet still has the consent, and nothing can be done but erasing', async (t) => {
      const {admin, id} = await begin(t, newEntry({consent}));
      await planAndRevoke(admin, {who: id});
      const {view, timeline, changes} = await readCallSheet(admin, id, seen);
      assert.deepEqual([view.consent?.at, view.call?.reason], [consent.givenAt, 'stopped']);
      assert.ok((view.call?.at ?? 0) >= consent.givenAt);
      assert.deepEqual(changes, ['add', 'keep', 'erase']);
      assert.ok(timeline.some(({title, text}) => title === 'Said stop' && text === 'For everybody.'));
    });

    test('a number that said stop is known again, also of a lead that goes nowhere', async (t) => {
      const first = newEntry();
      const {admin, accept} = await begin(t, first);
      await planAndRevoke(admin, {who: first.id, partner: null});
      const after = (minutes: number, more: Partial<LeadEntry>) =>
        entryAt(Date.now() + minutes * 60_000, more);
      const [again, other] = [after(1, {}), after(3, {partner: 'acme'})];
      const held = after(2, {consent, deliveries: [event('crm')]});
      await accept(again, held, other);
      const [stop] = await admin.store.suppressions();
      const sheetOf = ({id}: LeadEntry) => readCallSheet(admin, id, seen);
      const stopped = {answer: 'no', reason: 'stopped', at: stop?.since ?? 0} as const;
      const none = {kind: 'no', words: 'said stop before'} as const;
      assert.partialDeepStrictEqual(await sheetOf(again), {view: {call: stopped, state: none}});
      assert.partialDeepStrictEqual(await sheetOf(held), {
        view: {call: stopped, consent: {at: consent.givenAt}, state: {words: 'held: said stop before'}},
      });
      const {rows} = await listPage(admin, {}, {limit: 9, ...seen});
      const row = rows.find(({id}) => id === again.id);
      assert.partialDeepStrictEqual(row, {call: stopped, state: none});
      // Another partner has a consent of its own.
      assert.partialDeepStrictEqual(await sheetOf(other), {
        view: {call: {reason: 'no_consent', at: null}, state: {words: 'done'}},
      });
      await makeAllowed(admin, held.id);
      assert.equal(reasonOf(await sheetOf(held)), byHours);

      const {text} = await exportOf(admin, {format: 'csv', forSales: true, zone: 'Asia/Tokyo'});
      const saidStop = 'Do not call: somebody with this number said stop';
      const without = 'Not known whether you may call: no consent is stored';
      assert.deepEqual(mayCallOf(text), [without, byHours, saidStop, saidStop]);
      const received = DateTime.fromMillis(other.createdAt, {zone: 'Asia/Tokyo'});
      assert.ok(text.split('\r\n')[1]?.startsWith(`"${received.toFormat('yyyy-MM-dd HH:mm')}"`));
    });

    test('nobody learns whether a number said stop without the key of the numbers', async (t) => {
      const {admin: before, accept, execute, adminUnder, id} = await begin(t, newEntry({consent}));
      const [{phone = ''} = {}] = await before.store.digestsOfPeople([{phone: '+12025550199'}]);
      const stop = {number: [phone], both: [], mailbox: [], scopes: ['*'], since: 1};
      await before.store.suppress(stop, []);
      await execute('UPDATE person_search SET data_key = 7');
      const held = newEntry({consent, deliveries: [event('crm')]});
      await accept(held);
      const admin = await adminUnder();
      for (const [lead, reason] of [
        [id, 'stop_unknown'],
        // It came without the key, too, so it is held.
        [held.id, 'stopped'],
      ] as const) {
        const {call} = (await readCallSheet(admin, lead, seen)).view;
        assert.partialDeepStrictEqual(call, {reason, at: null});
      }
    });

    test('who must decide about a number can do so, whatever else forbids a call', async (t) => {
      const {admin, accept} = await begin(t, newEntry());
      const [{phone = ''} = {}] = await admin.store.digestsOfPeople([{phone: '+12025550142'}]);
      const asked = {number: [phone], both: [], mailbox: [], scopes: ['*'], since: Date.now(), asks: true};
      await admin.store.suppress(asked, []);
      const [good, noTick] = [newEntry({consent}), newEntry({consent: {...consent, agreed: false}})];
      await accept(good, noTick);
      for (const [{id}, reason] of [
        [good, 'stop_undecided'],
        [noTick, 'not_agreed'],
      ] as const) {
        const {view, changes} = await readCallSheet(admin, id, seen);
        assert.equal(view.call?.reason, reason);
        assert.ok(changes.includes('allow'), reason);
      }
    });

    test('of a lead that was let go alone, the number can still be decided about', async (t) => {
      const {admin, accept} = await begin(t, newEntry());
      const [{phone = ''} = {}] = await admin.store.digestsOfPeople([{phone: '+12025550142'}]);
      const asked = {
        number: [phone],
        both: [],
        mailbox: [],
        scopes: ['*'],
        since: Date.now() - 1,
        asks: true,
      };
      await admin.store.suppress(asked, []);
      const held = newEntry({consent, deliveries: [event('crm')]});
      await accept(held);
      await makeAllowed(admin, held.id);
      const {view, changes} = await readCallSheet(admin, held.id, seen);
      assert.deepEqual([view.stop, changes.includes('allow')], [null, true]);
      const {plan} = await planChange(admin, changeNamed('allow') ?? assert.fail(), held.id);
      assert.equal(plan.does[0], 'Whoever asked to stop this number, it may be called all the same.');
      await allowConsent(admin, {who: {phone: '+12025550142'}, reason: 'asked for it'});
      assert.ok(!(await readCallSheet(admin, held.id, seen)).changes.includes('allow'));
    });

    test('a correction and its lead name each other', async (t) => {
      const old = entryAt(Date.now() + 1, {consent});
      const late = entryAt(Date.now() + 2, {consent, supersedes: old.id});
      const {admin} = await begin(t, old, late);
      const {view} = await readCallSheet(admin, old.id, {seesPersons: false});
      assert.deepEqual([view.correctedBy, view.state.words], [late.id, 'corrected']);
      const {timeline} = await readCallSheet(admin, late.id, seen);
      const titles = timeline.map(({title, lead}) => [title, lead]);
      assert.deepEqual(titles.slice(-2), [
        [`Corrects ${referenceOf(old.id)}`, old.id],
        ['Came from a caller of the API', null],
      ]);
    });

    test('the timeline has what is open first, then what happened, newest first, and who opened it', async (t) => {
      const deliveries = [
        event('crm'),
        event('sales'),
        event('old', 'held'),
        newDelivery({destination: 'up'}),
      ];
      const {admin, id} = await begin(t, newEntry({partner: 'acme', deliveries}), newEntry());
      const {store} = admin;
      const now = Date.now();
      const claim = {now, leaseEnd: now + 60_000, limit: 9, maxSends: 9};
      const error = 'The receiver crm.example answered 503';
      const until = now + 3_600_000;
      const key = {lead: id, content: 'created'} as const;
      await store.claimDue('crm', claim);
      await store.postpone({...key, destination: 'crm'}, claim.leaseEnd, {...failedAttempt, until, error});
      await store.claimDue('up', claim);
      const delivered = {state: 'delivered', answer: null} as const;
      await store.settle({lead: id, destination: 'up', content: 'lead'}, claim.leaseEnd, delivered);
      await noting(store, {actor: 'operator Maria Lopez', action: 'leads show'})({lead: id});
      await noting(store, {actor: 'operator Maria Lopez', action: 'leads list'})({}, [id], 2);
      await store.putRequest({lead: id, ...erasureAsked(now)});

      const {timeline} = await readCallSheet(admin, id, seen);
      const titles = timeline.map(({title}) => title);
      assert.deepEqual(
        new Set(titles.slice(0, 3)),
        new Set(['Asked to be erased', 'crm does not have the lead yet', 'sales does not have the lead yet']),
      );
      for (const title of ['The lead is held for old', 'up got the lead', 'Sent the form'])
        assert.ok(titles.includes(title), title);
      assert.equal(titles.filter((title) => title === 'Maria Lopez opened it').length, 1);
      const crm = timeline.find(({send}) => send === 'crm') ?? assert.fail();
      assert.partialDeepStrictEqual(crm, {kind: 'soon', next: until});
      assert.match(crm.text ?? '', /answered 503.*Tried 1 time\.$/);
      const times = timeline.filter(({kind}) => kind !== 'soon').map(({at}) => at);
      assert.deepEqual(times, times.toSorted().toReversed());

      const viewed = await readCallSheet(admin, id, {seesPersons: false});
      // Ids and times may have these digits, too.
      assert.doesNotMatch(JSON.stringify(viewed), /answered 503/);
    });

    test('what is due at once has no next attempt, and a pause has no reason for a viewer', async (t) => {
      const {admin, id, execute} = await begin(t, newEntry({partner: 'acme', deliveries: [event('sales')]}));
      await execute("UPDATE deliveries SET state = 'delivered', settled_at = happened_at, attempts = 1");
      await planAndRevoke(admin, {who: id});
      const told = async (seesPersons: boolean) => {
        const {timeline} = await readCallSheet(admin, id, {seesPersons});
        return timeline.find(({kind}) => kind === 'soon') ?? assert.fail();
      };
      const {title, next} = await told(true);
      assert.equal(title, 'sales does not have the news that the consent was taken back yet');
      assert.equal(next, null);
      const {deliveries} = await deliveriesOf(admin, id);
      assert.ok(deliveries.every((row) => row.next_attempt_at === null));

      const reason = 'Zelda Quux of 303 555 0188 complained';
      await admin.store.pauseDestination({destination: 'sales', pausedAt: Date.now(), reason});
      assert.equal((await told(true)).text, `It is paused: ${reason}.`);
      assert.equal((await told(false)).text, 'It is paused.');
    });

    test('of many duplicates and corrections, people see the newest and how many there are', async (t) => {
      const first = entryAt(Date.now() - 60_000, {consent});
      const after = (from: number, more: Partial<LeadEntry>) =>
        Array.from({length: 22}, (_, index) => entryAt(first.createdAt + from + index, more));
      const [again, corrections] = [after(1, {}), after(101, {supersedes: first.id})];
      const {admin, id, run, execute} = await begin(t, first, ...again, ...corrections);
      await execute(`UPDATE leads SET duplicate_of = '${id}' WHERE supersedes IS NULL AND id <> '${id}'`);
      const {timeline} = await readCallSheet(admin, id, seen);
      const later = {'Came again as': again, 'Corrected by': corrections};
      for (const [what, all] of Object.entries(later)) {
        const titles = timeline.map(({title}) => title).filter((title) => title.startsWith(what));
        const names = all.slice(2).map((each) => referenceOf(each.id));
        const said = [...names.toReversed(), '2 earlier leads'].map((name) => `${what} ${name}`);
        assert.deepEqual(titles, said);
      }
      const {stdout} = await run('leads', 'show', id);
      const newest = referenceOf(again.at(-1)?.id ?? '');
      assert.match(stdout.replace(/\s+/g, ' '), new RegExp(`${newest}, and 2 earlier leads`));
      const [whole] = linesOf<{duplicates: string[]}>(await run('leads', 'show', id, '--json'));
      assert.equal(whole?.duplicates.length, 22);

      const planOf = async (verb: string) =>
        (await planChange(admin, changeNamed(verb) ?? assert.fail(), id)).plan.does;
      const does = await planOf('erase');
      assert.equal(does.filter((line) => typeof line !== 'string').length, 21);
      assert.equal(does.at(-1), '24 more leads that belong to it go, too.');
      assert.match(JSON.stringify(await planOf('revoke')), /, and 25 other leads goes out any more\./);
      await planAndErase(admin, [id]);
      const left = await admin.store.listOutlines({}, {limit: 99});
      assert.ok(left.length === 45 && left.every(({erasedAt}) => erasedAt !== null));
    });

    test('who sees no persons gets the timeline, and nothing is opened or noted', async (t) => {
      const {admin, id} = await begin(t, newEntry({partner: 'acme', consent, deliveries: [event('crm')]}));
      const open = () => assert.fail('it opens the lead');
      const store = {...admin.store, readLead: open, findRecords: open, keptConsents: open};
      const sheet = await readCallSheet({...admin, store}, id, {seesPersons: false});
      assert.partialDeepStrictEqual(sheet, {
        ...{erased: null, words: null, changes: []},
        view: {
          ...{partner: 'acme', record: null, amounts: null, consent: null, suspicion: null},
          ...{call: null, state: {kind: 'wait', words: 'crm waits'}},
        },
      });
      assert.doesNotMatch(JSON.stringify(sheet), /jane|862,000|202-555-/i);
      assert.deepEqual(await admin.store.auditEntries({}, 1), []);
    });

    test('why somebody did something is not told to who sees no persons', async (t) => {
      const {admin, id} = await begin(t, newEntry());
      await admin.noteAccess({lead: id, reason: 'Jane said yes at 555-0142'});
      const told = async (seesPersons: boolean) =>
        JSON.stringify(await readCallSheet(admin, id, {seesPersons}));
      assert.match(await told(true), /Because: Jane said yes/);
      assert.doesNotMatch(await told(false), /Jane/);
    });

    test('of an erased lead, it has the consent that is kept; one that cannot be read says why', async (t) => {
      const gone = newEntry({consent});
      const {admin, id, ...operated} = await begin(t, newEntry(), gone);
      await planAndErase(admin, [gone.id]);
      const erased = await readCallSheet(admin, gone.id, seen);
      assert.partialDeepStrictEqual(erased, {
        ...{changes: [], erased: {kept: {first_name: 'Jane'}}},
        view: {record: null, consent: null, state: {kind: 'gone'}, call: {reason: 'erased'}},
      });
      assert.ok(erased.timeline.some(({title}) => title === 'Erased'));
      for (const lead of [{first_name: 'Jane'}, null]) {
        await encryptOtherwise(operated, id, (personal) => ({...personal, lead}));
        const {view, changes} = await readCallSheet(admin, id, seen);
        assert.ok(view.unreadable);
        assert.deepEqual([view.record, changes], [null, ['revoke', 'add', 'correct', 'keep', 'erase']]);
      }
      await assert.rejects(readCallSheet(admin, 'ZZZZ-ZZZZ', seen), {kind: 'unknown'});
    });
  });
