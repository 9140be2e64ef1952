/** The data key that nobody has set: when the first start makes it, and when it must not. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {copyFileSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {readConfig} from '../../../server/config/config.ts';
import {makeMissingKey} from '../../../server/config/data-key-file.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {openWhile} from '../../support/opened.ts';
import {newEntry} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {settingsWith, wrongIn} from '../../support/wrong-settings.ts';

type Settings = Record<string, string>;

/** Without a data key. A start would make it in the folder, and the database in the same one. */
function useFolder(t: TestContext) {
  const folder = temporaryFolder(t);
  const [path, database] = [join(folder, 'the-key'), join(folder, 'leads.sqlite')];
  const settings = settingsWith({}, {DATA_KEY: '', DATA_KEY_FILE: path, DATABASE_PATH: database});
  const store = (...words: [string, ...string[]]) =>
    openWhile(
      openStore(readConfig({...settings, DATA_KEY: 'd'.repeat(32)}), createEncryptor(words)),
      (opened) => opened.accept(newEntry()),
    );
  return {folder, path, database, settings, store};
}

test('the first start makes the data key, which only the server can read, and says where', (t) => {
  const {folder, path, settings} = useFolder(t);
  assert.equal(makeMissingKey(settings), path);
  assert.match(readFileSync(path, 'utf8'), /^[\da-f]{64}\n$/);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(makeMissingKey(settings), undefined);
  assert.deepEqual(readdirSync(folder), ['the-key']);
  const {dataKeys, dataKeyFile, notes} = readConfig(settings, true);
  assert.deepEqual([dataKeys, dataKeyFile, notes], [[readFileSync(path, 'utf8').trim()], path, []]);
});

test('"config check" makes no data key, and says what the start would make', (t) => {
  const {folder, path, settings} = useFolder(t);
  const note = `There is no data key yet: the first start ("lead-prequal serve") makes it in ${path}. Put the key there first if a backup is to be restored`;
  assert.deepEqual(readConfig(settings, true).notes, [note]);
  // A command that needs the key is refused, and makes none either.
  assert.deepEqual(wrongIn(settings), [note]);
  assert.deepEqual(readdirSync(folder), []);
});

test('servers that start at once in one folder get the same data key', async (t) => {
  const folder = temporaryFolder(t);
  const server = (file: string) => JSON.stringify(join(import.meta.dirname, '../../../server/config', file));
  const script = `
    import {makeMissingKey} from ${server('data-key-file.ts')};
    import {readConfig} from ${server('config.ts')};
    console.log(JSON.stringify({made: makeMissingKey() ?? [], keys: readConfig().dataKeys}));
  `;
  const {CONFIG = '', ...env} = settingsWith({}, {DATA_KEY: ''});
  writeFileSync(join(folder, 'lead-prequal.json'), CONFIG);
  const words = ['--input-type=module', '--eval', script];
  const started = await Promise.all(
    [1, 2, 3, 4].map(() => promisify(execFile)(process.execPath, words, {cwd: folder, env})),
  );
  const found = started.map(({stdout}) => JSON.parse(stdout) as {made: string; keys: string[]});
  assert.deepEqual(readdirSync(folder), ['lead-prequal.json', 'lead-prequal.key']);
  const key = readFileSync(join(folder, 'lead-prequal.key'), 'utf8').trim();
  for (const {keys} of found) assert.deepEqual(keys, [key]);
  assert.deepEqual(
    found.flatMap(({made}) => made),
    [join(folder, 'lead-prequal.key')],
  );
});

suite('a start makes no data key', () => {
  const rows: [where: string, more: Settings, says: RegExp | undefined][] = [
    ['where one is set', {DATA_KEY: 'd'.repeat(32)}, undefined],
    [
      'for PostgreSQL, whose servers need the same one',
      {DATABASE_URL: 'postgres:///leads'},
      /^DATA_KEY_FILE names a file that cannot be read \(ENOENT\)\nDATA_KEY is missing, which PostgreSQL needs: a/,
    ],
    ['before there is a configuration', {CONFIG: ''}, /lead-prequal\.json: "lead-prequal init" writes it/],
  ];
  for (const [where, more, says] of rows) {
    test(`a start makes no data key ${where}`, (t) => {
      const {folder, settings} = useFolder(t);
      assert.equal(makeMissingKey({...settings, ...more}), undefined);
      assert.match(wrongIn({...settings, ...more}, true).join('\n'), says ?? /^$/);
      assert.deepEqual(readdirSync(folder), []);
    });
  }

  test('an encrypted database whose data key is missing is refused, and gets no other key', async (t) => {
    const {folder, path, database, settings, store} = useFolder(t);
    await store('the-key-that-is-lost'.padEnd(32, '!'));
    const before = readdirSync(folder);
    for (const isBeforeStart of [true, false]) {
      assert.equal(makeMissingKey(settings), undefined);
      assert.deepEqual(wrongIn(settings, isBeforeStart), [
        `The database ${database} is encrypted, and its key is not at ${path}: put the file back there, or set DATA_KEY. If no copy of it is left, write a new one there (openssl rand -hex 32), and "lead-prequal keys status" says the way out`,
      ]);
    }
    // Files of SQLite that belong to root, who has asked, would keep the server out of its database.
    assert.deepEqual(readdirSync(folder), before);
  });

  test('a database in clear needs no other data key than a new one', (t) => {
    const {path, settings, database} = useFolder(t);
    copyFileSync(join(import.meta.dirname, '../../support/databases/1.0.0.sqlite'), database);
    assert.equal(makeMissingKey(settings), path);
  });

  test('a database that cannot be read is named by its setting, and gets no data key', (t) => {
    const {folder, settings} = useFolder(t);
    const names = /^The database that DATABASE_PATH names cannot be opened: /;
    writeFileSync(join(folder, 'a-text'), 'no database '.repeat(1_000));
    for (const file of ['a-text', '.']) {
      const broken = {...settings, DATABASE_PATH: join(folder, file)};
      for (const isBeforeStart of [true, false])
        assert.match(wrongIn(broken, isBeforeStart).join('\n'), names);
      assert.throws(() => makeMissingKey(broken), {message: names});
    }
    assert.deepEqual(readdirSync(folder), ['a-text']);
  });

  test('a data key that cannot be written ends the start with what to do', (t) => {
    const {folder, settings} = useFolder(t);
    const path = join(folder, 'no/such/key');
    assert.throws(() => makeMissingKey({...settings, DATA_KEY_FILE: path}), {
      message: `The data key cannot be made in ${path} (ENOENT): set DATA_KEY, or make the folder writable`,
    });
  });
});
