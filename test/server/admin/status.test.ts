/** What the store alone says of destinations and partners. Beside a server: test/server/cli/status-command.slow.ts. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {Admin} from '../../../server/admin/admin.ts';
import {DateTime} from 'luxon';
import {readOverview} from '../../../server/admin/overview.ts';
import {inOneLine, isTold, status, troubleOf} from '../../../server/admin/status.ts';
import {startOfDay} from '../../../server/versions/request-counts.ts';
import {databaseKinds, hookAndUpstream, operate, runCommand, statusOf} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {
  asLead,
  entryAt,
  eventTo,
  type newEntry,
  sampleConsent,
  standardBody,
} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

/** A lead of acme that was stored so many hours ago. */
const storedBefore = (hours: number, changes: Parameters<typeof newEntry>[0] = {}) =>
  entryAt(Date.now() - hours * 3_600_000, {partner: 'acme', ...changes});

/** Page views of the form of acme on a day in UTC. */
const began = (daysAgo: number, requests: number) => ({
  ...{partner: 'acme', origin: 'own', version: '2.0.0', stage: 'began' as const},
  ...{day: startOfDay(Date.now()) - daysAgo * 86_400_000, requests},
});

for (const {name, postgres, skip} of databaseKinds) {
  suite(`the status over ${name}`, {skip}, () => {
    for (const days of [1, 5, 20])
      test(`a partner that sent ten leads a day for a week is silent after ${days} days without one`, async (t) => {
        const tenADay = Array.from({length: 70}, (_, index) => storedBefore(24 * days + 1 + 2.4 * index));
        const {admin} = await operate(t, tenADay, {postgres});
        const {partners} = await statusOf(await admin());
        assert.partialDeepStrictEqual(partners, [{partner: 'acme', silent: true}]);
      });

    test('a form is begun and sent by the same figures on the page, by the command and as JSON', async (t) => {
      const week = Array.from({length: 60}, (_, index) => storedBefore(1 + 2 * index));
      const before = Array.from({length: 17}, (_, index) => storedBefore(24 * 10 + index));
      const {admin, settings} = await operate(t, [...week, ...before], {postgres});
      const opened = await admin();
      await opened.store.addViews([
        ...[0, 1, 2, 3, 4].map((days) => began(days, 80)),
        ...[began(9, 20), began(10, 20), began(11, 60), began(31, 500)],
      ]);
      const seen = await statusOf(opened);
      const {form} = seen.partners[0] ?? assert.fail();
      assert.partialDeepStrictEqual(form, {shown: 0, began: 400, sent: 60, rate: 15, usual_rate: 17});
      assert.partialDeepStrictEqual(form?.days.at(-1), {began: 80, shown: 0});
      assert.equal(form?.days.length, 30);
      const said = '400 began, 60 sent (15%), usual 17%';
      const {stdout} = await runCommand({...settings, PORT: '0'}, 'status');
      assert.equal(stdout.match(/^acme .* {2}(\S+ began.*)$/m)?.[1], said);
      const overview = await readOverview(opened, {now: DateTime.now(), status: seen});
      assert.deepEqual(overview.partners[0]?.form, form);
    });

    test('a form that nobody has begun for a day is a finding that alerts tell, unless it is sent', async (t) => {
      const {admin, accept} = await operate(t, [], {postgres});
      const opened = await admin();
      const findings = async () => (await statusOf(opened)).findings.filter(({kind}) => kind === 'partner');
      await opened.store.addViews([2, 3, 4].map((days) => began(days, 23)));
      assert.deepEqual(await findings(), [], 'fewer than ten a day');
      await opened.store.addViews([began(5, 1)]);
      const [{text} = assert.fail(), ...others] = (await findings()).filter(isTold);
      const since = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
      assert.equal(text, `Nobody has begun the form of acme since ${since}`);
      assert.deepEqual(others, []);
      await accept(storedBefore(1));
      assert.deepEqual(await findings(), []);
    });

    test('leads of callers without a consent are counted where one could be expected', async (t) => {
      const ofClient = (cid: string, consent?: typeof sampleConsent) =>
        storedBefore(1, {partner: null, lead: asLead({...standardBody, cid}), consent});
      const entries = [
        // The partner of 1001 has a text, and other leads of 2001 have a consent.
        ...[ofClient('1001'), ofClient('2001'), ofClient('2001'), ofClient('3001')],
        ...[ofClient('1001', sampleConsent), ofClient('2001', sampleConsent)],
        storedBefore(25, {partner: null, lead: asLead({...standardBody, cid: '1001'})}),
      ];
      const CONFIG_FILE = writeConfig(temporaryFolder(t), [{consent: {text: 'Yes', version: '1'}}]);
      const operated = await operate(t, entries, {postgres, settings: {CONFIG_FILE}});
      const admin = await operated.admin();
      const {findings} = await statusOf(admin);
      const ofConsents = findings.filter(({kind}) => kind === 'consents');
      assert.deepEqual(ofConsents, [
        {
          ...{level: 'warning', kind: 'consents', subject: null},
          text: '3 of the 6 leads that callers sent in the last 24 hours came without a consent',
          remedy: 'see "lead-prequal leads list --partner -"',
        },
      ]);
      const listLeads = () => assert.fail('Alerts, which never tell this, open leads');
      const forAlerts = await statusOf({...admin, store: {...admin.store, listLeads}}, true);
      assert.deepEqual(forAlerts.findings.filter(isTold), findings.filter(isTold));
    });

    test('leads that nobody hears of need somebody, those of callers once there are some', async (t) => {
      const text = {partner: 'acme', language: 'en', version: '1', textHash: 'f'.repeat(64), words: []};
      const {admin, accept, settings} = await operate(t, [storedBefore(1, {consentText: text})], {postgres});
      const told = await admin(hookAndUpstream(temporaryFolder(t)));
      const levels = async (of: Admin) =>
        (await statusOf(of)).findings.map(({level, kind, subject}) => `${level} ${kind} ${subject}`).join();
      const calls = 'warning uncallable null';
      assert.equal(await levels(await admin()), `degraded unheard null,warning unheard -,${calls}`);
      assert.equal(await levels(told), `warning unheard -,${calls}`);
      await accept(storedBefore(1, {partner: null}));
      assert.equal(await levels(told), `degraded unheard -,${calls}`);
      const {stdout} = await runCommand({...settings, PORT: '0'}, 'config', 'check');
      assert.match(stdout, /^! Nobody may call the leads of acme \(its consent text is gone/m);
    });

    test('an hour with ten times the usual leads is a wave, unless they are few', async (t) => {
      const sent = (leads: number, hours: number, partner: string | null) =>
        Array.from({length: leads}, () => storedBefore(hours, {partner}));
      const days = [1, 2, 3, 4, 5, 6, 7].map((each) => 24 * each + 0.5);
      const entries = [
        ...[...sent(60, 0.5, 'acme'), ...days.flatMap((hours) => sent(6, hours, 'acme'))],
        ...[...sent(49, 0.5, null), ...sent(49, 2, null)],
      ];
      const {admin, accept} = await operate(t, entries, {postgres});
      const waves = async () =>
        (await statusOf(await admin())).findings.flatMap(({kind, text}) => (kind === 'wave' ? [text] : []));
      assert.deepEqual(await waves(), ['acme sent many leads: 60 within an hour, and 6 are usual']);
      await accept(...sent(1, 0.5, null), ...sent(4, days[0]!, 'acme'));
      assert.deepEqual(await waves(), ['The callers sent many leads: 50 within an hour, and 0 are usual']);
    });

    test('a silent partner and stopped deliveries are findings', async (t) => {
      const week = Array.from({length: 80}, (_, index) => storedBefore(26 + index));
      const deliveries = [eventTo('old'), eventTo('bot', {state: 'held'})];
      const {admin} = await operate(t, [...week, storedBefore(40, {deliveries})], {postgres});
      const seen = await statusOf(await admin());
      const said = seen.findings.map(inOneLine).join('\n');
      assert.match(said, /^acme fell silent: the last lead came 26 h ago/m);
      assert.match(said, /^old is missing, and 1 delivery is waiting/m);
      assert.match(
        said,
        /^Leads are held as a bot's \(1 since .*, for 40 h\): see "lead-prequal deliveries list/m,
      );
      assert.deepEqual(
        seen.findings.map(({kind, subject}) => `${kind} ${subject}`),
        [
          ...['destination bot', 'destination old', 'suspects null', 'partner acme'],
          ...['unheard null', 'unheard -', 'uncallable null'],
        ],
      );
      const told = seen.findings.filter(isTold).map(troubleOf);
      const names = ['destination bot', 'destination old', 'suspects', 'partner acme', 'unheard'];
      assert.deepEqual(told, names, 'what alerts by e-mail tell');
      const [{text, remedy} = assert.fail()] = seen.findings.filter(({kind}) => kind === 'partner');
      assert.match(text, /^acme fell silent: .* ago$/);
      assert.equal(remedy, "Look at the form on the partner's page.");
      assert.partialDeepStrictEqual(seen, {
        status: 'degraded',
        partners: [{partner: 'acme', leads_today: 0, silent: true}],
        destinations: [
          {destination: 'bot', state: 'missing'},
          {destination: 'old', state: 'missing'},
        ],
      });
      assert.deepEqual(status.parse(seen), seen);
    });
  });
}
