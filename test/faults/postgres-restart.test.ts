/** PostgreSQL is stopped, crashed and started again under load. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {basic} from '../support/http.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {useCluster} from './postgres-cluster.ts';
import {createLeads, missing, startOver, until, stopped} from './load.ts';

suite('a PostgreSQL that goes away in mid-load', () => {
  const folder = makeTemporaryFolder();
  const cluster = useCluster();
  after(() => folder.remove());

  for (const mode of ['fast', 'immediate'] as const) {
    test(`loses nothing, and writes come back by themselves after a ${mode} stop`, async () => {
      const server = await startOver(folder.path, {DATABASE_URL: cluster.url});
      const load = createLeads(server.url);
      await until(() => load.acknowledged.length >= 200);
      cluster.stop(mode);
      await until(() => load.statuses.at(-1) === 503);
      const refused = await fetch(`${server.url}/json/leads/01900000-0000-7000-8000-000000000000`, {
        headers: basic(acme),
      });
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get('Retry-After') ?? '', /^\d+$/);

      const before = load.acknowledged.length;
      cluster.start();
      await until(() => load.acknowledged.length >= before + 200);
      await load.stop();
      assert.deepEqual(new Set(load.statuses), new Set([201, 503]));
      assert.deepEqual(await missing(server.url, load.acknowledged), []);
      assert.deepEqual(await server.end('SIGTERM'), stopped);
    });
  }
});
