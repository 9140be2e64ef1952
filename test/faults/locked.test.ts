/** Another process holds the database file in the middle of a load. */
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {suite, test} from 'node:test';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';
import {createLeads, missing, startOver, stopped} from './load.ts';

suite('a locked database file', () => {
  test('is answered with 503, loses nothing, stops no read, and writes come back by themselves', async () => {
    const folder = makeTemporaryFolder();
    const path = join(folder.path, 'leads.sqlite');
    const server = await startOver(folder.path, {DATABASE_PATH: path});
    const load = createLeads(server.url);
    await until(() => load.acknowledged.length >= 100);
    const other = new DatabaseSync(path, {timeout: 5_000});
    other.exec('BEGIN IMMEDIATE');
    await until(() => load.statuses.includes(503));
    assert.deepEqual(await missing(server.url, load.acknowledged), [], 'reads go on');

    const before = load.acknowledged.length;
    other.exec('COMMIT');
    other.close();
    await until(() => load.acknowledged.length >= before + 100);
    await load.stop();
    assert.deepEqual(new Set(load.statuses), new Set([201, 503]));
    assert.deepEqual(await missing(server.url, load.acknowledged), []);
    assert.deepEqual(await server.end('SIGTERM'), stopped);
    folder.remove();
  });
});
