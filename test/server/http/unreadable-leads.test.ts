/** What callers, visitors and load balancers are told of a lead that cannot be opened, or that was erased. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import {onePartner} from '../../../server/config/partners.ts';
import {openAttachedStore} from '../../../server/store/open-store.ts';
import {createEncryptor} from '../../../server/store/encryption.ts';
import {readLead, sendLead, sentLead, somebody} from '../../support/embed-client.ts';
import {basic, comparable, postJson, readJson, readProblem} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {acme, globex, listedOrigin} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {eraseLead} from '../../support/erase-lead.ts';

const key = 'a data key of tests, of 32 characters at least';
const partners = [
  onePartner({key: 'acme', origins: [listedOrigin], cid: '1001', send_to: ['crm'], merge_duplicates: true}),
] as const;

forEachStore((over) => {
  suite('a lead that cannot be opened', () => {
    const server = over.useServer({dataKeys: [key], partners: [...partners]});
    const send = (headers: Record<string, string> = {}) =>
      server.fetch('/json/leads', postJson(prequalificationBody, {...basic(acme), ...headers}));
    const read = (id: string, user = acme) => server.fetch(`/json/leads/${id}`, {headers: basic(user)});
    const isReady = async () =>
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200, await outage());
    const outage = () => Promise.resolve(server.logLines.filter((line) => /store/.test(line)).join('\n'));
    const noteOf = async (id: string, open: Parameters<typeof openFor>[0]) => {
      const store = await openFor(open, openAttachedStore(server.config, createEncryptor([key]), false));
      const find = async () => (await store.unreadableLeads(Date.now())).find((lead) => lead.id === id);
      await until(async () => (await find()) !== undefined);
      return find();
    };

    const damages: Record<string, (id: string) => string> = {
      'a flipped bit': (id) =>
        over.name === 'SQLite'
          ? `UPDATE sealed SET blob = CAST(substr(blob, 1, 39) || CASE substr(blob, 40, 1) WHEN x'00' THEN x'01' ELSE x'00' END || substr(blob, 41) AS BLOB) WHERE lead_id = '${id}'`
          : `UPDATE sealed SET blob = set_bit(blob, 400, 1 - get_bit(blob, 400)) WHERE lead_id = '${id}'`,
      'a missing blob': (id) => `DELETE FROM sealed WHERE lead_id = '${id}'`,
      'a wrong key number': (id) => `UPDATE sealed SET data_key = 7 WHERE lead_id = '${id}'`,
      'text that is no JSON': (id) =>
        `UPDATE leads SET clear_lead = '{"first_name": "Secret' WHERE id = '${id}'; DELETE FROM sealed WHERE lead_id = '${id}'`,
    };
    for (const [what, damage] of Object.entries(damages)) {
      test(`is answered with 500, and the service stays ready for all others: ${what}`, async (t) => {
        const [{id}, other] = [
          await readJson<{id: string}>(await send(), 201),
          await readJson<{id: string}>(await send(), 201),
        ];
        await server.execute(damage(id));
        const answer = await read(id);
        assert.equal(answer.headers.get('retry-after'), null);
        await readProblem(answer, 500, 'lead-unreadable');
        await isReady();
        await readJson(await read(other.id), 200);
        await readJson(await send(), 201);
        assert.doesNotMatch(server.logLines.join('\n'), /Secret/);
        assert.ok(server.logLines.some((line) => /lead.*cannot be opened/.test(line) && line.includes(id)));
        assert.ok((await noteOf(id, t))?.unreadable);
      });
    }

    test('is to another client as if it did not exist', async () => {
      const {id} = await readJson<{id: string}>(await send(), 201);
      await server.execute(damages['a missing blob']!(id));
      const [unreadable, unknown] = await Promise.all([read(id, globex), read(randomUUID(), globex)]);
      assert.deepEqual(await comparable(unreadable), await comparable(unknown));
    });

    test('is answered with 500 under its idempotency key, too', async () => {
      const headers = {'idempotency-key': randomUUID()};
      const {id} = await readJson<{id: string}>(await send(headers), 201);
      await server.execute(damages['a wrong key number']!(id));
      const again = await send(headers);
      assert.equal(again.headers.get('retry-after'), null);
      await readProblem(again, 500, 'lead-unreadable');
      await isReady();
    });

    test('is answered with 500 to its visitor alone, who can still correct it', async () => {
      const sent = await sentLead(server);
      await server.execute(damages['a flipped bit']!(sent.id));
      await readProblem(await readLead(server, sent), 500, 'lead-unreadable');
      await readProblem(await readLead(server, {...sent, token: 'wrong'}), 404, 'not-found');
      const {id} = await sentLead(server, somebody(), {body: {supersedes: {id: sent.id, token: sent.token}}});
      const [row] = await server.select(`SELECT supersedes FROM leads WHERE id = '${id}'`);
      assert.equal(row?.['supersedes'], sent.id);
      await isReady();
    });

    test('does not keep a later lead with the same fields from its answer', async () => {
      const lead = somebody();
      const first = await sentLead(server, lead);
      await server.execute(damages['a missing blob']!(first.id));
      const second = await readJson<typeof first>(await sendLead(server, lead), 201);
      const [row] = await server.select(`SELECT duplicate_of FROM leads WHERE id = '${second.id}'`);
      assert.equal(row?.['duplicate_of'], first.id);
      assert.equal(second.status, 'done');
      assert.equal((await readJson<typeof first>(await readLead(server, second), 200)).status, 'done');
      await isReady();
    });
  });
});

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
