/** What is told of an error of the database that will be the same at the next try. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {acme} from '../../support/test-server.ts';

forEachStore((over) => {
  suite('what the database will refuse again', () => {
    const server = over.useServer();
    const send = (cid: string) =>
      server.fetch('/json/leads', postJson({...prequalificationBody, cid}, basic(acme)));
    const isSqlite = over.name === 'SQLite';
    async function isFailed(response: Response) {
      assert.equal(response.headers.get('retry-after'), null);
      await readProblem(response, 500, 'internal');
    }

    test('is a 500 without Retry-After, and no outage if it is about one row', async () => {
      await server.execute(
        isSqlite
          ? `CREATE TRIGGER no BEFORE INSERT ON leads WHEN NEW.cid = '1002' BEGIN SELECT RAISE(ABORT, 'no'); END`
          : `ALTER TABLE leads ADD CONSTRAINT no CHECK (cid <> '1002')`,
      );
      await isFailed(await send('1002'));
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
      const {id} = await readJson<{id: string}>(await send('1001'), 201);
      await readJson(await server.fetch(`/json/leads/${id}`, {headers: basic(acme)}), 200);
    });

    test('is a 500 without Retry-After, and an outage for load balancers if a table is missing', async () => {
      await server.execute('ALTER TABLE spent_proofs RENAME TO gone');
      await server.execute('ALTER TABLE leads RENAME TO gone_leads');
      await isFailed(await send('1001'));
      assert.equal((await fetch(`${server.url}/readyz`)).status, 503);
    });
  });
});
