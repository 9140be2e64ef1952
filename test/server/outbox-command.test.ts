/** `lead-prequal outbox` as an operator runs it: a process beside the service. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {failures, startFakeUpstream, upstreamSettings, type Script} from '../support/fake-upstream.ts';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {createDatabase, withoutPostgres} from '../support/postgres.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {until} from '../support/until.ts';

const program = join(import.meta.dirname, '../../server/cli/program.ts');

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
    promisify(execFile)(process.execPath, [program, 'outbox', ...words], {
      cwd: folder,
      env: {PATH: process.env['PATH'], ...environment},
    });
  const list = async () => {
    const {stdout, stderr} = await outbox('list');
    const rows = stdout.split('\n').filter(Boolean);
    assert.match(stderr, rows.length === 1 ? /^1 lead$/m : new RegExp(`^${rows.length} leads$`, 'm'));
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
    assert.partialDeepStrictEqual(row, {upstream: 'default', state: 'held', attempts: 1, ambiguous: 1});
    assert.partialDeepStrictEqual(row, {
      underWay: false,
      lastError: 'The upstream answered with something that is not JSON',
    });
  }
  // What operators see of a lead is its id.
  const {stdout} = await outbox('list');
  for (const secret of ['Jane', 'jane@', '202-555', upstream.settings.password]) {
    assert.ok(!stdout.includes(secret), secret);
  }

  delete script.create;
  assert.match((await outbox('retry', ids[1]!)).stderr, /^1 due now$/m);
  await until(async () => (await list()).length === 2);
  assert.match((await outbox('retry', '--all')).stderr, /^0 due now$/m);
  assert.match((await outbox('retry', '--held')).stderr, /^2 due now$/m);
  await until(async () => (await list()).length === 0);
  assert.deepEqual([...new Set(upstream.taken())].toSorted(), ids);
  assert.equal(upstream.sent().length, 6);
  await assert.rejects(outbox('retry', ids[0]!), (error: Failure) => {
    assert.equal(error.code, 1);
    assert.match(error.stderr, /^0 due now$/m);
    return true;
  });

  for (const words of [[], ['retry'], ['lists']]) {
    await assert.rejects(outbox(...words), (error: Failure) => {
      assert.equal(error.code, 2);
      assert.match(error.stderr, /^Usage:/m);
      return true;
    });
  }
}

suite('the outbox command', () => {
  test('works beside the service on SQLite', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    await worksBesideTheService(t, folder.path, {});
  });
  test('works beside the service on PostgreSQL', {skip: withoutPostgres}, async (t) => {
    const [folder, database] = [makeTemporaryFolder(), await createDatabase()];
    t.after(async () => {
      await database.drop();
      folder.remove();
    });
    await worksBesideTheService(t, folder.path, {DATABASE_URL: database.url});
  });
});
