/** Versions of the form that were released: kept to the byte, served by every later server, never built again. */
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {promisify} from 'node:util';
import {brotliDecompressSync, gunzipSync} from 'node:zlib';
import {compareVersions} from 'compare-versions';
import {strFromU8, unzipSync} from 'fflate';
import {firstFiles, packageFile, wordpressPlugin} from '../../../../contract/api.ts';
import type {ListedVersions} from '../../../../contract/versions.ts';
import {releasesFolder} from '../../../../server/config/config.ts';
import {
  hasForm,
  isWithdrawn,
  listVersions,
  movingVersions,
  readAllVersions,
  readVersions,
} from '../../../../server/versions/embed-versions.ts';
import {newestScript} from '../../../../server/snippets/newest-script.ts';
import {makeEmbedVersion, sameHashOf, sha384} from '../../../support/embed-folder.ts';
import {requestRaw} from '../../../support/http.ts';
import {openFor, openForSuite} from '../../../support/opened.ts';
import {columnOf} from '../../../support/rows.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {startTestServer} from '../../../support/test-server.ts';

const script = 'lead-prequal-form.js';
const publicUrl = 'https://leads.example.com';
const sha512 = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
const root = join(import.meta.dirname, '../../../..');

const useFolders = (t: TestContext) => {
  const folder = temporaryFolder(t);
  return {embedFolder: join(folder, 'embed'), releasesFolder: join(folder, 'releases')};
};

suite('a release in the repository', () => {
  // No folder of a build: what is served can only be the releases.
  const server = openForSuite(() => startTestServer({releasesFolder}));
  const versions = readVersions({releasesFolder, embedFolder: join(releasesFolder, 'none')});
  test('each release has the first files of its committed hashes, and each hash has its release', () => {
    const committed = JSON.parse(readFileSync(join(releasesFolder, 'hashes.json'), 'utf8')) as object;
    const found = versions.map(({name, folder, manifest}) => {
      const files = firstFiles.filter((file) => manifest.integrity[file] !== undefined);
      return [
        name,
        Object.fromEntries(files.map((file) => [file, sha384(readFileSync(join(folder, file), 'utf8'))])),
      ];
    });
    assert.deepEqual(Object.fromEntries(found), committed);
  });
  for (const {name, folder, manifest} of versions) {
    const {version, integrity} = manifest;
    test(`the release ${name} has the files that its manifest says, and no others`, () => {
      assert.equal(version, name);
      for (const [file, expected] of Object.entries(integrity)) {
        assert.equal(sameHashOf(readFileSync(join(folder, file)), expected), expected, file);
      }
      const {package: packed} = manifest;
      const files = [...Object.keys(integrity), 'manifest.json', ...(packed ? [packageFile] : [])];
      assert.deepEqual(readdirSync(folder).toSorted(), files.toSorted());
      if (packed) assert.equal(sha512(readFileSync(join(folder, packageFile))), packed);
      assert.equal(packed !== undefined, compareVersions(name, '1.5.0') >= 0);
    });
  }
  const plugins = readAllVersions({releasesFolder, embedFolder: join(releasesFolder, 'none')}).filter(
    (version) => !hasForm(version),
  );
  for (const {name, folder, manifest} of plugins)
    test(`the plugin for WordPress ${name}, which was released alone, is served as it was released`, async () => {
      assert.equal(manifest.version, name);
      assert.deepEqual(readdirSync(folder).toSorted(), [wordpressPlugin, 'manifest.json'].toSorted());
      const {status, headers, body} = await requestRaw(`${server.url}/embed/${name}/${wordpressPlugin}`);
      assert.equal(status, 200);
      assert.match(headers['cache-control'] ?? '', /immutable/);
      const expected = manifest.integrity[wordpressPlugin] ?? '';
      assert.equal(sameHashOf(body, expected), expected);
    });
  test('the plugin with the highest number is handed out without a number in the address', async () => {
    const {plugins = []} = (await (
      await fetch(`${server.url}/embed/versions.json`)
    ).json()) as ListedVersions;
    const expected = plugins[0]?.integrity ?? '';
    const [body] = await Promise.all(
      ['v1', 'v2'].map(async (moving) => {
        const zip = await requestRaw(`${server.url}/embed/${moving}/${wordpressPlugin}`);
        assert.equal(sameHashOf(zip.body, expected), expected, moving);
        return zip.body;
      }),
    );
    assert.equal(plugins[0]?.security, undefined);
    const versionOf = strFromU8(unzipSync(body!)['lead-prequal/lead-prequal.php'] ?? new Uint8Array());
    assert.match(versionOf, new RegExp(`^ \\* Version: ${plugins[0]?.version.replaceAll('.', '\\.')}$`, 'm'));
  });
  test('v1 stays with the last release of 1, and v2 has the newest', async () => {
    const formOf = async (version: string) =>
      (await requestRaw(`${server.url}/embed/${version}/${script}`)).body;
    assert.deepEqual(await formOf('v1'), await formOf('1.7.0'));
    assert.deepEqual(await formOf('v2'), await formOf(listVersions(versions).newest ?? ''));
  });
  for (const {name, manifest} of versions.filter((version) => !isWithdrawn(version))) {
    const {integrity} = manifest;
    test(`the release ${name} is served as it was released, by a server without a build of its own`, async () => {
      for (const [file, expected] of Object.entries(integrity)) {
        const address = `${server.url}/embed/${name}/${file}`;
        const get = (accepted: string) => requestRaw(address, {headers: {'accept-encoding': accepted}});
        const {status, headers, body} = await get('identity');
        assert.equal(status, 200, file);
        assert.equal(sameHashOf(body, expected), expected, file);
        assert.match(headers['cache-control'] ?? '', /immutable/);
        assert.deepEqual(brotliDecompressSync((await get('br')).body), body, file);
        assert.deepEqual(gunzipSync((await get('gzip')).body), body, file);
        for (const map of [`${address}.map`, `${server.url}/embed/v1/${file}.map`])
          assert.equal((await requestRaw(map)).status, 404, map);
      }
      // A release never changes, so whatever an address carries besides, the file may be kept.
      const carried = await requestRaw(`${server.url}/embed/${name}/${script}?build=other&ver=6.8`);
      assert.match(carried.headers['cache-control'] ?? '', /immutable/);
    });
  }
});

suite('a build beside the releases', () => {
  const code = (text: string) => ({[script]: `export const text = '${text}';`});

  test('a build with the name of a release and other files stops the start, and is named', (t) => {
    const folders = useFolders(t);
    makeEmbedVersion(folders.releasesFolder, '1.2.0', code('released'));
    makeEmbedVersion(folders.embedFolder, '1.2.0', code('built'));
    assert.throws(() => readVersions(folders), /embed\/1\.2\.0 differs from the released 1\.2\.0/);
  });
  test('a build with the name and the files of a release is that release', (t) => {
    const folders = useFolders(t);
    for (const folder of Object.values(folders)) makeEmbedVersion(folder, '1.2.0', code('same'));
    assert.deepEqual(
      readVersions(folders).map(({folder, released}) => ({folder, released})),
      [{folder: join(folders.releasesFolder, '1.2.0'), released: true}],
    );
  });
  test('a build that is newer leaves the release the newest, for the log, for v1 and for the list', (t) => {
    const folders = useFolders(t);
    makeEmbedVersion(folders.releasesFolder, '1.9.0', code('released'));
    makeEmbedVersion(folders.embedFolder, '1.10.0', code('built'));
    const {script: tag, ...rest} = newestScript({...folders, publicUrl});
    assert.match(tag, /\/embed\/1\.9\.0\//);
    assert.deepEqual(rest, {release: true});
    const versions = readVersions(folders);
    assert.deepEqual(columnOf(movingVersions(versions).get('v1') ?? [], 'name'), ['1.9.0', '1.10.0']);
    const {newest, versions: listed} = listVersions(versions);
    assert.equal(newest, '1.9.0');
    assert.deepEqual(columnOf(listed, 'version'), ['1.10.0', '1.9.0']);
  });
  test('without a release, the newest build is the newest, and the log says that it is a build', (t) => {
    const folders = useFolders(t);
    for (const version of ['1.9.0', '1.10.0']) makeEmbedVersion(folders.embedFolder, version, code(version));
    const snippet = newestScript({...folders, publicUrl});
    assert.match(snippet.script, /\/embed\/1\.10\.0\/.*integrity="sha384-/);
    assert.equal(snippet.release, false);
    assert.match(snippet.hint ?? '', /1\.10\.0 is a build.*npm run release/);
  });
  test('versions are in the order of Semantic Versioning, in which a version follows its betas', (t) => {
    const folders = useFolders(t);
    const inOrder = '1.10.0 1.2.0 1.2.0-rc.1 1.2.0-beta.10 1.2.0-beta.2 1.2.0-alpha 1.1.9'.split(' ');
    for (const version of inOrder.toSorted())
      makeEmbedVersion(folders.releasesFolder, version, code(version));
    assert.deepEqual(columnOf(readVersions(folders), 'name'), inOrder);
  });
  test('a folder that is not named by a version stops the start, and is named', (t) => {
    const folders = useFolders(t);
    makeEmbedVersion(folders.embedFolder, 'latest', code('built'));
    assert.throws(
      () => readVersions(folders),
      /embed\/latest has a manifest, but its name is not an exact version/,
    );
  });
});

suite('making a release', () => {
  type Failure = {code: number; stderr: string};
  const run = (folder: string, ...words: string[]) =>
    promisify(execFile)(process.execPath, words, {cwd: folder});
  const release = (folder: string) => run(folder, join(root, 'build/release.ts'));
  /** What may be beside the scripts of a build. */
  const notReleased = Object.fromEntries(
    ['map', 'br', 'gz'].map((end) => [`${script}.${end}`, 'not released']),
  );
  const makePackage = (folder: string, version: string) => {
    mkdirSync(join(folder, 'dist/npm'), {recursive: true});
    writeFileSync(
      join(folder, 'dist/npm/package.json'),
      JSON.stringify({name: 'lead-prequal', version, type: 'module', exports: './index.js'}),
    );
    writeFileSync(join(folder, 'dist/npm/index.js'), 'export {};');
  };
  /** A project at version 1.5.0, built. */
  const makeProject = (t: TestContext) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({version: '1.5.0', type: 'module'}));
    makeEmbedVersion(join(folder, 'dist/embed'), '1.5.0', {[script]: 'export {};', ...notReleased});
    makePackage(folder, '1.5.0');
    return folder;
  };

  test('a release keeps the scripts to the byte, packs the npm package, and has no other files', async (t) => {
    const folder = makeProject(t);
    await release(folder);
    const kept = join(folder, 'releases/1.5.0');
    assert.deepEqual(readdirSync(kept).toSorted(), [script, packageFile, 'manifest.json'].toSorted());
    assert.deepEqual(
      readFileSync(join(kept, script)),
      readFileSync(join(folder, 'dist/embed/1.5.0', script)),
    );
    assert.deepEqual(JSON.parse(readFileSync(join(kept, 'manifest.json'), 'utf8')), {
      version: '1.5.0',
      integrity: {[script]: sha384('export {};')},
      package: sha512(readFileSync(join(kept, packageFile))),
    });
  });
  test('the package of a release is served with its hash, that of a build is not', async (t) => {
    const folder = makeProject(t);
    await release(folder);
    const [releases, embedFolder] = [join(folder, 'releases'), join(folder, 'dist/embed')];
    // A build of the next version, with all that a release has.
    cpSync(join(releases, '1.5.0'), join(embedFolder, '1.6.0'), {recursive: true});
    const server = await openFor(t, startTestServer({releasesFolder: releases, embedFolder}));
    const address = (version: string) => `${server.url}/embed/${version}/${packageFile}`;
    const {status, headers, body} = await requestRaw(address('1.5.0'));
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/gzip');
    assert.equal(headers['content-encoding'], undefined);
    assert.match(headers['cache-control'] ?? '', /immutable/);
    const again = await requestRaw(address('1.5.0'), {headers: {'if-none-match': headers.etag ?? ''}});
    assert.equal(again.status, 304);
    const listed = (await (await fetch(`${server.url}/embed/versions.json`)).json()) as ListedVersions;
    assert.deepEqual(
      listed.versions.map(({version, integrity}) => [version, integrity[packageFile]]),
      [
        ['1.6.0', undefined],
        ['1.5.0', sha512(body)],
      ],
    );
    for (const version of ['1.6.0', 'v1']) assert.equal((await requestRaw(address(version))).status, 404);
  });
  test('is refused when the npm package is not built, or is that of another version', async (t) => {
    const folder = makeProject(t);
    makePackage(folder, '1.4.9');
    const refused = (error: Failure) =>
      /^dist\/npm is not 1\.5\.0: run "npm run build" first/.test(error.stderr);
    await assert.rejects(release(folder), refused);
    rmSync(join(folder, 'dist/npm'), {recursive: true});
    await assert.rejects(release(folder), refused);
    assert.ok(!existsSync(join(folder, 'releases/1.5.0')));
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
  test('a release adds its hashes to those of earlier ones, and is refused if they are there', async (t) => {
    const folder = makeProject(t);
    const hashesFile = join(folder, 'releases/hashes.json');
    const hashes = () => JSON.parse(readFileSync(hashesFile, 'utf8')) as object;
    mkdirSync(join(folder, 'releases'));
    writeFileSync(hashesFile, '{"1.4.0": {}}');
    await release(folder);
    assert.deepEqual(hashes(), {'1.4.0': {}, '1.5.0': {[script]: sha384('export {};')}});
    rmSync(join(folder, 'releases/1.5.0'), {recursive: true});
    await assert.rejects(release(folder), (error: Failure) => /^1\.5\.0 is released/.test(error.stderr));
    assert.ok(!existsSync(join(folder, 'releases/1.5.0')));
  });
  test('is refused when a file is not what the build wrote', async (t) => {
    const folder = makeProject(t);
    writeFileSync(join(folder, 'dist/embed/1.5.0', script), 'export {}; // edited');
    await assert.rejects(release(folder), (error: Failure) =>
      /not what its manifest says/.test(error.stderr),
    );
    assert.ok(!existsSync(join(folder, 'releases/1.5.0')));
  });
  test('a build of a released version ends with a sentence, and leaves what was built alone', async (t) => {
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
