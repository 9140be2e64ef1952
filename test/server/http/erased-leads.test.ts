/** What callers and visitors are told of a lead that was erased. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {readLead, sendLead, somebody} from '../../support/embed-client.ts';
import {eraseLead} from '../../support/erase-lead.ts';
import {basic, comparable, postJson, readJson, readProblem} from '../../support/http.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {acme} from '../../support/test-server.ts';

forEachStore((over) => {
  suite('a lead that was erased', () => {
    const server = over.useServer();
    const erase = (id: string) => eraseLead(server.config, id);
    const path = (id: string) => `/json/leads/${id}`;

    test('is to a caller as if it had never been, and a retry with its key is refused with 410', async () => {
      const headers = {...basic(acme), 'idempotency-key': randomUUID()};
      const send = (changes: object = {}) =>
        server.fetch('/json/leads', postJson({...prequalificationBody, ...changes}, headers));
      const {id} = await readJson<{id: string}>(await send(), 201);
      await erase(id);
      const [erased, unknown] = [id, randomUUID()].map((each) =>
        server.fetch(path(each), {headers: basic(acme)}),
      );
      assert.deepEqual(await comparable(await erased!), await comparable(await unknown!));
      await readProblem(await send(), 410, 'lead-erased');
      await readProblem(await send({last_name: 'Other'}), 410, 'lead-erased');
      assert.equal((await server.select('SELECT id FROM leads')).filter((row) => row['id'] === id).length, 1);
    });

    test('is to a visitor as if it had never been, and a retry with its key is refused with 410', async () => {
      const key = randomUUID();
      const lead = somebody();
      const sent = await readJson<EmbedAnswer>(await sendLead(server, lead, {key}), 201);
      await erase(sent.id);
      await readProblem(await readLead(server, sent), 404, 'not-found');
      await readProblem(await sendLead(server, lead, {key}), 410, 'lead-erased');
      const again = await readJson<EmbedAnswer>(await sendLead(server, lead), 201);
      assert.notEqual(again.id, sent.id);
      assert.equal(again.status, 'done');
    });
  });
});
