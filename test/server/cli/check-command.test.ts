/** `lead-prequal partners check`: which origins may use the form of a partner, and which version pages should pin. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {versionFindings, versionNotes} from '../../../server/cli/check.ts';
import {readPartners} from '../../../server/config/partners.ts';
import {releasesFolder} from '../../../server/config/config.ts';
import {readVersions, type EmbedVersion} from '../../../server/versions/embed-versions.ts';
import {runCommand} from '../../support/operator.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';

/** The releases of the repository, the newest first. */
const [newest = '', ...older] = readVersions({embedFolder: '/nowhere', releasesFolder}).map(({name}) => name);

const pinNewest = `· Pages should pin ${newest}, the newest release that is not withdrawn.\n`;
const nothingToCorrect = '✓ Nothing to correct.\n';

function useCheck(t: TestContext, further: Record<string, string> = {}) {
  const folder = temporaryFolder(t);
  const settings = {
    ...serviceSettings(folder),
    PUBLIC_URL: 'https://leads.example.com',
    ...further,
  };
  return (...words: string[]) => runCommand(settings, 'partners', 'check', ...words);
}

function useCheckOfFile(t: TestContext) {
  const folder = temporaryFolder(t);
  const path = join(folder, 'partners.json');
  const write = (origins: string) =>
    writeFileSync(path, `{"partners": [{"key": "acme", "cid": "1001",\n${origins}\n}]}`);
  write('"origins": ["https://www.acme.example", "https://*.acme.example"]');
  return {path, write, check: useCheck(t, {PARTNERS_FILE: path})};
}

suite('lead-prequal partners check', () => {
  test('nothing is to be corrected for a listed origin, and the version to pin is named', async (t) => {
    const ran = await useCheck(t)('acme', '--origin', listedOrigin);
    assert.deepEqual(ran, {code: 0, stdout: pinNewest + nothingToCorrect, stderr: ''});
  });

  test('without --origin, the partner and the versions are checked alone', async (t) => {
    const ran = await useCheck(t)('acme');
    assert.deepEqual(ran, {code: 0, stdout: pinNewest + nothingToCorrect, stderr: ''});
  });

  test('an origin that a wildcard covers is accepted, and so is that of the server', async (t) => {
    const {check} = useCheckOfFile(t);
    for (const origin of ['https://shop.acme.example', 'https://leads.example.com'])
      assert.deepEqual(await check('acme', '--origin', origin, '--json'), {code: 0, stdout: '', stderr: ''});
  });

  test('the line that lists an origin in the partners file is printed, and makes it accepted', async (t) => {
    const {path, write, check} = useCheckOfFile(t);
    const {code, stdout, stderr} = await check('acme', '--origin', 'https://new.example');
    assert.deepEqual([code, stderr], [1, '']);
    const line = '"origins": ["https://www.acme.example", "https://*.acme.example", "https://new.example"]';
    assert.equal(
      stdout,
      `✗ origin-not-listed: https://new.example is not among the origins of "acme": https://www.acme.example, https://*.acme.example.
  Replace "origins" of "acme" in ${path} by this line, and run "lead-prequal reload":
  ${line}
${pinNewest}`,
    );
    write(line);
    assert.equal(readPartners(path).content.partners[0].origins.length, 3);
    assert.equal((await check('acme', '--origin', 'https://new.example')).code, 0);
  });

  test('the setting that lists an origin is printed where there is no partners file', async (t) => {
    const {code, stdout} = await useCheck(t)('acme', '--origin', 'https://new.example', '--json');
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout), {
      code: 'origin-not-listed',
      wrong: `https://new.example is not among the origins of "acme": ${listedOrigin}.`,
      fix: 'Set EMBED_ORIGINS to this, and restart the server:',
      line: `EMBED_ORIGINS=${listedOrigin},https://new.example`,
    });
    const changed = useCheck(t, {EMBED_ORIGINS: `${listedOrigin},https://new.example`});
    assert.equal((await changed('acme', '--origin', 'https://new.example')).code, 0);
  });

  test('the origin null could be any page: the apply page is named instead', async (t) => {
    const {code, stdout} = await useCheck(t)('acme', '--origin', 'null', '--json');
    assert.equal(code, 1);
    const found = JSON.parse(stdout) as {code: string; fix: string};
    assert.equal(found.code, 'origin-null');
    assert.match(found.fix, /https:\/\/leads\.example\.com\/apply\/acme/);
  });

  for (const [given, meant] of [
    ['https://www.acme.example/funding', 'https://www.acme.example'],
    ['https://www.acme.example/', 'https://www.acme.example'],
    ['https://WWW.acme.example', 'https://www.acme.example'],
    ['https://*.acme.example', 'https://www.acme.example'],
    ['www.acme.example', 'https://www.example.com'],
    ['file:///home/page.html', 'https://www.example.com'],
    ['', 'https://www.example.com'],
  ] as const) {
    test(`"${given}" is not the origin of a page, and ${meant} is named`, async (t) => {
      const {code, stdout} = await useCheck(t)('acme', '--origin', given, '--json');
      assert.equal(code, 1);
      const found = JSON.parse(stdout) as {code: string; fix: string};
      assert.equal(found.code, 'origin-invalid');
      assert.ok(found.fix.endsWith(` such as ${meant}.`), found.fix);
    });
  }

  test('withdrawn versions are named, and the newest release that is not withdrawn', async (t) => {
    const check = useCheck(t, {WITHDRAWN_VERSIONS: newest});
    const {code, stdout} = await check('acme', '--origin', listedOrigin);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `· Pages should pin ${older[0]}, the newest release that is not withdrawn.
· ${newest} is withdrawn: The operator of this server has withdrawn this version.
· "lead-prequal versions list" says whose pages ask for which version.
${nothingToCorrect}`,
    );
  });

  test('an unknown partner is named with those that there are', async (t) => {
    const {code, stdout, stderr} = await useCheck(t)('acne', '--origin', listedOrigin);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /no partner "acne".*acme/);
  });

  for (const words of [
    ['--html', 'page.html'],
    ['--csp', "script-src 'self'", '--csp', "connect-src 'self'"],
    ['--origin', listedOrigin, '--html'],
  ]) {
    test(`${words.join(' ')} is refused with what to use instead`, async (t) => {
      const {code, stdout, stderr} = await useCheck(t)('acme', ...words);
      assert.deepEqual([code, stdout], [2, '']);
      const [sentence = ''] = stderr.split('\n');
      assert.match(sentence, /^error: --html and --csp .*\?prequal-debug.*console.*docs\/embedding\.md/);
      assert.doesNotMatch(stderr, /^ +--(html|csp)/m, 'the help does not offer them');
    });
  }
});

const version = (name: string, further: Partial<EmbedVersion> = {}): EmbedVersion => ({
  name,
  folder: '/nowhere',
  manifest: {version: name, integrity: {}},
  released: true,
  advisory: {},
  ...further,
});

suite('what partners check says of versions', () => {
  test('a security fault of an older version is a note, and nothing to correct on the server', () => {
    const faulty = version('1.0.0', {
      advisory: {security: 'A page could read the draft of another.', fixed_in: '1.1.0'},
    });
    const versions = [version('1.1.0'), faulty];
    assert.deepEqual(versionFindings(versions), []);
    assert.deepEqual(versionNotes(versions), [
      'Pages should pin 1.1.0, the newest release that is not withdrawn.',
      '1.0.0 has a security fault: A page could read the draft of another. 1.1.0 is the first version without the fault.',
      '"lead-prequal versions list" says whose pages ask for which version.',
    ]);
  });

  test('a security fault of the version to pin is corrected by an upgrade of the server', () => {
    const versions = [version('1.1.0', {advisory: {security: 'It is known.'}}), version('1.0.0')];
    const [correction, ...others] = versionFindings(versions);
    assert.equal(correction?.code, 'security-fault');
    assert.match(correction.wrong, /^1\.1\.0, which pages should pin, has a security fault: It is known\.$/);
    assert.match(correction.fix, /^Upgrade the server/);
    assert.deepEqual(others, []);
  });

  test('a server without any version of the form cannot show the form', () => {
    assert.deepEqual(
      versionFindings([]).map(({code}) => code),
      ['no-version'],
    );
    assert.deepEqual(versionNotes([]), []);
  });

  test('a build is not to be pinned, because the next build may change it', () => {
    const build = version('1.2.0', {released: false});
    assert.deepEqual(versionFindings([build]), []);
    const [note = ''] = versionNotes([build]);
    assert.match(note, /^Pages should not pin a version yet\. The newest, 1\.2\.0, is a build/);
  });
});
