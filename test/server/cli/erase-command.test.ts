/** `lead-prequal leads erase`: what it shows and asks, and what other commands say of erased leads. */
import assert from 'node:assert/strict';
import {finish, type Job} from '../../../server/admin/admin.ts';
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {purge, type Waiting} from '../../../server/admin/purging.ts';
import {progressWords} from '../../../server/admin/operations/progress.ts';
import {createRun} from '../../../server/cli/output.ts';
import {run} from '../../../server/cli/program.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {Owner} from '../../support/opened.ts';
import {
  assertFails,
  databaseKinds,
  hookAndUpstream,
  idsOf,
  linesOf,
  operate,
  printedBy,
  runAtTerminal,
} from '../../support/operator.ts';
import type {FileFields} from '../../support/config-file.ts';
import {
  asLead,
  newDelivery,
  newEntry,
  eventTo,
  prequalificationBody,
  sampleConsent,
} from '../../support/sample-leads.ts';
import {putInClear} from '../../support/in-clear.ts';

const DATA_KEY = 'a-data-key-of-at-least-32-characters';
const withConsent = {consent: sampleConsent};

const entryOf = (changes: object, others: Partial<LeadEntry> = {}) =>
  newEntry({lead: asLead({...prequalificationBody, ...changes}), partner: 'acme', ...others});

suite('the command "leads erase"', () => {
  const operated = (t: Owner, entries: readonly LeadEntry[], fields?: FileFields) =>
    operate(t, entries, {settings: {DATA_KEY}, fields});

  for (const {name, postgres, skip} of databaseKinds)
    test(
      `an erased lead is listed and shown with its consent over ${name}, and no export has it`,
      {skip},
      async (t) => {
        const form = {button: 'Send', inView: true, width: 390};
        const gone = entryOf({first_name: 'Canary'}, {consent: {...sampleConsent, form}});
        const reference = referenceOf(gone.id);
        const left = entryOf({});
        const {run} = await operate(t, [gone, left], {postgres, settings: {DATA_KEY}});
        const erased = await run('leads', 'erase', reference, '--yes');
        assert.equal(erased.code, 0, erased.stderr);
        assert.equal(erased.stdout, `${reference} is erased\n`);
        assert.match(erased.stderr, /1 consent of these stay \(keep_consent_years\): 16 CFR 310\.5/);
        assert.doesNotMatch(erased.stderr, /Canary/, 'what a program may log names nobody');
        const row = new RegExp(`${reference} .* acme +erased +\\d{4}-`);
        assert.match((await run('leads', 'list')).stdout, row);
        assert.match((await run('leads', 'show', gone.id)).stdout, /^Consent until +\d{4}-/m);
        const [data = {}] = linesOf(await run('leads', 'show', reference, '--json'));
        assert.equal(
          Object.keys(data).join(' '),
          'id reference created_at partner erased_at consent_kept_until taken_back stops told legal_hold may_call kept',
        );
        assert.partialDeepStrictEqual(data['kept'], {
          first_name: 'Canary',
          phone_e164: gone.lead.phone.e164,
          consent: {text_hash: sampleConsent.textHash, ip: '203.0.113.7', button: 'Send', window_width: 390},
        });
        const keptFor = Date.parse(String(data['consent_kept_until'])) - sampleConsent.givenAt;
        assert.ok(Math.abs(keptFor - 5 * 365.25 * 86_400_000) < 2 * 86_400_000);
        const exported = await run('leads', 'export', '--format', 'jsonl');
        assert.match(exported.stderr, /personal data in clear.*\n1 lead\n1 erased lead left out\n/);
        assert.deepEqual(idsOf(linesOf(exported)), [left.id]);
      },
    );

  test('an address or a number can be asked for, and a kept consent is named', async (t) => {
    const jane = entryOf({phone: '(202) 555-0111', email: 'Jane.Doe@Example.com'}, withConsent);
    const tagged = entryOf({phone: '202 555 0199', email: 'jane.doe+loan@example.com'});
    const reference = referenceOf(jane.id);
    const {settings} = await operated(t, [jane, tagged]);
    const answering = (answer: string, ...words: string[]) =>
      runAtTerminal({ask: () => Promise.resolve(answer)}, settings, 'leads', ...words);
    const list = (answer: string) => answering(answer, 'list', '--json', '--phone', '-');
    assert.deepEqual(idsOf(linesOf(await list('202.555.0111'))), [jane.id]);
    const byEmail = await answering('JANE.DOE@example.com', 'list', '--json', '--email', '-');
    assert.deepEqual(idsOf(linesOf(byEmail)), [jane.id]);
    assert.match(
      byEmail.stderr,
      new RegExp(`Not among them.*another spelling.*: ${referenceOf(tagged.id)}\\.`),
    );
    assertFails(await list(''), /standard input has no line: The telephone number is missing/, 2);
    const wrong = await list('12');
    assertFails(wrong, /--phone is invalid\. It must be a US number/, 2);
    assertFails(
      await answering('x', 'list', '--phone', '-', '--email', '-'),
      /only one thing can be read from standard input/,
      2,
    );
    assert.equal((await answering('202 555 0111', 'erase', '--phone', '-', '--yes')).code, 0);
    const kept = new RegExp(
      `^Erased, but its consent is kept until \\d{4}-\\d\\d-\\d\\d: ${reference}; lead-prequal consent show ${reference} shows it\\.$`,
      'm',
    );
    const found = await list('202 555 0111');
    assert.match(found.stderr, kept);
    assert.equal(found.stdout, '');
    const all = await answering('202 555 0111', 'erase', '--phone', '-', '--all', '--yes');
    assert.equal(all.code, 0, all.stderr);
    assert.doesNotMatch((await list('202 555 0111')).stderr, /consent/);
  });

  test('Ctrl+C ends a search, and what it has found is shown', async (t) => {
    const entries = Array.from({length: 1_100}, () => entryOf({}, {createdAt: Date.now() - 1_000}));
    const newest = entryOf({email: 'last@example.com'});
    const {settings} = await operated(t, [...entries, newest]);
    const interrupting = (interrupt: (stop: () => void) => void) => ({
      onInterrupt(stop: () => void) {
        interrupt(stop);
        return () => undefined;
      },
      ask: () => assert.fail('nothing is asked after a search that was stopped'),
    });
    const [atOnce, afterOnePage] = [
      interrupting((stop) => stop()),
      interrupting((stop) => void setImmediate(stop)),
    ];
    const search = ['--email', 'last@example.com'];
    const erased = await runAtTerminal(atOnce, settings, 'leads', 'erase', ...search);
    assert.equal(erased.code, 1);
    assert.match(erased.stderr, /Nothing was changed/);
    const listed = await runAtTerminal(afterOnePage, settings, 'leads', 'list', '--json', ...search);
    assert.equal(listed.code, 1);
    assert.partialDeepStrictEqual(linesOf(listed), [{id: newest.id}]);
    assert.match(listed.stderr, /Stopped after 1,000 of 1,101 leads, the newest ones/);
  });

  test('it shows what would go and who had it, and asks for the word', async (t) => {
    const deliveries = [newDelivery({destination: 'up'}), eventTo('hook')];
    const first = entryOf({first_name: 'Canary'}, {...withConsent, deliveries});
    const correction = entryOf({}, {supersedes: first.id});
    const {run, settings, execute, folder} = await operated(t, [first, correction]);
    Object.assign(settings, hookAndUpstream(folder));
    await execute(
      `INSERT INTO destination_addresses VALUES ('hook', 'former', 'old.example.com', 1, ${Date.UTC(2026, 3, 30, 12)});
       UPDATE deliveries SET attempts = 1, leased_until = ${Date.now() + 40_000}, former_addresses = 'former'
         WHERE destination = 'hook';
       UPDATE deliveries SET state = 'delivered', settled_at = 1, remote_id = 'u-77' WHERE destination = 'up'`,
    );
    const refused = await run('leads', 'erase', first.id);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /no terminal to ask on: add --yes/);
    const twice = await run('leads', 'erase', '--yes', first.id, '--email', 'jane@example.com');
    assert.equal(twice.code, 2);

    const questions: string[] = [];
    const answering = (answer: string) => ({
      ask(question: string) {
        questions.push(question);
        return Promise.resolve(answer);
      },
    });
    const no = await runAtTerminal(answering('yes'), settings, 'leads', 'erase', first.id);
    assert.deepEqual([no.code, no.stdout], [1, '']);
    assert.match(no.stderr, /Nothing was changed\.\n$/);
    assert.ok(!existsSync(`${settings['DATABASE_PATH']}.erasures`));
    assert.deepEqual(questions, ['To erase 2 leads for ever, type erase: ']);
    const block = no.stderr.slice(no.stderr.indexOf(referenceOf(first.id)));
    const title = `^${referenceOf(first.id)} \\(${first.id}\\), received .*, acme, Canary Doe\n`;
    assert.match(block, new RegExp(title));
    assert.match(block, /^ {2}goes +name, e-mail/m);
    assert.match(block, /^ {2}stays +the consent, with name and telephone number, until \d{4}-/m);
    assert.match(block, /^ {2}will be told +hook\n/m);
    assert.match(block, /^ {2}cannot be told +up, which has it as u-77: ask whoever runs it\n/m);
    const byHand = `formerly hook (old.example.com) until 2026-04-30, which may have it: write there "Delete what you have of ${referenceOf(first.id)}, ${first.id}"`;
    assert.ok(block.includes(`  cannot be told  ${byHand}`), block);
    assert.match(block, /^ {2}under way +a process may be sending it for up to [1-4]\d s/m);
    assert.match(no.stderr, /^ {2}belongs +.*one corrects the other/m);

    const yes = await runAtTerminal(answering('erase'), settings, 'leads', 'erase', first.id, '--json');
    assert.equal(yes.code, 0, yes.stderr);
    assert.partialDeepStrictEqual(
      linesOf(yes).find(({id}) => id === first.id),
      {
        ...{because: 'named', told: ['hook'], out_of_files: true, was_erased_at: null},
        event: {type: 'lead.erased', data: {id: first.id}},
      },
    );
  });

  test('it says why consents go or stay, and what cannot be read', async (t) => {
    const old = entryOf({}, {...withConsent, createdAt: Date.now() - 2 * 366 * 86_400_000});
    const [damaged, kept] = [entryOf({}, withConsent), entryOf({}, withConsent)];
    const {run, execute} = await operated(t, [old, damaged, kept], {keep_consent_years: 1});
    await execute(`UPDATE sealed SET data_key = 7 WHERE lead_id = '${damaged.id}'`);
    const found = await run('leads', 'list', '--email', 'secret@example.com');
    assert.match(found.stderr, new RegExp(`1 lead could not be read .*: ${referenceOf(damaged.id)}\\.`));
    const row = new RegExp(`${referenceOf(damaged.id)} .* It is encrypted w…`);
    assert.match((await run('leads', 'list')).stdout, row);
    const over = await run('leads', 'erase', old.id, damaged.id, '--yes');
    assert.equal(over.code, 0, over.stderr);
    assert.match(over.stderr, /The time for which consents are kept is over, so they go, too\./);
    assert.match(over.stderr, /goes +everything .* cannot be read .* so no consent can be kept/);

    await run('leads', 'erase', kept.id, '--yes');
    const again = await run('leads', 'erase', kept.id, '--yes');
    assert.deepEqual([again.code, again.stdout], [0, `${referenceOf(kept.id)} was erased before\n`]);
    const all = await run('leads', 'erase', kept.id, '--yes', '--all');
    assert.match(all.stderr, /goes +the kept consent/);
    assert.match(all.stderr, /1 consent of these go, too \(--all\), although 16 CFR 310\.5/);
  });

  const [, {postgres, skip}] = databaseKinds;
  test('on PostgreSQL it says what stays in the files, and that no file lists it', {skip}, async (t) => {
    const entry = entryOf({});
    const {run} = await operate(t, [entry], {postgres, settings: {DATA_KEY}});
    const {stderr} = await run('leads', 'erase', entry.id, '--yes');
    assert.match(stderr, /There is no erasures_file/);
    assert.match(stderr, /On PostgreSQL, the old rows stay .* once its data key is destroyed/);
  });
});

suite('erasing the bytes of SQLite', () => {
  test('it is done when no file in the folder has them, and waits for whoever reads', async (t) => {
    const canary = 'Canarybird';
    const entry = entryOf({first_name: canary, email: `${canary}@example.com`});
    const {settings, ...tables} = await operate(t, [entry, entryOf({})]);
    await putInClear(tables);
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
    const [says, words] = [[] as string[], progressWords()];
    assert.equal(await finish(purgeInVain(), (progress) => void says.push(words(progress).say ?? '')), false);
    assert.ok(says.some((text) => text.startsWith('Still waiting')));

    const {code, stdout, stderr} = await printedBy((streams) => {
      let printed = '';
      streams.stdout.on('data', (text) => (printed += String(text)));
      streams.stderr.on('data', (text) => {
        if (!String(text).includes('waiting for it, such as for a backup')) return;
        assert.equal(printed, '', 'it is not said before it is true');
        assert.notDeepEqual(hasCanary(), []);
        reader.exec('COMMIT');
        reader.close();
      });
      return run(['leads', 'erase', entry.id, '--yes'], createRun({environment: settings, ...streams}));
    });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /waiting for it/);
    assert.match(stderr, /Older copies beside the database .*\.before-restore-20261120T100000Z/);
    assert.equal(stdout, `${referenceOf(entry.id)} is erased\n`);
    assert.deepEqual(hasCanary(), []);
  });
});

async function* purgeInVain(): Job<Waiting, boolean> {
  const store = {purge: () => Promise.resolve(false)};
  return yield* purge({store}, {pause: 1, saidEach: 5, max: 20});
}
