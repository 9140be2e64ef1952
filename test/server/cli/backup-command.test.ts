/** `lead-prequal backup` and `restore`: what they refuse. Under load, and after crashes: test/faults/backup.test.ts. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readlinkSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {openStore} from '../../../server/store/open-store.ts';
import {openSqliteStore} from '../../../server/store/sqlite/store.ts';
import {runAdmin} from '../../support/admin-process.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {assertFails, runCommand} from '../../support/operator.ts';
import {pagesUrl} from '../../support/pages.ts';
import {execute, rowsOf} from '../../support/rows.ts';
import {newEntry} from '../../support/sample-leads.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {testEncryptor} from '../../support/test-server.ts';

async function prepare(t: TestContext) {
  const folder = temporaryFolder(t);
  const settings = {...serviceSettings(folder), DATABASE_PATH: join(folder, 'data', 'leads.sqlite')};
  await openWhile(openSqliteStore(settings.DATABASE_PATH, testEncryptor), async (store) => {
    await Promise.all(Array.from({length: 200}, () => store.accept(newEntry())));
  });
  const run = (...words: string[]) => runCommand(settings, ...words);
  const refuses = async (words: string[], why: RegExp, changes: Record<string, string> = {}) => {
    const ran = await runCommand({...settings, ...changes}, ...words);
    assertFails(ran, why);
    assert.equal(ran.stderr.trim().split('\n').length, 1, 'a sentence, no stack');
  };
  return {folder, settings, path: settings.DATABASE_PATH, run, refuses};
}

suite('a backup', () => {
  test('it overwrites no file and leaves nothing half done', async (t) => {
    const {folder, path, run, refuses} = await prepare(t);
    const file = join(folder, 'backup.sqlite');
    assert.equal(
      (await run('backup', file)).stdout,
      `${file}: 200 leads, 0 deliveries in the outbox, checked\n`,
    );
    const bytes = readFileSync(file);
    const rows = rowsOf(path, 'SELECT blob FROM sealed').map(({blob}) => Buffer.from(blob as Uint8Array));
    const twice = rows.filter((row) => bytes.indexOf(row) !== bytes.lastIndexOf(row));
    assert.deepEqual(twice, [], 'a second copy in a gap of a page would outlive an erasure after a restore');
    await refuses(['backup', file], /is there already, and a backup overwrites nothing/);
    await refuses(['backup', path], /is the database itself/);
    await refuses(['backup', `${path}-wal`], /would be taken for a part of it/);
    await refuses(['backup', join(folder, 'none', 'backup.sqlite')], /There is no folder/);
    assert.deepEqual(readFileSync(file), bytes);
    writeFileSync(`${file}.new.partial`, '');
    await refuses(['backup', `${file}.new`], /\.partial is there: delete it/);
    assert.ok(!existsSync(`${file}.new`));
  });

  test('it says in one sentence why a file cannot be written, and so does an export', async (t) => {
    const {folder, refuses} = await prepare(t);
    const link = join(folder, 'link.csv');
    const other = join(folder, 'other.csv');
    symlinkSync(join(folder, 'nowhere'), link);
    symlinkSync(join(folder, 'nowhere'), `${other}.partial`);
    const tooLong = join(folder, 'x'.repeat(300));
    const inFile = join(folder, 'a-file', 'x.csv');
    writeFileSync(join(folder, 'a-file'), '');
    for (const command of [['backup'], ['leads', 'export']]) {
      await refuses([...command, link], /link\.csv (?:is there|exists) already/);
      await refuses([...command, other], /other\.csv\.partial/);
      await refuses([...command, folder], /is there already|exists already|What is to be written/);
      await refuses([...command, join(folder, 'none', 'x.csv')], /no folder|no such file or directory/i);
      await refuses([...command, '/sys/x.csv'], /not written|cannot be written|no folder/);
      await refuses([...command, tooLong], /not written|cannot be written/);
      await refuses([...command, inFile], /not written|cannot be written/);
    }
    assert.equal(readlinkSync(link), join(folder, 'nowhere'));
    assert.deepEqual(readdirSync(folder).toSorted(), [
      'a-file',
      'data',
      'lead-prequal.json',
      'link.csv',
      'other.csv.partial',
    ]);
  });

  test('a damaged database is refused, and there is no file', async (t) => {
    const {folder, path, refuses} = await prepare(t);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 4_096), Buffer.alloc(bytes.length - 4_096, 0xab)]));
    await refuses(['backup', join(folder, 'backup.sqlite')], /malformed/);
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('backup')));
  });

  test('PostgreSQL is left to its own programs', async (t) => {
    const {folder, refuses} = await prepare(t);
    const DATABASE_URL = 'postgres://127.0.0.1:1/none';
    for (const command of ['backup', 'restore'])
      await refuses([command, join(folder, 'x')], /pg_dump.*pg_restore/, {DATABASE_URL});
  });
});

suite('a restore', () => {
  test("the operators' pages that run are named, with how they are stopped", async (t) => {
    const {folder, settings, run, refuses} = await prepare(t);
    const file = join(folder, 'backup.sqlite');
    await run('backup', file);
    const pages = runAdmin({...settings, ADMIN_URL: pagesUrl, ADMIN_PORT: '0'});
    t.after(() => pages.child.kill('SIGKILL'));
    await pages.ready;
    const how = /operators' pages .*systemctl stop lead-prequal".*compose stop server"/;
    await refuses(['restore', file, '--replace'], how);
    pages.child.kill('SIGTERM');
    await pages.ended;
    assert.equal((await run('restore', file, '--replace')).code, 0);
  });

  test('a file is refused that is damaged, no backup, of a newer version, or in use', async (t) => {
    const {folder, path, run, refuses} = await prepare(t);
    const file = join(folder, 'backup.sqlite');
    await run('backup', file);
    const made = (name: string, change: (copy: string) => void) => {
      const copy = join(folder, name);
      copyFileSync(file, copy);
      change(copy);
      return copy;
    };
    const damaged = made('damaged', (copy) => {
      const bytes = readFileSync(copy);
      writeFileSync(copy, bytes.fill(0x5a, bytes.length / 2, bytes.length / 2 + 4_096));
    });
    const change = (sql: string) => (copy: string) => execute(copy, sql);
    const text = made('text', (copy) => writeFileSync(copy, 'no database'.repeat(100)));
    const newer = 'PRAGMA user_version = 999; UPDATE schema_compatibility SET oldest_server = 999';
    const used = made('used', (copy) => writeFileSync(`${copy}-wal`, 'x'));
    const before = readFileSync(path);
    const refused: [file: string, why: RegExp][] = [
      [damaged, /is damaged|malformed/],
      [text, /not a database/],
      [made('newer', change(newer)), /newer version/],
      [made('other', change('PRAGMA foreign_keys = OFF; DROP TABLE leads')), /no leads of this service/],
      [used, /not a backup/],
      [join(folder, 'none'), /There is no file/],
      [path, /is the database itself/],
    ];
    for (const [copy, why] of refused) await refuses(['restore', copy, '--replace'], why);
    await refuses(['restore', file], /is there already.*--replace/);
    assert.deepEqual(readFileSync(path), before);
    assert.deepEqual(readdirSync(join(folder, 'data')), ['leads.sqlite']);
  });

  test('a folder and a link that leads nowhere are refused in one sentence', async (t) => {
    const {folder, run, refuses} = await prepare(t);
    const file = join(folder, 'backup.sqlite');
    await run('backup', file);
    await refuses(['restore', folder, '--replace'], /is not restored|cannot be read|EISDIR/);
    const link = join(folder, 'link.sqlite');
    symlinkSync(join(folder, 'nowhere'), link);
    await refuses(['restore', link, '--replace'], /There is no file/);
    for (const words of [[], ['--replace']])
      await refuses(['restore', file, ...words], /link\.sqlite is a symbolic link that leads nowhere/, {
        DATABASE_PATH: link,
      });
    assert.equal(readlinkSync(link), join(folder, 'nowhere'));
  });

  test('of a backup that was open to others it makes a file for its owner alone', async (t) => {
    const {folder, path, run} = await prepare(t);
    const file = join(folder, 'backup.sqlite');
    await run('backup', file);
    chmodSync(file, 0o644);
    const {code, stdout} = await run('restore', file, '--replace');
    assert.equal(code, 0);
    assert.match(stdout, /: 200 leads, .*\nWhat was there before is now .*\.before-restore-\d{8}T\d{6}Z\n/);
    for (const name of readdirSync(join(folder, 'data'))) {
      assert.equal((statSync(join(folder, 'data', name)).mode & 0o777).toString(8), '600', name);
    }
    assert.equal(statSync(path).nlink, 1);
  });
});

suite('a start of the server', () => {
  test('a backup that was copied over the log of a crashed server is refused, and the log stays', async (t) => {
    const {folder, path, run} = await prepare(t);
    const file = join(folder, 'backup.sqlite');
    await run('backup', file);
    const crashed = join(folder, 'crashed');
    mkdirSync(crashed);
    const store = await openFor(t, openSqliteStore(path, testEncryptor));
    await Promise.all(Array.from({length: 500}, () => store.accept(newEntry())));
    // What a crash would leave: the log of a database that is in use.
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, join(crashed, `leads.sqlite${suffix}`));
    await store.close();
    const databasePath = join(crashed, 'leads.sqlite');
    const wal = readFileSync(`${databasePath}-wal`);
    const start = () => openStore({databasePath, databaseUrl: undefined}, testEncryptor);

    copyFileSync(file, databasePath);
    await assert.rejects(start(), /was copied over the files of another database.*lead-prequal restore/);
    assert.deepEqual(readFileSync(`${databasePath}-wal`), wal);

    // A copy in the other journal mode says nothing in its header: reading it whole shows that it is mixed up.
    execute(file, 'PRAGMA journal_mode = WAL');
    copyFileSync(file, databasePath);
    await assert.rejects(start(), /is damaged .*lead-prequal restore/);
    assert.deepEqual(readFileSync(`${databasePath}-wal`), wal);
  });
});
