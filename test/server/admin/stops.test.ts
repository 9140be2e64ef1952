/** Stops for a regulator: when they were asked and entered, how, who was told when, and what was decided since. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import {businessDaysAfter} from '../../../server/admin/business-days.ts';
import {listRevocations, type RevocationRow} from '../../../server/admin/stops.ts';
import {dayLength} from '../../../server/config/timings.ts';
import {writeConfig} from '../../support/config-file.ts';
import {allOf, databaseKinds, linesOf, operate, unnoted} from '../../support/operator.ts';
import {eventTo, leadWith, newEntry} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {newSecret} from '../../support/webhook-receiver.ts';

const hook = (name: string) => ({
  type: 'webhook',
  url: `http://127.0.0.1:9/${name}`,
  credentials: name.toUpperCase(),
});
const receivers = (t: TestContext) => ({
  CONFIG_FILE: writeConfig(temporaryFolder(t), [{send_to: ['crm', 'sales']}], {
    crm: hook('crm'),
    sales: hook('sales'),
  }),
  CREDENTIALS_CRM_SECRET: newSecret(),
  CREDENTIALS_SALES_SECRET: newSecret(),
});
const withNumber = (phone: string) =>
  newEntry({lead: leadWith({phone}), deliveries: [eventTo('crm'), eventTo('sales')]});
const settle = (entry: {id: string}, destination: string, at: number) =>
  `UPDATE deliveries SET state = 'delivered', settled_at = ${at}
    WHERE lead_id = '${entry.id}' AND destination = '${destination}' AND settled_at IS NULL`;

for (const {name, postgres, skip} of databaseKinds)
  suite(`the list of stops over ${name}`, {skip}, () => {
    test('a stop by address names leads of the same mailbox that go on', async (t) => {
      const [jane, tagged] = ['jane@example.com', 'jane+loan@example.com'].map((email, index) =>
        newEntry({lead: leadWith({email, phone: `415-555-014${index}`})}),
      );
      const {run} = await operate(t, [jane!, tagged!], {postgres});
      const revoke = (email: string) => run('consent', 'revoke', email, '--yes');
      const named = new RegExp(`same mailbox[^]*${referenceOf(tagged!.id)}`);
      assert.match((await revoke('jane@example.com')).stderr, named);
      const none = await revoke('jane+news@example.com');
      assert.equal(none.code, 1);
      assert.match(none.stderr, named);
    });

    test('has each stop of a month, with the business days until all receivers were told', async (t) => {
      const [first, second] = [withNumber('415-555-0132'), withNumber('415-555-0133')];
      const {does, execute, admin} = await operate(t, [first, second], {postgres, settings: receivers(t)});
      for (const entry of [first, second])
        for (const to of ['crm', 'sales']) await execute(settle(entry, to, Date.now()));
      const asked = Date.now() - 20 * dayLength;
      const day = new Date(asked).toISOString();
      await does('consent', 'revoke', '415-555-0132', '--yes', '--asked', day, '--via', 'letter');
      await does('consent', 'revoke', '415-555-0133', '--yes');
      const heard = businessDaysAfter(asked, 3) + dayLength / 2;
      await execute(settle(first, 'crm', heard - 3_600_000));
      await execute(settle(first, 'sales', heard));
      await execute(settle(second, 'crm', Date.now()));
      const phone = '415-555-0132';
      await does('consent', 'allow', phone, '--reason', 'called, and wants it');
      await does('consent', 'revoke', phone, '--yes', '--via', 'phone');

      const list = ['consent', 'list', '--revoked'];
      const rows = linesOf<RevocationRow>(await does(...list, '--json'));
      assert.deepEqual(
        rows.map(({what, way, business_days: days}) => [what, way, days]).toSorted(),
        [
          ['stop', 'letter', 3],
          ['stop', 'phone', null],
          ['stop', null, null],
        ].toSorted(),
      );
      const [ofLetter] = linesOf<RevocationRow>(
        await does(...list, '--json', '--until', new Date(asked + 1).toISOString()),
      );
      assert.deepEqual(
        ofLetter?.told.map((one) => [one.reference, one.destination, one.at]),
        ['crm', 'sales'].map((to) => [
          referenceOf(first.id),
          to,
          new Date(to === 'crm' ? heard - 3_600_000 : heard).toISOString(),
        ]),
      );
      assert.equal(ofLetter.asked_at, day);
      assert.equal(ofLetter.heard_at, new Date(heard).toISOString());
      assert.deepEqual(
        ofLetter.allowances.map(({reason}) => reason),
        ['called, and wants it'],
        'a later stop takes nothing of what was decided away',
      );

      const [head = [], ...cells]: string[][] = parse((await does(...list, '--csv')).stdout);
      assert.deepEqual(head, ['asked', 'entered', 'by', 'for', 'leads', 'told', 'days', 'let go']);
      const letter = cells.find((row) => row[2] === 'letter') ?? assert.fail();
      assert.equal(letter[6], '3');
      assert.match(
        letter[5] ?? '',
        new RegExp(`^${referenceOf(first.id)} crm.*, ${referenceOf(first.id)} sales`),
      );
      const beside = {...(await admin()), noteAccess: unnoted};
      assert.equal((await allOf(listRevocations(beside, {since: asked + dayLength}))).length, 2);
    });

    test('says in a word why nobody was told', async (t) => {
      const [had, none] = [withNumber('415-555-0132'), newEntry({lead: leadWith({phone: '415-555-0133'})})];
      const {does, execute} = await operate(t, [had, none], {postgres});
      await execute("UPDATE deliveries SET attempts = 1, state = 'delivered', settled_at = 1");
      const revoke = ['consent', 'revoke', '--yes', '--via'];
      for (const [way, number] of [
        ['had', '0132'],
        ['none', '0133'],
        ['again', '0133'],
        ['unknown', '0134'],
      ] as const)
        await does(...revoke, way, `415-555-${number}`);
      const rows: string[][] = parse((await does('consent', 'list', '--revoked', '--csv')).stdout);
      assert.deepEqual(
        new Set(rows.slice(1).map((row) => [row[2], row[5], row[6]].join(': '))),
        new Set([
          'had: cannot be told: none',
          'none: nobody had it: none',
          'again: stopped before: none',
          'unknown: no lead: none',
        ]),
      );
    });

    test('has no limit', async (t) => {
      const entries = Array.from({length: 60}, (_, index) => withNumber(`415-555-01${index + 10}`));
      const {does} = await operate(t, entries, {postgres});
      for (const entry of entries) await does('consent', 'revoke', entry.id, '--yes');
      assert.equal(linesOf(await does('consent', 'list', '--revoked', '--json')).length, 60);
    });
  });
