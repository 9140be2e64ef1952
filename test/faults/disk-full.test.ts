/** A disk that gets full and is cleared again: a small file system that the test makes. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, rmSync, statfsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {basic, postJson} from '../support/http.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {createLeads, missing, startOver, until, stopped} from './load.ts';

suite('a full disk', () => {
  test('is answered with 503, loses nothing, stops no read, and ends when there is room again', async () => {
    const folder = makeTemporaryFolder();
    const disk = join(folder.path, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    try {
      const server = await startOver(folder.path, {DATABASE_PATH: join(disk, 'leads.sqlite')});
      // This file leaves room for only a few hundred leads.
      const ballast = join(disk, 'ballast');
      const {bavail, bsize} = statfsSync(disk);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - 512 * 1024));
      const load = createLeads(server.url);
      await until(() => load.acknowledged.length > 0);
      await until(() => load.statuses.includes(503));
      await load.stop();
      assert.deepEqual(new Set(load.statuses), new Set([201, 503]));
      assert.deepEqual(await missing(server.url, load.acknowledged), [], 'reads go on');
      // A single lead may still fit on the disk when twenty at once do not.
      const one = () => fetch(`${server.url}/json/leads`, postJson(prequalificationBody, basic(acme)));
      let refused = await one();
      while (refused.status === 201) {
        load.acknowledged.push(((await refused.json()) as {id: string}).id);
        refused = await one();
      }
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get('Retry-After') ?? '', /^\d+$/);

      rmSync(ballast);
      const again = createLeads(server.url);
      await until(() => again.acknowledged.length > 0);
      await again.stop();
      assert.deepEqual(await server.end('SIGTERM'), stopped);
      const restarted = await startOver(folder.path, {DATABASE_PATH: join(disk, 'leads.sqlite')});
      assert.deepEqual(await missing(restarted.url, [...load.acknowledged, ...again.acknowledged]), []);
      assert.deepEqual(await restarted.end('SIGTERM'), stopped);
    } finally {
      execFileSync('umount', ['-l', disk]);
      folder.remove();
    }
  });
});
