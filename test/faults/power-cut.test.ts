/**
 * A simulated power failure: everything that was not synced is lost. The test traces the system calls of the server, and
 * truncates its write-ahead log to the length that it had at its last fsync.
 */
import assert from 'node:assert/strict';
import {copyFileSync, readFileSync, truncateSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {need} from '../support/installed.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, missing, startOver, until, stopped} from './load.ts';

/** The length of the log at its last fsync, from a trace of `pwrite64` and `fdatasync`. */
function syncedLength(trace: string): number {
  let written = 0;
  let synced = 0;
  for (const line of trace.split('\n')) {
    if (!line.includes('-wal>')) continue;
    const [, length, offset] = /pwrite64\(.*, (\d+), (\d+)(?:\)|\s+<unfinished)/.exec(line) ?? [];
    if (length) written = Math.max(written, Number(offset) + Number(length));
    else if (/f(?:data)?sync\(/.test(line)) synced = written;
  }
  return synced;
}

suite('a power cut', () => {
  test('loses no acknowledged lead of the SQLite store', async () => {
    const folder = makeTemporaryFolder();
    const path = join(folder.path, 'leads.sqlite');
    const trace = join(folder.path, 'trace');
    const options = ['-D', '-f', '-y', '-s', '0', '-e', 'trace=pwrite64,fsync,fdatasync', '-o', trace];
    const server = await startOver(folder.path, {DATABASE_PATH: path}, [need('strace'), ...options]);
    const load = createLeads(server.url);
    await until(() => load.acknowledged.length >= 300);
    // Copies the files while writes go on, because a power failure would leave them like that.
    const acknowledged = [...load.acknowledged];
    const traced = readFileSync(trace, 'utf8');
    for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${path}.cut${suffix}`);
    await load.stop();
    assert.deepEqual(await server.end('SIGTERM'), stopped);

    const length = syncedLength(traced);
    assert.ok(length > 0, 'the log was synced at all');
    truncateSync(`${path}.cut-wal`, length);
    const restarted = await startOver(folder.path, {DATABASE_PATH: `${path}.cut`});
    assert.deepEqual(await missing(restarted.url, acknowledged), []);
    assert.deepEqual(await restarted.end('SIGTERM'), stopped);
    console.log(`${acknowledged.length} acknowledged leads, log cut to ${length} bytes, none lost`);
    folder.remove();
  });
});
