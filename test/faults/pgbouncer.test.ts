/** Two processes that share the connections of a PgBouncer in transaction mode. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, fromCaller, fromPage, startOver, stopped, until} from './load.ts';
import {startPgBouncer} from './pgbouncer.ts';
import {startCluster} from './postgres-cluster.ts';

suite('a PgBouncer that cannot keep prepared statements', async () => {
  const folder = makeTemporaryFolder();
  const cluster = await startCluster();
  const bouncer = await startPgBouncer(cluster.url);
  after(async () => {
    await bouncer.stop();
    cluster.remove();
    folder.remove();
  });

  test('never takes a named statement of one process for another one of the other', async (t) => {
    const environment = {DATABASE_URL: bouncer.url};
    const servers = [await startOver(folder.path, environment), await startOver(folder.path, environment)];
    // Each process runs its statements in a different order.
    const loads = [createLeads(servers[0]!.url, 10, fromPage), createLeads(servers[1]!.url, 10, fromCaller)];
    await until(() => loads.every(({statuses}) => statuses.length >= 300));
    for (const load of loads) await load.stop();
    for (const server of servers) assert.deepEqual(await server.end('SIGTERM'), stopped);
    const reasons = servers
      .flatMap(({lines}) => lines)
      // Why the server stops is a reason, too.
      .filter((line) => line.includes('"reason"') && !line.includes('SIGTERM'))
      .map((line) => (JSON.parse(line) as {reason: string}).reason);
    t.diagnostic(
      `answered 503: ${loads.flatMap(({statuses}) => statuses).filter((status) => status === 503).length}`,
    );
    for (const {statuses} of loads) assert.ok(statuses.every((status) => [201, 503].includes(status)));
    for (const reason of reasons) {
      assert.match(
        reason,
        /(26000|42P05) prepared statement "lead_[0-9a-f]{32}" (does not exist|already exists)$/,
      );
    }
  });
});
