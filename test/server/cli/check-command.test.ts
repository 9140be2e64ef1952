/** `lead-prequal partners check` as an operator runs it. */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {releasesFolder} from '../../../server/config/config.ts';
import {listVersions, readVersions} from '../../../server/versions/embed-versions.ts';
import {runCommand} from '../../support/operator.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {makeTemporaryFolder} from '../../support/temporary-folder.ts';
import {listedOrigin} from '../../support/test-server.ts';

const publicUrl = 'https://leads.example.com';

function useCheck(t: TestContext) {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const settings = {...serviceSettings(folder.path), PUBLIC_URL: publicUrl};
  return {
    file: (html: string | Buffer) => {
      const path = join(folder.path, 'page.html');
      writeFileSync(path, html);
      return path;
    },
    check: (...words: string[]) => runCommand(settings, 'partners', 'check', ...words),
  };
}

/** The newest release, which the server serves without a build. */
const pinned = (version: string) => {
  const {integrity} = JSON.parse(readFileSync(join(releasesFolder, version, 'manifest.json'), 'utf8')) as {
    integrity: Record<string, string>;
  };
  const file = 'lead-prequal-form.js';
  return `<script type="module" src="${publicUrl}/embed/${version}/${file}" integrity="${integrity[file]}" crossorigin></script>`;
};

const newest = listVersions(readVersions({embedFolder: '/nowhere', releasesFolder})).newest!;

suite('lead-prequal partners check', () => {
  test('lead-prequal partners check names every fault of a page in a sentence, says what to do, and fails', async (t) => {
    const {check, file} = useCheck(t);
    const html = `${pinned('1.0.0').replace('type="module"', 'type="text/plain"')}<lead-prequal-form partner="acme"></lead-prequal-form>`;
    const {code, stdout, stderr} = await check(
      ...[
        'acme',
        '--origin',
        'https://elsewhere.example',
        '--html',
        file(html),
        '--csp',
        "connect-src 'self'",
      ],
    );
    assert.equal(stderr, '');
    assert.equal(code, 1);
    assert.deepEqual(
      [...stdout.matchAll(/^✗ ([\w-]+): .+\n {2}\S.+$/gm)].map(([, name]) => name),
      ['origin-not-listed', 'script-inert', 'no-height', 'policy-blocks-requests'],
    );
  });

  test('lead-prequal partners check prints findings as JSON, and none for a listed origin', async (t) => {
    const {check} = useCheck(t);
    const {code, stdout} = await check('acme', '--origin', 'null', '--json');
    assert.equal(code, 1);
    assert.equal((JSON.parse(stdout) as {code: string}).code, 'origin-null');
    const listed = await check('acme', '--origin', listedOrigin);
    assert.deepEqual([listed.code, listed.stdout], [0, '✓ Nothing to correct.\n']);
  });

  test('lead-prequal partners check reads each of several policies', async (t) => {
    const {check} = useCheck(t);
    const policies = [
      "Content-Security-Policy: script-src 'self'",
      "Content-Security-Policy: connect-src 'self'",
    ];
    const {code, stdout} = await check('acme', ...policies.flatMap((policy) => ['--csp', policy]));
    assert.equal(code, 1);
    assert.deepEqual(
      [...stdout.matchAll(/^✗ ([\w-]+)/gm)].map(([, name]) => name),
      ['policy-blocks-script', 'policy-blocks-requests'],
    );
  });

  test('lead-prequal partners check reads a page that PowerShell has saved in UTF-16', async (t) => {
    const {check, file} = useCheck(t);
    const html = `\u{feff}<meta charset="utf-8">${pinned(newest)}<lead-prequal-form partner="acme" style="min-height: 45em"></lead-prequal-form>`;
    const little = Buffer.from(html, 'utf16le');
    for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(html)]) {
      const {code, stdout} = await check('acme', '--html', file(bytes));
      assert.deepEqual([code, stdout], [0, '✓ Nothing to correct.\n']);
    }
  });

  for (const [what, words, sentence] of [
    ['an unknown partner', ['acne', '--origin', listedOrigin], /no partner "acne".*acme/],
    ['nothing to check', ['acme'], /at least one of --origin, --html and --csp/],
    [
      'a file that does not exist',
      ['acme', '--html', '/nowhere/page.html'],
      /--html \/nowhere\/page\.html .*ENOENT/,
    ],
  ] as const) {
    test(`lead-prequal partners check refuses ${what} in words`, async (t) => {
      const {code, stdout, stderr} = await useCheck(t).check(...words);
      assert.notEqual(code, 0);
      assert.equal(stdout, '');
      assert.match(stderr, sentence);
    });
  }
});
