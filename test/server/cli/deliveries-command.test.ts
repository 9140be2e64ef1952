/** `lead-prequal deliveries` as an operator runs it: a process beside the service. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {clearText} from '../../../server/store/codec.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {failures, startFakeUpstream, upstreamSettings, type Script} from '../../support/fake-upstream.ts';
import {basic, fetchFrom, postJson, readJson} from '../../support/http.ts';
import {openWhile} from '../../support/opened.ts';
import {createDatabase, withoutPostgres} from '../../support/postgres.ts';
import {newDelivery, newEntry, prequalificationBody} from '../../support/sample-leads.ts';
import {serviceSettings, startService} from '../../support/service-process.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {acme, baseConfig} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const program = join(import.meta.dirname, '../../../server/cli/program.ts');

type Failure = {code: number; stdout: string; stderr: string};

async function worksBesideTheService(t: TestContext, folder: string, store: Record<string, string>) {
  const script: Script = {create: failures['half of its JSON']};
  const upstream = await startFakeUpstream(script);
  t.after(() => upstream.close());
  const environment = {
    ...serviceSettings(folder),
    ...store,
    ...upstreamSettings(upstream),
    ON_AMBIGUOUS: 'hold',
  };
  const outbox = (...words: string[]) =>
    promisify(execFile)(process.execPath, [program, 'deliveries', ...words], {
      cwd: folder,
      env: {PATH: process.env['PATH'], ...environment},
    });
  const list = async () => {
    const {stdout, stderr} = await outbox('list', '--json');
    const rows = stdout.split('\n').filter(Boolean);
    assert.match(
      stderr,
      rows.length === 1 ? /^1 delivery$/m : new RegExp(`^${rows.length} deliveries$`, 'm'),
    );
    return rows.map((line) => JSON.parse(line) as {lead: string; state: string});
  };

  const service = await startService(environment, folder);
  t.after(() => service.end('SIGKILL'));
  const create = async () => {
    const request = postJson(prequalificationBody, basic(acme));
    return (await readJson<{id: string}>(await fetchFrom(service.url)('/json/leads', request), 201)).id;
  };
  assert.deepEqual(await list(), []);
  const ids = [await create(), await create(), await create()];
  const rows = await list();
  assert.deepEqual(
    rows.map(({lead}) => lead),
    ids,
  );
  for (const row of rows) {
    assert.partialDeepStrictEqual(row, {
      destination: 'default',
      content: 'lead',
      state: 'held',
      attempts: 1,
      ambiguous: 1,
    });
    assert.partialDeepStrictEqual(row, {
      under_way: false,
      last_error: 'The upstream answered with something that is not JSON',
    });
  }
  // What operators see of a lead is its id.
  const {stdout} = await outbox('list');
  for (const secret of ['Jane', 'jane@', '202-555', upstream.settings.password]) {
    assert.ok(!stdout.includes(secret), secret);
  }

  delete script.create;
  assert.match((await outbox('retry', ids[1]!)).stderr, /^1 delivery due now$/m);
  await until(async () => (await list()).length === 2);
  await assert.rejects(outbox('retry', '--all'), /0 deliveries due now/);
  assert.match((await outbox('retry', '--state', 'held')).stderr, /^2 deliveries due now$/m);
  await until(async () => (await list()).length === 0);
  assert.deepEqual([...new Set(upstream.taken())].toSorted(), ids);
  assert.equal(upstream.sent().length, 6);
  await assert.rejects(outbox('retry', ids[0]!), (error: Failure) => {
    assert.equal(error.code, 1);
    assert.match(error.stderr, /^0 deliveries due now$/m);
    return true;
  });

  for (const words of [[], ['retry'], ['drop'], ['settle', ids[0]!], ['lists']]) {
    await assert.rejects(outbox(...words), (error: Failure) => {
      assert.equal(error.code, 2);
      assert.match(error.stderr, /^Usage:/m);
      return true;
    });
  }
}

/** Rows that no single read brings, put there past the service; the few that are held stand behind all others. */
async function fill(folder: string, waiting: number, held: number) {
  const config = {...baseConfig(folder), databasePath: join(folder, 'leads.sqlite')};
  const entries = Array.from({length: waiting + held}, (_, index) => {
    const state = index < waiting ? 'waiting' : 'held';
    const delivery = newDelivery({state, nextAttemptAt: Date.now() + 3_600_000});
    return newEntry({answer: {status: 'pending'}, deliveries: [delivery]});
  });
  await openWhile(openStore(config, clearText), (store) =>
    Promise.all(entries.map((entry) => store.accept(entry))),
  );
  return entries.map(({id}) => id);
}

suite('the deliveries command', () => {
  test('the deliveries command shows every lead of an outbox, counts them, and settles one by hand', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const ids = await fill(folder.path, 2_500, 3);
    const outbox = (...words: string[]) =>
      promisify(execFile)(process.execPath, [program, 'deliveries', ...words], {
        cwd: folder.path,
        env: {PATH: process.env['PATH'], ...serviceSettings(folder.path)},
        maxBuffer: 10_000_000,
      });
    const list = async (...words: string[]) => {
      const {stdout, stderr} = await outbox('list', '--json', ...words);
      const rows = stdout.split('\n').filter(Boolean);
      assert.match(stderr, new RegExp(`^${rows.length.toLocaleString('en-US')} deliver(y|ies)$`, 'm'));
      return rows.map((line) => JSON.parse(line) as {lead: string});
    };
    assert.deepEqual(
      (await list()).map(({lead}) => lead),
      ids.toSorted(),
    );
    assert.deepEqual(
      (await list('--state', 'held')).map(({lead}) => lead),
      ids.slice(-3).toSorted(),
    );
    await assert.rejects(list('--state', 'held', '--destination', 'other'), /has no destination other/);

    const counts = (await outbox('summary', '--json')).stdout.split('\n').filter(Boolean);
    const [held, waiting] = counts.map((line) => JSON.parse(line) as {oldest_created_at: string});
    assert.partialDeepStrictEqual(held, {destination: 'default', state: 'held', deliveries: 3});
    assert.partialDeepStrictEqual(waiting, {destination: 'default', state: 'waiting', deliveries: 2_500});
    assert.ok(Math.abs(Date.parse(waiting!.oldest_created_at) - Date.now()) < 600_000);

    const [taken, never, third] = ids.slice(-3) as [string, string, string];
    assert.match((await outbox('settle', taken, '--taken-as', 'u-1')).stderr, /^1 delivery settled$/m);
    assert.match((await outbox('drop', never)).stderr, /^1 delivery dropped$/m);
    assert.deepEqual(
      (await list('--state', 'held')).map(({lead}) => lead),
      [third],
    );
    await assert.rejects(outbox('drop', never), (error: Failure) => {
      assert.equal(error.code, 1);
      assert.match(error.stderr, /^0 deliveries dropped\nNo such delivery/m);
      return true;
    });
    const misspelt = [
      ['settle', third],
      ['settle', third, '--taken-as', ''],
      ['retry', '--since', 'last week'],
      ['list', '--state', 'lost'],
    ];
    const refusals = misspelt.map((words) =>
      assert.rejects(outbox(...words), (error: Failure) => {
        assert.equal(error.code, 2, words.join(' '));
        return true;
      }),
    );
    await Promise.all(refusals);
  });
  test('the deliveries command settles one of several deliveries of a lead only when its destination is named', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const config = {...baseConfig(folder.path), databasePath: join(folder.path, 'leads.sqlite')};
    const deliveries = ['one', 'two'].map((destination) => newDelivery({destination, state: 'held'}));
    const entry = newEntry({answer: {status: 'pending'}, deliveries});
    await openWhile(openStore(config, clearText), (store) => store.accept(entry));
    const settle = (...words: string[]) =>
      promisify(execFile)(
        process.execPath,
        [program, 'deliveries', 'settle', entry.id, '--taken-as', 'u-1', ...words],
        {
          cwd: folder.path,
          env: {PATH: process.env['PATH'], ...serviceSettings(folder.path)},
        },
      );
    await assert.rejects(settle(), (error: Failure) => {
      assert.equal(error.code, 1);
      assert.match(error.stderr, /^0 settled: .* several upstreams; name one of them with --destination$/m);
      return true;
    });
    assert.match((await settle('--destination', 'two')).stderr, /^1 delivery settled$/m);
    await assert.rejects(settle('--destination', 'two'), /has given its id for this lead already/);
  });
  test('the deliveries command works beside the service on SQLite', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    await worksBesideTheService(t, folder.path, {});
  });
  test(
    'the deliveries command works beside the service on PostgreSQL',
    {skip: withoutPostgres},
    async (t) => {
      const [folder, database] = [makeTemporaryFolder(), await createDatabase()];
      t.after(async () => {
        await database.drop();
        folder.remove();
      });
      await worksBesideTheService(t, folder.path, {DATABASE_URL: database.url});
    },
  );
});

test('the deliveries command names a database that does not exist, and makes no empty one in its place', async (t) => {
  const temporary = makeTemporaryFolder();
  t.after(() => temporary.remove());
  const folder = temporary.path;
  const env = {PATH: process.env['PATH'], ...serviceSettings(folder)};
  await assert.rejects(
    promisify(execFile)(process.execPath, [program, 'deliveries', 'list'], {cwd: folder, env}),
    (error: Failure) => {
      assert.equal(error.code, 1);
      assert.match(error.stderr, /^There is no database at .+\.sqlite$/m);
      return true;
    },
  );
  assert.deepEqual(readdirSync(folder), ['embed']);
});

test('the deliveries command says in one line that a file is no database, and leaves the file as it is', async (t) => {
  const temporary = makeTemporaryFolder();
  t.after(() => temporary.remove());
  const folder = temporary.path;
  const settings = serviceSettings(folder);
  const file = settings['DATABASE_PATH'] ?? '';
  const env = {PATH: process.env['PATH'], ...settings};
  const text = 'Not a database, but a note that somebody left here. '.repeat(40);
  writeFileSync(file, text);
  await assert.rejects(
    promisify(execFile)(process.execPath, [program, 'deliveries', 'list'], {cwd: folder, env}),
    (error: Failure) => {
      assert.equal(error.code, 1);
      assert.match(error.stderr, /^The database that DATABASE_PATH names cannot be opened: [^\n]+\n$/);
      return true;
    },
  );
  assert.equal(readFileSync(file, 'utf8'), text);
});
