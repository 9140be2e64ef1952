/** Data in clear gets a key, a key gives way to another, and what stops both. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {finish} from '../../../server/admin/admin.ts';
import {keyName, listKeys, rotateKeys} from '../../../server/admin/keys.ts';
import type {ProcessReport} from '../../../server/reload/reloads.ts';
import {databaseKinds, operate} from '../../support/operator.ts';
import {newEntry} from '../../support/sample-leads.ts';

const keyOne = 'the-first-data-key-that-is-long-enough';
const keyTwo = 'the-second-data-key-that-is-long-enough';
const [one, two] = [keyName(keyOne), keyName(keyTwo)];

for (const {name, postgres, skip} of databaseKinds) {
  /** Leads that are stored in clear, and what operators do about them under each DATA_KEY. */
  async function begin(t: TestContext, count = 3) {
    const ids = Array.from({length: count}, () => newEntry());
    const {admin, execute} = await operate(t, ids, {postgres});
    const under = (words: string) => admin(words ? {DATA_KEY: words} : {});
    return {
      ...{ids: ids.map(({id}) => id), execute, under},
      rotate: async (words: string) => finish(rotateKeys(await under(words)), () => undefined),
      readable: async (words: string) => {
        const records = await (await under(words)).store.findRecords(ids.map(({id}) => id));
        return [...records.values()].filter((record) => 'lead' in record).length;
      },
      /** The keys: whether each is listed and seals, how much is under it, and whether it is in use. */
      status: async (words: string) =>
        (await listKeys(await under(words), {isCounted: true})).map(
          ({key, listed, seals, rows, in_use_since}) => [key, listed, seals, rows, in_use_since !== null],
        ),
    };
  }

  suite(`data keys over ${name}`, {skip}, () => {
    test('data in clear gets a key, and then needs the word "clear" no more', async (t) => {
      const {under, rotate, readable, status} = await begin(t);
      await assert.rejects(rotate(`clear ${keyOne}`), /put the new key first/);
      assert.deepEqual(await status(`clear ${keyOne}`), [
        ['clear', true, true, 3, true],
        [one, true, false, 0, false],
      ]);
      await assert.rejects(under(keyOne), /stored in clear: DATA_KEY must list the word "clear"/);
      const sealed = await rotate(`${keyOne},clear`);
      assert.deepEqual(sealed, {
        ...{key: one, resealed: 3, unreadable: [], forgotten: ['clear'], out_of_files: true},
      });
      assert.deepEqual(await status(keyOne), [[one, true, true, 3, true]]);
      assert.equal(await readable(keyOne), 3);
      await assert.rejects(
        under(''),
        new RegExp(`sealed with the data key ${one}, which DATA_KEY does not list`),
      );
    });

    test('a key gives way to another one', async (t) => {
      const {under, rotate, readable, status} = await begin(t);
      await rotate(`${keyOne} clear`);
      assert.deepEqual(await rotate(`${keyTwo} ${keyOne}`), {
        ...{key: two, resealed: 3, unreadable: [], forgotten: [one], out_of_files: true},
      });
      assert.deepEqual(await status(keyTwo), [[two, true, true, 3, true]]);
      assert.equal(await readable(keyTwo), 3);
      await assert.rejects(under(keyOne), new RegExp(`data key ${two}`));
      assert.equal((await rotate(keyTwo)).resealed, 0);
    });

    test('a rotation that was cut off is begun again, and ends', async (t) => {
      const {under, rotate, readable, status} = await begin(t, 120);
      const words = `${keyOne} clear`;
      const {store} = await under(words);
      await store.useKeys();
      for await (const {resealed} of store.reseal()) if (resealed > 0) break;
      assert.deepEqual(
        (await status(words)).map(([, , , rows]) => rows),
        [50, 70],
      );
      assert.equal(await readable(words), 120);
      assert.equal((await rotate(words)).resealed, 70);
      assert.deepEqual(
        (await status(keyOne)).map(([, , , rows]) => rows),
        [120],
      );
    });

    test('a server that seals with another key makes it refuse, until it has been away for a minute', async (t) => {
      const {under, rotate} = await begin(t);
      const {store} = await under('');
      const words = `${keyOne} clear`;
      const report: ProcessReport = {
        ...{id: 'p-1', name: 'machine:17', seenAt: Date.now(), digest: '', inForceSince: 0, request: null},
        ...{changes: [], faults: [], needRestart: [], environment: {}},
      };
      for (const sealsWith of ['clear', undefined, two]) {
        await store.report({...report, ...(sealsWith !== undefined && {sealsWith})});
        await assert.rejects(rotate(words), new RegExp(`machine:17 \\(${sealsWith ?? 'clear'}, seen`));
      }
      assert.deepEqual(
        (await listKeys(await under(words), {isCounted: false})).map(({servers}) => servers),
        [[], []],
        'two is neither listed nor in use',
      );
      await store.report({...report, sealsWith: 'clear', seenAt: Date.now() - 61_000});
      await rotate(words);
      await store.report({...report, sealsWith: one});
      await rotate(words);
    });

    test('what cannot be read is named, and the key of before stays needed', async (t) => {
      const {ids, under, rotate, execute, status} = await begin(t);
      await rotate(`${keyOne} clear`);
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
  });
}
