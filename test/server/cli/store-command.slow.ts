/** `lead-prequal store`: what it refuses and says. That rows stay as they are: test/server/store/transfer.test.ts. */
import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {dirname} from 'node:path';
import {suite, test} from 'node:test';
import {databaseFor, withoutPostgres} from '../../support/postgres.ts';
import {assertFails, databaseKinds, operate, runCommand} from '../../support/operator.ts';
import {newEntry} from '../../support/sample-leads.ts';
import {runService, startService} from '../../support/service-process.ts';

const entries = () => Array.from({length: 3}, () => newEntry({partner: 'acme'}));

suite('a copy of the store', () => {
  test(
    'it wants the server stopped, says what to set, and nothing works on the old file then',
    {skip: withoutPostgres},
    async (t) => {
      const {run, settings, folder} = await operate(t, entries());
      const database = await databaseFor(t);
      const url = Object.assign(new URL(database.url), {password: 'secret-word'}).href;
      const server = await startService(settings, folder);
      t.after(() => server.end('SIGKILL'));
      assertFails(
        await run('store', 'copy', '--to', url),
        /^A server, the operators' pages or another program has .*leads\.sqlite open: .*Stop it first: .*\n$/,
      );
      await server.end('SIGKILL');

      const path = settings['DATABASE_PATH']!;
      const copied = await run('store', 'copy', '--to', url);
      assert.equal(copied.code, 0, copied.stderr);
      assert.match(copied.stdout, /\nleads +3 +[0-9a-f]{64}\n/);
      assert.match(copied.stdout, /counts and digests are equal\. It took \d+\.\d s\./);
      assert.match(copied.stderr, /^leads: 3 of 3 rows\n/);
      assert.ok(copied.stdout.includes(`is ${path}.moved now`), copied.stdout);
      const next =
        /Next: set DATABASE_URL to postgres:\/\/[^@]*, with user and password, and erasures_file to (.*), and/;
      assert.equal(next.exec(copied.stdout)?.[1], `${path}.erasures`);
      assert.doesNotMatch(copied.stdout + copied.stderr, /secret-word/);

      const moved = /The leads of .*leads\.sqlite were moved to PostgreSQL/;
      for (const words of [
        ['config', 'check'],
        ['leads', 'list'],
        ['backup', `${folder}/backup`],
        ['store', 'copy', '--to', url],
      ]) {
        const {code, stdout, stderr} = await run(...words);
        assert.equal(code, 1);
        assert.match(stdout + stderr, moved);
      }
      const {code, errors} = await runService({...settings, PORT: '0'}, folder);
      assert.equal(code, 1);
      assert.match(errors, new RegExp(`^Cannot start: .*${moved.source}[^\n]*\n$`));
      assert.ok(!readdirSync(dirname(path)).includes('leads.sqlite'));
      const there = {...settings, DATABASE_URL: database.url};
      assert.equal((await runCommand(there, 'leads', 'count')).stdout.trim(), '3');
      assertFails(
        await runCommand(there, 'store', 'copy', '--to', url),
        /^The leads are in PostgreSQL already/,
      );
    },
  );

  test('what names no PostgreSQL that can be reached is refused in a sentence without the password', async (t) => {
    const {run, settings} = await operate(t, entries());
    const folder = dirname(settings['DATABASE_PATH']!);
    for (const [to, words] of [
      ['', /^--to must be an address such as postgres:\/\//],
      ['postgress://me:secret-word@127.0.0.1/leads', /^--to must be an address such as postgres:\/\//],
      ['postgres://one,two/leads', /with one host/],
      [`${folder}/other.sqlite`, /^--to must be an address such as postgres:\/\//],
      [
        'postgres://me:secret-word@127.0.0.1:1/none',
        /^postgres:\/\/127\.0\.0\.1:1\/none cannot be opened: .*ECONNREFUSED/,
      ],
    ] as const) {
      const ran = await run('store', 'copy', '--to', to);
      assertFails(ran, words);
      assert.match(ran.stderr, /^[^\n]+\n$/);
      assert.doesNotMatch(ran.stderr, /secret-word/);
    }
  });

  test('a file of an older version goes nowhere', {skip: withoutPostgres}, async (t) => {
    const {run, execute} = await operate(t, entries());
    const database = await databaseFor(t);
    await execute('PRAGMA user_version = 12');
    assertFails(
      await run('store', 'copy', '--to', database.url),
      /^The copy did not end.* run the same command again: The database is that of an older version/,
    );
    assert.deepEqual(await database.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'"), []);
  });

  for (const {name, postgres, skip} of databaseKinds)
    for (const [mark, words] of [
      ['moved', /Its leads were moved to elsewhere: let DATABASE_URL or DATABASE_PATH name that/],
      ['unfinished', /It is a copy of elsewhere that is not complete/],
    ] as const)
      test(
        `on ${name}, nothing works where versions 1.6 to 1.8 left the mark "${mark}"`,
        {skip},
        async (t) => {
          const {run, settings, folder, execute} = await operate(t, entries(), {postgres});
          await execute(`INSERT INTO store_mark VALUES (1, '${mark}', 'elsewhere')`);
          for (const command of [
            ['config', 'check'],
            ['leads', 'list'],
            ...(postgres ? [] : [['backup', `${folder}/backup`]]),
          ]) {
            const {code, stdout, stderr} = await run(...command);
            assert.equal(code, 1);
            assert.match(stdout + stderr, words);
          }
          const {code, errors} = await runService({...settings, PORT: '0'}, folder);
          assert.equal(code, 1);
          assert.match(errors, new RegExp(`^Cannot start: .*${words.source}[^\n]*\n$`));
        },
      );
});
