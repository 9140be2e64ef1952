/** `lead-prequal versions list`: which versions there are, and whose pages ask for them. */
import assert from 'node:assert/strict';
import {type AnyReading} from '../../../server/admin/operations/operation.ts';
import {versions} from '../../../server/admin/operations/versions.ts';
import {show} from '../../../server/cli/operate.ts';
import {cpSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import type {VersionRow} from '../../../server/admin/versions.ts';
import {createRun} from '../../../server/cli/output.ts';
import {readConfig, releasesFolder} from '../../../server/config/config.ts';
import {openStore} from '../../../server/store/open-store.ts';
import {startOfDay} from '../../../server/versions/request-counts.ts';
import {openFor, openWhile} from '../../support/opened.ts';
import {linesOf, operate, printedBy, runCommand, unnoted} from '../../support/operator.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin, testEncryptor} from '../../support/test-server.ts';

const dayLength = 86_400_000;
const today = startOfDay(Date.now());
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const script = 'lead-prequal-form.js';

/** The hashes of the first release. */
const {integrity} = JSON.parse(readFileSync(join(releasesFolder, '1.0.0/manifest.json'), 'utf8')) as {
  integrity: Record<string, string>;
};

suite('the list of versions', () => {
  const count = (days: number, version: string, origin: string, requests: number) => ({
    day: today - days * dayLength,
    version,
    origin,
    requests,
  });

  test('it says who asked for which version, and whom to write to', async (t) => {
    const {settings} = await operate(t, [], {fields: {withdrawn_versions: ['1.0.0']}});
    await openWhile(openStore(readConfig(settings), testEncryptor), (store) =>
      store.addRequests([
        count(0, '1.0.0', listedOrigin, 3),
        count(2, '1.0.0', 'other', 8),
        count(40, 'v1', listedOrigin, 9),
        count(1, '0.9.0', 'unknown', 4),
      ]),
    );
    const list = (...words: string[]) => runCommand(settings, 'versions', 'list', ...words);

    const forPrograms = await list('--json');
    assert.equal(forPrograms.code, 0, forPrograms.stderr);
    const lines = linesOf<VersionRow>(forPrograms);
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
    const build = lines.find(({kind}) => kind === 'build');
    assert.partialDeepStrictEqual(build, {requests: 0, last_asked: null, origins: []});
    assert.deepEqual(of('v1'), {
      version: 'v1',
      kind: 'moving',
      serves: '1.7.0',
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
    assert.match(
      row,
      /^1\.0\.0 +release, WITHDRAWN +11 +\S+ +acme +other \(8\) https:\/\/\S+ \(3\) +sha384-/,
    );
    assert.match(forPeople.stderr, /^Requests of the last 30 days, in UTC\.$/m);
    assert.ok(forPeople.stderr.includes(`1.0.0 is withdrawn: ${withdrawn}\n`), forPeople.stderr);
    assert.match(forPeople.stderr, /Pages of these partners ask for 1\.0\.0; write to them: acme\./);

    const ofYear = linesOf<VersionRow>(await list('--json', '--days', '90'));
    assert.equal(ofYear.find(({version}) => version === 'v1')?.requests, 9);
  });

  test('a security fault of a release is marked, and the partners to write to are named', async (t) => {
    // A copy of the releases, because those of the project have no fault.
    const folder = temporaryFolder(t);
    cpSync(releasesFolder, folder, {recursive: true});
    const advisory = {security: 'A page could read the draft of another.', fixed_in: '1.7.0'};
    writeFileSync(join(folder, 'advisories.json'), JSON.stringify({'1.0.0': advisory}));
    const {settings} = await operate(t, []);
    const config = {...readConfig(settings), releasesFolder: folder};
    const store = await openFor(t, openStore(config, testEncryptor));
    const list = (json = false) =>
      printedBy(async (surroundings) => {
        const run = createRun(surroundings);
        await show(
          run,
          versions.rows[0] as AnyReading,
          {store, config, noteAccess: unnoted, actor: 'ana'},
          {days: 30},
          {json},
        );
        return run.status;
      });

    assert.match((await list()).stderr, /^No page of a partner asked for 1\.0\.0 in these days\.$/m);
    await store.addRequests([count(0, '1.0.0', listedOrigin, 1)]);
    const {stdout, stderr} = await list();
    assert.match(stdout, /^1\.0\.0 +release(, newest)?, SECURITY FAULT +1 /m);
    assert.match(
      stderr,
      /^1\.0\.0 has a security fault: A page could read the draft of another\. 1\.7\.0 is the first version without the fault\.$/m,
    );
    assert.match(stderr, /^Pages of these partners ask for 1\.0\.0; write to them: acme\.$/m);
    assert.match((await list(true)).stdout, /"security":"A page could read the draft of another\."/);
  });

  test('a fault of the plugin for WordPress alone marks no version of the form', async (t) => {
    const {settings} = await operate(t, []);
    const {stdout, stderr} = await runCommand(settings, 'versions', 'list');
    assert.doesNotMatch(stdout, /SECURITY FAULT/);
    assert.match(
      stderr,
      /^The plugin for WordPress 1\.5\.0 has a security fault: .* 1\.5\.1 is the first version/m,
    );
    assert.doesNotMatch(stderr, /ask for 1\.5\.0|No page/);
  });
});
