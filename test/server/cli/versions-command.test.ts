/** `lead-prequal versions` as an operator runs it: a process beside the service. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {cpSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {promisify} from 'node:util';
import {releasesFolder} from '../../../server/config/config.ts';
import {clearText} from '../../../server/store/codec.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {startOfDay} from '../../../server/versions/request-counts.ts';
import {openWhile} from '../../support/opened.ts';
import {runCommand} from '../../support/operator.ts';
import {createDatabase, withoutPostgres} from '../../support/postgres.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {baseConfig, listedOrigin} from '../../support/test-server.ts';

const dayLength = 86_400_000;
const today = startOfDay(Date.now());
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const script = 'lead-prequal-form.js';
const root = join(import.meta.dirname, '../../..');

/** The hashes of the first release. */
const {integrity} = JSON.parse(readFileSync(join(releasesFolder, '1.0.0/manifest.json'), 'utf8')) as {
  integrity: Record<string, string>;
};

type Line = {version: string} & Record<string, unknown>;

async function listsVersions(folder: string, databaseUrl?: string) {
  const databasePath = join(folder, 'leads.sqlite');
  const config = {...baseConfig(folder), databasePath, databaseUrl};
  await openWhile(openStore(config, clearText), async (store) => {
    const count = (days: number, version: string, origin: string, requests: number) => ({
      day: today - days * dayLength,
      version,
      origin,
      requests,
    });
    await store.addRequests([
      count(0, '1.0.0', listedOrigin, 3),
      count(2, '1.0.0', 'other', 8),
      count(40, 'v1', listedOrigin, 9),
      count(1, '0.9.0', 'unknown', 4),
    ]);
  });
  const settings = {
    ...serviceSettings(folder),
    WITHDRAWN_VERSIONS: '1.0.0',
    ...(databaseUrl && {DATABASE_URL: databaseUrl}),
  };
  const list = (...words: string[]) => runCommand(settings, 'versions', 'list', ...words);

  const forPrograms = await list('--json');
  assert.equal(forPrograms.code, 0, forPrograms.stderr);
  const lines = forPrograms.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const of = (version: string) => lines.find((line) => line.version === version);
  const withdrawn = 'The operator of this server has withdrawn this version.';
  assert.deepEqual(of('1.0.0'), {
    version: '1.0.0',
    released: true,
    integrity: {[script]: integrity[script]},
    withdrawn,
    kind: 'release',
    serves: null,
    newest: false,
    requests: 11,
    last_asked: dayOf(today),
    origins: [
      {origin: 'other', requests: 8, last_asked: dayOf(today - 2 * dayLength), partners: []},
      {origin: listedOrigin, requests: 3, last_asked: dayOf(today), partners: ['acme']},
    ],
  });
  assert.partialDeepStrictEqual(of('1.99.0'), {kind: 'build', requests: 0, last_asked: null, origins: []});
  assert.deepEqual(of('v1'), {
    version: 'v1',
    kind: 'moving',
    serves: lines.find(({newest}) => newest)?.version,
    newest: false,
    requests: 0,
    last_asked: dayOf(today - 40 * dayLength),
    origins: [],
  });
  assert.partialDeepStrictEqual(of('0.9.0'), {kind: 'gone', requests: 4});

  const forPeople = await list();
  assert.equal(forPeople.code, 0, forPeople.stderr);
  const [head = '', ...rows] = forPeople.stdout.trimEnd().split('\n');
  assert.match(
    head,
    /^version +state +requests +last asked +partners +origins +integrity of lead-prequal-form\.js$/,
  );
  assert.equal(rows.length, lines.length);
  const row = rows.find((each) => each.startsWith('1.0.0 ')) ?? '';
  assert.match(row, /^1\.0\.0 +release, WITHDRAWN +11 +\S+ +acme +other \(8\) https:\/\/\S+ \(3\) +sha384-/);
  assert.match(forPeople.stderr, /^Requests of the last 30 days, in UTC\.$/m);
  assert.ok(forPeople.stderr.includes(`1.0.0 is withdrawn: ${withdrawn}\n`), forPeople.stderr);
  assert.match(forPeople.stderr, /Pages of these partners ask for 1\.0\.0; write to them: acme\./);

  const ofYear = (await list('--json', '--days', '90')).stdout.trim().split('\n');
  const moving = ofYear.map((line) => JSON.parse(line) as Line).find(({version}) => version === 'v1');
  assert.partialDeepStrictEqual(moving, {requests: 9});
}

suite('the list of versions', () => {
  test('the list of versions says on SQLite who asked for which, and whom to write to', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    await listsVersions(folder.path);
  });
  test(
    'the list of versions says on PostgreSQL who asked for which, and whom to write to',
    {skip: withoutPostgres},
    async (t) => {
      const folder = makeTemporaryFolder();
      t.after(() => folder.remove());
      const database = await createDatabase();
      t.after(() => database.drop());
      await listsVersions(folder.path, database.url);
    },
  );

  test('the list of versions marks a security fault of a release, and names the partners to write to', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    // A copy of the project, because its releases have no fault.
    for (const name of ['package.json', 'server', 'contract', 'form', 'releases']) {
      cpSync(join(root, name), join(folder.path, name), {recursive: true});
    }
    symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
    const settings = serviceSettings(folder.path);
    const advisory = {security: 'A page could read the draft of another.', fixed_in: '1.99.0'};
    writeFileSync(join(folder.path, 'releases/advisories.json'), JSON.stringify({'1.0.0': advisory}));
    const databasePath = join(folder.path, 'leads.sqlite');
    const list = (...words: string[]) =>
      promisify(execFile)(
        process.execPath,
        [join(folder.path, 'server/cli/program.ts'), 'versions', 'list', ...words],
        {env: settings},
      );
    const store = openStore({...baseConfig(folder.path), databasePath}, clearText);
    await openWhile(store, async (opened) => {
      const {stderr} = await list();
      assert.match(stderr, /^No page of a partner asked for 1\.0\.0 in these days\.$/m);
      await opened.addRequests([{day: today, version: '1.0.0', origin: listedOrigin, requests: 1}]);
    });

    const {stdout, stderr} = await list();
    assert.match(stdout, /^1\.0\.0 +release(, newest)?, SECURITY FAULT +1 /m);
    assert.match(
      stderr,
      /^1\.0\.0 has a security fault: A page could read the draft of another\. 1\.99\.0 is the first version without the fault\.$/m,
    );
    assert.match(stderr, /^Pages of these partners ask for 1\.0\.0; write to them: acme\.$/m);
    assert.match((await list('--json')).stdout, /"security":"A page could read the draft of another\."/);
  });

  test('the list of versions says in words which withdrawn version is not there', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const databasePath = join(folder.path, 'leads.sqlite');
    await (await openStore({...baseConfig(folder.path), databasePath}, clearText)).close();
    const settings = {...serviceSettings(folder.path), WITHDRAWN_VERSIONS: '1.0.7'};
    const {code, stdout, stderr} = await runCommand(settings, 'versions', 'list');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^WITHDRAWN_VERSIONS names 1\.0\.7, which this server does not have\. It has /);
  });

  test('the list of versions is not made for a wrong command line, which gets the usage and status 2', async () => {
    for (const words of [['list', '--days', '91'], ['list', '--days', '0.5'], ['lists']]) {
      const {code, stdout, stderr} = await runCommand({}, 'versions', ...words);
      assert.deepEqual([code, stdout], [2, ''], words.join(' '));
      assert.match(stderr, /^Usage:/m);
    }
  });
});
