/** What people asked for by telephone or letter, and leads that a lawsuit keeps. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {dayLength} from '../../../server/config/timings.ts';
import {daysToAnswer} from '../../../server/leads/privacy-requests.ts';
import {assertFails, carryOut, databaseKinds, linesOf, operate, statusOf} from '../../support/operator.ts';
import {newEntry} from '../../support/sample-leads.ts';

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
      assertFails(await run(...add), /waits for .* already/);
      assertFails(await run(...add, '--kind', 'correct', '--asked', '2999-01-01'), /still to come/);
      const rows = linesOf(await does('leads', 'requests', '--json'));
      assert.deepEqual(
        rows.map(({kind, way, days}) => [kind, way, days]),
        [
          ['know', 'letter', 40],
          ['erase', 'letter', 0],
        ],
      );
      const finding = async () =>
        (await statusOf(await admin())).findings.find(({kind}) => kind === 'erasure') ?? assert.fail();
      const first = await finding();
      assert.equal(first.level, 'degraded', 'five days are left');
      assert.match(
        first.text,
        new RegExp(`^2 requests of people wait, the first since ${dayOf(asked)}, to know ${reference}:`),
      );
      assert.ok(first.text.endsWith(due));

      await does('leads', 'requests', 'end', reference, '--kind', 'know', '--reason', 'sent the file');
      assertFails(
        await run('leads', 'requests', 'end', reference, '--kind', 'know', '--reason', 'again'),
        /Nobody asked to know/,
      );
      assert.equal((await finding()).level, 'warning');
      const [last] = linesOf<{action: string; filter: object}>(
        await does('audit', 'list', '--limit', '2', '--json'),
      ).slice(-1);
      assert.partialDeepStrictEqual(last, {action: 'leads requests end', filter: {kind: 'know'}});
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
      await does('leads', 'keep', reference, '--until', '2020-01-01', '--reason', 'settled');
      const free = await does(...erase);
      assert.doesNotMatch(free.stdout + free.stderr, /case 12/);
      assertFails(
        await run('leads', 'keep', '0000-0000', '--until', '2999-12-31', '--reason', 'case'),
        /no lead/i,
      );
    });
  });
