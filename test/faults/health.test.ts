/** Health endpoints notice within 5 seconds that writes begin to fail, and that they work again. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, rmSync, statfsSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import pg from 'pg';
import {stopWrites} from '../support/rows.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {startCluster} from './postgres-cluster.ts';
import {createLeads, missing, startOver, stopped, until} from './load.ts';

/** Milliseconds. */
const promised = 5_000;

/** Begins the fault. Resolves to a function that ends it. */
type Begin = (path: string) => Ending | Promise<Ending>;
type Ending = () => void | Promise<void>;

async function becomes(url: string, status: number): Promise<number> {
  const start = performance.now();
  await until(async () => (await fetch(`${url}/readyz`)).status === status);
  const took = Math.round(performance.now() - start);
  assert.ok(took < promised, `${status} took ${took} ms`);
  assert.equal((await fetch(`${url}/health`)).status, status);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  return took;
}

/** Creates leads with an earlier server, so that they are in the main file of the database. */
async function fill(folder: string, store: Record<string, string>) {
  const server = await startOver(folder, store);
  const load = createLeads(server.url);
  await until(() => load.acknowledged.length >= 2_000);
  await load.stop();
  assert.deepEqual(await server.end('SIGTERM'), stopped);
}

/** Tests a fault while leads arrive, and while none do. */
async function healthIsRight(
  t: TestContext,
  {folder, store, begin}: {folder: string; store: Record<string, string>; begin: Begin},
) {
  await fill(folder, store);
  for (const underLoad of [true, false]) {
    const server = await startOver(folder, store);
    const load = createLeads(server.url, 4);
    await until(() => load.acknowledged.length >= 100);
    if (!underLoad) await load.stop();
    await becomes(server.url, 200);
    const end = await begin(store['DATABASE_PATH'] ?? '');
    const bad = await becomes(server.url, 503);
    await end();
    const good = await becomes(server.url, 200);
    await load.stop();
    const lost = await missing(server.url, load.acknowledged);
    const {code, signal} = await server.end('SIGTERM');
    t.diagnostic(
      `${underLoad ? 'under load' : 'without a lead'}: 503 after ${bad} ms, 200 after ${good} ms; ` +
        `acknowledged ${load.acknowledged.length}, missing ${lost.length}, ended with ${code}`,
    );
    assert.deepEqual(lost, []);
    assert.deepEqual({code, signal}, stopped);
  }
}

const faults: Record<string, Begin> = {
  'a full disk': (path) => {
    const ballast = join(dirname(path), `ballast-${process.hrtime.bigint()}`);
    const {bavail, bsize} = statfsSync(dirname(path));
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    } catch (error) {
      // Leads that arrive meanwhile use some of the room, but the disk is still full.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    return () => rmSync(ballast);
  },
  'a locked database': (path) => stopWrites(path),
};

suite('health on SQLite', () => {
  for (const [fault, begin] of Object.entries(faults)) {
    test(`is right within 5 s of ${fault}, and of its end`, async (t) => {
      const folder = makeTemporaryFolder();
      const disk = join(folder.path, 'disk');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk]);
      t.after(() => {
        execFileSync('umount', ['-l', disk]);
        folder.remove();
      });
      const store = {DATABASE_PATH: join(disk, 'leads.sqlite')};
      await healthIsRight(t, {folder: folder.path, store, begin});
    });
  }

  test('is right within 5 s of a database that cannot be written to any more, and of its end', async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const files = (path: string) => [path, `${path}-wal`];
    // Writes to an immutable file fail even if it is already open, like on a file system that became read-only.
    const begin = (path: string) => {
      execFileSync('chattr', ['+i', ...files(path)]);
      return () => void execFileSync('chattr', ['-i', ...files(path)]);
    };
    const store = {DATABASE_PATH: join(folder.path, 'data', 'leads.sqlite')};
    await healthIsRight(t, {folder: folder.path, store, begin});
  });
});

suite('health on PostgreSQL', () => {
  test('is right within 5 s of a stopped or read-only database, and of its end', async (t) => {
    const cluster = await startCluster();
    const folder = makeTemporaryFolder();
    t.after(() => {
      cluster.remove();
      folder.remove();
    });
    const admin = async (...texts: string[]) => {
      const client = new pg.Client({connectionString: cluster.url});
      await client.connect();
      for (const text of texts) await client.query(text);
      await client.end();
    };
    const readOnly = (value: string) =>
      admin(`ALTER SYSTEM SET default_transaction_read_only = ${value}`, 'SELECT pg_reload_conf()');
    const store = {DATABASE_URL: cluster.url};
    t.diagnostic('stopped');
    const stop = () => {
      cluster.stop('fast');
      return () => cluster.start();
    };
    await healthIsRight(t, {folder: folder.path, store, begin: stop});
    t.diagnostic('read-only');
    const begin = async () => {
      await readOnly('on');
      return () => readOnly('off');
    };
    await healthIsRight(t, {folder: folder.path, store, begin});
  });

  test('is right within 5 s of a write that hangs and does not fail, and of its end', async (t) => {
    const cluster = await startCluster();
    const folder = makeTemporaryFolder();
    t.after(() => {
      cluster.remove();
      folder.remove();
    });
    const server = await startOver(folder.path, {DATABASE_URL: cluster.url});
    const other = new pg.Client({connectionString: cluster.url});
    other.on('error', () => undefined);
    await other.connect();
    await other.query('BEGIN; LOCK TABLE heartbeat, leads');
    const bad = await becomes(server.url, 503);
    await other.query('ROLLBACK');
    const good = await becomes(server.url, 200);
    await other.end();
    assert.deepEqual(await server.end('SIGTERM'), stopped);
    t.diagnostic(`without a lead: 503 after ${bad} ms, 200 after ${good} ms`);
  });
});
