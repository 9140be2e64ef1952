/** `lead-prequal store`: what it refuses and says. That rows stay as they are: test/server/store/transfer.test.ts. */
import assert from 'node:assert/strict';
import {existsSync, readdirSync, writeFileSync} from 'node:fs';
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {openEnd} from '../../../server/store/open-store.ts';
import {createDatabase, withoutPostgres} from '../../support/postgres.ts';
import {assertFails, operate, program, runCommand} from '../../support/operator.ts';
import {rowsOf} from '../../support/rows.ts';
import {newEntry} from '../../support/sample-leads.ts';
import {runService, startService} from '../../support/service-process.ts';
import {until} from '../../support/until.ts';

const entries = (length = 3) => Array.from({length}, () => newEntry({partner: 'acme'}));
/** A failure is one sentence, without a stack. */
const isSentence = (text: string) => text.trim().split('\n').length === 1 && !text.includes('    at ');

suite('a copy of the store', () => {
  test('it wants the servers stopped, and marks the old store, on which nothing starts then', async (t) => {
    const {run, settings, folder} = await operate(t, entries());
    const to = join(folder, 'new.sqlite');
    const server = await startService(settings, folder);
    t.after(() => server.end('SIGKILL'));
    const inUse = /^A server or another copy uses .*leads\.sqlite: stop it first\n$/;
    assertFails(await run('store', 'copy', '--to', to), inUse);
    assert.deepEqual(readdirSync(folder), []);
    await server.end('SIGKILL');

    const copied = await run('store', 'copy', '--to', to);
    assert.equal(copied.code, 0, copied.stderr);
    assert.match(copied.stdout, /\nleads +3 +[0-9a-f]{64}\n/);
    assert.match(copied.stdout, /counts and digests are equal\. It took \d+\.\d s\./);
    assert.match(copied.stderr, /^leads: 3 of 3 rows\n/);
    assert.ok(copied.stdout.includes(`Next: set DATABASE_PATH to ${to}, ERASURES_FILE to `), copied.stdout);

    for (const words of [
      ['config', 'check'],
      ['leads', 'list'],
      ['backup', join(folder, 'backup')],
    ]) {
      const {code, stdout, stderr} = await run(...words);
      assert.equal(code, 1);
      assert.match(
        stdout + stderr,
        /Its leads were moved to .*"lead-prequal store copy" also brings them back/,
      );
    }
    const {code, errors} = await runService({...settings, PORT: '0'}, folder);
    assert.equal(code, 1);
    assert.match(errors, /^Cannot start: .*Its leads were moved to [^\n]*\n$/);
    assert.equal((await runCommand({...settings, DATABASE_PATH: to}, 'leads', 'count')).stdout.trim(), '3');
    const again = await run('store', 'copy', '--to', to);
    assert.match(
      again.stderr,
      /leads\.sqlite is not to be copied there\. Its leads were moved to .*new\.sqlite/,
    );
  });

  test('a server of before 1.6 takes the tables of a store with a mark to be too new', async (t) => {
    const {run, settings, folder} = await operate(t, entries());
    const to = join(folder, 'new.sqlite');
    const oldest = (path: string) =>
      Number(rowsOf(path, 'SELECT oldest_server FROM schema_compatibility')[0]?.['oldest_server']);
    const before = oldest(settings['DATABASE_PATH']!);
    await run('store', 'copy', '--to', to);
    assert.ok(oldest(settings['DATABASE_PATH']!) >= 13);
    assert.equal(oldest(to), before);
  });

  test('what is no empty database stays as it is', async (t) => {
    const {run, settings, folder, execute} = await operate(t, entries());
    const other = await operate(t, entries());
    const full = other.settings['DATABASE_PATH']!;
    assert.match(
      (await run('store', 'copy', '--to', full)).stderr,
      /holds other data, which a copy would mix/,
    );
    assert.equal((await other.run('leads', 'count')).stdout.trim(), '3');
    const own = await run('store', 'copy', '--to', settings['DATABASE_PATH']!);
    assert.match(own.stderr, /is the store itself/);

    const half = join(folder, 'half.sqlite');
    await openEnd({databaseUrl: undefined, databasePath: half}, {copyOf: settings['DATABASE_PATH']!}).then(
      (end) => end.close(),
    );
    const onHalf = {...settings, DATABASE_PATH: half};
    const early = await runCommand(onHalf, 'config', 'check');
    assert.match(early.stdout, /✗ .*It is a copy of .* that is not complete/);
    const start = await runService({...onHalf, PORT: '0'}, folder);
    assert.match(start.errors, /^Cannot start: .*It is a copy of .* that is not complete/);
    assert.match((await other.run('store', 'copy', '--to', half)).stderr, /It is a copy of .* not complete/);
    const fromHalf = await runCommand(onHalf, 'store', 'copy', '--to', `${half}2`);
    assert.match(fromHalf.stderr, /is not to be copied there.*not complete/);

    const text = join(folder, 'text');
    writeFileSync(text, 'no database '.repeat(1_000));
    assert.match(
      (await run('store', 'copy', '--to', text)).stderr,
      /cannot be opened: file is not a database/,
    );
    await execute('PRAGMA user_version = 12');
    const old = await run('store', 'copy', '--to', join(folder, 'of-an-older-one.sqlite'));
    assert.match(old.stderr, /The store cannot be opened: The database is that of an older version/);
    assert.ok(!existsSync(join(folder, 'of-an-older-one.sqlite')));
  });

  test('a running server whose store gets a mark ends, says why, and does not start again', async (t) => {
    const {execute, settings, folder} = await operate(t, entries());
    const server = await startService(settings, folder);
    t.after(() => server.end('SIGKILL'));
    await execute("INSERT INTO store_mark (id, mark, place) VALUES (1, 'moved', 'elsewhere')");
    // The server sees the mark at its next report, which it writes every ten seconds, or at once when it reloads.
    process.kill(server.pid, 'SIGHUP');
    await until(() => server.lines.some((line) => line.includes('Its leads were moved to elsewhere')));
    assert.deepEqual(await server.end('SIGTERM'), {code: 1, signal: null});
    const {code, errors} = await runService({...settings, PORT: '0'}, folder);
    assert.equal(code, 1);
    assert.match(errors, /^Cannot start: .*Its leads were moved to elsewhere[^\n]*\n$/);
  });

  test('a name that is no address of a database and no path is refused, and makes nothing', async (t) => {
    const {run, folder} = await operate(t, entries());
    const before = readdirSync(folder);
    for (const [to, words] of [
      ['', /^--to must be a URL such as postgres:\/\/…, or the path of an SQLite file\n/],
      ['postgress://me:secret-word@127.0.0.1/leads', /--to must be an address such as postgres:\/\//],
      ['postgres://one,two/leads', /with one host/],
      ['127.0.0.1/leads', /in a folder that exists: there is no .*127\.0\.0\.1\n/],
    ] as const) {
      const ran = await run('store', 'copy', '--to', to);
      assertFails(ran, words);
      assert.ok(isSentence(ran.stderr), ran.stderr);
      assert.doesNotMatch(ran.stderr, /secret-word/);
    }
    assert.deepEqual(readdirSync(folder), before);
  });

  test('a full disk is told in one sentence, and leaves a copy that the next run ends', async (t) => {
    const {run, folder, settings} = await operate(t, entries(300));
    const to = join(folder, 'new.sqlite');
    const limit = ['-c', 'ulimit -f 700 && exec "$@"', 'sh', process.execPath, program];
    const env = {PATH: process.env['PATH'], ...settings};
    const full = spawnSync('sh', [...limit, 'store', 'copy', '--to', to], {env, encoding: 'utf8'});
    assert.equal(full.status, 1);
    assert.match(full.stderr, /The copy has stopped, and the same command goes on with it: .*disk/);
    assert.equal((await run('store', 'copy', '--to', to)).code, 0);
    assert.deepEqual(readdirSync(folder), ['new.sqlite']);
  });

  test('no password is printed', async (t) => {
    const {run} = await operate(t, entries());
    const ran = await run('store', 'copy', '--to', 'postgres://me:secret-word@127.0.0.1:1/none');
    assertFails(ran, /^The database that --to names cannot be opened: .*ECONNREFUSED/);
    assert.doesNotMatch(ran.stderr, /secret-word/);
  });

  test('between SQLite and PostgreSQL it says what to set', {skip: withoutPostgres}, async (t) => {
    const {run, settings, folder} = await operate(t, entries());
    const database = await createDatabase();
    t.after(() => database.drop());
    const url = Object.assign(new URL(database.url), {password: 'secret-word'}).href;
    const there = await run('store', 'copy', '--to', url);
    const next =
      /Next: set DATABASE_URL to postgres:\/\/[^@]*, with user and password, ERASURES_FILE to (.*), and/;
    assert.equal(next.exec(there.stdout)?.[1], `${settings['DATABASE_PATH']}.erasures`);
    assert.doesNotMatch(there.stdout + there.stderr, /secret-word/);
    assert.doesNotMatch(JSON.stringify(await database.query('SELECT * FROM store_mark')), /secret-word/);

    const list = join(folder, 'erasures');
    const onPostgres = {...settings, DATABASE_URL: database.url, ERASURES_FILE: list};
    const server = await startService(onPostgres, folder);
    t.after(() => server.end('SIGKILL'));
    const back = ['store', 'copy', '--to', join(folder, 'back.sqlite')];
    assert.match((await runCommand(onPostgres, ...back)).stderr, /A server uses postgres:.*wait a minute/);
    await server.end('SIGTERM');
    const finished = await runCommand(onPostgres, ...back);
    assert.match(finished.stdout, /Next: set DATABASE_PATH to .*back\.sqlite, .*, take DATABASE_URL away/);
    assert.ok(finished.stdout.includes(`ERASURES_FILE to ${list}, `), finished.stdout);
    const {errors} = await runService({...onPostgres, PORT: '0'}, folder);
    assert.match(errors, /^Cannot start: .*Its leads were moved to [^\n]*\n$/);
    assert.match((await runCommand(onPostgres, 'config', 'check')).stdout, /✗ .*were moved to/);
  });
});
