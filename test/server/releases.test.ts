/** Versions of the form that were released: kept to the byte, served by every later server, never built again. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {brotliDecompressSync, gunzipSync} from 'node:zlib';
import {
  newestSnippet,
  readVersions,
  releasesFolder,
  type Manifest,
} from '../../server/http/embed-versions.ts';
import {makeEmbedVersion, sha384} from '../support/embed-folder.ts';
import {requestRaw} from '../support/http.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {startTestServer} from '../support/test-server.ts';

const script = 'lead-prequal-form.js';
const publicUrl = 'https://leads.example.com';
const root = join(import.meta.dirname, '../..');

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
const useFolder = (t: TestContext) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  return folder.path;
};

const useFolders = (t: TestContext) => {
  const folder = useFolder(t);
  return {embed: join(folder, 'embed'), releases: join(folder, 'releases')};
};

suite('a release in the repository', async () => {
  // No folder of a build: what is served can only be the releases.
  const server = await startTestServer({releasesFolder});
  after(() => server.close());
  const names = readdirSync(releasesFolder);
  // The hash in pages' script tags. The first file holds the hashes of those that it loads later.
  const pinned = 'sha384-h+5lKTmlykwqT52XFDDYpkwwvIi3R8XzA+3DaiGQkRCNltcr2jDJeOWhOdbyqv5w';
  test('is 1.0.0, with the hash that pages have pinned', () => {
    assert.equal(sha384(readFileSync(join(releasesFolder, '1.0.0', script), 'utf8')), pinned);
  });

  for (const name of names) {
    const folder = join(releasesFolder, name);
    const {version, integrity} = manifestOf(folder);
    test(`${name} has the files that its manifest says, compressed ones included, and no others`, () => {
      assert.equal(version, name);
      for (const [file, expected] of Object.entries(integrity)) {
        const code = readFileSync(join(folder, file));
        assert.equal(sha384(code.toString()), expected, file);
        assert.deepEqual(brotliDecompressSync(readFileSync(join(folder, `${file}.br`))), code, file);
        assert.deepEqual(gunzipSync(readFileSync(join(folder, `${file}.gz`))), code, file);
      }
      const files = Object.keys(integrity).flatMap((file) =>
        ['', '.br', '.gz', '.map'].map((end) => file + end),
      );
      assert.deepEqual(readdirSync(folder).toSorted(), [...files, 'manifest.json'].toSorted());
    });
    test(`${name} is served as it was released, by a server without a build of its own`, async () => {
      for (const [file, expected] of Object.entries(integrity)) {
        const {status, headers, body} = await requestRaw(`${server.url}/embed/${name}/${file}`, {
          headers: {},
        });
        assert.equal(status, 200, file);
        assert.equal(sha384(body.toString()), expected, file);
        assert.match(headers['cache-control'] ?? '', /immutable/);
      }
    });
  }
});

suite('a build beside the releases', () => {
  const code = (text: string) => ({[script]: `export const text = '${text}';`});

  test('with the name of a release and other files stops the start, and is named', (t) => {
    const {embed, releases} = useFolders(t);
    makeEmbedVersion(releases, '1.2.0', code('released'));
    makeEmbedVersion(embed, '1.2.0', code('built'));
    assert.throws(() => readVersions(embed, releases), /embed\/1\.2\.0 differs from the released 1\.2\.0/);
  });
  test('with the name and the files of a release is that release', (t) => {
    const {embed, releases} = useFolders(t);
    for (const folder of [embed, releases]) makeEmbedVersion(folder, '1.2.0', code('same'));
    assert.deepEqual(
      readVersions(embed, releases).map(({folder, released}) => ({folder, released})),
      [{folder: join(releases, '1.2.0'), released: true}],
    );
  });
  test('that is newer is the one that the log names, with the words that it is not a release', (t) => {
    const {embed, releases} = useFolders(t);
    makeEmbedVersion(releases, '1.9.0', code('released'));
    makeEmbedVersion(embed, '1.10.0', code('built'));
    const snippet = newestSnippet(embed, publicUrl, releases);
    assert.match(snippet.script, /\/embed\/1\.10\.0\/.*integrity="sha384-/);
    assert.equal(snippet.release, false);
    assert.match(snippet.hint ?? '', /1\.10\.0 is not a release.*pin 1\.9\.0/);
  });
  test('that is older than a release leaves the release the newest', (t) => {
    const {embed, releases} = useFolders(t);
    makeEmbedVersion(releases, '1.10.0', code('released'));
    makeEmbedVersion(embed, '1.9.0', code('built'));
    const {script: tag, ...rest} = newestSnippet(embed, publicUrl, releases);
    assert.match(tag, /\/embed\/1\.10\.0\//);
    assert.deepEqual(rest, {release: true});
  });
});

suite('making a release', () => {
  type Failure = {code: number; stderr: string};
  const run = (folder: string, ...words: string[]) =>
    promisify(execFile)(process.execPath, words, {cwd: folder});
  const release = (folder: string) => run(folder, join(root, 'build/release.ts'));
  /** A project at version 1.5.0, built. */
  const makeProject = (t: TestContext) => {
    const folder = useFolder(t);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({version: '1.5.0', type: 'module'}));
    makeEmbedVersion(join(folder, 'dist/embed'), '1.5.0', {[script]: 'export {};', [`${script}.map`]: '{}'});
    return folder;
  };

  test('keeps the built files to the byte', async (t) => {
    const folder = makeProject(t);
    await release(folder);
    const [built, kept] = ['dist/embed', 'releases'].map((name) => join(folder, name, '1.5.0')) as [
      string,
      string,
    ];
    assert.deepEqual(readdirSync(kept), readdirSync(built));
    for (const file of readdirSync(built)) {
      assert.deepEqual(readFileSync(join(kept, file)), readFileSync(join(built, file)), file);
    }
  });
  test('is refused for a version that is released', async (t) => {
    const folder = makeProject(t);
    mkdirSync(join(folder, 'releases/1.5.0'), {recursive: true});
    await assert.rejects(release(folder), (error: Failure) => {
      assert.equal(error.code, 1);
      assert.match(error.stderr, /^1\.5\.0 is released: raise the version in package\.json\.$/m);
      return true;
    });
    assert.deepEqual(readdirSync(join(folder, 'releases/1.5.0')), []);
  });
  test('is refused when a file is not what the build wrote', async (t) => {
    const folder = makeProject(t);
    writeFileSync(join(folder, 'dist/embed/1.5.0', script), 'export {}; // edited');
    await assert.rejects(release(folder), (error: Failure) =>
      /not what its manifest says/.test(error.stderr),
    );
    assert.ok(!existsSync(join(folder, 'releases/1.5.0')));
  });
  test('ends builds of that version with a sentence, and leaves what was built alone', async (t) => {
    const folder = makeProject(t);
    cpSync(join(folder, 'dist/embed/1.5.0'), join(folder, 'releases/1.5.0'), {recursive: true});
    const build = run(
      folder,
      join(root, 'node_modules/vite/bin/vite.js'),
      'build',
      '-c',
      join(root, 'vite.config.ts'),
    );
    await assert.rejects(build, (error: Failure) =>
      /^1\.5\.0 is released: raise the version in package\.json\.\n$/.test(error.stderr),
    );
    assert.equal(readFileSync(join(folder, 'dist/embed/1.5.0', script), 'utf8'), 'export {};');
  });
});
