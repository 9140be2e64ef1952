import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {suite, test} from 'node:test';
import {logoFault} from '../../../../server/http/apply/logo.ts';
import {listen} from '../../../support/listening.ts';

suite('the check of a logo', () => {
  test('names what the browsers of visitors would not show, or show late', async () => {
    const server = createServer(({url}, response) => {
      const [status = 200, type = '', bytes = 0, more = {}] = replies[url ?? ''] ?? [];
      response.writeHead(status, {'Content-Type': type, ...more}).end(Buffer.alloc(bytes));
    });
    const {url: address} = await listen(server);
    const replies: Record<string, [number, string, number, object?]> = {
      '/right': [200, 'image/svg+xml', 100_000],
      '/large': [200, 'image/png', 100_001],
      '/page': [200, 'text/html', 10],
      '/gone': [404, 'image/png', 10],
      '/moved': [302, '', 0, {Location: '/right'}],
    };
    const said = await Promise.all([...Object.keys(replies)].map((path) => logoFault(address + path)));
    assert.deepEqual(said, [
      undefined,
      'has more than 100 kB',
      'is no picture',
      'answers 404',
      'cannot be loaded',
    ]);
    await server[Symbol.asyncDispose]();
    assert.equal(await logoFault(address), 'cannot be loaded');
  });
});
