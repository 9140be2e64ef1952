/** `lead-prequal config upgrade`: from the settings of 1.8 to the file of 2.0. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {createRun} from '../../../server/cli/output.ts';
import {run as runProgram} from '../../../server/cli/program.ts';
import {assertFails, printedBy, program, type Ran} from '../../support/operator.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

type Settings = Record<string, string>;

const canary = 'canary-of-a-secret';
const caller = {user: 'acme', password: canary, cids: ['1001']};
const settings: Settings = {
  PUBLIC_URL: 'https://leads.example.com',
  CALLERS: JSON.stringify([caller]),
  EMBED_ORIGINS: 'https://www.acme.example',
  EMBED_PARTNER: 'acme',
  EMBED_NAME: 'Acme',
  UPSTREAM_URL: 'https://upstream.example',
  UPSTREAM_USER: canary,
  UPSTREAM_PASSWORD: canary,
  UPSTREAM_CID: '77',
  TOKEN_KEY: canary.repeat(2),
};

/** A folder with the settings in `lead-prequal.env`, in which commands run. */
function inFolder(t: TestContext, given: Settings = settings) {
  const folder = temporaryFolder(t);
  const [path, environmentFile] = ['lead-prequal.json', 'lead-prequal.env'].map((name) =>
    join(folder, name),
  ) as [string, string];
  const lines = Object.entries(given).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(environmentFile, `${lines.join('\n')}\n`, {mode: 0o600});
  const run = (...words: string[]) =>
    new Promise<Ran>((done) => {
      const options = {cwd: folder, env: {PATH: process.env['PATH']}};
      const child = execFile(process.execPath, [program, ...words], options, (_error, stdout, stderr) =>
        done({code: child.exitCode ?? -1, stdout, stderr}),
      );
    });
  return {folder, path, environmentFile, run};
}

/** Shown on a terminal. */
const shown = (environment: Settings) =>
  printedBy(({stdout, stderr}) =>
    runProgram(
      ['config', 'upgrade'],
      createRun({environment, stderr, stdout: Object.assign(stdout, {isTTY: true})}),
    ),
  );

suite('config upgrade', () => {
  test('a start with the settings of 1.8 names the command, and nothing of what they say', async (t) => {
    const {run, folder} = inFolder(t);
    const {code, stdout, stderr} = await run('serve');
    assert.equal(code, 1);
    const printed = stdout + stderr;
    assert.match(printed, /settings of 1\.8 say: CALLERS, EMBED_ORIGINS, .*config upgrade/);
    assert.equal(printed.match(/Since 2\.0/g)?.length, 1);
    assert.doesNotMatch(printed, /canary|acme\.example/);
    assert.deepEqual(
      [existsSync(join(folder, 'data')), existsSync(join(folder, 'lead-prequal.key'))],
      [false, false],
    );
  });

  test('it shows the file on a terminal, without a secret and without what a terminal obeys', async (t) => {
    const next_step = 'We call you\u202e\u009b\u00ad soon.';
    const partner = {key: 'acme', origins: ['https://www.acme.example'], cid: '1001', next_step};
    const partnersFile = join(temporaryFolder(t), 'partners.json');
    writeFileSync(partnersFile, JSON.stringify({partners: [partner]}));
    const {code, stdout, stderr} = await shown({...settings, PARTNERS_FILE: partnersFile});
    assert.equal(code, 0);
    const {partners} = JSON.parse(stdout) as {partners: [{next_step: string}]};
    assert.equal(partners[0].next_step, next_step);
    assert.doesNotMatch(stdout + stderr, /canary|[\u202e\u009b\u00ad]/);
    assert.match(
      stderr,
      /^1\. Remove from .*\n2\. Rename there: UPSTREAM_USER to CREDENTIALS_UPSTREAM_USER, /m,
    );
  });

  test('it shows nothing where a log could keep it, and writes nothing without being told to', async (t) => {
    const {run, path} = inFolder(t);
    assertFails(await run('config', 'upgrade'), /shown on a terminal alone.*--write/);
    assert.equal(existsSync(path), false);
  });

  test('with --write and what its steps say, the server would start', async (t) => {
    const {run, path, environmentFile} = inFolder(t);
    const before = readFileSync(environmentFile, 'utf8');
    const {code, stdout, stderr} = await run('config', 'upgrade', '--write');
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, new RegExp(`^${path} is written\\.`));
    assert.match(
      stderr,
      /^1\. Remove from .*: CALLERS \(lead-prequal\.env:2\), .*UPSTREAM_CID \(lead-prequal\.env:9\)/m,
    );
    assert.match(
      stderr,
      /^2\. .*UPSTREAM_PASSWORD \(lead-prequal\.env:8\) to CREDENTIALS_UPSTREAM_PASSWORD$/m,
    );
    assert.doesNotMatch(stderr + readFileSync(path, 'utf8'), /canary/);
    assert.equal(statSync(path).mode & 0o777, 0o640);
    assert.equal(readFileSync(environmentFile, 'utf8'), before, 'the environment is its owner’s');

    const changed = before
      .replace(/^(CALLERS|EMBED_\w+|UPSTREAM_URL|UPSTREAM_CID)=.*\n/gm, '')
      .replace(/^UPSTREAM/gm, 'CREDENTIALS_UPSTREAM');
    writeFileSync(environmentFile, changed);
    const check = await run('config', 'check');
    assert.match(check.stdout, /^✓ The server would start\.$/m);
    assert.doesNotMatch(check.stdout, /since 2\.0|not used/);
  });

  test('it never writes over a file, and leaves none when something is wrong', async (t) => {
    const {run, path, folder} = inFolder(t);
    writeFileSync(path, '{"ours": true}');
    assertFails(
      await run('config', 'upgrade', '--write'),
      /lead-prequal\.json is there already, and stays as it is/,
    );
    assert.equal(readFileSync(path, 'utf8'), '{"ours": true}');
    const elsewhere = inFolder(t, {...settings, CONFIG_FILE: join(folder, 'none', 'file.json')});
    assertFails(
      await elsewhere.run('config', 'upgrade', '--write'),
      /file\.json cannot be written \(ENOENT\)/,
    );
    const wrong = inFolder(t, {...settings, PARTNERS_FILE: '/nowhere/partners.json'});
    assertFails(
      await wrong.run('config', 'upgrade', '--write'),
      /PARTNERS_FILE names a file that cannot be read/,
    );
    assert.equal(existsSync(wrong.path), false);
  });

  test('a partners file of 1.8 that has the name of the new file is not taken for it', async (t) => {
    const {run, path} = inFolder(t, {...settings, PARTNERS_FILE: 'lead-prequal.json'});
    writeFileSync(
      path,
      JSON.stringify({partners: [{key: 'acme', origins: ['https://a.example'], cid: '1'}]}),
    );
    const {stdout} = await run('config', 'check');
    assert.match(stdout, /^✗ Since 2\.0, one file holds .*config upgrade/m);
  });
});
