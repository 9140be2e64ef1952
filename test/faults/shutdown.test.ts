/** SIGTERM under load. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, missing, startOver, until, stopped} from './load.ts';

suite('a stop in mid-load', () => {
  test('a stop in mid-load finishes what was accepted, refuses the rest with 503, and exits with 0', async () => {
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
});
