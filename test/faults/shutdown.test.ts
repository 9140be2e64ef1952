/** SIGTERM under load. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {usualTimings} from '../../server/config/timings.ts';
import {openConnection, requestText} from '../support/connection.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, missing, startOver, until, stopped} from './load.ts';

suite('a stop in mid-load', () => {
  test('finishes what was accepted, refuses the rest with 503, and exits with 0', async () => {
    const folder = makeTemporaryFolder();
    const settings = {DATABASE_PATH: join(folder.path, 'leads.sqlite')};
    const server = await startOver(folder.path, settings);
    const load = createLeads(server.url);
    await until(() => load.acknowledged.length >= 200);
    assert.deepEqual(await server.end('SIGTERM'), stopped);
    await load.stop();
    // 0 means that the port is closed. There must be no other errors, because no response may be cut off.
    const seen = new Set(load.statuses);
    assert.ok(
      [...seen].every((status) => [201, 503, 0].includes(status)),
      [...seen].join(' '),
    );

    const restarted = await startOver(folder.path, settings);
    assert.deepEqual(await missing(restarted.url, load.acknowledged), []);
    assert.deepEqual(await restarted.end('SIGTERM'), stopped);
    folder.remove();
  });

  test('a stop that runs out of time says so in the log', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const server = await startOver(folder.path, {DATABASE_PATH: join(folder.path, 'leads.sqlite')});
    const said = (words: string) => until(() => server.lines.some((line) => line.includes(words)));
    // The server waits for the rest of this request.
    const connection = await openConnection(Number(new URL(server.url).port));
    connection.send(requestText('POST', '/json/leads', {'content-length': '100', expect: '100-continue'}));
    await connection.continued();
    const ended = server.end('SIGTERM');
    await said('the server stops');
    process.kill(server.pid, 'SIGSTOP');
    const end = performance.now() + usualTimings.processEnd;
    await until(() => performance.now() > end);
    process.kill(server.pid, 'SIGCONT');
    assert.deepEqual(await ended, {code: 1, signal: null});
    await said('the server could not stop within 10 s and ends now');
  });
});
