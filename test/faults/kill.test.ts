/** Kills the server with SIGKILL under load, several times. No acknowledged lead may be missing afterwards. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {join} from 'node:path';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {startCluster} from './postgres-cluster.ts';
import {createLeads, missing, startOver, until, stopped} from './load.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 100);

async function killRepeatedly(folder: string, environment: Record<string, string>) {
  const acknowledged: string[] = [];
  let last: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const server = await startOver(folder, environment);
    assert.deepEqual(await missing(server.url, last), [], `before kill ${round}`);
    const load = createLeads(server.url);
    // Each round kills the server at another moment: early, under full load, after a checkpoint.
    const enough = 20 + Math.floor(Math.random() * 1_500);
    await until(() => load.acknowledged.length >= enough);
    await server.end('SIGKILL');
    await load.stop();
    last = load.acknowledged;
    acknowledged.push(...last);
  }
  const server = await startOver(folder, environment);
  assert.deepEqual(await missing(server.url, acknowledged), [], 'of all that were ever acknowledged');
  assert.deepEqual(await server.end('SIGTERM'), stopped);
  const total = acknowledged.length.toLocaleString('en-US');
  console.log(`${rounds} kills, ${total} acknowledged leads, none lost`);
}

suite(`${rounds} kills in mid-load lose no acknowledged lead`, () => {
  const folder = makeTemporaryFolder();
  after(() => folder.remove());

  test('on SQLite', () => killRepeatedly(folder.path, {DATABASE_PATH: join(folder.path, 'leads.sqlite')}));

  test(`on PostgreSQL`, async () => {
    const cluster = await startCluster();
    try {
      await killRepeatedly(folder.path, {DATABASE_URL: cluster.url});
    } finally {
      cluster.remove();
    }
  });
});
