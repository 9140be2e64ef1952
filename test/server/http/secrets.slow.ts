/** Plants a canary in every secret and every field, drives the service every way it goes, and looks for them. */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import type {ServerResponse} from 'node:http';
import {DatabaseSync} from 'node:sqlite';
import {suite, test} from 'node:test';
import type {Config} from '../../../server/config/config.ts';
import {onePartner} from '../../../server/config/partners.ts';
import {failures, json, startFakeUpstream, type Reply} from '../../support/fake-upstream.ts';
import {basic, postJson} from '../../support/http.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {amounts, canaryLead as lead} from '../../support/sample-leads.ts';
import {
  caller,
  listedOrigin,
  otherOrigin,
  startTestServer,
  type TestServer,
  through,
} from '../../support/test-server.ts';
import {openFor} from '../../support/opened.ts';

const first = caller({user: 'caller', password: 'canary-first-password', cids: ['canary-cid']});
const other = caller({user: 'other', password: 'canary-other-password', cids: ['canary-other-cid']});
const tokenKey = 'canary-token-key-canary-token-key';
const evidenceKey = 'canary-evidence-key-canary-evidence-key';
const upstreamAccess = {
  user: 'canary-upstream-user',
  password: 'canary-upstream-password',
  cid: 'canary-upstream-cid',
};
const firstName = lead.first_name;
const wrongLead = {
  ...lead,
  email: 'canary.mail',
  phone: '555-0199',
  cash: '$1,234,567',
  credit_score: 'canary-score',
};
const key = `canary-key-${randomUUID()}`;

const encoded = [first, other, upstreamAccess].map((access) =>
  basic(access).authorization.slice('Basic '.length),
);
const secrets = [
  ...[first.password, other.password, tokenKey, evidenceKey, ...first.cids, ...other.cids],
  ...Object.values(upstreamAccess),
  ...encoded,
];
const personal = [
  ...['Canarylast', 'canary.mail', '555-0199', '4155550199', 'canary-notes', 'canary-score', 'canary-key'],
  ...['1234567', '1,234,567', '5432101'],
];
/** All of it is an amount of the answer, too: its holder may read it. */
const retirement = '7654321';
const found = (text: string, canaries: readonly string[]) =>
  canaries.filter((canary) => text.includes(canary));

const config: Partial<Config> = {
  callers: [first, other],
  tokenKeys: [tokenKey],
  formerEvidenceWords: [evidenceKey],
  partners: [
    onePartner({key: 'acme', origins: [listedOrigin], cid: 'canary-cid'}),
    onePartner({key: 'contact-only', origins: [otherOrigin], lead_types: ['standard'], cid: 'canary-cid'}),
  ],
};

type Heard = {text: string; status: number; ok: boolean; tokens: string[]};

/** Every request that the service knows an answer to, right and wrong. */
async function drive(server: TestServer): Promise<Heard[]> {
  const heard: Heard[] = [];
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await server.fetch(path, init);
    const body = await response.text();
    const answer = JSON.parse(body || '{}') as {id?: string; token?: string};
    const tokens = answer.token ? [answer.token] : [];
    heard.push({
      text: `${JSON.stringify([...response.headers])}\n${body}`,
      status: response.status,
      ok: response.ok,
      tokens,
    });
    return answer;
  };
  const page = (origin = listedOrigin) => ({origin, 'idempotency-key': randomUUID()});
  const cid = 'canary-cid';
  const read = (id: string | undefined, headers: Record<string, string>) =>
    ask(`/json/leads/${id}`, {headers});

  const made = await ask('/json/leads', postJson({...lead, cid}, {...basic(first), 'idempotency-key': key}));
  await ask('/json/leads', postJson({...lead, cid}, {...basic(first), 'idempotency-key': key}));
  await ask('/json/leads', postJson({...lead, cid, cash: 1}, {...basic(first), 'idempotency-key': key}));
  await ask('/json/leads', postJson({...lead, cid}, {...basic(first), 'idempotency-key': 'canary-key'}));
  await ask('/json/leads', postJson({...lead, cid, lead_type: 'standard'}, basic(first)));
  await ask('/json/leads', postJson({...lead, cid: 'canary-other-cid'}, basic(first)));
  await ask('/json/leads', postJson({...wrongLead, cid}, basic(first)));
  await ask('/json/leads', postJson(JSON.stringify({...lead, cid}).slice(0, -1), basic(first)));
  await ask('/json/leads', postJson({...lead, cid, notes: 'canary-notes'.repeat(2_000)}, basic(first)));
  await ask('/json/leads', postJson({...lead, cid}, {...basic(first), 'content-type': 'text/canary-notes'}));
  await ask('/json/leads', postJson({...lead, cid}, basic({...first, password: `${first.password}!`})));
  await ask('/json/leads', {method: 'PUT', headers: basic(first)});
  for (const headers of [basic(first), basic(other), {}]) await read(made.id, headers);
  await read(randomUUID(), basic(first));
  await read('%E0%A4%A', basic(first));
  for (const typed of ['canary.mail@example.com', 'canary-notes/and/more', `${made.id}canary-notes`])
    await read(typed, basic(first));

  const sent = await ask('/embed/v1/leads?partner=acme', postJson({lead}, page()));
  await ask('/embed/v1/leads?partner=acme', postJson({lead: wrongLead}, page()));
  await ask('/embed/v1/leads?partner=acme', postJson({...lead}, page()));
  await ask('/embed/v1/leads?partner=acme', postJson({lead}, page('https://canary-notes.example')));
  await ask('/embed/v1/leads?partner=canary-notes', postJson({lead}, page()));
  await ask('/embed/v1/leads?partner=contact-only', postJson({lead}, page(otherOrigin)));
  await ask('/embed/v1/leads?partner=acme', {method: 'OPTIONS', headers: page()});
  for (const token of [sent.token ?? '', 'canary-token']) {
    const headers = {...page(), authorization: `Bearer ${token}`};
    await ask(`/embed/v1/leads/${sent.id}?partner=acme`, {headers});
  }
  await ask('/embed/v1/config?partner=acme', {headers: page()});
  await ask('/.well-known/lead-prequal/keys.json');
  await ask('/embed/versions.json', {headers: page('https://canary-notes.example')});
  await ask(`/nowhere?notes=canary-notes&token=${sent.token}`);

  const database = new DatabaseSync(server.config.databasePath, {timeout: 5_000});
  database.exec('ALTER TABLE leads RENAME TO elsewhere');
  await ask('/json/leads', postJson({...lead, cid}, basic(first)));
  await read(made.id, basic(first));
  database.close();
  return heard;
}

async function assertSilent(server: TestServer, upstreamAddress: string | undefined) {
  const heard = await drive(server);
  const log = server.logLines.join('');
  assert.ok(heard.length > 25 && server.logLines.length >= heard.length);
  assert.notEqual(
    heard[0]!.status,
    401,
    'the caller could not sign in, and the rest of this test would say nothing',
  );

  const issued = new Set(heard.flatMap(({tokens}) => tokens));
  assert.ok(issued.size > 0);
  const neverLogged = [...secrets, ...personal, firstName, retirement, ...issued, 'canary-token'];
  assert.deepEqual(found(log, neverLogged), []);

  const neverSaid = [...secrets, ...personal, ...(upstreamAddress ? [upstreamAddress] : [])];
  for (const {text, ok} of heard)
    assert.deepEqual(found(text, ok ? neverSaid : [...neverSaid, firstName, retirement]), []);
  return heard;
}

/** Sends back whatever it got, its credentials included, as careless servers do. */
const echo: Reply = (response, {headers, body}) => {
  const page = `<!doctype html><pre>${JSON.stringify({headers, body})}</pre>`;
  response.writeHead(200, {'content-type': 'text/html', 'x-echo': headers.authorization}).end(page);
};

suite('no secret and nothing that a visitor typed is in a log line or in the answer of another', () => {
  test('the calculator brings no secret and nothing that was typed into the log or other answers', async (t) => {
    const server = await openFor(t, startTestServer(config));
    const heard = await assertSilent(server, undefined);
    assert.ok(heard.some(({text}) => text.includes(firstName)));
  });

  const scripts: Record<string, {create?: Reply; read?: Reply}> = {
    'is down': {},
    answers: {create: json(201, {id: 'u-1'}), read: json(200, amounts)},
    refuses: {create: json(422, {errors: lead})},
    'echoes what it got': {create: echo},
    'echoes the lead for the amounts': {
      create: json(201, {id: 'u-1'}),
      read: json(200, {...lead, ...upstreamAccess}),
    },
  };
  const otherHost = (response: ServerResponse) =>
    void response.writeHead(307, {location: 'http://other.example/json/leads'}).end();
  const faults: Record<string, Reply> = {
    'redirects to another host': otherHost,
    resets: failures['a reset'],
    hangs: () => undefined,
    'answers 500': failures['an error of its own'],
    'answers 429': failures['too many requests'],
    'answers 401': failures['bad credentials'],
    'answers 404': failures['nothing found'],
    'answers HTML': failures['a page of HTML'],
    'answers half a JSON': failures['half of its JSON'],
    'answers 10 MB': failures['a body of 10 MB'],
    'answers wrong types': failures['wrong types'],
  };
  for (const [what, reply] of Object.entries(faults)) {
    scripts[what] = {create: reply};
    scripts[`takes the lead and ${what} for the amounts`] = {create: json(201, {id: 'u-1'}), read: reply};
  }
  for (const [what, script] of Object.entries(scripts)) {
    test(`an upstream that ${what} brings no secret and nothing typed into log or answers`, async (t) => {
      const upstream = await openFor(t, startFakeUpstream({...script, access: upstreamAccess}));
      if (what === 'is down') await upstream.close();
      const changes = {...config, ...through(upstream.settings, config.partners, config.callers)};
      const server = await openFor(t, startTestServer(changes, quickTimings));
      await assertSilent(server, new URL(upstream.settings.url).host);
      const isDown = server.logLines.some((line) => line.includes('refused the connection'));
      assert.deepEqual([upstream.exchanges.length > 0, isDown], [what !== 'is down', what === 'is down']);
    });
  }
});
