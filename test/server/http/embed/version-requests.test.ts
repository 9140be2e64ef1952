/** Withdrawn versions, the list of versions, and which requests for files are counted. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import type {ListedVersions} from '../../../../contract/versions.ts';
import {reservedHeights} from '../../../../form/reserved-heights.ts';
import {makeEmbedVersion, sha384} from '../../../support/embed-folder.ts';
import {formConfig, sentLead} from '../../../support/embed-client.ts';
import {readJson, readProblem, requestRaw} from '../../../support/http.ts';
import {openFor, openForSuite} from '../../../support/opened.ts';
import {quickTimings} from '../../../support/quick-timings.ts';
import {sqlite, type StoredServer} from '../../../support/stores.ts';
import {listedOrigin, startTestServer} from '../../../support/test-server.ts';
import {until} from '../../../support/until.ts';

const [script, classic] = ['lead-prequal-form.js', 'lead-prequal-form.classic.js'];
const later = 'later-1a2b.js';

/** 1.1.0 has no plain script; 1.2.0 is withdrawn. */
const prepare = (folder: string) => {
  const embedFolder = join(folder, 'embed');
  makeEmbedVersion(embedFolder, '1.1.0', {[script]: '1.1.0', [later]: 'later', [`${script}.map`]: '{}'});
  makeEmbedVersion(embedFolder, '1.2.0', {[script]: '1.2.0', [classic]: '1.2.0', [later]: 'later'});
  return {embedFolder, withdrawnVersions: ['1.2.0']};
};

suite('a withdrawn version', () => {
  const server = openForSuite(() => startTestServer(prepare));
  for (const file of [script, classic, later, 'none.js']) {
    test(`answers ${file} with 410, which the console of any page may read`, async () => {
      const response = await server.fetch(`/embed/1.2.0/${file}`, {headers: {origin: listedOrigin}});
      assert.equal(response.status, 410);
      assert.match(await response.text(), /^\/\/ lead-prequal-form 1\.2\.0 is withdrawn: [^\n]+\.\n$/);
      // Browsers hide other types from a script tag without `crossorigin`, and then the console would say nothing.
      assert.match(response.headers.get('content-type') ?? '', /^text\/javascript\b/);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin');
      assert.equal(response.headers.get('cache-control'), 'no-store');
    });
  }

  test('is not what /embed/v1/ serves', async () => {
    assert.equal(await (await server.fetch(`/embed/v1/${script}`)).text(), '1.1.0');
    await readProblem(await server.fetch(`/embed/v1/${classic}`), 404, 'not-found');
  });

  test('requests for a withdrawn version make one line in the log, with no unlisted origin', async (t) => {
    const server = await openFor(t, startTestServer(prepare));
    for (const origin of ['https://canary.example', listedOrigin, listedOrigin]) {
      await server.fetch(`/embed/1.2.0/${script}`, {headers: {origin}});
      await server.fetch(`/embed/1.2.0/${later}`, {headers: {origin}});
    }
    const lines = server.logLines.filter((line) => line.includes('withdrawn version of the form'));
    assert.equal(lines.length, 1);
    assert.partialDeepStrictEqual(JSON.parse(lines[0]!), {level: 40, version: '1.2.0', origin: 'other'});
    assert.doesNotMatch(server.logLines.join(''), /canary/);
  });
});

suite('/embed/versions.json', () => {
  const server = openForSuite(() => startTestServer(prepare));
  test('names the newest version and the withdrawn ones, to any page', async () => {
    const response = await server.fetch('/embed/versions.json', {headers: {origin: 'https://any.example'}});
    const {newest, versions} = await readJson<ListedVersions>(response, 200);
    assert.equal(newest, '1.1.0');
    assert.deepEqual(
      versions.map(({version, released}) => [version, released]),
      [
        ['1.2.0', false],
        ['1.1.0', false],
      ],
    );
    assert.match(versions[0]?.withdrawn ?? '', /withdrawn this version/);
    assert.deepEqual(versions[1]?.integrity, {[script]: sha384('1.1.0')});
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.equal(response.headers.get('cache-control'), 'public, max-age=300');
  });
  test('of a server without a form names no version', async (t) => {
    const without = await openFor(t, startTestServer());
    const list = await readJson<ListedVersions>(await without.fetch('/embed/versions.json'), 200);
    assert.deepEqual(list, {newest: null, versions: [], heights: reservedHeights});
  });
  test('can only be read', async () => {
    const response = await server.fetch('/embed/versions.json', {method: 'POST'});
    await readProblem(response, 405, 'method-not-allowed');
    assert.equal(response.headers.get('allow'), 'GET, HEAD');
  });
});

const countsOf = async (server: StoredServer) =>
  Object.fromEntries(
    (await server.select('SELECT version, origin, requests FROM version_requests')).map(
      ({version, origin, requests}) => [`${String(version)} ${String(origin)}`, Number(requests)],
    ),
  );

suite('the counts', () => {
  test('each request of a page for a first file is counted, served, known or withdrawn', async (t) => {
    const server = await openFor(t, sqlite.startServer(prepare, quickTimings));
    const ask = (path: string, origin?: string, headers: Record<string, string> = {}, method = 'GET') =>
      requestRaw(server.url + path, {method, headers: {...headers, ...(origin && {origin})}});
    const {headers} = await ask(`/embed/1.1.0/${script}`, listedOrigin);
    const again = {'if-none-match': headers.etag ?? ''};
    assert.equal((await ask(`/embed/1.1.0/${script}`, listedOrigin, again)).status, 304);
    await ask(`/embed/1.1.0/${script}`, 'https://any.example');
    await ask(`/embed/1.1.0/${script}`, 'https://another.example');
    await ask(`/embed/1.1.0/${script}`, 'null');
    await ask(`/embed/1.1.0/${script}`);
    await ask(`/embed/1.1.0/${script}`, undefined, {'sec-fetch-site': 'same-origin'});
    await ask(`/embed/1.2.0/${script}`, listedOrigin);
    await ask(`/embed/1.2.0/${classic}`, listedOrigin);
    await ask(`/embed/v1/${script}`, listedOrigin);

    await ask(`/embed/1.1.0/${script}`, listedOrigin, {}, 'HEAD');
    await ask(`/embed/1.2.0/${script}`, listedOrigin, {}, 'HEAD');
    await ask(`/embed/v1/${script}`, listedOrigin, {}, 'HEAD');
    for (const file of [`${script}.map`, later, classic, 'none.js']) {
      await ask(`/embed/1.1.0/${file}`, listedOrigin);
      await ask(`/embed/v1/${file}`, listedOrigin);
    }
    await ask(`/embed/1.2.0/${later}`, listedOrigin);
    await ask(`/embed/9.9.9/${script}`, listedOrigin);
    await ask(`/embed/1.1.0/${script}`, 'https://the-last.example');

    const expected = {
      [`1.1.0 ${listedOrigin}`]: 2,
      '1.1.0 other': 3,
      '1.1.0 unknown': 2,
      '1.1.0 own': 1,
      [`1.2.0 ${listedOrigin}`]: 2,
      [`v1 ${listedOrigin}`]: 1,
    };
    await until(async () => (await countsOf(server))['1.1.0 other'] === 3);
    assert.deepEqual(await countsOf(server), expected);
  });

  test('a page view is counted once, as shown or begun, by partner, origin and version', async (t) => {
    const server = await openFor(t, sqlite.startServer(prepare, quickTimings));
    const ask = (query: string, origin = listedOrigin) =>
      server.fetch(`/embed/v1/config?partner=acme${query}`, {headers: {origin}});
    for (const query of [
      '&view=began&version=1.1.0',
      '&view=again&version=1.1.0',
      '&view=shown&version=9.9.9',
    ])
      assert.equal((await ask(query)).status, 200);
    // As forms before 2.0 ask.
    await ask('&lang=en-US');
    assert.equal((await ask('&view=began&version=1.1.0', 'https://any.example')).status, 403);

    const views = async () =>
      (await server.select('SELECT * FROM page_views'))
        .map((row) => Object.values(row).slice(1).join(' '))
        .toSorted();
    await until(async () => (await views()).length === 3);
    assert.deepEqual(await views(), [
      'acme https://www.partner.example 1.1.0 began 1',
      'acme https://www.partner.example other shown 1',
      'acme https://www.partner.example unknown shown 1',
    ]);
  });

  test('a page view that cannot be stored is lost, and the lead of its visitor is not', async (t) => {
    const server = await openFor(t, sqlite.startServer(prepare, quickTimings));
    await server.execute('ALTER TABLE page_views RENAME TO away');
    await formConfig(server);
    await sentLead(server);
    await server.execute('ALTER TABLE away RENAME TO page_views');
    await until(async () => {
      await formConfig(server);
      return (await server.select('SELECT * FROM page_views')).length > 0;
    });
    assert.equal((await server.select('SELECT id FROM leads')).length, 1);
  });

  test('keep no request waiting while the store cannot write, and go on after that', async (t) => {
    const server = await openFor(t, sqlite.startServer(prepare, quickTimings));
    const resume = await server.stopWrites();
    const {status} = await server.fetch(`/embed/1.1.0/${script}`, {headers: {origin: listedOrigin}});
    assert.equal(status, 200);
    await resume();
    await until(async () => {
      await server.fetch(`/embed/v1/${script}`);
      return (await countsOf(server))['v1 unknown'] !== undefined;
    });
  });
});
