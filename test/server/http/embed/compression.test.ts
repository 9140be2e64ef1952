/** How the files of the form are compressed while the server runs, with a compressor that the test controls. */
import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {suite, test, type TestContext} from 'node:test';
import express from 'express';
import {embedFiles} from '../../../../server/http/embed/embed-files.ts';
import {createCompressor, type Compress} from '../../../../server/http/embed/compression.ts';
import {readVersions} from '../../../../server/versions/embed-versions.ts';
import {makeEmbedVersion} from '../../../support/embed-folder.ts';
import {requestRaw} from '../../../support/http.ts';
import {listen} from '../../../support/listening.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';

const script = 'lead-prequal-form.js';

/** Serves 1.1.0, and 1.2.0 with a later file, which is the newest. */
async function serve(t: TestContext, compress: Compress) {
  const folder = temporaryFolder(t);
  makeEmbedVersion(folder, '1.1.0', {[script]: '1.1.0'});
  makeEmbedVersion(folder, '1.2.0', {[script]: '1.2.0', 'later.js': 'later'});
  const versions = readVersions({embedFolder: folder, releasesFolder: 'none'});
  const files = embedFiles(
    versions,
    () => '',
    () => {},
    createCompressor(compress),
  );
  const server = createServer(express().disable('etag').use(files));
  t.after(() => server.close().closeAllConnections());
  const {url} = await listen(server);
  return (path: string, headers: Record<string, string> = {}) =>
    requestRaw(url + path, {headers: {'accept-encoding': 'br', ...headers}});
}

/** A compressor that waits until it may go on. `begun` has what it was given, in this order. */
function controlled() {
  const begun: string[] = [];
  const {promise, resolve} = Promise.withResolvers<void>();
  const compress: Compress = async (bytes, encoding) => {
    begun.push(`${bytes.toString()} ${encoding}`);
    await promise;
    return Buffer.from(`${bytes.toString()} in ${encoding}`);
  };
  return {begun, compress, goOn: resolve};
}

suite('the compressed files', () => {
  test('the newest version is compressed at start, one file after the other, and brotli first', async (t) => {
    const {begun, compress, goOn} = controlled();
    const get = await serve(t, compress);
    assert.deepEqual(begun, ['1.2.0 br']);
    goOn();
    assert.equal(
      (await get('/embed/1.2.0/later.js', {'accept-encoding': 'gzip'})).body.toString(),
      'later in gzip',
    );
    assert.deepEqual(begun.toSorted(), ['1.2.0 br', '1.2.0 gzip', 'later br', 'later gzip']);
  });

  test('requests at the same time, by both addresses of a file, share one compressed copy', async (t) => {
    const {begun, compress, goOn} = controlled();
    const get = await serve(t, compress);
    const paths = [`/embed/1.2.0/${script}`, `/embed/v1/${script}`, `/embed/1.1.0/${script}`];
    const responses = [...paths, ...paths].map((path) => get(path));
    goOn();
    const bodies = (await Promise.all(responses)).map(({body}) => body.toString());
    const expected = ['1.2.0 in br', '1.2.0 in br', '1.1.0 in br'];
    assert.deepEqual(bodies, [...expected, ...expected]);
    assert.deepEqual(
      begun
        .filter((one) => one.startsWith('1.'))
        .filter((one) => one.endsWith('br'))
        .toSorted(),
      ['1.1.0 br', '1.2.0 br'],
    );
  });

  test('a file that needs no compression waits for none', async (t) => {
    const {begun, compress} = controlled();
    const get = await serve(t, compress);
    const plain = await get(`/embed/1.1.0/${script}`, {'accept-encoding': 'identity'});
    assert.equal(plain.body.toString(), '1.1.0');
    const etag = plain.headers.etag?.replace('identity', 'br') ?? '';
    assert.equal((await get(`/embed/1.1.0/${script}`, {'if-none-match': etag})).status, 304);
    assert.deepEqual(begun, ['1.2.0 br']);
  });

  test('a file that cannot be compressed is sent as it is', async (t) => {
    const get = await serve(t, () => Promise.reject(new Error('out of memory')));
    const plain = await get(`/embed/1.2.0/${script}`, {'accept-encoding': 'identity'});
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const {status, headers, body} = await get(`/embed/1.2.0/${script}`);
      assert.equal(status, 200);
      assert.equal(headers['content-encoding'], undefined);
      assert.equal(headers.etag, plain.headers.etag);
      assert.equal(body.toString(), '1.2.0');
    }
  });
});
