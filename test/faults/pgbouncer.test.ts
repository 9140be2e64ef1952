/** Two processes behind a PgBouncer of before 1.21, in the mode in which it keeps prepared statements. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, fromCaller, fromPage, missing, startOver, stopped, until} from './load.ts';
import {startPgBouncer} from './pgbouncer.ts';
import {startCluster} from './postgres-cluster.ts';

suite('a PgBouncer in session mode', async () => {
  const folder = makeTemporaryFolder();
  const cluster = await startCluster();
  const bouncer = await startPgBouncer(cluster.url);
  after(async () => {
    await bouncer.stop();
    cluster.remove();
    folder.remove();
  });

  test('is shared by two processes: no lead is refused, none is lost', async (t) => {
    const environment = {DATABASE_URL: bouncer.url};
    const servers = [await startOver(folder.path, environment), await startOver(folder.path, environment)];
    const loads = servers.flatMap(({url}) => [
      createLeads(url, 20, fromPage),
      createLeads(url, 5, fromCaller),
    ]);
    await until(() => loads.every(({acknowledged}) => acknowledged.length >= 500));
    for (const load of loads) await load.stop();
    const statuses = loads.flatMap((load) => load.statuses);
    const acknowledged = loads.flatMap((load) => load.acknowledged);
    t.diagnostic(`acknowledged ${acknowledged.length} of ${statuses.length}`);
    assert.deepEqual(new Set(statuses), new Set([201]));
    for (const {url} of servers) assert.deepEqual(await missing(url, acknowledged), []);
    for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
  });
});
