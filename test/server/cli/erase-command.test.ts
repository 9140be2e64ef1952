/** `lead-prequal leads erase`, what other commands say of erased leads, and how leads are found by e-mail and phone. */
import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {Writable} from 'node:stream';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {finish} from '../../../server/admin/admin.ts';
import {purge} from '../../../server/admin/purging.ts';
import {createWaitingWords} from '../../../server/cli/purge.ts';
import {createRun} from '../../../server/cli/output.ts';
import {run} from '../../../server/cli/program.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {Owner} from '../../support/opened.ts';
import {databaseKinds, operate, runAtTerminal} from '../../support/operator.ts';
import {asLead, newDelivery, newEntry, prequalificationBody} from '../../support/sample-leads.ts';

const key = 'a data key of at least 32 characters'.replaceAll(' ', '-');
const year = 365.25 * 86_400_000;

const consent = {
  textVersion: '1',
  textHash: 'a'.repeat(64),
  agreed: true,
  givenAt: Date.now(),
  origin: 'https://www.example.com',
  page: 'https://www.example.com/page',
  ip: '203.0.113.7',
  userAgent: 'Canary/1',
};

const entryOf = (changes: object, others: Partial<LeadEntry> = {}) =>
  newEntry({lead: asLead({...prequalificationBody, ...changes}), partner: 'acme', ...others});

const lines = (text: string) => text.trimEnd().split('\n').filter(Boolean);
const json = (text: string) => lines(text).map((line) => JSON.parse(line) as Record<string, unknown>);
const idsIn = (text: string) => json(text).map(({id}) => id);

for (const {name, postgres, skip} of databaseKinds) {
  suite(`erasing on ${name}`, {skip}, () => {
    const operated = async (
      t: Owner,
      entries: readonly LeadEntry[],
      settings: Record<string, string> = {},
    ) => {
      const made = await operate(t, entries, {postgres, settings: {DATA_KEY: `${key} clear`, ...settings}});
      const file = made.settings['ERASURES_FILE'] || `${made.settings['DATABASE_PATH']}.erasures`;
      return {...made, file};
    };

    test('an erased lead is listed and shown as erased, and an export leaves it out', async (t) => {
      const [gone, left] = [entryOf({first_name: 'Canary'}, {consent}), entryOf({})];
      const {run} = await operated(t, [gone, left]);
      const erased = await run('leads', 'erase', referenceOf(gone.id), '--yes');
      assert.equal(erased.code, 0, erased.stderr);
      assert.equal(erased.stdout, `${referenceOf(gone.id)} (${gone.id}) erased\n`);
      assert.match(erased.stderr, /1 consent of these stay \(KEEP_CONSENT_YEARS\): 16 CFR 310\.5/);
      assert.doesNotMatch(erased.stderr, /Canary/, 'what a program may log names nobody');

      const listed = (await run('leads', 'list')).stdout;
      assert.match(listed, new RegExp(`${referenceOf(gone.id)} .* acme +erased .*\\d\\d:\\d\\d:\\d\\d\n`));
      const inJson = json((await run('leads', 'list', '--json')).stdout).find(({id}) => id === gone.id);
      assert.ok(Math.abs(Date.parse(String(inJson?.['erased_at'])) - Date.now()) < 60_000);

      const shown = await run('leads', 'show', referenceOf(gone.id), '--json');
      const [data = {}] = json(shown.stdout);
      assert.deepEqual(Object.keys(data), [
        'id',
        'reference',
        'created_at',
        'partner',
        'erased_at',
        'consent_kept_until',
        'kept',
      ]);
      assert.partialDeepStrictEqual(data['kept'], {
        first_name: 'Canary',
        phone_e164: gone.lead.phone.e164,
        consent: {text_hash: consent.textHash, ip: consent.ip},
      });
      const kept = Date.parse(String(data['consent_kept_until'])) - consent.givenAt;
      assert.ok(Math.abs(kept - 5 * year) < 2 * 86_400_000);
      assert.match((await run('leads', 'show', gone.id)).stdout, /^consent_kept_until +\d{4}-/m);

      const exported = await run('leads', 'export', '--format', 'jsonl');
      assert.deepEqual(idsIn(exported.stdout), [left.id]);
      assert.match(exported.stderr, /personal data in clear.*\n1 lead\n1 erased lead left out\n/);
    });

    test('leads are found by e-mail and by phone, however they are written', async (t) => {
      const entries = [
        entryOf({email: 'Jane.Doe@Example.com', phone: '(202) 555-0111'}),
        entryOf({email: 'jane.doe@example.com', phone: '202-555-0122'}),
        entryOf({email: 'jane.doe+loan@example.com', phone: '202-555-0133'}),
        entryOf({email: 'other@example.com', phone: '+1 202 555 0111'}, {partner: null}),
      ];
      const [capitals, small, tagged, other] = entries.map(({id}) => id) as [string, string, string, string];
      const {run} = await operated(t, entries);
      const byEmail = await run('leads', 'list', '--json', '--email', 'JANE.DOE@example.com');
      assert.deepEqual(idsIn(byEmail.stdout), [small, capitals].toSorted().toReversed());
      assert.match(
        byEmail.stderr,
        new RegExp(`Not among them.*another spelling.*: ${referenceOf(tagged)}\\.`),
      );
      const byPhone = async (...words: string[]) =>
        idsIn((await run('leads', 'list', '--json', '--phone', '202.555.0111', ...words)).stdout);
      assert.deepEqual(await byPhone(), [capitals, other].toSorted().toReversed());
      assert.deepEqual(await byPhone('--partner', 'acme'), [capitals]);
      assert.deepEqual(await byPhone('--email', 'other@example.com'), [other]);
      assert.deepEqual(await byPhone('--limit', '1'), [[capitals, other].toSorted()[1]]);
      assert.equal((await run('leads', 'list', '--email', 'nobody')).code, 2);
      assert.equal((await run('leads', 'list', '--phone', '12')).code, 2);
      const none = await run('leads', 'list', '--email', 'none@example.com');
      assert.deepEqual([none.code, none.stdout], [0, '']);
    });

    test('Ctrl+C ends a search, and what it has found is shown', async (t) => {
      const entries = Array.from({length: 1_100}, () => entryOf({}, {createdAt: Date.now() - 1_000}));
      const newest = entryOf({email: 'last@example.com'});
      const {settings} = await operated(t, [...entries, newest], {DATA_KEY: 'clear'});
      const interrupting = {
        onInterrupt(stop: () => void) {
          stop();
          return () => undefined;
        },
        ask: () => assert.fail('nothing is asked after a search that was stopped'),
      };
      const search = ['--email', 'last@example.com'];
      const erased = await runAtTerminal(interrupting, settings, 'leads', 'erase', ...search);
      assert.equal(erased.code, 1);
      assert.match(erased.stderr, /Nothing was erased/);
      let stopLater: (() => void) | undefined;
      const afterOnePage = {
        onInterrupt(stop: () => void) {
          setImmediate(() => (stopLater = stop)());
          return () => undefined;
        },
      };
      const listed = await runAtTerminal(afterOnePage, settings, 'leads', 'list', '--json', ...search);
      assert.ok(stopLater);
      assert.equal(listed.code, 1);
      // On PostgreSQL, the first page has not come yet.
      if (postgres) return;
      assert.deepEqual(idsIn(listed.stdout), [newest.id]);
      assert.match(listed.stderr, /Stopped after 1,000 of 1,101 leads, the newest ones/);
    });

    test('it says so if the leads are moved while it asks, because an erasure may stay behind', async (t) => {
      const entry = entryOf({});
      const {settings, execute} = await operated(t, [entry]);
      const moved = {
        async ask() {
          await execute("INSERT INTO store_mark VALUES (1, 'moved', 'elsewhere')");
          return 'erase';
        },
      };
      const {code, stderr} = await runAtTerminal(moved, settings, 'leads', 'erase', entry.id);
      assert.equal(code, 1);
      assert.match(stderr, /were moved to elsewhere.*run it again there\n$/);
    });

    test('it shows what would go and who had it, and asks for the word', async (t) => {
      const same = {leadDigests: ['d'.repeat(64)]};
      const upstream = newDelivery({destination: 'up'});
      const hook = newDelivery({destination: 'hook', content: 'created', givesAnswer: false});
      const first = entryOf({first_name: 'Canary'}, {consent, deliveries: [upstream, hook], ...same});
      const correction = entryOf({}, {supersedes: first.id});
      const other = entryOf({});
      const {run, settings, execute, file} = await operated(t, [first, correction, other]);
      const leasedUntil = Date.now() + 40_000;
      await execute(
        `UPDATE deliveries SET attempts = 1, leased_until = ${leasedUntil} WHERE destination = 'hook'`,
      );
      await execute(
        `UPDATE deliveries SET state = 'delivered', settled_at = 1, remote_id = 'u-77' WHERE destination = 'up'`,
      );

      const refused = await run('leads', 'erase', first.id);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /no terminal to ask on: add --yes/);
      for (const words of [[], [first.id, '--again'], [first.id, '--email', 'jane@example.com']])
        assert.equal((await run('leads', 'erase', '--yes', ...words)).code, 2);
      assert.equal((await run('leads', 'erase', '--yes', 'ZZZZ-ZZZZ')).code, 1);

      const questions: string[] = [];
      const answering = (answer: string) => ({
        ask(question: string) {
          questions.push(question);
          return Promise.resolve(answer);
        },
      });
      const no = await runAtTerminal(answering('yes'), settings, 'leads', 'erase', first.id);
      assert.deepEqual([no.code, no.stdout], [1, '']);
      assert.match(no.stderr, /Nothing was erased\.\n$/);
      assert.ok(!existsSync(file));
      assert.deepEqual(questions, ['To erase 2 leads for ever, type erase: ']);
      const block = no.stderr.slice(no.stderr.indexOf(referenceOf(first.id)));
      assert.match(
        block,
        new RegExp(`^${referenceOf(first.id)} \\(${first.id}\\), received .*, acme, Canary Doe\n`),
      );
      assert.match(block, /^ {2}goes +name, e-mail/m);
      assert.match(block, /^ {2}stays +the consent, with name and telephone number, until \d{4}-/m);
      assert.match(block, /^ {2}will be told +hook\n/m);
      assert.match(block, /^ {2}cannot be told +up, which has it as u-77: ask whoever runs it\n/m);
      assert.match(block, /^ {2}under way +a process may be sending it for up to [1-4]\d s/m);
      assert.match(no.stderr, /^ {2}belongs +.*one corrects the other/m);

      const yes = await runAtTerminal(answering('erase'), settings, 'leads', 'erase', first.id, '--json');
      assert.equal(yes.code, 0, yes.stderr);
      const printed = json(yes.stdout);
      assert.deepEqual(
        printed.map(({id, because}) => [id, because]),
        [
          [first.id, 'named'],
          [correction.id, 'correction'],
        ].toSorted(),
      );
      assert.partialDeepStrictEqual(
        printed.find(({id}) => id === first.id),
        {
          told: ['hook'],
          remote_ids: [{destination: 'up', remote_id: 'u-77'}],
          out_of_files: true,
          was_erased_at: null,
        },
      );
      const news = json((await run('deliveries', 'list', first.id, '--json')).stdout);
      assert.partialDeepStrictEqual(
        news.filter(({state}) => state === 'waiting'),
        [{destination: 'hook', content: 'erased', next_attempt_at: new Date(leasedUntil).toISOString()}],
      );
      assert.ok('lead' in (json((await run('leads', 'show', other.id, '--json')).stdout)[0] ?? {}));
    });

    test('--all takes the kept consent, too, also of a lead that was erased before', async (t) => {
      const [first, second] = [entryOf({}, {consent}), entryOf({}, {consent})];
      const {run, file} = await operated(t, [first, second], {ERASURES_FILE: ''});
      const keptUntil = async (id: string) =>
        json((await run('leads', 'show', id, '--json')).stdout)[0]?.['consent_kept_until'];
      const at = await run('leads', 'erase', first.id, '--all', '--yes');
      assert.match(at.stderr, /1 consent of these go, too \(--all\), although 16 CFR 310\.5/);
      assert.equal(await keptUntil(first.id), null);
      await run('leads', 'erase', second.id, '--yes');
      assert.notEqual(await keptUntil(second.id), null);
      const again = await run('leads', 'erase', second.id, '--yes');
      assert.deepEqual(
        [again.code, again.stdout],
        [0, `${referenceOf(second.id)} (${second.id}) was erased before\n`],
      );
      assert.notEqual(await keptUntil(second.id), null);
      const later = await run('leads', 'erase', second.id, '--yes', '--all');
      assert.match(later.stderr, /goes +the kept consent/);
      assert.equal(await keptUntil(second.id), null);
      if (postgres) {
        assert.match(at.stderr, /There is no ERASURES_FILE/);
        assert.match(at.stderr, /On PostgreSQL, the old rows stay .* once its data key is destroyed/);
      } else {
        assert.deepEqual(
          lines(readFileSync(file, 'utf8')).map((line) => line.replace(/ \S+Z/, '')),
          [`${first.id} all`, second.id, `${second.id} all`],
        );
        assert.equal(statSync(file).mode & 0o777, 0o600);
      }
    });

    test('a consent goes when its years are over, and so does a lead that cannot be read', async (t) => {
      const old = entryOf({}, {consent: {...consent, givenAt: Date.now() - 2 * year}});
      const damaged = entryOf({email: 'secret@example.com'}, {consent});
      const {run, execute} = await operated(t, [old, damaged], {KEEP_CONSENT_YEARS: '1'});
      await execute(`UPDATE sealed SET data_key = 7 WHERE lead_id = '${damaged.id}'`);
      const found = await run('leads', 'list', '--email', 'secret@example.com');
      assert.match(found.stderr, new RegExp(`1 lead could not be read .*: ${referenceOf(damaged.id)}\\.`));
      const listed = (await run('leads', 'list')).stdout;
      assert.match(listed, new RegExp(`${referenceOf(damaged.id)} .* unreadable: .*data key 00000007`));
      const erased = await run('leads', 'erase', old.id, damaged.id, '--yes');
      assert.equal(erased.code, 0, erased.stderr);
      assert.match(erased.stderr, /The time for which consents are kept is over, so they go, too\./);
      assert.match(erased.stderr, /goes +everything .* cannot be read .* so no consent can be kept/);
      for (const {id} of [old, damaged])
        assert.partialDeepStrictEqual(json((await run('leads', 'show', id, '--json')).stdout), [
          {consent_kept_until: null},
        ]);
    });

    test('nothing is erased if the file of erasures cannot be written', async (t) => {
      const entry = entryOf({});
      const {run} = await operated(t, [entry], {ERASURES_FILE: '/sys/none/leads.erasures'});
      const {code, stdout, stderr} = await run('leads', 'erase', entry.id, '--yes');
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /Nothing was erased, because the file of erasures cannot be written: /);
      assert.ok('lead' in (json((await run('leads', 'show', entry.id, '--json')).stdout)[0] ?? {}));
    });

    test('--again erases what the file lists and the database has', async (t) => {
      const [kept, all, left] = [entryOf({}, {consent}), entryOf({}, {consent}), entryOf({})];
      const {run, folder, settings} = await operated(t, [kept, all, left]);
      const none = await run('leads', 'erase', '--again', '--yes');
      assert.equal(none.code, 1);
      const file = join(folder, 'kept.erasures');
      const time = '2026-11-20T10:00:00.000Z';
      writeFileSync(
        file,
        `${kept.id} ${time}\n${all.id} ${time} all\n${newEntry().id} ${time}\n${left.id.slice(0, 9)}`,
      );
      const again = await runAtTerminal(
        {ask: () => Promise.resolve('erase')},
        {...settings, ERASURES_FILE: file},
        'leads',
        'erase',
        '--again',
      );
      assert.equal(again.stdout, '2 leads erased again\n');
      assert.equal(again.code, 1, 'a line could not be read');
      assert.match(again.stderr, /1 line of .* could not be read\.\n2 leads of .* are back/);
      const shown = json((await run('leads', 'list', '--json')).stdout);
      assert.deepEqual(
        shown.filter(({erased_at}) => erased_at === time).map(({id}) => id),
        [kept.id, all.id].toSorted().toReversed(),
      );
      assert.partialDeepStrictEqual(json((await run('leads', 'show', all.id, '--json')).stdout), [
        {consent_kept_until: null},
      ]);
    });
  });
}

suite('erasing the bytes of SQLite', () => {
  test('it is done when no file in the folder has them, and waits for whoever reads', async (t) => {
    const canary = 'Canarybird';
    const entry = entryOf({first_name: canary, email: `${canary}@example.com`});
    const {settings} = await operate(t, [entry, entryOf({})], {settings: {DATA_KEY: 'clear'}});
    const path = settings['DATABASE_PATH'] ?? '';
    const hasCanary = () =>
      readdirSync(dirname(path), {withFileTypes: true})
        .filter((each) => each.isFile())
        .filter(({name}) => readFileSync(join(dirname(path), name)).includes(canary))
        .map(({name}) => name);
    assert.notDeepEqual(hasCanary(), []);
    writeFileSync(`${path}.before-restore-20261120T100000Z`, '');

    const reader = new DatabaseSync(path, {readOnly: true});
    reader.exec('BEGIN');
    reader.prepare('SELECT COUNT(*) FROM leads').get();
    const says: string[] = [];
    const store = {purge: () => Promise.resolve(false)};
    const patience = {pause: 1, saidEach: 5, max: 20};
    const words = createWaitingWords(
      {say: (text) => says.push(text)},
      {what: 'It went.', again: 'leads erase K7QM-2XHD'},
    );
    assert.equal(await finish(purge({store}, patience), words), false);
    assert.ok(says.some((text) => text.startsWith('Still waiting')));

    let [stdout, stderr] = ['', ''];
    const collect = (took: (text: string) => void) =>
      new Writable({
        write(chunk, _encoding, done) {
          took(String(chunk));
          done();
        },
      });
    const code = await run(
      ['leads', 'erase', entry.id, '--yes'],
      createRun({
        environment: settings,
        stdout: collect((text) => (stdout += text)),
        stderr: collect((text) => {
          stderr += text;
          if (!text.includes('waiting for it, such as for a backup')) return;
          assert.equal(stdout, '', 'it is not said before it is true');
          assert.notDeepEqual(hasCanary(), []);
          reader.exec('COMMIT');
          reader.close();
        }),
      }),
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /waiting for it/);
    assert.match(stderr, /Older copies beside the database .*\.before-restore-20261120T100000Z/);
    assert.equal(stdout, `${referenceOf(entry.id)} (${entry.id}) erased\n`);
    assert.deepEqual(hasCanary(), []);
  });
});
