/** `lead-prequal keys`: data in clear gets a key, a key gives way to another, and what stops both. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import {readConfig} from '../../../server/config/config.ts';
import type {LeadEntry} from '../../../server/leads/new-lead.ts';
import type {ProcessReport} from '../../../server/reload/reloads.ts';
import {openStoreBeside} from '../../../server/store/open-store.ts';
import {checkInHex, checkValueOf, createSealer} from '../../../server/store/sealing.ts';
import {openFor} from '../../support/opened.ts';
import {databaseKinds, operate, runCommand} from '../../support/operator.ts';
import {newEntry} from '../../support/sample-leads.ts';

const keyOne = 'the-first-data-key-that-is-long-enough';
const keyTwo = 'the-second-data-key-that-is-long-enough';
const [one, two] = [keyOne, keyTwo].map((word) => checkInHex(checkValueOf(word))) as [string, string];

type Line = Record<string, unknown>;
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

for (const {name, postgres, skip} of databaseKinds) {
  /** Leads that are stored in clear, and commands over them under each DATA_KEY. */
  async function begin(t: TestContext, count = 3) {
    const entries: LeadEntry[] = Array.from({length: count}, () => newEntry());
    const {settings, execute} = await operate(t, entries, {postgres});
    const under = (words: string) => ({...settings, ...(words && {DATA_KEY: words})});
    const run = (dataKey: string, ...words: string[]) => runCommand(under(dataKey), ...words);
    const open = (dataKey: string) => {
      const config = readConfig(under(dataKey));
      return openFor(t, openStoreBeside(config, createSealer(config.dataKeys), true));
    };
    const readable = async (dataKey: string) => {
      const records = await (await open(dataKey)).findRecords(entries.map(({id}) => id));
      return [...records.values()].filter((record) => 'lead' in record).length;
    };
    const status = async (dataKey: string) =>
      linesOf((await run(dataKey, 'keys', 'status', '--count', '--json')).stdout).map(
        ({key, listed, seals, rows, in_use_since: since}) => ({
          key,
          listed,
          seals,
          rows,
          isUsed: since !== null,
        }),
      );
    return {entries, execute, run, open, readable, status};
  }

  suite(`lead-prequal keys over ${name}`, {skip}, () => {
    test('data in clear gets a key, and then needs the word "clear" no more', async (t) => {
      const {run, readable, status} = await begin(t);
      const clearFirst = await run(`clear ${keyOne}`, 'keys', 'rotate');
      assert.equal(clearFirst.code, 1);
      assert.match(clearFirst.stderr, /put the new key first/);
      assert.deepEqual(await status(`clear ${keyOne}`), [
        {key: 'clear', listed: true, seals: true, rows: 3, isUsed: true},
        {key: one, listed: true, seals: false, rows: 0, isUsed: false},
      ]);
      const early = await run(keyOne, 'keys', 'status');
      assert.deepEqual([early.code, early.stdout], [1, '']);
      assert.match(early.stderr, /stored in clear: DATA_KEY must list the word "clear"/);

      const {code, stdout} = await run(`${keyOne},clear`, 'keys', 'rotate');
      assert.equal(code, 0, stdout);
      assert.match(stdout, new RegExp(`^✓ Everything is sealed with ${one}: 3 rows .*: clear\n$`));
      assert.deepEqual(await status(keyOne), [{key: one, listed: true, seals: true, rows: 3, isUsed: true}]);
      assert.equal(await readable(keyOne), 3);
      const without = await run('', 'leads', 'list');
      assert.equal(without.code, 1);
      assert.match(
        without.stderr,
        new RegExp(`sealed with the data key ${one}, which DATA_KEY does not list`),
      );
      const start = await run('', 'config', 'check');
      assert.equal(start.code, 1);
      assert.match(start.stdout, new RegExp(`^✗ .*sealed with the data key ${one}`, 'm'));
    });

    test('a key gives way to another one', async (t) => {
      const {run, readable, status} = await begin(t);
      await run(`${keyOne} clear`, 'keys', 'rotate');
      const {code, stdout} = await run(`${keyTwo} ${keyOne}`, 'keys', 'rotate', '--json');
      assert.equal(code, 0);
      assert.deepEqual(linesOf(stdout), [
        {key: two, resealed: 3, unreadable: [], forgotten: [one], out_of_files: true},
      ]);
      assert.deepEqual(await status(keyTwo), [{key: two, listed: true, seals: true, rows: 3, isUsed: true}]);
      assert.equal(await readable(keyTwo), 3);
      assert.equal((await run(keyOne, 'leads', 'list')).code, 1);
      const again = await run(keyTwo, 'keys', 'rotate');
      assert.deepEqual(
        [again.code, again.stdout],
        [0, `✓ Everything is sealed with ${two}: 0 rows of it now\n`],
      );
    });

    test('a rotation that was cut off is begun again, and ends', async (t) => {
      const {run, open, readable, status} = await begin(t, 120);
      const words = `${keyOne} clear`;
      const store = await open(words);
      await store.useKeys();
      for await (const {resealed} of store.reseal()) if (resealed > 0) break;
      const between = await status(words);
      assert.deepEqual(
        between.map(({rows}) => rows),
        [50, 70],
      );
      assert.equal(await readable(words), 120);
      const {code, stdout} = await run(words, 'keys', 'rotate', '--json');
      assert.deepEqual([code, linesOf(stdout)[0]?.['resealed']], [0, 70]);
      assert.deepEqual(
        (await status(keyOne)).map(({rows}) => rows),
        [120],
      );
    });

    test('a server that seals with another key makes it refuse, until it has been away for a minute', async (t) => {
      const {run, open} = await begin(t);
      const store = await open('');
      const report: ProcessReport = {
        id: 'p-1',
        name: 'machine:17',
        seenAt: Date.now(),
        digest: '',
        inForceSince: 0,
        request: null,
        changes: [],
        faults: [],
        needRestart: [],
        environment: {},
      };
      const rotate = () => run(`${keyOne} clear`, 'keys', 'rotate');
      for (const sealsWith of ['clear', undefined, two]) {
        await store.report({...report, ...(sealsWith !== undefined && {sealsWith})});
        const {code, stderr} = await rotate();
        assert.equal(code, 1);
        assert.match(stderr, new RegExp(`machine:17 \\(${sealsWith ?? 'clear'}, seen`));
      }
      const {stdout} = await run(`${keyOne} clear`, 'keys', 'status', '--json');
      assert.deepEqual(
        linesOf(stdout).map(({servers}) => servers),
        [[], []],
        'two is neither listed nor in use',
      );
      await store.report({...report, sealsWith: 'clear', seenAt: Date.now() - 61_000});
      assert.equal((await rotate()).code, 0);
      await store.report({...report, sealsWith: one});
      assert.equal((await rotate()).code, 0);
    });

    test('what cannot be read is named, and the key of before stays needed', async (t) => {
      const {entries, run, execute, status} = await begin(t);
      await run(`${keyOne} clear`, 'keys', 'rotate');
      const [{id}] = entries as [LeadEntry];
      const cut = postgres ? `'\\x00'::bytea` : `x'00'`;
      await execute(`UPDATE sealed SET blob = ${cut} WHERE lead_id = '${id}'`);
      const {code, stdout} = await run(`${keyTwo} ${keyOne}`, 'keys', 'rotate');
      assert.equal(code, 1);
      assert.match(stdout, new RegExp(`^✗ Something of the lead ${id} cannot be read`));
      assert.match(stdout, /! 2 rows sealed .*leave them in DATA_KEY\n$/);
      assert.deepEqual(
        (await status(`${keyTwo} ${keyOne}`)).map(({key, rows, isUsed}) => ({key, rows, isUsed})),
        [
          {key: two, rows: 2, isUsed: true},
          {key: one, rows: 1, isUsed: true},
        ],
      );
      assert.match((await run(keyTwo, 'keys', 'status')).stderr, new RegExp(`data key ${one}`));
    });
  });
}
