/** What people asked for by telephone or letter, and leads that a lawsuit keeps. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {join} from 'node:path';
import {readCallSheet} from '../../../server/admin/call-sheet.ts';
import {dayLength} from '../../../server/config/timings.ts';
import {daysToAnswer, endedKept} from '../../../server/leads/privacy-requests.ts';
import {assertFails, carryOut, databaseKinds, linesOf, operate, statusOf} from '../../support/operator.ts';
import {entryAt, newEntry, sampleConsent} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

for (const {name, postgres, skip} of databaseKinds)
  suite(`requests of people over ${name}`, {skip}, () => {
    test('count from the day on which they were asked, and status says what is due', async (t) => {
      const entry = newEntry();
      const {does, run, admin} = await operate(t, [entry], {postgres});
      const reference = referenceOf(entry.id);
      const asked = Date.now() - 40 * dayLength;
      const add = ['leads', 'requests', 'add', reference, '--via', 'letter'];
      const {stdout} = await does(...add, '--kind', 'know', '--asked', new Date(asked).toISOString());
      const due = dayOf(asked + daysToAnswer * dayLength);
      assert.equal(stdout, `The request to know ${reference} must be answered by ${due}\n`);
      await does(...add);
      assertFails(await run(...add, '--asked', new Date().toISOString()), /waits for .* already/);
      await does(...add, '--asked', new Date(Date.now() - 2 * dayLength).toISOString());
      assertFails(await run(...add, '--kind', 'correct', '--asked', '2999-01-01'), /still to come/);
      const rows = linesOf(await does('leads', 'requests', '--json'));
      assert.deepEqual(
        rows.map(({kind, way, days}) => [kind, way, days]),
        [
          ['know', 'letter', 40],
          ['erase', 'letter', 2],
        ],
        'of two days, the earlier one counts',
      );
      const [added] = linesOf(await does('audit', 'list', '--limit', '9', '--json')).slice(-1);
      assert.partialDeepStrictEqual(added, {filter: {via: 'letter', asked: new Date(asked).toISOString()}});
      const finding = async () =>
        (await statusOf(await admin())).findings.find(({kind}) => kind === 'erasure') ?? assert.fail();
      const first = await finding();
      assert.equal(first.level, 'degraded', 'five days are left');
      assert.match(
        first.text,
        new RegExp(`^2 requests of people wait, the first since ${dayOf(asked)}, to know ${reference}:`),
      );
      assert.ok(first.text.endsWith(due));

      const end = ['leads', 'requests', 'end', reference, '--reason', 'sent the file'];
      assertFails(await run(...end), /--kind/, 2);
      await does(...end, '--kind', 'know');
      assertFails(await run(...end, '--kind', 'know'), /Nobody asked to know/);
      assert.equal((await finding()).level, 'warning');
      const ends = linesOf(await does('audit', 'list', '--json')).filter(
        ({action}) => action === 'leads requests end',
      );
      assert.partialDeepStrictEqual(ends, [{filter: {kind: 'know', reason: 'sent the file'}}]);

      const ended = async () => linesOf(await does('leads', 'requests', '--ended', '--json'));
      const [row] = await ended();
      assert.partialDeepStrictEqual(row, {kind: 'know', way: 'letter', days: 40, answer: 'sent the file'});
      await does(...add, '--kind', 'know');
      assert.equal(linesOf(await does('leads', 'requests', '--json')).length, 2, 'somebody asks again');
      const {store} = await admin();
      await store.deleteExpired(Date.now() + endedKept - dayLength);
      assert.equal((await ended()).length, 1);
      await store.deleteExpired(Date.now() + endedKept + dayLength);
      assert.equal((await ended()).length, 0);
    });

    test('to erase ends with the erasure; who asked to know is still to be answered', async (t) => {
      const entry = newEntry();
      const {does, admin} = await operate(t, [entry], {postgres});
      for (const kind of ['erase', 'know'])
        await does('leads', 'requests', 'add', entry.id, '--via', 'phone', '--kind', kind);
      await carryOut(await admin(), 'leads erase', {leads: [entry.id]});
      assert.deepEqual(
        linesOf(await does('leads', 'requests', '--json')).map(({kind}) => kind),
        ['know'],
      );
      assert.partialDeepStrictEqual(linesOf(await does('leads', 'requests', '--ended', '--json')), [
        {kind: 'erase', answer: 'erased'},
      ]);
    });

    test('a day that is named is its noon, and that of today is now', async (t) => {
      const entry = newEntry();
      const {does} = await operate(t, [entry], {postgres});
      const askedBy = async (kind: string, day: string) => {
        await does('leads', 'requests', 'add', entry.id, '--kind', kind, '--via', 'letter', '--asked', day);
        const rows = linesOf(await does('leads', 'requests', '--json'));
        return Date.parse(String(rows.find((row) => row['kind'] === kind)?.['requested_at']));
      };
      assert.equal(await askedBy('know', '2026-11-20'), new Date(2026, 10, 20, 12).getTime());
      const before = Date.now();
      const asked = await askedBy('correct', 'today');
      assert.ok(asked <= Date.now() && (asked >= before || new Date(asked).getHours() === 12));
    });

    test('a restored store knows again what a lawsuit keeps and what was asked, or has ended', async (t) => {
      const [kept, over, asking, done] = [newEntry(), newEntry(), newEntry(), newEntry()] as const;
      const fields = {erasures_file: join(temporaryFolder(t), 'leads.erasures')};
      const operated = await operate(t, [kept, over, asking, done], {postgres, fields});
      const {does, run, execute, select, serve} = operated;
      const keep = (lead: string, until: string) =>
        does('leads', 'keep', lead, '--until', until, '--reason', 'case 12, in Ñ');
      const requests = async (...more: string[]) =>
        linesOf(await does('leads', 'requests', '--json', ...more)).map(({id, kind, answer}) => [
          id,
          kind,
          answer,
        ]);
      await keep(over.id, '2999-12-31');
      await does('leads', 'requests', 'add', done.id, '--kind', 'correct', '--via', 'phone');
      const before = Number((await select('SELECT entered_at FROM legal_holds'))[0]?.['entered_at']);
      const end = ['leads', 'requests', 'end', done.id, '--kind', 'correct', '--reason', 'no error found'];
      const since = async () => {
        await keep(kept.id, '2999-12-31');
        await keep(over.id, '2020-01-01');
        await does('leads', 'requests', 'add', asking.id, '--kind', 'know', '--via', 'e-mail & letter');
        await does(...end);
      };
      await since();
      const known = [await does('leads', 'kept', '--json'), await requests(), await requests('--ended')];
      for (const sql of [
        `DELETE FROM legal_holds WHERE lead_id = '${kept.id}'`,
        `UPDATE legal_holds SET kept_until = 32503680000000, entered_at = ${before} WHERE lead_id = '${over.id}'`,
        `DELETE FROM privacy_requests WHERE lead_id = '${asking.id}'`,
        'UPDATE privacy_requests SET ended_at = NULL, answer = NULL',
        'DELETE FROM erasures_file',
      ])
        await execute(sql);
      assertFails(await run('leads', 'kept'), /This store was restored/);
      const server = await serve();
      await server.close();
      assert.ok(server.logLines.some((line) => /"lawsuits":2,"requests":2/.test(line)));
      assert.deepEqual(
        [await does('leads', 'kept', '--json'), await requests(), await requests('--ended')],
        known,
      );
      assert.deepEqual(known.slice(1), [
        [[asking.id, 'know', null]],
        [[done.id, 'correct', 'no error found']],
      ]);
    });

    test('a lead that a lawsuit keeps is named before it is erased', async (t) => {
      const [kept, other] = [newEntry(), newEntry({})];
      const {does, run} = await operate(t, [kept, other], {postgres});
      const reference = referenceOf(kept.id);
      await does('leads', 'keep', reference, '--until', '2999-12-31', '--reason', 'case 12 of 2026');
      const erase = ['leads', 'erase', reference, '--dry-run'];
      const plan = await does(...erase);
      assert.match(plan.stdout + plan.stderr, /case 12 of 2026, until 2999-12-31/);
      const before = linesOf<{confirm: string}>(await does(...erase, '--json')).at(-1)?.confirm ?? '';
      await does('leads', 'keep', reference, '--until', '2999-12-30', '--reason', 'case 12 of 2026');
      assertFails(await run('leads', 'erase', reference, '--confirm', before), /changed meanwhile/);
      assertFails(await run('leads', 'erase', reference, '--yes'), /a lawsuit keeps .*--confirm/);
      const {stdout} = await does('leads', 'keep', reference, '--until', '2020-01-01', '--reason', 'settled');
      assert.equal(stdout, `${reference} is not kept for a lawsuit any more\n`);
      const free = await does(...erase);
      assert.doesNotMatch(free.stdout + free.stderr, /case 12/);
      assertFails(
        await run('leads', 'keep', '0000-0000', '--until', '2999-12-31', '--reason', 'case'),
        /no lead/i,
      );
    });

    test('what a lawsuit keeps is said of all that would be erased together, and can be erased', async (t) => {
      const first = newEntry({consent: sampleConsent});
      const [other, correction] = [newEntry(), entryAt(Date.now() + 1, {supersedes: first.id})];
      const {does, admin} = await operate(t, [first, correction, other], {postgres});
      await does('leads', 'keep', correction.id, '--until', '2999-12-31', '--reason', 'case 12');
      const holdOf = async (...words: string[]) => linesOf(await does(...words, '--json'))[0]?.['legal_hold'];
      for (const command of ['leads', 'consent'] as const) {
        assert.partialDeepStrictEqual(await holdOf(command, 'show', first.id), {reason: 'case 12'});
        assert.equal(await holdOf(command, 'show', other.id), null);
        const {stdout} = await does(command, 'show', first.id);
        assert.match(stdout, /^For a lawsuit +kept until 2999-12-31 .*case 12$/m);
      }
      const {timeline} = await readCallSheet(await admin(), first.id, {seesPersons: true});
      assert.partialDeepStrictEqual(
        timeline.filter(({title}) => title === 'Kept for a lawsuit'),
        [{kind: 'soon', text: 'Until 2999-12-31: case 12'}],
      );
      assert.partialDeepStrictEqual(linesOf(await does('leads', 'kept', '--json')), [{id: correction.id}]);
      const plan = linesOf<{confirm: string}>(await does('leads', 'erase', first.id, '--dry-run', '--json'));
      await does('leads', 'erase', first.id, '--confirm', plan[0]?.confirm ?? '');
      assert.partialDeepStrictEqual(await holdOf('leads', 'show', first.id), {reason: 'case 12'});
    });
  });
