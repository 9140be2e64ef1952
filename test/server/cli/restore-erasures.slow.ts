/**
 * The start after a restore: it erases again, stops again and holds again what the file of erasures lists, before the port
 * opens; what it cannot do, it says; and where the file may be that of another store, it asks.
 */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {refuseRestored} from '../../../server/admin/repairing.ts';
import {createLinkDesk} from '../../../server/admin/link-desk.ts';
import {createApp} from '../../../server/app.ts';
import {checkStart} from '../../../server/check-start.ts';
import {readConfig} from '../../../server/config/config.ts';
import {tables} from '../../../server/store/columns.ts';
import {firstIdAt} from '../../../server/leads/lead-ids.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {Observation} from '../../../server/observe/observations.ts';
import {
  assertFails,
  databaseKinds,
  hookAndUpstream,
  linesOf,
  operate,
  runAtTerminal,
  runCommand,
  type Operated,
} from '../../support/operator.ts';
import {writeConfig} from '../../support/config-file.ts';
import {logTo} from '../../support/observation-log.ts';
import {columnOf, rowsOf} from '../../support/rows.ts';
import {asLead, newEntry, prequalificationBody, eventTo} from '../../support/sample-leads.ts';
import {runService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

const DATA_KEY = 'a-data-key-of-at-least-32-characters';
const later = () => [eventTo('hook')];
const phoneOf = (index: number) => `+1415555${String(1_000 + index)}`;
const entryOf = (phone: number, lead: object = {}, others: Partial<LeadEntry> = {}) =>
  newEntry({
    lead: asLead({...prequalificationBody, phone: phoneOf(phone), ...lead}),
    partner: 'acme',
    ...others,
  });
const isOfRepair = ({action}: {action?: unknown}) => action === 'repair';
const run = promisify(execFile);

/** What is known of all who said stop, and of each lead that was erased or stopped. */
const remembered = {
  suppressed:
    'SELECT digest, scope, kind, since, asked_at, decided_at FROM suppressed ORDER BY digest, scope, kind',
  stops: 'SELECT id, kind, digest, scope, lead_id, asked_at, entered_at, way FROM stops ORDER BY id',
  leads: 'SELECT id, erased_at, revoked_at, revoked_for FROM leads ORDER BY id',
  events:
    "SELECT lead_id, destination, content FROM deliveries WHERE content IN ('erased', 'revoked') ORDER BY 1, 2, 3",
};

type Kind = (typeof databaseKinds)[number];

/** A store with a file of erasures, of which backups are made and restored. */
async function stored(
  t: TestContext,
  {postgres}: Pick<Kind, 'postgres'>,
  entries: readonly LeadEntry[],
  changes: Record<string, string> = {},
) {
  const folder = temporaryFolder(t);
  const file = join(folder, 'leads.erasures');
  const settings = {...hookAndUpstream(folder, {erasures_file: file}), DATA_KEY, ...changes};
  const made = await operate(t, entries, {postgres, settings});
  let backups = 0;
  const backup = join(folder, 'backup');
  return {
    ...made,
    file,
    async backUp() {
      const to = `${backup}-${(backups += 1)}`;
      if (postgres) await run('pg_dump', ['-Fc', '-f', to, made.settings['DATABASE_URL'] ?? '']);
      else assert.equal((await made.run('backup', to)).code, 0);
      return async () => {
        if (!postgres) return assert.equal((await made.run('restore', to, '--replace')).code, 0);
        await run('pg_restore', ['--clean', '--if-exists', '-d', made.settings['DATABASE_URL'] ?? '', to]);
      };
    },
    async remembers(changed: Record<string, string> = {}) {
      const all = {...remembered, ...changed};
      const rows = await Promise.all(Object.values(all).map((sql) => made.select(sql)));
      return Object.fromEntries(
        Object.keys(all).map((name, index) => [
          name,
          rows[index]!.map((row) =>
            Object.values(row)
              .map((value) => value as string | number | null)
              .join(' '),
          ),
        ]),
      );
    },
  };
}

/** Starts the server without its port, and ends it. @returns what it says of the file of erasures */
async function startOf({settings}: Pick<Operated, 'settings'>, changes: Record<string, string> = {}) {
  const said: Observation[] = [];
  const lines: string[] = [];
  const {emit} = logTo(lines);
  const app = await createApp(readConfig({...settings, ...changes}), (observation) => {
    said.push(observation);
    emit(observation);
  });
  await app.close(0);
  const doubts = said.flatMap((one) => (one.type === 'erasures-doubtful' ? [one.reason] : []));
  const repaired = said.find(({type}) => type === 'store-repaired');
  assert.equal(/the store was restored/.test(lines.join()), repaired !== undefined, 'the log says so');
  return {repaired, doubts};
}

const repairs = async ({select}: Operated) =>
  (await select('SELECT actor, action, leads FROM audit'))
    .filter(isOfRepair)
    .map((row) => ({...row, leads: Number(row['leads'])}));

/** Presses the link of a lead. */
async function press(made: Operated, {id}: LeadEntry) {
  const admin = await made.admin();
  const desk = createLinkDesk(admin);
  const found = await desk.find(`${id}.${await admin.store.revokeToken(id)}`);
  await desk.stop(found ?? assert.fail(), 'link');
  await admin.store.close();
}

/** The states of leads with these numbers that come now. @param senders by partner, or by `cid` of a caller */
async function statesOfLater(
  made: Operated,
  phones: readonly number[],
  mail: string,
  senders: readonly string[],
) {
  const entries = senders.flatMap((sender) =>
    phones.map((phone) => {
      const isCaller = /^\d/.test(sender);
      const lead = {email: mail, cid: isCaller ? sender : '1001'};
      return entryOf(phone, lead, {partner: isCaller ? null : sender, deliveries: later()});
    }),
  );
  await made.accept(...entries);
  const rows = await made.select('SELECT lead_id, state FROM deliveries');
  const states = new Map(rows.map(({lead_id, state}) => [lead_id, String(state)]));
  const of = entries.map(({id}) => states.get(id));
  return Object.fromEntries(
    senders.map((sender, index) => [
      sender,
      of.slice(index * phones.length, (index + 1) * phones.length).join(' '),
    ]),
  );
}

const findingsOf = async ({settings}: Operated, changes: Record<string, string> = {}) =>
  (await checkStart({...settings, ...changes})).filter(({text}) =>
    /erasure|restored|Later leads/i.test(text),
  );

for (const kind of databaseKinds) {
  const {name, skip} = kind;
  suite(`the start after a restore of ${name}`, {skip}, () => {
    test('whatever was erased, stopped and decided since the backup is so again, and is told once', async (t) => {
      const [gone, named, linked, other, partners, allowed] = [
        entryOf(0, {}, {deliveries: later()}),
        ...[1, 2, 2, 3, 4].map((phone, index) => entryOf(phone, {email: `person-${index}@example.com`})),
      ] as [LeadEntry, LeadEntry, LeadEntry, LeadEntry, LeadEntry, LeadEntry];
      const made = await stored(t, kind, [gone, named, linked, other, partners, allowed]);
      await made.execute("UPDATE deliveries SET state = 'delivered', attempts = 1, settled_at = 1");
      const restore = await made.backUp();
      const since = entryOf(6);
      await made.accept(since);
      await made.does('leads', 'erase', gone.id, '--yes');
      await made.does('consent', 'revoke', phoneOf(1), '--yes', '--asked', '2026-11-01', '--via', 'letter');
      await press(made, linked);
      await made.does('consent', 'revoke', partners.id, '--partner', 'acme', '--yes');
      await made.does('consent', 'revoke', phoneOf(4), '--yes');
      await made.does('consent', 'allow', phoneOf(4), '--reason', 'called back');
      await made.does('consent', 'revoke', phoneOf(5), '--yes');
      await press(made, since);
      const withoutSince = {leads: `SELECT * FROM (${remembered.leads}) AS t WHERE id <> '${since.id}'`};
      const before = await made.remembers(withoutSince);

      await restore();
      // As a server of before would store it.
      const late = entryOf(1, {}, {deliveries: later()});
      await made.accept(late);
      await made.execute(
        `UPDATE leads SET suppressed_at = NULL; UPDATE deliveries SET state = 'waiting' WHERE lead_id = '${late.id}'`,
      );
      const {repaired} = await startOf(made);
      assert.partialDeepStrictEqual(repaired, {erased: 1, revoked: 5, numbers: 6});
      const without = (id: string) => `SELECT * FROM (${remembered.leads}) AS t WHERE id <> '${id}'`;
      assert.deepEqual(await made.remembers({leads: without(late.id)}), before);
      const [{revoked_for, state} = {}] = await made.select(
        `SELECT revoked_for, state FROM leads JOIN deliveries ON lead_id = id WHERE id = '${late.id}'`,
      );
      assert.deepEqual([revoked_for, state], ['all', 'dropped'], 'it came between the restore and the start');
      assert.deepEqual(await repairs(made), [{actor: 'start', action: 'repair', leads: 6}]);
      const senders = ['acme', '1001', '2002', 'other'];
      const [h, w] = ['held', 'waiting'];
      assert.deepEqual(await statesOfLater(made, [1, 2, 3, 4, 5, 6], 'new@example.com', senders), {
        acme: [h, h, h, w, h, h].join(' '),
        1001: [h, h, h, w, h, h].join(' '),
        2002: [h, w, w, w, h, w].join(' '),
        other: [h, w, w, w, h, w].join(' '),
      });

      const after = await made.remembers();
      const bytes = readFileSync(made.file);
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual(await startOf(made), {repaired: undefined, doubts: []});
      assert.deepEqual(await made.remembers(), after);
      assert.equal((await repairs(made)).length, 1);
      assert.ok(bytes.equals(readFileSync(made.file)));
    });

    test('before that start, commands refuse the store and say why; after it, they work', async (t) => {
      const [gone, left] = [entryOf(0), entryOf(1)];
      const made = await stored(t, kind, [gone, left]);
      const restore = await made.backUp();
      await made.does('leads', 'erase', gone.id, '--yes');
      await restore();
      for (const words of [
        ['leads', 'show', gone.id],
        ['leads', 'export'],
        ['consent', 'list'],
        ['deliveries', 'list'],
      ])
        assertFails(
          await made.run(...words),
          /This store was restored, and does not know yet .*: start the server/,
        );
      const admin = await made.admin();
      await assert.rejects(refuseRestored(admin), /This store was restored/);
      await admin.store.close();
      const [warning] = await findingsOf(made);
      assert.equal(warning?.level, 'warning');
      assert.match(warning.text, /This store was restored\. By the start, 1 lead erased again/);
      const {stdout} = await made.run('status');
      assert.match(stdout, /This store was restored\. By the start, 1 lead erased again/);
      appendFileSync(made.file, 'half a li');
      const {doubts} = await startOf(made);
      assert.deepEqual(doubts, [`1 line of the file of erasures ${made.file} cannot be read`]);
      assert.match((await made.run('leads', 'show', gone.id)).stdout, /Erased/);
      assert.deepEqual(columnOf(await findingsOf(made), 'text'), doubts);
    });

    test('a store that knows all of the file needs no repair, also if version 1.8 repeated its lines', async (t) => {
      const made = await stored(t, kind, [entryOf(0), entryOf(1), entryOf(2)]);
      for (const phone of [0, 1, 2]) await made.does('consent', 'revoke', phoneOf(phone), '--yes');
      for (const phone of [1, 2])
        await made.does('consent', 'allow', phoneOf(phone), '--reason', 'called back');
      await made.does('consent', 'revoke', phoneOf(2), '--yes');
      const lines = readFileSync(made.file, 'utf8').trimEnd().split('\n');
      const old = lines
        .filter((line) => !/ key| kind=/.test(line))
        .map((line) => line.replace(/ [a-z]+=.*/, ''));
      writeFileSync(made.file, old.map((line) => `${line.replace(/(allow) .*/, '$1')}\n`.repeat(3)).join(''));
      const before = await made.remembers();
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual(await startOf(made), {repaired: undefined, doubts: []});
      assert.deepEqual([await made.remembers(), await repairs(made)], [before, []]);
      assert.deepEqual(await statesOfLater(made, [0, 1, 2], 'new@example.com', ['acme']), {
        acme: 'held waiting held',
      });
    });

    test('a file that is gone, or was never named, is said by the start and by "config check"', async (t) => {
      const made = await stored(t, kind, [entryOf(0)]);
      assert.deepEqual(
        [await startOf(made), await findingsOf(made)],
        [{repaired: undefined, doubts: []}, []],
      );
      await made.does('consent', 'revoke', phoneOf(0), '--yes');
      renameSync(made.file, `${made.file}-elsewhere`);
      const gone = /^There is no file of erasures at .*, and there was one: .*Put it back/;
      const none = /^erasures_file names no file: after a restore of PostgreSQL/;
      for (const [changes, words] of [
        [{}, gone],
        [hookAndUpstream(temporaryFolder(t)), kind.postgres ? none : gone],
      ] as const) {
        const said = [
          ...(await startOf(made, changes)).doubts,
          ...(await findingsOf(made, changes)).map(({text}) => text),
        ];
        assert.equal(said.length, 2, said.join('\n'));
        for (const text of said) assert.match(text, words);
        const {stdout} = await runCommand({...made.settings, ...changes}, 'status');
        assert.match(stdout, /no file of erasures|names no file/);
      }
    });

    for (const file of ['the encrypted key', 'the check value of the key', 'no key, as version 1.8 wrote it'])
      test(`a backup without a key of digests, and a file with ${file}: what is held, and what is said`, async (t) => {
        const [kept, linked] = [entryOf(1), entryOf(2)];
        const made = await stored(t, kind, [kept, linked]);
        await made.execute('DELETE FROM person_search; DELETE FROM person_digests; DELETE FROM suppressed');
        const restore = await made.backUp();
        for (const phone of [0, 1, 1, 3]) await made.does('consent', 'revoke', phoneOf(phone), '--yes');
        await made.does('consent', 'allow', phoneOf(3), '--reason', 'called back');
        await press(made, linked);
        const isOld = /no key/.test(file);
        const isEncrypted = file === 'the encrypted key';
        // As without a data key, before 2.0.
        if (file === 'the check value of the key')
          writeFileSync(made.file, readFileSync(made.file, 'utf8').replace(/ key \d+ \S+$/gm, ' key'));
        if (isOld) {
          const lines = readFileSync(made.file, 'utf8').split('\n');
          const old = lines.filter((line) => !/ key| kind=| -:/.test(line));
          writeFileSync(
            made.file,
            old
              .join('\n')
              .replace(/ [a-z]+=\S*/g, '')
              .replaceAll(' ask ', ' stop '),
          );
        }
        await restore();
        const words =
          /^1 number of the file of erasures .* cannot be held: the key of their digests is not known here/;
        const saidBy = async () => [
          ...(await startOf(made)).doubts,
          ...(await findingsOf(made)).map(({text}) => text),
          ...(await made.run('store', 'repair', '--yes')).stderr
            .split('\n')
            .filter((line) => /cannot be held/.test(line)),
        ];
        for (const time of ['first', 'second', 'third']) {
          const said = await saidBy();
          assert.equal(said.length, isEncrypted ? 0 : 3, `${time} start: ${said.join('\n')}`);
          for (const text of said) assert.match(text, words);
          const {code, stdout} = await made.run('status');
          assert.equal(/cannot be held/.test(stdout), !isEncrypted, String(code));
          assert.equal((await made.run('store', 'repair', '--yes')).code, isEncrypted ? 0 : 1);
          // A lead that comes makes a key, if there is none.
          await made.accept(entryOf(9, {}, {deliveries: later()}));
        }
        assert.deepEqual(
          await statesOfLater(made, [0, 1, 2, 3], 'new@example.com', ['acme', '1001', 'other']),
          {
            acme: `${isEncrypted ? 'held' : 'waiting'} held held waiting`,
            1001: `${isEncrypted ? 'held' : 'waiting'} held ${isOld ? 'waiting' : 'held'} waiting`,
            other: `${isEncrypted ? 'held' : 'waiting'} held waiting waiting`,
          },
        );
      });

    test('a copy that erased many with the same file keeps the port closed until an operator says so', async (t) => {
      const entries = Array.from({length: 60}, (_, index) => entryOf(index));
      const made = await stored(t, kind, entries);
      await startOf(made);
      const byCopy = (leads: readonly LeadEntry[], at: number) =>
        appendFileSync(made.file, leads.map(({id}) => `${id} ${new Date(at).toISOString()}\n`).join(''));
      const newer = Date.now() + 60_000;
      byCopy(entries.slice(0, 21), newer);
      const refused =
        /21 leads erased again.* That concerns 21 of 60 leads, .*erasures_file.*"lead-prequal store repair" does it/;
      await assert.rejects(startOf(made), refused);
      const {code, output, errors} = await runService({...made.settings, PORT: '0'}, made.folder);
      assert.notEqual(code, 0);
      assert.match(output + errors, refused);
      assert.doesNotMatch(output + errors, /"msg":"ready"/);
      assert.partialDeepStrictEqual(await findingsOf(made), [{level: 'fault'}]);
      const erased = () => made.select('SELECT id FROM leads WHERE erased_at IS NOT NULL');
      assert.deepEqual(await erased(), []);
      const no = await runAtTerminal({ask: () => Promise.resolve('no')}, made.settings, 'store', 'repair');
      assert.deepEqual([no.code, await erased()], [1, []]);
      assert.equal((await made.run('store', 'repair')).code, 2, 'there is nobody to ask');
      assert.partialDeepStrictEqual(linesOf(await made.run('store', 'repair', '--yes', '--json')), [
        {erased: 21, revoked: 0},
      ]);
      assert.deepEqual(await startOf(made), {repaired: undefined, doubts: []});

      byCopy(entries.slice(21, 41), newer);
      assert.partialDeepStrictEqual(await startOf(made), {repaired: {erased: 20}});
      const [older, oldest] = [Date.now() - 3_600_000, entries.slice(41, 51)];
      byCopy(oldest, older);
      assert.partialDeepStrictEqual(
        await startOf(made),
        {repaired: {erased: 10}},
        'ten of before the newest lead',
      );
      await made.execute(
        `UPDATE leads SET erased_at = NULL WHERE id IN (${oldest.map(({id}) => `'${id}'`).join()})`,
      );
      byCopy(entries.slice(51, 52), older);
      await assert.rejects(startOf(made), /11 of these 11 erasures and stops are older than the newest lead/);
    });

    test('leads count, too, that are found only by digests which the start writes', async (t) => {
      const made = await stored(
        t,
        kind,
        Array.from({length: 21}, () => entryOf(0)),
      );
      const restore = await made.backUp();
      await made.does('consent', 'revoke', phoneOf(0), '--yes');
      const lines = readFileSync(made.file, 'utf8').split('\n');
      writeFileSync(made.file, lines.filter((line) => !/^[\da-f]{8}-/.test(line)).join('\n'));
      await restore();
      await assert.rejects(startOf(made), /the consents of 21 leads .* That concerns 21 of 21 leads/);
      const stopped = () => made.select('SELECT id FROM leads WHERE revoked_at IS NOT NULL');
      assert.deepEqual(await stopped(), []);
      const ask = () => Promise.resolve('repair');
      const {code, stderr} = await runAtTerminal({ask}, made.settings, 'store', 'repair');
      assert.match(stderr, /the consents of 21 leads/);
      assert.deepEqual([code, (await stopped()).length], [0, 21]);
    });

    test('up to a hundred leads go without a word where they are one per cent of the store', async (t) => {
      const made = await stored(t, kind, [entryOf(0)]);
      await made.execute(manyLeads(kind.postgres, 10_100));
      const ids = (await made.select('SELECT id FROM leads ORDER BY id')).map(({id}) => String(id));
      const lines = (some: readonly string[]) =>
        some.map((id) => `${id} ${new Date(Date.now() + 60_000).toISOString()}\n`);
      writeFileSync(made.file, lines(ids.slice(0, 101)).join(''));
      await assert.rejects(startOf(made), /That concerns 101 of 10,101 leads/);
      writeFileSync(made.file, lines(ids.slice(0, 100)).join(''));
      assert.partialDeepStrictEqual(await startOf(made), {repaired: {erased: 100}});
      await made.execute(`DELETE FROM leads WHERE id > '${ids[2_500]}' AND id <> '${ids.at(-1)}'`);
      writeFileSync(made.file, lines(ids.slice(100, 130)).join(''));
      await assert.rejects(startOf(made), /That concerns 30 of 2,502 leads/);
    });
  });
}

/** SQL that makes so many copies of the only lead, an hour older. */
function manyLeads(isPostgres: boolean, count: number) {
  const [numbers, id] = isPostgres
    ? [`generate_series(1, ${count}) AS n (i)`, "lpad(i::text, 12, '0')"]
    : [
        `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`,
        "printf('%012d', i)",
      ];
  const columns = Object.keys(tables.leads.columns);
  const prefix = firstIdAt(Date.now() - 3_600_000);
  const values = columns.map((name) => (name === 'id' ? `'${prefix}-7000-8000-' || ${id}` : name));
  return `INSERT INTO leads (${columns.join()}) SELECT ${values.join()} FROM leads, ${numbers}`;
}

test(
  'on PostgreSQL, the files of two machines hold what each of them was told',
  {skip: databaseKinds[1].skip},
  async (t) => {
    const [one, two, three] = [entryOf(1), entryOf(2), entryOf(3)];
    const made = await stored(t, databaseKinds[1], [one, two, three]);
    const other = hookAndUpstream(temporaryFolder(t), {erasures_file: `${made.file}-other`});
    const otherRun = (...words: string[]) => runCommand({...made.settings, ...other}, ...words);
    const restore = await made.backUp();
    await made.does('leads', 'erase', one.id, '--yes');
    await made.does('consent', 'revoke', phoneOf(5), '--yes');
    assert.equal((await otherRun('leads', 'erase', two.id, '--yes')).code, 0);
    for (const phone of [3, 6])
      assert.equal((await otherRun('consent', 'revoke', phoneOf(phone), '--yes')).code, 0);
    const before = await made.remembers();
    await restore();
    assert.partialDeepStrictEqual(await startOf(made), {repaired: {erased: 1, revoked: 0, numbers: 1}});
    assert.partialDeepStrictEqual(await startOf(made, other), {
      repaired: {erased: 1, revoked: 1, numbers: 2},
    });
    assert.deepEqual(await made.remembers(), before);
    assert.deepEqual(await statesOfLater(made, [3, 5, 6], 'new@example.com', ['acme']), {
      acme: 'held held held',
    });
    for (const changes of [{}, other]) assert.equal((await startOf(made, changes)).repaired, undefined);
  },
);

for (const version of ['1.0.0', 'schema-12'])
  test(`a database of ${version} that was restored is brought up, and then repaired`, async (t) => {
    const made = await stored(t, databaseKinds[0], []);
    const path = made.settings['DATABASE_PATH'] ?? '';
    rmSync(path);
    copyFileSync(join(import.meta.dirname, `../../support/databases/${version}.sqlite`), path);
    const [gone, stop] = rowsOf(path, 'SELECT id FROM leads ORDER BY id').map(({id}) => String(id));
    writeFileSync(made.file, `${gone} 2026-11-20T10:00:00.000Z\n${stop} 2026-11-20T10:00:00.000Z stop *\n`);
    const settings = {CONFIG_FILE: writeConfig(made.folder, [{}], {}, {erasures_file: made.file})};
    assert.partialDeepStrictEqual(await startOf(made, settings), {
      repaired: {erased: 1, revoked: 1},
    });
    const changed = 'SELECT id FROM leads WHERE erased_at IS NOT NULL OR revoked_at IS NOT NULL ORDER BY id';
    assert.deepEqual(columnOf(await made.select(changed), 'id'), [gone, stop]);
    assert.deepEqual(await startOf(made, settings), {repaired: undefined, doubts: []});
  });
