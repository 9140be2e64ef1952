/** Brings a service into each state that the rows of `answers.ts` need. */
import {readRanges} from '../../server/addresses.ts';
import {basic, postJson, readJson} from '../support/http.ts';
import {failures, json, startFakeUpstream, type Script} from '../support/fake-upstream.ts';
import {openConnection, requestText} from '../support/connection.ts';
import {prequalificationBody, standardBody} from '../support/sample-leads.ts';
import type {Store, StoredServer} from '../support/stores.ts';
import {acme, globex, startTestServer, type TestServer, through} from '../support/test-server.ts';
import {keyInProgress, usedKey, type Given, type Row} from './answers.ts';

export type World = {
  ask(row: Row): Promise<Response>;
  close(): Promise<unknown>;
};

const wrong = {...acme, password: 'wrong'};
const callers = {
  'another client': globex,
  'a wrong password': wrong,
  'an unknown user': {...wrong, user: 'x'},
};
const key = (key: string) => ({...basic(acme), 'idempotency-key': key});

function headersOf({by, headers, body}: Row): Record<string, string> {
  const json = body === undefined ? {} : {'Content-Type': 'application/json'};
  return {...json, ...(by === 'nobody' ? {} : basic(by ? callers[by] : acme)), ...headers};
}
function bodyOf({method, body}: Row): Uint8Array<ArrayBuffer> | string | null {
  if (method === 'GET' || body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array
    ? (body as Uint8Array<ArrayBuffer>)
    : JSON.stringify(body);
}

/** Two leads to read, one of them under the used key. */
async function storeLeads(server: TestServer) {
  const idOf = async (body: object, headers: Record<string, string>) =>
    (await readJson<{id: string}>(await server.fetch('/json/leads', postJson(body, headers)), 201)).id;
  return {
    prequalification: await idOf(prequalificationBody, key(usedKey)),
    standard: await idOf(standardBody, basic(acme)),
  };
}

async function asker(server: TestServer): Promise<World['ask']> {
  const ids = await storeLeads(server);
  return (row) =>
    server.fetch(row.path.replace('<id>', ids[row.lead ?? 'prequalification']), {
      method: row.method,
      headers: headersOf(row),
      body: bodyOf(row),
    });
}

const withServer = async (server: StoredServer) => ({ask: await asker(server), close: () => server.close()});

async function withUpstream(store: Store, script: Script): Promise<World> {
  const upstream = await startFakeUpstream(script);
  const world = await withServer(await store.startServer(through(upstream.settings)));
  return {...world, close: () => upstream.close().then(world.close)};
}

export const bringAbout: Readonly<Record<Given, (store: Store) => Promise<World>>> = {
  'all is well': async (store) => withServer(await store.startServer()),
  'the upstream does not answer': (store) => withUpstream(store, {create: failures['a reset']}),
  'the upstream refuses leads': (store) => withUpstream(store, {create: json(422, {})}),

  async 'the store cannot write'(store) {
    const server = await store.startServer();
    const world = await withServer(server);
    const resume = await server.stopWrites();
    return {...world, close: () => resume().then(world.close)};
  },

  async 'another process is writing with the key'(store) {
    const server = await store.startServer();
    const other = await startTestServer({databaseUrl: server.config.databaseUrl});
    const {ask} = await withServer(server);
    const gate = await server.closeGate!(prequalificationBody.cid);
    const written = other.fetch('/json/leads', postJson(prequalificationBody, key(keyInProgress)));
    await gate.reached();
    return {
      ask,
      async close() {
        await gate.open();
        await readJson(await written, 201);
        await other.close();
        await server.close();
      },
    };
  },

  async 'fifty failed sign-ins wait'(store) {
    // Any other address would be refused before a sign-in waits.
    const world = await withServer(await store.startServer({signInExempt: readRanges('127.0.0.1')}));
    return {
      ...world,
      async ask(row) {
        const responses = await Promise.all(Array.from({length: 150}, () => world.ask(row)));
        return responses.find(({status}) => status !== 401)!;
      },
    };
  },

  async 'twenty sign-ins of the address failed'(store) {
    const server = await store.startServer();
    const world = await withServer(server);
    const fail = () => server.fetch('/json/leads', postJson(standardBody, basic(wrong)));
    await Promise.all(Array.from({length: 20}, fail));
    return world;
  },

  async 'the service is stopping'(store) {
    const server = await store.startServer();
    const {port} = server;
    const [busy, late] = [await openConnection(port), await openConnection(port)];
    const body = JSON.stringify(standardBody);
    const length = {'content-length': String(Buffer.byteLength(body))};
    busy.send(requestText('POST', '/json/leads', {...basic(acme), ...length, expect: '100-continue'}));
    await busy.continued();
    let closed: Promise<void> | undefined;
    return {
      async ask(row) {
        const request = requestText(row.method, row.path, {...headersOf(row), 'Content-Length': '0'});
        // What comes in one go with a request that was answered has begun to arrive, too.
        late.send(requestText('GET', '/json/leads', {}) + request.slice(0, 20));
        await late.answer();
        closed = server.close();
        late.send(request.slice(20));
        return late.answer();
      },
      async close() {
        busy.close();
        await closed;
      },
    };
  },
};
