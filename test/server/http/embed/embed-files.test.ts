import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {brotliDecompressSync, gunzipSync} from 'node:zlib';
import {newestScript} from '../../../../server/snippets/newest-script.ts';
import {wordpressPlugin} from '../../../../contract/api.ts';
import {makeEmbedVersion, sha384} from '../../../support/embed-folder.ts';
import {readProblem, requestRaw} from '../../../support/http.ts';
import {startTestServer} from '../../../support/test-server.ts';

const script = 'lead-prequal-form.js';
const later = 'answer-BX1f8a.js';
const code = (version: string) => `export const version = '${version}'; // ${'é'.repeat(500)}`;

/** What builds wrote beside the scripts until 1.3. */
const formerly = {[`${script}.map`]: '{"version": 3}', [`${script}.br`]: 'stale', [`${script}.gz`]: 'stale'};

/** The newest by number, not by spelling; and one that the short address must not serve. */
const versions = ['1.2.0', '1.10.0', '2.0.0'];
const prepare = (folder: string) => {
  const embedFolder = join(folder, 'embed');
  for (const version of versions) {
    const files = {[script]: code(version), [`later-of-${version}.js`]: code(version)};
    const plugin = {[wordpressPlugin]: `plugin of ${version}`};
    makeEmbedVersion(embedFolder, version, {...files, ...plugin, [later]: 'later', ...formerly});
  }
  writeFileSync(join(embedFolder, 'README'), 'not a version');
  return {embedFolder};
};
const server = await startTestServer(prepare);
after(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  requestRaw(`${server.url}${path}`, {headers});
const pinned = `/embed/1.10.0/${script}`;
const newest = `/embed/v1/${script}`;

const ownBuild = `?build=${encodeURIComponent(sha384(code('1.10.0')).slice('sha384-'.length).slice(0, 12))}`;

suite('the file of an exact version', () => {
  test('is what was built, for every page and for a year', async () => {
    const {status, headers, body} = await get(pinned + ownBuild);
    assert.equal(status, 200);
    assert.equal(body.toString(), code('1.10.0'));
    assert.match(headers['content-type'] ?? '', /^text\/javascript\b/);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['timing-allow-origin'], '*');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['vary'], 'Accept-Encoding');
  });
  test('the file of a build is kept for a year only under its own hash', async () => {
    const {searchParams} = new URL(/src="([^"]+)"/.exec(newestScript(server.config).script)?.[1] ?? '');
    const kept = async (query: string) =>
      /immutable/.test((await get(`/embed/2.0.0/${script}${query}`)).headers['cache-control'] ?? '');
    assert.equal(await kept(`?${searchParams}`), true);
    for (const query of ['', '?ver=6.8', '?build=future', '?build=', '?build=a&build=b'])
      assert.equal(await kept(query), false, query);
  });
  for (const version of versions) {
    test(`the file of version ${version} is kept beside the others`, async () => {
      assert.equal((await get(`/embed/${version}/${script}`)).body.toString(), code(version));
    });
  }
  test('has the hash that the script tag of the newest version pins', async () => {
    const tag = newestScript(server.config).script;
    const [, source = '', integrity] = /src="([^"]+)" integrity="([^"]+)" crossorigin/.exec(tag) ?? [];
    const {origin, pathname, searchParams} = new URL(source);
    assert.equal(origin + pathname, `https://leads.example.com/embed/2.0.0/${script}`);
    assert.equal(searchParams.get('build'), integrity?.slice('sha384-'.length, 'sha384-'.length + 12));
    assert.equal(integrity, sha384((await get(new URL(source).pathname)).body.toString()));
  });
});

suite('the plugin for WordPress', () => {
  test('is a file of each version, and a cache asks again for that of a build', async () => {
    const {status, headers, body} = await get(`/embed/1.2.0/${wordpressPlugin}`);
    assert.equal(status, 200);
    assert.equal(body.toString(), 'plugin of 1.2.0');
    assert.equal(headers['content-type'], 'application/zip');
    assert.equal(headers['cache-control'], 'no-cache');
  });
  test('the newest one is at the moving address of each major version', async () => {
    for (const major of ['v1', 'v2'])
      assert.equal(
        (await get(`/embed/${major}/${wordpressPlugin}`)).body.toString(),
        'plugin of 2.0.0',
        major,
      );
  });
});

suite('the newest version', () => {
  test('of 1.x has an address of its own, kept for minutes', async () => {
    const {status, headers, body} = await get(newest);
    assert.equal(status, 200);
    assert.equal(body.toString(), code('1.10.0'));
    assert.equal(headers['cache-control'], 'public, max-age=300, stale-while-revalidate=86400');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  });
  test('still has the later files of the one before, for cached scripts', async () => {
    assert.equal((await get('/embed/v1/later-of-1.2.0.js')).body.toString(), code('1.2.0'));
  });
  test('is never taken from another major version', async () => {
    await readProblem(await server.fetch('/embed/v1/later-of-2.0.0.js'), 404, 'not-found');
  });
});

suite('compression', () => {
  const rows: [accepted: string | undefined, encoding: 'br' | 'gzip' | undefined][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip, br;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['deflate', undefined],
    ['identity', undefined],
    ['identity;q=0, zstd', undefined],
    [undefined, undefined],
  ];
  for (const [accepted, encoding] of rows) {
    test(`for Accept-Encoding ${accepted ?? 'absent'} is ${encoding ?? 'none'}`, async () => {
      const {headers, body} = await get(pinned, accepted === undefined ? {} : {'accept-encoding': accepted});
      assert.equal(headers['content-encoding'], encoding);
      const decode = {br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes};
      assert.equal(decode[encoding ?? 'none'](body).toString(), code('1.10.0'));
      assert.equal(Number(headers['content-length']), body.length);
    });
  }
  test('a file of any version is the same after decompression, also for requests at the same time', async () => {
    const addresses = [...versions.map((version) => `/embed/${version}/${script}`), newest];
    await Promise.all(
      addresses.flatMap(async (path) => {
        const expected = (await get(path)).body;
        const encoded = ['br', 'br', 'gzip', 'gzip'].map((name) => get(path, {'accept-encoding': name}));
        const [br, brToo, gzip, gzipToo] = (await Promise.all(encoded)).map(({body}) => body);
        assert.deepEqual(brotliDecompressSync(br!), expected, path);
        assert.deepEqual(gunzipSync(gzip!), expected, path);
        assert.deepEqual([brToo, gzipToo], [br, gzip], path);
      }),
    );
  });
  test('a HEAD has the headers of a GET', async () => {
    const accepted = {'accept-encoding': 'br'};
    const head = await requestRaw(server.url + pinned, {method: 'HEAD', headers: accepted});
    const {headers, body} = await get(pinned, accepted);
    assert.equal(head.body.length, 0);
    assert.equal(Number(head.headers['content-length']), body.length);
    for (const name of ['etag', 'content-encoding', 'content-type', 'cache-control', 'vary'])
      assert.equal(head.headers[name], headers[name], name);
  });
  test('gives each form its own ETag', async () => {
    const tags = new Set<string | undefined>();
    for (const accepted of ['br', 'gzip', 'identity']) {
      tags.add((await get(pinned, {'accept-encoding': accepted})).headers.etag);
    }
    assert.equal(tags.size, 3);
    assert.ok(!tags.has(undefined));
  });
});

suite('a file that a browser has', () => {
  for (const path of [pinned, newest]) {
    test(`is not sent again: ${path}`, async () => {
      const accepted = {'accept-encoding': 'br'};
      const {etag = ''} = (await get(path, accepted)).headers;
      const again = await get(path, {...accepted, 'if-none-match': etag});
      assert.equal(again.status, 304);
      assert.equal(again.body.length, 0);
      assert.equal(again.headers.etag, etag);
      assert.equal((await get(path, {...accepted, 'if-none-match': '"other"'})).status, 200);
    });
  }
});

suite('files besides the script', () => {
  test('later files are kept for a year also in a build, because their names hold their hashes', async () => {
    const {headers, body} = await get(`/embed/1.2.0/${later}`, {'accept-encoding': 'gzip'});
    assert.equal(gunzipSync(body).toString(), 'later');
    assert.match(headers['cache-control'] ?? '', /immutable/);
  });
  for (const path of [
    ...Object.keys(formerly).flatMap((file) => [`/embed/1.10.0/${file}`, `/embed/v1/${file}`]),
    '/embed/1.10.0/manifest.json',
    '/embed/1.10.0/none.js',
    '/embed/1.10.0/..%2fREADME',
    '/embed/1.10.0/%2e%2e%2f%2e%2e%2fdata%2fleads.sqlite',
    '/embed/1.10.0/__proto__',
    '/embed/1.10.0/',
    '/embed/9.9.9/lead-prequal-form.js',
    '/embed/README',
  ]) {
    test(`nothing is served at ${path}`, async () => {
      const {status, headers} = await get(path);
      assert.equal(status, 404);
      assert.match(headers['content-type'] ?? '', /^application\/problem\+json/);
      assert.equal(headers['cache-control'], 'no-store');
    });
  }
});

test('without a built form there is no script tag', () => {
  assert.throws(
    () => newestScript({...server.config, embedFolder: join(server.config.embedFolder, 'none')}),
    /npm run build/,
  );
});
