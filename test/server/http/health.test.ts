/** What is asked by load balancers, over each store; the faults that take a process of their own are in test/faults. */
import assert from 'node:assert/strict';
import {copyFileSync, renameSync} from 'node:fs';
import {suite, test} from 'node:test';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {forEachStore, type StoredServer} from '../../support/stores.ts';
import {acme, startTestServer} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {openFor} from '../../support/opened.ts';

const pages = ['/livez', '/readyz', '/health'];

/** Milliseconds in which health must be right again after the store has begun or ceased to fail. */
const promised = 5_000;

async function becomes(server: Pick<StoredServer, 'fetch'>, status: number) {
  const start = performance.now();
  await until(async () => (await server.fetch('/readyz')).status === status);
  const took = performance.now() - start;
  assert.ok(took < promised, `took ${Math.round(took)} ms`);
}

forEachStore((store) => {
  const server = store.useServer();

  for (const path of pages) {
    test(`GET and HEAD of ${path} say ok and nothing else while leads can be stored, other methods fail`, async () => {
      assert.deepEqual(await readJson(await server.fetch(path), 200), {status: 'ok'});
      const head = await server.fetch(path, {method: 'HEAD'});
      assert.deepEqual([head.status, await head.text()], [200, '']);
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const response = await server.fetch(path, {method});
        await readProblem(response, 405, 'method-not-allowed');
        assert.equal(response.headers.get('allow'), 'GET, HEAD');
      }
    });
  }

  test('an outage and its end show within 5 s though no lead comes', async () => {
    const letWrite = await server.stopWrites();
    await becomes(server, 503);
    for (const path of ['/readyz', '/health']) {
      const refused = await server.fetch(path);
      assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      const problem = await readProblem(refused, 503, 'store-unavailable');
      assert.doesNotMatch(JSON.stringify(problem), /sqlite|postgres|locked|connect/i);
    }
    assert.equal((await server.fetch('/livez')).status, 200);
    await letWrite();
    await becomes(server, 200);
    assert.equal((await server.fetch('/health')).status, 200);
    const said = (words: string) => server.logLines.some((line) => line.includes(words));
    await until(() => said('the store does not work') && said('the store works again'));
  });

  test('a lead that its own row keeps from being stored makes nobody look unhealthy', async (t) => {
    const other = await openFor(t, store.startServer());
    await other.execute(
      store.name === 'SQLite'
        ? `CREATE TRIGGER refuse BEFORE INSERT ON leads WHEN NEW.cid = '1002'
             BEGIN SELECT RAISE(ABORT, 'refused by its row'); END`
        : "ALTER TABLE leads ADD CONSTRAINT refuse CHECK (cid <> '1002')",
    );
    const create = (cid: string) =>
      other.fetch('/json/leads', postJson({...prequalificationBody, cid}, basic(acme)));
    const refused = await create('1002');
    assert.equal(refused.headers.get('retry-after'), null, 'another try would be of no use');
    await readProblem(refused, 500, 'internal');
    assert.ok(
      other.logLines.some((line) => line.includes('"stack":"')),
      'the log has where it happened',
    );
    assert.equal((await other.fetch('/readyz')).status, 200);
    await readJson(await create('1001'), 201);
  });

  test('a missing table is a 500 without Retry-After to a caller, and an outage to balancers', async (t) => {
    const other = await openFor(t, store.startServer());
    await other.execute('ALTER TABLE leads RENAME TO gone');
    const refused = await other.fetch('/json/leads', postJson(prequalificationBody, basic(acme)));
    assert.equal(refused.headers.get('retry-after'), null);
    await readProblem(refused, 500, 'internal');
    assert.equal((await other.fetch('/readyz')).status, 503);
  });
});

suite('a database file', () => {
  test('that is replaced while the server has it open makes it unready', async (t) => {
    const server = await openFor(t, startTestServer());
    const {databasePath} = server.config;
    copyFileSync(databasePath, `${databasePath}.other`);
    renameSync(`${databasePath}.other`, databasePath);
    await becomes(server, 503);
    await until(() => server.logLines.some((line) => line.includes('moved, deleted or replaced')));
  });
});
