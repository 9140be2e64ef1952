/** Brings a service into each state that rows of response-rows.ts need. */
import {keyInProgress, usedKey, type Row, type ServiceState} from './response-rows.ts';
import {readRanges} from '../../../server/config/addresses.ts';
import {basic, postJson, readJson} from '../../support/http.ts';
import {failures, json, startFakeUpstream, type Script} from '../../support/fake-upstream.ts';
import {eraseLead} from '../../support/erase-lead.ts';
import {openConnection, requestText} from '../../support/connection.ts';
import {openFor, type Owner} from '../../support/opened.ts';
import {prequalificationBody, standardBody} from '../../support/sample-leads.ts';
import type {Store} from '../../support/stores.ts';
import {acme, globex, startTestServer, type TestServer, through} from '../../support/test-server.ts';
import {damaged} from '../../support/encrypted-rows.ts';

export type Send = (row: Row) => Promise<Response>;

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
  const made = body({prequalification: prequalificationBody, standard: standardBody});
  if (made instanceof Uint8Array) return new Uint8Array(made);
  return typeof made === 'string' ? made : JSON.stringify(made);
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

async function sender(server: TestServer, stored?: Awaited<ReturnType<typeof storeLeads>>): Promise<Send> {
  const ids = stored ?? (await storeLeads(server));
  return (row) =>
    server.fetch(row.path.replace('<id>', ids[row.lead ?? 'prequalification']), {
      method: row.method,
      headers: headersOf(row),
      body: bodyOf(row),
    });
}

async function withUpstream(store: Store, owner: Owner, script: Script): Promise<Send> {
  const upstream = await openFor(owner, startFakeUpstream(script));
  return sender(await openFor(owner, store.startServer(through(upstream.settings))));
}

/** What is started there is closed with its owner. */
export const startIn: Readonly<Record<ServiceState, (store: Store, owner: Owner) => Promise<Send>>> = {
  'all is well': async (store, owner) => sender(await openFor(owner, store.startServer())),
  async 'the lead was erased'(store, owner) {
    const server = await openFor(owner, store.startServer());
    const ids = await storeLeads(server);
    await eraseLead(server.config, ids.prequalification);
    return sender(server, ids);
  },
  async 'the lead cannot be opened'(store, owner) {
    const server = await openFor(owner, store.startServer());
    const ids = await storeLeads(server);
    await server.execute(damaged(`lead_id = '${ids.prequalification}'`));
    return sender(server, ids);
  },
  'the upstream does not answer': (store, owner) => withUpstream(store, owner, {create: failures['a reset']}),
  'the upstream refuses leads': (store, owner) => withUpstream(store, owner, {create: json(422, {})}),

  async 'the store cannot write'(store, owner) {
    const server = await openFor(owner, store.startServer());
    const send = await sender(server);
    owner.after(await server.stopWrites());
    return send;
  },

  async 'another process is writing with the key'(store, owner) {
    const server = await openFor(owner, store.startServer());
    const other = await openFor(owner, startTestServer({databaseUrl: server.config.databaseUrl}));
    const send = await sender(server);
    const gate = await server.closeGate!(prequalificationBody.cid);
    const written = other.fetch('/json/leads', postJson(prequalificationBody, key(keyInProgress)));
    owner.after(async () => {
      await gate.open();
      await readJson(await written, 201);
    });
    await gate.reached();
    return send;
  },

  async 'fifty failed sign-ins wait'(store, owner) {
    // Any other address would be refused before a sign-in waits.
    const config = {signInExempt: readRanges('127.0.0.1')};
    const send = await sender(await openFor(owner, store.startServer(config)));
    return async (row) => {
      const responses = await Promise.all(Array.from({length: 150}, () => send(row)));
      return responses.find(({status}) => status !== 401)!;
    };
  },

  async 'twenty sign-ins of the address failed'(store, owner) {
    const server = await openFor(owner, store.startServer());
    const send = await sender(server);
    const fail = () => server.fetch('/json/leads', postJson(standardBody, basic(wrong)));
    await Promise.all(Array.from({length: 20}, fail));
    return send;
  },

  async 'the service is stopping'(store, owner) {
    const server = await openFor(owner, store.startServer());
    const {port} = server;
    const [busy, late] = [await openConnection(port), await openConnection(port)];
    for (const connection of [busy, late]) owner.after(() => connection.close());
    const body = JSON.stringify(standardBody);
    const length = {'content-length': String(Buffer.byteLength(body))};
    busy.send(requestText('POST', '/json/leads', {...basic(acme), ...length, expect: '100-continue'}));
    await busy.continued();
    return async (row) => {
      const request = requestText(row.method, row.path, {...headersOf(row), 'Content-Length': '0'});
      // The beginning of this request arrives with a whole one before it, so the server has begun to read it.
      late.send(requestText('GET', '/json/leads', {}) + request.slice(0, 20));
      await late.answer();
      void server.close();
      late.send(request.slice(20));
      return late.answer();
    };
  },
};
