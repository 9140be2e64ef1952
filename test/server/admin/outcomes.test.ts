/** What became of a lead after a call: recorded by commands and pages, told to webhooks that ask, and erased with the lead. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {suite, test, type TestContext} from 'node:test';
import {parse} from 'csv-parse/sync';
import {referenceOf} from '../../../contract/reference.ts';
import {finish, type Admin} from '../../../server/admin/admin.ts';
import {recordOutcome, type OutcomeInput} from '../../../server/admin/outcomes.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {routes} from '../../../server/pages/routes.ts';
import {writeConfig} from '../../support/config-file.ts';
import {openFor} from '../../support/opened.ts';
import {assertFails, databaseKinds, linesOf, operate, planAndErase} from '../../support/operator.ts';
import {ownForm, servePages} from '../../support/pages.ts';
import {newEntry, eventTo, sampleConsent} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {until} from '../../support/until.ts';
import {newSecret, replyWith, startWebhookReceiver} from '../../support/webhook-receiver.ts';

const entry = () =>
  newEntry({
    ...{partner: 'acme', consent: sampleConsent, attribution: {utm_campaign: 'spring'}},
    deliveries: [eventTo('crm'), eventTo('quiet')],
  });
const records = (admin: Admin, input: OutcomeInput) => finish(recordOutcome(admin, input));
const by = (admin: Admin, actor: string): Admin => ({...admin, actor: `operator ${actor}`});
type Told = {
  type: string;
  timestamp: string;
  data: {id: string; outcome: string | null; amount: number | null};
};

for (const {name, postgres, skip} of databaseKinds)
  suite(`outcomes over ${name}`, {skip}, () => {
    /** `crm` asks for outcomes, and `quiet` for nothing. */
    async function begin(t: TestContext, count: number) {
      const [crm, quiet] = [
        await openFor(t, startWebhookReceiver()),
        await openFor(t, startWebhookReceiver()),
      ];
      const hook = (port: number, more = {}) => ({
        ...{type: 'webhook', url: `http://127.0.0.1:${port}/`, credentials: 'CRM'},
        ...more,
      });
      const settings = {
        CONFIG_FILE: writeConfig(temporaryFolder(t), [{send_to: ['crm', 'quiet']}], {
          crm: hook(crm.port, {events: ['lead.outcome']}),
          quiet: hook(quiet.port),
        }),
        CREDENTIALS_CRM_SECRET: newSecret(),
      };
      const leads = Array.from({length: count}, entry);
      const operated = await operate(t, leads, {postgres, settings});
      const told = () =>
        crm.received.map(({body}) => JSON.parse(body) as Told).filter(({type}) => type === 'lead.outcome');
      return {...operated, admin: await operated.admin(), ids: leads.map(({id}) => id), crm, quiet, told};
    }

    test('the newest stands in list, filter, counts, CSV and on show, and can be taken back', async (t) => {
      const {does, run, admin, ids, folder} = await begin(t, 3);
      const [lead = '', other = '', uncalled = ''] = ids;
      await does('leads', 'note', lead, '--outcome', 'no_answer', '--text', 'Voicemail is full.');
      const funded = ['--outcome', 'funded', '--amount', '$150,000'];
      await does('leads', 'note', referenceOf(lead), ...funded, '--text', 'Signed.', '--id', 'a');
      const repeat = await does('leads', 'note', lead, ...funded, '--text', 'Another.', '--id', 'a');
      assert.equal(repeat.stdout, `${referenceOf(lead)}: Funded, $150,000\n`);
      await records(by(admin, 'Maria'), {lead: other, outcome: 'talked'});
      await records(by(admin, 'Jordan'), {lead: other, outcome: 'appointment', text: 'Has the lease'});
      const listed = async (outcome: string) =>
        linesOf(await does('leads', 'list', '--outcome', outcome, '--json')).map(({id}) => id);
      assert.deepEqual(
        [await listed('funded'), await listed('talked'), await listed('appointment'), await listed('none')],
        [[lead], [], [other], [uncalled]],
      );
      assert.equal((await does('leads', 'count', '--outcome', 'none')).stdout, '1\n');
      const counted = await does('leads', 'count', '--by', 'outcome,partner,campaign', '--json');
      assert.deepEqual(
        linesOf(counted).map(({outcome, partner, campaign, leads}) => [outcome, partner, campaign, leads]),
        [null, 'appointment', 'funded'].map((outcome) => [outcome, 'acme', 'spring', 1]),
      );
      const file = `${folder}/sales.csv`;
      await does('leads', 'export', file, '--for', 'sales');
      const rows = parse<Record<string, string>>(readFileSync(file), {columns: true, bom: true});
      assert.deepEqual(rows.map(({Result}) => Result).toSorted(), ['', 'Appointment', 'Funded, $150,000']);
      const [shown] = linesOf<{outcomes: object[]}>(await does('leads', 'show', lead, '--json'));
      assert.partialDeepStrictEqual(shown?.outcomes, [
        {outcome: 'no_answer', amount: null, note: 'Voicemail is full.', undone_at: null},
        {outcome: 'funded', amount: 150_000, note: 'Signed.'},
      ]);
      assert.equal(shown?.outcomes.length, 2);
      assert.match(
        (await does('leads', 'show', other)).stdout,
        /Appointment, [\d-]+ [\d:]+, Jordan: Has the lease/,
      );

      await records(by(admin, 'Jordan'), {lead: other, undo: true});
      assert.deepEqual([await listed('talked'), await listed('appointment')], [[other], []]);
      assert.doesNotMatch((await does('leads', 'show', other)).stdout, /lease/);
      await assert.rejects(records(by(admin, 'Jordan'), {lead: other, undo: true}), /nothing of yours/);
      assertFails(
        await run('leads', 'note', lead, '--outcome', 'talked', '--amount', '1'),
        /needs --outcome funded/,
        2,
      );
      assertFails(await run('leads', 'note', lead, '--text', 'x'.repeat(501)), /--text .*at most 500/, 2);
      const audit = (await does('audit', 'list', '--lead', lead, '--json')).stdout;
      assert.match(audit, /"action":"leads note"/);
      assert.doesNotMatch(audit, /funded|Signed|150,?000/, 'the audit outlives an erasure');
    });

    test('a webhook that asks hears each outcome once, in order, also after a stop, and no note', async (t) => {
      const {serve, admin, ids, crm, quiet, told, select} = await begin(t, 1);
      const [lead = ''] = ids;
      await serve({eventRetry: [20, 50]} as never);
      await quiet.hasReceived(1);
      crm.answerWith(replyWith(503));
      await records(admin, {lead, outcome: 'no_answer', text: 'Voicemail'});
      await until(() => told().length > 0);
      for (const outcome of ['talked', 'funded'] as const)
        await records(admin, {lead, outcome, ...(outcome === 'funded' && {amount: 650_000}), id: 'one'});
      await records(admin, {lead, text: 'A note alone'});
      await records(admin, {lead, outcome: 'funded', amount: 650_000, id: 'one'});
      await records(admin, {lead, undo: true, id: 'undo'});
      await records(admin, {lead, undo: true, id: 'again'});
      const {stopped} = await records(admin, {lead, outcome: 'not_interested', stop: true});
      assert.partialDeepStrictEqual(stopped, {leads: [{reference: referenceOf(lead)}]});
      crm.received.length = 0;
      crm.answerWith(replyWith(204));
      await admin.store.retryDeliveries(Date.now(), {lead});
      await until(() => told().at(-1)?.data.outcome === 'not_interested');
      assert.deepEqual(
        told().map(({data: {outcome, amount}}) => [outcome, amount]),
        [
          ['no_answer', null],
          ['talked', null],
          // Its amount was deleted when it was taken back.
          ['funded', null],
          ['talked', null],
          ['not_interested', null],
        ],
      );
      await quiet.hasReceived(2);
      const types = quiet.received.map(({body}) => (JSON.parse(body) as Told).type);
      assert.deepEqual(types.toSorted(), ['consent.revoked', 'lead.created']);
      assert.doesNotMatch(JSON.stringify(crm.received), /Voicemail|note alone/);
      const waits = `SELECT state FROM deliveries WHERE content = 'outcome' AND settled_at IS NULL`;
      await until(async () => (await select(waits)).length === 0);
    });

    test('a stop with an outcome says which leads it could not read, as a stop alone does', async (t) => {
      const {run, execute, ids} = await begin(t, 2);
      const [lead = '', damaged = ''] = ids;
      await execute(`UPDATE sealed SET part = 'lost' WHERE lead_id = '${damaged}' AND part = 'lead'`);
      const stop = await run('leads', 'note', lead, '--outcome', 'not_interested', '--stop');
      assert.equal(stop.code, 1);
      assert.match(stop.stderr, /1 lead cannot be read, and may be of this person, too/);
      // Of the lead that cannot be read, no number is known.
      const page = await run('consent', 'revoke', damaged, '--dry-run');
      const alone = await run('consent', 'revoke', damaged, '--yes');
      for (const {stderr} of [page, alone]) {
        assert.match(stderr, /No number is known, so no later lead is held\./);
        assert.doesNotMatch(stderr, /Later leads with (the )?\d/);
      }
    });

    test('an erasure leaves nothing of outcomes, amounts and notes, and nothing is recorded after it', async (t) => {
      const {admin, ids, select, settings} = await begin(t, 2);
      const [lead = '', kept = ''] = ids;
      const input = {outcome: 'funded', amount: 777_123, text: 'Zanzibar'} as const;
      for (const each of ids) await records(by(admin, 'Maria'), {lead: each, ...input});
      const sealed = async () =>
        (await select(`SELECT lead_id FROM sealed WHERE substr(part, 1, 8) = 'outcome '`)).map(
          ({lead_id}) => lead_id,
        );
      assert.deepEqual((await sealed()).toSorted(), [lead, kept].toSorted());
      const next = createEncryptor(['another data key of 32 characters', settings['DATA_KEY'] ?? '']);
      const rotating = await openFor(t, openStore(admin.config, next));
      for await (const done of rotating.reencrypt()) assert.deepEqual(done.unreadable, []);
      assert.partialDeepStrictEqual((await rotating.outcomesOf([kept])).get(kept), [
        {amount: 777_123, note: 'Zanzibar'},
      ]);
      await planAndErase({...admin, store: rotating}, [lead]);
      assert.deepEqual(await sealed(), [kept]);
      assert.deepEqual(await select(`SELECT id FROM outcomes WHERE lead_id = '${lead}'`), []);
      await assert.rejects(records(admin, {lead, outcome: 'talked'}), /was erased/);
      const {store} = admin;
      await store.addOutcome({...input, lead, id: 'late', at: 1, actor: 'x', undoes: null, note: null}, []);
      assert.deepEqual(await select(`SELECT id FROM outcomes WHERE lead_id = '${lead}'`), []);
    });
  });

test('the page records by one press, once, and takes back; the list filters by it', async (t) => {
  const served = await servePages(t, routes);
  const lead = entry();
  await served.accept(lead, entry());
  const cookie = await served.sessionOf('agent', 'Maria Lopez');
  const path = `/leads/${lead.id}`;
  const get = async (to = path, as = cookie) =>
    (await served.ask(to, {headers: {cookie: as}})).text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  const press = (form: Record<string, string>) =>
    served.ask(`${path}/note`, {method: 'POST', headers: {cookie, ...ownForm}, form});
  assert.equal((await press({id: 'p1', outcome: 'wrong_number', text: 'A <b>bakery</b>'})).status, 303);
  await press({id: 'p1', outcome: 'wrong_number', text: 'A <b>bakery</b>'});
  const page = await get();
  assert.match(page, /Wrong number .{5,12} you .*Saved at .*Undo.*Stop calls to this number, too\?/);
  assert.equal(page.match(/Wrong number [^·]{5,20}· Maria Lopez A &lt;b&gt;bakery/g)?.length, 1);
  assert.match(await get('/leads?outcome=wrong_number'), /Wrong number .{5,12} you/);
  assert.match(await get('/leads?mine=1'), /Wrong number/);
  assert.doesNotMatch(await get('/leads?outcome=none'), /Wrong number .{5,12} you/);
  const viewer = await served.sessionOf('viewer', 'Vi');
  assert.doesNotMatch(await get(path, viewer), /bakery|After the call/);
  await press({id: 'p1', outcome: 'wrong_number', stop: '1', text: 'Sued us once'});
  assert.match(await get(), /Do not call.*Sued us once/);
  await press({id: 'p2', undo: '1'});
  await press({id: 'p3', undo: '1', text: 'A mere slip'});
  await press({id: 'p3', undo: '1', text: 'A mere slip'});
  assert.match(await get(), /A mere slip.*Wrong number, taken back/);
  assert.doesNotMatch(await get(), /bakery|Sued us/);
  await press({id: 'p4', outcome: 'funded', amount: '$1,200'});
  assert.match(await get(), /Funded, \$1,200/);
  assert.equal((await press({id: 'p5', outcome: 'funded', amount: 'much'})).status, 409);
});
