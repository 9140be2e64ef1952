/** The server is started before its PostgreSQL, and with a wrong password. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {after, suite, test} from 'node:test';
import pg from 'pg';
import {runService, serviceSettings} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {createLeads, startOver, stopped, until} from './load.ts';
import {useCluster} from './postgres-cluster.ts';

/** Listens in place of a database that has not started yet: counts connections and closes them. */
async function standIn(url: string) {
  const seen = {connections: 0};
  const server = createServer((socket) => {
    seen.connections += 1;
    socket.destroy();
  });
  server.listen(Number(new URL(url).port), '127.0.0.1');
  await once(server, 'listening');
  return {seen, leave: () => once(server.close(), 'close')};
}

suite('a service whose PostgreSQL is not there', () => {
  const folder = temporaryFolder({after});
  const cluster = useCluster();

  test('waits for it, says so in the log, and is ready once it is there', async () => {
    cluster.stop('fast');
    const {seen, leave} = await standIn(cluster.url);
    const starting = startOver(folder, {DATABASE_URL: cluster.url});
    await until(() => seen.connections >= 3);
    await leave();
    cluster.start();
    const server = await starting;
    const load = createLeads(server.url, 1);
    await until(() => load.acknowledged.length > 0);
    await load.stop();
    const said = server.lines.filter((line) => line.includes('the database cannot be reached'));
    assert.equal(said.length, 1, server.lines.join('\n'));
    assert.match(said[0]!, /"reason":"[^"]+".*it is tried for 60 s more/);
    assert.ok(server.lines.some((line) => line.includes('the database is there')));
    assert.deepEqual(await server.end('SIGTERM'), stopped);
  });

  test('does not start at all with a wrong password, and names no secret', async () => {
    const admin = new pg.Client({connectionString: cluster.url});
    await admin.connect();
    const file = (await admin.query<{hba_file: string}>('SHOW hba_file')).rows[0]!.hba_file;
    await admin.query(`
      CREATE ROLE guarded LOGIN PASSWORD 'the-right-one';
      COPY (VALUES ('host all guarded 127.0.0.1/32 scram-sha-256'), ('host all all 127.0.0.1/32 trust')) TO '${file}';
      SELECT pg_reload_conf()`);
    await admin.end();

    const url = new URL(cluster.url);
    Object.assign(url, {username: 'guarded', password: 'the-wrong-one'});
    const environment = {...serviceSettings(folder), DATABASE_URL: url.href, PORT: '0'};
    const {code, errors, output} = await runService(environment, folder);
    assert.equal(code, 1);
    assert.match(errors, /^Cannot start: .*password authentication failed for user "guarded"\n$/);
    assert.ok(!`${errors}${output}`.includes('the-wrong-one'));
  });
});
