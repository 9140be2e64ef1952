/**
 * Health endpoints notice within 5 seconds that writes begin to fail, and that they work again, though no lead comes. Those
 * faults that need a disk or a PostgreSQL of their own; test/server/http/health.test.ts has others, and what is said.
 */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import pg from 'pg';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, fillDisk, missing, smallDisk, startOver, stopped, until} from './load.ts';
import {useCluster} from './postgres-cluster.ts';

/** Milliseconds. */
const promised = 5_000;

async function becomes(url: string, status: number) {
  const start = performance.now();
  await until(async () => (await fetch(`${url}/readyz`)).status === status);
  const took = Math.round(performance.now() - start);
  assert.ok(took < promised, `${status} took ${took} ms`);
  assert.equal((await fetch(`${url}/health`)).status, status);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
}

/** @param begin begins the fault, and resolves to what ends it */
async function healthIsRight(
  t: TestContext,
  store: Record<string, string>,
  begin: () => Promise<() => Promise<unknown>>,
) {
  const server = await startOver(temporaryFolder(t), store);
  const load = createLeads(server.url, 4);
  await until(() => load.acknowledged.length >= 100);
  await load.stop();
  await becomes(server.url, 200);
  const endFault = await begin();
  await becomes(server.url, 503);
  await endFault();
  await becomes(server.url, 200);
  assert.deepEqual(await missing(server.url, load.acknowledged), []);
  assert.deepEqual(await server.end('SIGTERM'), stopped);
}

suite('health is right within 5 s of the beginning and of the end', () => {
  const cluster = useCluster();

  test('of a full disk', async (t) => {
    const disk = smallDisk(t);
    await healthIsRight(t, {DATABASE_PATH: join(disk, 'leads.sqlite')}, () => {
      const makeRoom = fillDisk(disk);
      return Promise.resolve(() => Promise.resolve(makeRoom()));
    });
  });

  test('of a file that cannot be written to any more, though it is open', async (t) => {
    const path = join(temporaryFolder(t), 'leads.sqlite');
    // Writes to an immutable file fail as on a file system that became read-only.
    const change = (flag: string) =>
      Promise.resolve(execFileSync('chattr', [flag, path, `${path}-wal`], {stdio: 'inherit'}));
    await healthIsRight(t, {DATABASE_PATH: path}, async () => {
      await change('+i');
      return () => change('-i');
    });
  });

  test('of a PostgreSQL that has become read-only', async (t) => {
    const admin = new pg.Client({connectionString: cluster.url});
    await admin.connect();
    t.after(() => admin.end());
    const readOnly = async (value: string) => {
      await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await admin.query('SELECT pg_reload_conf()');
    };
    await healthIsRight(t, {DATABASE_URL: await cluster.createDatabase()}, async () => {
      await readOnly('on');
      return () => readOnly('off');
    });
  });

  test('of writes to PostgreSQL that hang and do not fail', async (t) => {
    const DATABASE_URL = await cluster.createDatabase();
    await healthIsRight(t, {DATABASE_URL}, async () => {
      const other = new pg.Client({connectionString: DATABASE_URL});
      other.on('error', () => undefined);
      await other.connect();
      await other.query('BEGIN; LOCK TABLE heartbeat, leads');
      return async () => {
        await other.query('ROLLBACK');
        await other.end();
      };
    });
  });
});
