/** A key gives way to another, what stops that, and what is noted of keys. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {readFileSync} from 'node:fs';
import {finish, type Admin} from '../../../server/admin/admin.ts';
import {withAttached} from '../../../server/admin/attached.ts';
import {
  forgetLostKey,
  keyName,
  listKeys,
  noteSaved,
  planForgetting,
  rotateKeys,
} from '../../../server/admin/keys.ts';
import {leadsOfPerson} from '../../../server/admin/persons.ts';
import {readConfig} from '../../../server/config/config.ts';
import {takeOver} from '../../../server/leads/evidence.ts';
import type {ProcessReport} from '../../../server/reload/reloads.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {putInClear} from '../../support/in-clear.ts';
import {openWhile} from '../../support/opened.ts';
import {
  databaseKinds,
  hookAndUpstream,
  idsOf,
  operate,
  planAndErase,
  statusOf,
} from '../../support/operator.ts';
import {newEntry, sampleConsent, eventTo} from '../../support/sample-leads.ts';

const keyOne = 'the-first-data-key-that-is-long-enough';
const keyTwo = 'the-second-data-key-that-is-long-enough';
const [one, two] = [keyName(keyOne), keyName(keyTwo)];

/** What a process says of itself now: after a minute, a report counts no more. */
const report = (changes: Partial<ProcessReport> = {}): ProcessReport => ({
  ...{id: 'p-1', name: 'machine:17', seenAt: Date.now(), digest: '', inForceSince: 0, request: null},
  ...{changes: [], faults: [], needRestart: [], environment: {}, sealsWith: one},
  ...changes,
});

for (const {name, postgres, skip} of databaseKinds) {
  /** Leads that are encrypted with the first key, and what operators do about them under each DATA_KEY. */
  async function begin(t: TestContext, count = 3) {
    const ids = Array.from({length: count}, () => newEntry());
    const made = await operate(t, ids, {postgres, settings: {DATA_KEY: keyOne}});
    const under = (words: string) => made.admin({DATA_KEY: words});
    return {
      ...{ids: ids.map(({id}) => id), made, execute: made.execute, under},
      rotate: async (words: string) => finish(rotateKeys(await under(words))),
      readable: async (words: string) => {
        const records = await (await under(words)).store.findRecords(ids.map(({id}) => id));
        return [...records.values()].filter((record) => 'lead' in record).length;
      },
      /** The keys: whether each is listed and encrypts, how much is under it, and whether it is in use. */
      status: async (words: string) =>
        (await listKeys(await under(words), {isCounted: true})).map(
          ({key, listed, seals, rows, in_use_since}) => [key, listed, seals, rows, in_use_since !== null],
        ),
      rowsOf: async (words: string) =>
        (await listKeys(await under(words), {isCounted: true})).map(({rows}) => rows),
    };
  }

  suite(`data keys over ${name}`, {skip}, () => {
    test('data in clear is encrypted, too, and a server forgets that there was any', async (t) => {
      const {made, under, rotate, readable, status} = await begin(t);
      await putInClear(made, {encryptor: createEncryptor([keyOne])});
      assert.deepEqual(await status(keyOne), [
        [one, true, true, 0, false],
        ['clear', false, false, 3, true],
      ]);
      assert.equal(await readable(keyOne), 3);
      const {findings} = await statusOf(await under(keyOne));
      assert.match(JSON.stringify(findings), /in clear is not encrypted yet/);
      assert.deepEqual(await rotate(keyOne), {
        ...{key: one, resealed: 3, unreadable: [], forgotten: [], may_leave_at: null, out_of_files: true},
      });
      assert.deepEqual(await status(keyOne), [
        [one, true, true, 3, true],
        ['clear', false, false, 0, true],
      ]);
      assert.equal(await readable(keyOne), 3);
      await assert.rejects(
        under(keyTwo),
        new RegExp(`encrypted with the data key ${one}, which DATA_KEY does not list`),
      );
    });

    test('a key gives way to another one', async (t) => {
      const {under, rotate, readable, status} = await begin(t);
      const signing = await takeOver((await under(keyOne)).store, []);
      const {may_leave_at, ...rotated} = await rotate(`${keyTwo} ${keyOne}`);
      assert.deepEqual(rotated, {
        ...{key: two, resealed: 4, unreadable: [], forgotten: [one], out_of_files: true},
      });
      assert.deepEqual(await status(keyTwo), [[two, true, true, 4, true]]);
      // Links and idempotency keys that the former key made are valid for a week.
      const inDays = (Date.parse(may_leave_at!) - Date.now()) / 86_400_000;
      assert.ok(inDays > 6.9 && inDays <= 7, may_leave_at!);
      const after = await under(`${keyTwo} ${keyOne}`);
      const listed = await listKeys(after, {isCounted: false});
      const times = Object.fromEntries(listed.map((row) => [row.key, row.may_leave_at]));
      assert.deepEqual(times, {[two]: null, [one]: may_leave_at});
      await assert.rejects(rotate(`${keyTwo} ${keyOne}`), /the other can leave DATA_KEY from .* on, because/);
      assert.equal(await readable(keyTwo), 3);
      assert.deepEqual(await (await under(keyTwo)).store.evidenceKeys(), signing);
      await assert.rejects(under(keyOne), new RegExp(`data key ${two}`));
      assert.equal((await rotate(keyTwo)).resealed, 0);
    });

    test('a rotation that was cut off is begun again, and ends', async (t) => {
      const {under, rotate, readable, rowsOf} = await begin(t, 120);
      const words = `${keyTwo} ${keyOne}`;
      const {store} = await under(words);
      await store.useKeys();
      for await (const {reencrypted} of store.reencrypt()) if (reencrypted > 0) break;
      assert.deepEqual(await rowsOf(words), [50, 70]);
      assert.equal(await readable(words), 120);
      assert.equal((await rotate(words)).resealed, 70);
      assert.deepEqual(await rowsOf(keyTwo), [120]);
    });

    test('a server that encrypts with another key makes it refuse, until it is away for a minute', async (t) => {
      const {under, rotate} = await begin(t);
      const {store} = await under(keyOne);
      await store.report(report({sealsWith: two}));
      await assert.rejects(rotate(keyOne), new RegExp(`machine:17 \\(${two}, seen`));
      assert.deepEqual(
        (await listKeys(await under(keyOne), {isCounted: false})).map(({servers}) => servers),
        [[]],
        'two is neither listed nor in use',
      );
      await store.report(report({sealsWith: two, seenAt: Date.now() - 61_000}));
      await rotate(keyOne);
      await store.report(report({sealsWith: one}));
      await rotate(keyOne);
    });

    test('that a key which the server made is copied is noted once, and until then the status warns', async (t) => {
      const {rotate, under} = await begin(t, 1);
      const findings = async (admin: Admin) => {
        const {findings} = await statusOf(admin);
        return findings.filter(({text}) => text.startsWith('Without the data key')).map(({text}) => text);
      };
      const adminOf = async (words: string, dataKeyFile?: string): Promise<Admin> => {
        const admin = await under(words);
        return {...admin, config: {...admin.config, dataKeyFile}};
      };
      const admin = await adminOf(keyOne, '/etc/key');
      const warning = /^Without the data key in \/etc\/key nobody can read a lead/;
      assert.match(String(await findings(admin)), warning);
      assert.deepEqual(await findings(await adminOf(keyOne)), []);
      assert.partialDeepStrictEqual(await noteSaved(admin), {key: one, file: '/etc/key'});
      assert.deepEqual(await findings(admin), []);
      const words = `${keyTwo} ${keyOne}`;
      await assert.rejects(noteSaved(await adminOf(words)), /Nothing is encrypted with .* yet/);
      await rotate(words);
      assert.equal((await findings(await adminOf(words, '/etc/key'))).length, 1, 'the new key is not copied');
    });

    test('what cannot be read is named, and the key of before stays needed', async (t) => {
      const {ids, under, rotate, execute, status} = await begin(t);
      const cut = postgres ? `'\\x00'::bytea` : `x'00'`;
      await execute(`UPDATE sealed SET blob = ${cut} WHERE lead_id = '${ids[0]}'`);
      const words = `${keyTwo} ${keyOne}`;
      assert.partialDeepStrictEqual(await rotate(words), {
        ...{resealed: 2, unreadable: [ids[0]], forgotten: []},
      });
      assert.deepEqual(await status(words), [
        [two, true, true, 2, true],
        [one, true, false, 1, true],
      ]);
      await assert.rejects(under(keyTwo), new RegExp(`data key ${one}`));
    });

    test('the wrong order of keys is refused: the old key first, or the older one of two', async (t) => {
      const {under, rotate, status} = await begin(t);
      await assert.rejects(
        rotate(`${keyOne} ${keyTwo}`),
        new RegExp(`everything is encrypted with ${one} already.* nothing with ${two}.* do not destroy it`),
      );
      const {store} = await under(`${keyTwo} ${keyOne}`);
      await store.useKeys();
      await assert.rejects(rotate(`${keyOne} ${keyTwo}`), new RegExp(`${two} is newer`));
      const inUse = (await status(`${keyOne} ${keyTwo}`)).filter(([, , , , isUsed]) => isUsed);
      assert.deepEqual(inUse.map(([key]) => key).toSorted(), [one, two].toSorted());
      await store.report(report({sealsWith: one}));
      assert.deepEqual((await rotate(`${keyOne} ${keyTwo}`)).forgotten, [two], 'a server means it');
    });

    test('a lost key is forgotten: what is encrypted with it is erased, also after an interruption', async (t) => {
      const newest = newEntry();
      const had = newEntry({partner: 'acme', deliveries: [eventTo('hook')]});
      const [lost, gone] = [newEntry(), newEntry({partner: 'acme', consent: sampleConsent})];
      const made = await operate(t, [had, lost, gone], {postgres, settings: {DATA_KEY: keyOne}});
      const file = `${made.folder}/erasures`;
      const environment = (DATA_KEY: string) => ({
        ...{...made.settings, ...hookAndUpstream(made.folder, {erasures_file: file})},
        DATA_KEY,
      });
      const forgetting = <Result>(words: string, work: (admin: Admin) => Promise<Result>) => {
        const config = readConfig(environment(words));
        return withAttached(
          config,
          {
            mayWrite: true,
            emit: () => undefined,
            mayLackKeys: true,
            by: {actor: 'ana', action: 'keys forget'},
          },
          work,
        );
      };
      const before = await made.admin(environment(keyOne));
      while (!(await before.store.writeDigests(0)));
      await planAndErase(before, [gone.id]);
      const {keys: signing} = await takeOver(before.store, []);
      await openWhile(openStore(before.config, createEncryptor([keyTwo, keyOne])), async (store) => {
        await store.accept(newest);
        await store.report(report({sealsWith: one}));
      });
      await made.execute(
        `INSERT INTO suppressed (digest, scope, since) VALUES ('a digest', '*', 1);
        INSERT INTO sealed (lead_id, part, data_key, blob)
          SELECT '${newest.id}', 'reply created hook', data_key, blob FROM sealed WHERE lead_id = '${lost.id}';
        UPDATE deliveries SET state = 'delivered', attempts = 1, settled_at = 1 WHERE lead_id = '${had.id}'`,
      );
      const plan = (words: string, key = one) => forgetting(words, (admin) => planForgetting(admin, key));

      await assert.rejects(plan(keyTwo), /is not lost: machine:17 has it/);
      await made.execute('DELETE FROM processes');
      await assert.rejects(plan(`${keyTwo} ${keyOne}`), /is not lost: DATA_KEY has it/);
      for (const key of ['00000000', 'clear']) await assert.rejects(plan(keyTwo, key), /No key .* is in use/);
      await assert.rejects(made.admin({DATA_KEY: keyTwo}), new RegExp(`data key ${one}.*keys status`));

      const planned = await plan(keyTwo);
      assert.deepEqual(planned, {
        ...{key: one, leads: [had.id, lost.id].toSorted(), consents: [gone.id]},
        ...{evidence_keys: idsOf(signing), person_key: true, suppressed: 1},
      });
      await forgetting(keyTwo, async (admin) => {
        for await (const progress of forgetLostKey(admin, planned)) if ('erased' in progress) break;
      });
      await assert.rejects(made.admin({DATA_KEY: keyTwo}), new RegExp(`data key ${one}`));
      const left = await plan(keyTwo);
      assert.equal(left.leads.length + left.consents.length, 2);
      assert.deepEqual(await forgetting(keyTwo, (admin) => finish(forgetLostKey(admin, left))), {
        out_of_files: true,
      });

      const admin = await made.admin(environment(keyTwo));
      assert.deepEqual(
        (await listKeys(admin, {isCounted: true})).map(({key, rows}) => [key, rows]),
        [[two, 2]],
        'the newest lead, and a new key of the blind indexes',
      );
      assert.deepEqual(await admin.store.evidenceKeys(), {keys: [], ignored: []});
      const listed = readFileSync(file, 'utf8');
      for (const {id} of [had, lost]) assert.match(listed, new RegExp(`^${id} \\S+$`, 'm'));
      assert.match(listed, new RegExp(`^${gone.id} \\S+ all$`, 'm'));
      assert.deepEqual(
        (await made.select(`SELECT lead_id, destination FROM deliveries WHERE content = 'erased'`)).map(
          (row) => ({...row}),
        ),
        [{lead_id: had.id, destination: 'hook'}],
      );
      assert.equal((await made.select('SELECT * FROM suppressed')).length, 1);
      await openWhile(openStore(admin.config, createEncryptor([keyTwo])), async (store) => {
        while (!(await store.writeDigests(0)));
      });
      const digested = await made.select('SELECT DISTINCT lead_id FROM person_digests');
      assert.deepEqual(idsOf(digested.map(({lead_id: id}) => ({id}))), [newest.id]);
      const {email} = newest.lead;
      const {found} = await finish(leadsOfPerson(admin, {}, {email}));
      assert.deepEqual(idsOf(found), [newest.id]);
    });
  });
}
