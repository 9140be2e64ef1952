/** The keys that sign consents: who may add one, and what becomes of those of before. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {listEvidenceKeys, markLeaked, renewEvidenceKey} from '../../../server/admin/evidence.ts';
import {showConsent} from '../../../server/admin/consents.ts';
import {formerKeys, takeOver, type EvidenceKey} from '../../../server/leads/evidence.ts';
import {readJson} from '../../support/http.ts';
import {databaseKinds, operate, statusOf, type RunningServer} from '../../support/operator.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {newEntry, sampleConsent} from '../../support/sample-leads.ts';
import {downgrade} from '../../support/downgrade.ts';
import {until} from '../../support/until.ts';

const dataKey = 'a-data-key-of-at-least-32-characters';
const word = 'a-word-of-at-least-32-characters-of-1.8';
const [former, forged] = formerKeys([word, 'a word of a thief of 32 characters or more']) as [
  EvidenceKey,
  EvidenceKey,
];
const salt = 'AAECAwQFBgcICQoLDA0ODw';
const signedWith = ({id: key}: EvidenceKey) =>
  newEntry({partner: 'acme', consent: {...sampleConsent, words: 'Call me.', evidence: {key, salt}}});

type Published = {kid: string; revoked?: object};
const published = async ({fetch}: Pick<RunningServer, 'fetch'>) =>
  (await readJson<{keys: Published[]}>(await fetch('/.well-known/lead-prequal/keys.json'), 200)).keys;
const kidsOf = async (server: Pick<RunningServer, 'fetch'>) => (await published(server)).map(({kid}) => kid);

for (const {name, postgres, skip} of databaseKinds) {
  const begin = (t: TestContext, entries = [signedWith(former)]) =>
    operate(t, entries, {postgres, settings: {DATA_KEY: dataKey}});
  /** As versions 1.7 and 1.8 stored a key. */
  const inClear = ({id, publicKey}: EvidenceKey) =>
    `INSERT INTO evidence_keys (id, public_key, since) VALUES ('${id}', '${publicKey}', 1)`;
  const statesOf = async ({admin}: Pick<Awaited<ReturnType<typeof operate>>, 'admin'>) =>
    new Map((await listEvidenceKeys(await admin())).map(({kid, state}) => [kid, state]));

  suite(`keys of statements over ${name}`, {skip}, () => {
    test('two servers that start at once make one key', async (t) => {
      const made = await begin(t, []);
      const {store} = await made.admin();
      const other = (await made.admin()).store;
      const [one, two] = await Promise.all([takeOver(store, []), takeOver(other, [])]);
      assert.deepEqual(one, two);
      assert.equal(one.keys.length, 1);
    });

    test('one that somebody wrote without the data key is not published, and the log says so', async (t) => {
      const made = await begin(t);
      await takeOver((await made.admin()).store, []);
      const copied = 'SELECT data_key, blob FROM evidence_keys';
      await made.execute(inClear(forged));
      const server = await made.serve(quickTimings);
      assert.ok(!(await kidsOf(server)).includes(forged.id));
      await until(() => server.logLines.some((line) => line.includes('somebody may have written it')));
      assert.equal((await statesOf(made)).get(forged.id), 'ignored');
      const {findings} = await statusOf(await made.admin());
      assert.ok(findings.some(({kind, text}) => kind === 'evidence' && text.includes(forged.id)));

      // What is encrypted of another key, and what is in clear as in a store without a data key.
      const bytes = Buffer.from(JSON.stringify({...forged, signsSince: Date.now() + 1e6})).toString('hex');
      const blob = postgres ? `'\\x${bytes}'::bytea` : `x'${bytes}'`;
      const where = `WHERE id = '${forged.id}'`;
      for (const values of [`data_key = 0, blob = ${blob}`, `(data_key, blob) = (${copied} LIMIT 1)`]) {
        await made.execute(`UPDATE evidence_keys SET ${values} ${where}`);
        assert.equal((await statesOf(made)).get(forged.id), 'ignored', values);
      }
    });

    test('one of 1.8 without its word is taken over by the upgrade alone, and signs with the word', async (t) => {
      const lead = signedWith(former);
      const made = await begin(t, [lead]);
      await made.execute(inClear(former));
      await made.execute(inClear({...forged, id: 'of-another-key'}));
      await downgrade(made, 19, name);
      const server = await made.serve(quickTimings);
      await until(async () => (await statesOf(made)).get(former.id) === 'lost');
      await until(() => server.logLines.some((line) => line.includes(`${former.id}, which is lost`)));
      const {findings} = await statusOf(await made.admin());
      assert.match(JSON.stringify(findings), /which is lost"/);
      assert.equal((await statesOf(made)).get('of-another-key'), 'ignored');
      assert.equal((await showConsent(await made.admin(), lead.id)).statement, null);
      await server.close();
      const after = await made.serve(quickTimings);
      assert.ok((await kidsOf(after)).includes(former.id));

      Object.assign(made.settings, {EVIDENCE_KEY: word});
      await made.serve(quickTimings);
      assert.equal((await statesOf(made)).get(former.id), 'kept', 'the key of the store signs');
      assert.match((await showConsent(await made.admin(), lead.id)).statement ?? '', /^ey/);
    });

    test('a word of 1.8 signs on where the store has no key of its own', async (t) => {
      const made = await begin(t);
      Object.assign(made.settings, {EVIDENCE_KEY: word});
      await made.serve(quickTimings);
      assert.deepEqual([...(await statesOf(made))], [[former.id, 'signs']]);
    });

    test('one that leaked signs no more, and is published with the day from which it proves nothing', async (t) => {
      const made = await begin(t, []);
      const admin = await made.admin();
      const [{id}] = (await takeOver(admin.store, [])).keys as [EvidenceKey];
      const since = Date.parse('2026-03-04T05:06:07Z');
      const next = await markLeaked(admin, id, since);
      assert.deepEqual(Object.fromEntries(await statesOf(made)), {[id]: 'kept', [next]: 'signs'});
      assert.deepEqual(
        (await published(await made.serve(quickTimings))).map(({kid, revoked}) => [kid, revoked]),
        [
          [id, {revoked_at: since / 1_000, reason: 'compromised'}],
          [next, undefined],
        ],
      );
      const {stdout} = await made.run('evidence', 'list');
      assert.match(stdout, new RegExp(`${id} +kept .*2026-03-04`));
      assert.match(stdout, new RegExp(`${next} +signs`));
      await assert.rejects(markLeaked(admin, id, Date.now() + 1e6), /is not over yet/);
      await assert.rejects(markLeaked(admin, forged.id, since), /No key .* is published/);
    });

    test('a key that is renewed signs, also if the clock was ahead when the one before was made', async (t) => {
      const made = await begin(t, []);
      const admin = await made.admin();
      const ahead = {...forged, signsSince: Date.now() + 1e9};
      await takeOver(admin.store, [ahead]);
      const renewed = await renewEvidenceKey(admin);
      assert.equal((await statesOf(made)).get(renewed), 'signs');
    });
  });
}

test('after a restore, a start takes over the keys that were made since the backup', async (t) => {
  const {does, folder, serve, admin} = await operate(t, [], {settings: {DATA_KEY: dataKey}});
  const first = await serve(quickTimings);
  const file = join(folder, 'backup.sqlite');
  await does('backup', file);
  const [one = ''] = await kidsOf(first);
  await does('evidence', 'leaked', '--since', '2026-03-04', '--', one);
  await first.close();
  await does('restore', file, '--replace');
  const after = await serve(quickTimings);
  const keys = await published(after);
  assert.deepEqual([keys.length, keys[0]?.kid, keys[0]?.revoked !== undefined], [2, one, true]);
  const states = await listEvidenceKeys(await admin());
  assert.deepEqual(
    states.map(({state}) => state),
    ['kept', 'signs'],
  );
});
