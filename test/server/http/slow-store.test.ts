/** A store that takes longer than a request waits. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {suite, test} from 'node:test';
import {prequalificationBody} from '../../support/sample-leads.ts';
import {sendLead, somebody} from '../../support/embed-client.ts';
import {startFakeUpstream} from '../../support/fake-upstream.ts';
import {basic, postJson, readJson, readProblem} from '../../support/http.ts';
import {openFor} from '../../support/opened.ts';
import {forEachStore, type StoredServer} from '../../support/stores.ts';
import {acme, through} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';

const lead = somebody();
const ways: Record<string, (server: StoredServer, key: string) => Promise<Response>> = {
  '/json/leads': ({fetch}, key) =>
    fetch('/json/leads', postJson({...lead, cid: '1001'}, {...basic(acme), 'idempotency-key': key})),
  '/embed/v1/leads': (server, key) => sendLead(server, lead, {key}),
};

forEachStore((store) => {
  /** Makes every write wait. Resolves to a function that lets them go on. */
  async function slowDown(server: StoredServer): Promise<() => Promise<void>> {
    const gate = await server.closeGate?.(prequalificationBody.cid);
    return gate ? () => gate.open() : server.stopWrites();
  }

  suite('a store that takes too long', () => {
    for (const [path, send] of Object.entries(ways)) {
      test(`${path} says so, the lead is stored and delivered, and a retry gets its id`, async (t) => {
        const upstream = await openFor(t, startFakeUpstream());
        const server = await openFor(t, store.startServer(through(upstream.settings), {requestWait: 300}));
        const storedIds = async () => (await server.select('SELECT id FROM leads')).map(({id}) => id);
        const key = randomUUID();
        const goOn = await slowDown(server);
        const refused = await send(server, key);
        await goOn();
        assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
        const {detail} = await readProblem(refused, 503, 'store-unavailable');
        assert.match(detail, /may have been stored.* with the same Idempotency-Key/);

        await until(async () => (await storedIds()).length === 1);
        await until(() => upstream.taken().length === 1);
        const {id} = await readJson<{id: string}>(await send(server, key), 201);
        assert.deepEqual(await storedIds(), [id]);
        assert.deepEqual(upstream.taken(), [id]);
      });
    }
  });
});
